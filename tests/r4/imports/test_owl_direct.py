"""OWL Direct: DL form, OWL 2 DL, annotations that say nothing, and what is kept apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.engine.core import Core
from r4.errors import Counters
from r4.imports import Closure, GraphRows, ImportErrors, Locations, load, load_graphs, separation
from r4.imports.owl_direct import not_in_dl_form
from r4.program.compiler import compile_document
from r4.run.driver import Driver
from r4.time.ticks import TimeScale
from rete.terms.dictionary import Dictionary
from tests.generators.rules.parsers import parse

OWL = "http://www.w3.org/2002/07/owl#"
PREFIXES = (
    f"@prefix owl: <{OWL}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    "@prefix : <http://e/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
)
HEADER = "<> a owl:Ontology . "


def closure_of(folder: Path, *graphs: str, profile: str = "OWL-Direct", body: str = "") -> Closure:
    """Of rules that import all the graphs."""
    lines = ["Document( Prefix(ex <http://e/>) Prefix(xs <http://www.w3.org/2001/XMLSchema#>)"]
    lines += ["Prefix(rdf <http://www.w3.org/1999/02/22-rdf-syntax-ns#>)"]
    for number, text in enumerate(graphs):
        (folder / f"g{number}.ttl").write_text(PREFIXES + text, "utf-8")
        lines.append(f"Import(<g{number}> <http://www.w3.org/ns/entailment/{profile}>)")
    text = "\n".join([*lines, f"Group( {body} ) )"])
    return load(parse(text), str(folder / "main.rif"), Locations(), 1)


def loaded(folder: Path, *graphs: str, **options) -> tuple[set[tuple[str, ...]], GraphRows]:
    """The rows that the graphs give, and all there is to say of them."""
    terms = Dictionary()
    found = load_graphs(closure_of(folder, *graphs, **options), terms, Counters())
    texts = terms.decode_many(found.rows.ravel())
    return set(zip(texts[::3], texts[1::3], texts[2::3], strict=True)), found


def is_inconsistent(folder: Path, graph: str, body: str = "") -> bool:
    """Does ``rif:error()`` follow from the graph and the rules?"""
    closure = closure_of(folder, graph, body=body)
    terms = Dictionary()
    found = load_graphs(closure, terms, Counters())
    program = compile_document(closure.documents[0], TimeScale(), background=separation())
    core = Core(program, terms)
    core.assert_static(found.rows)
    Driver(core).begin()
    return core.inconsistent


def facts(folder: Path, *graphs: str, **options) -> list[str]:
    """The triples about things of the example, by the local names of their terms."""
    rows, _ = loaded(folder, *graphs, **options)
    short = (term.strip("<>").rpartition("#")[2].rpartition("/")[2] for row in rows for term in row)
    parts = list(short)
    return sorted(" ".join(parts[at : at + 3]) for at in range(0, len(parts), 3))


def refused(folder: Path, *graphs: str, **options) -> list[str]:
    with pytest.raises(ImportErrors) as caught:
        loaded(folder, *graphs, **options)
    return [fault.code for fault in caught.value.errors]


# Rules


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("Forall ?x ( ex:p(?x) :- ex:o[?x -> 1] )", 1),
        ("Forall ?x ( ex:p(?x) :- ex:o[rdf:type -> ?x] )", 1),
        ("Forall ?x ( ex:p(?x) :- ex:o # ?x )", 1),
        ("Forall ?x ?y ( ?x[?x -> 1  ex:k -> 2  rdf:type -> ?x] :- ex:p(?x) )", 2),
        ("Forall ?x ( ex:p(?x) :- Or( And( ex:o # ?x ) Exists ?y ( ex:o[?y -> ?x] ) ) )", 2),
        (
            "Forall ?x ?y ( ?x[ex:k -> ?y  rdf:type -> ex:C] :- And( ?x # ex:C  ?x[ex:l -> ?y] ) )",
            0,
        ),
        ("ex:o[ex:k -> ex:v] ex:p(1) ex:o[]", 0),
    ],
)
def test_dl_form_is_about_properties_and_classes(body, count, tmp_path: Path) -> None:
    prefixes = "Prefix(ex <http://e/>) Prefix(rdf <http://www.w3.org/1999/02/22-rdf-syntax-ns#>)"
    document = parse(f"Document( {prefixes} Group( {body} ) )").document
    assert len(not_in_dl_form(document)) == count
    if count:
        assert set(refused(tmp_path, HEADER, body=body)) == {"R4314"}
    for profile in ("OWL-RDF-Based", "RDFS"):
        loaded(tmp_path, HEADER, body=body, profile=profile)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("Forall ?x ( ex:p(?x) :- ?x[rdfs:subClassOf -> ex:C] )", 1),
        ("ex:C[owl:disjointWith -> ex:D]", 1),
        ("Forall ?x ( ex:p(?x) :- Or( ?x # owl:Class  ?x[rdf:type -> owl:ObjectProperty] ) )", 2),
        ("Forall ?x ( ex:p(?x) :- And( ?x # owl:Thing  ?x[owl:sameAs -> ex:a] ) )", 0),
        ("Forall ?x ?y ( ?x[ex:name -> ?y] :- ?x[rdfs:label -> ?y] )", 0),
    ],
)
def test_axioms_are_no_facts_so_rules_about_them_are_refused(body: str, count: int) -> None:
    prefixes = "Prefix(ex <http://e/>) Prefix(rdf <http://www.w3.org/1999/02/22-rdf-syntax-ns#>)"
    prefixes += f" Prefix(owl <{OWL}>) Prefix(rdfs <http://www.w3.org/2000/01/rdf-schema#>)"
    document = parse(f"Document( {prefixes} Group( {body} ) )").document
    assert [each.code for each in not_in_dl_form(document)] == ["R4318"] * count


def test_every_document_of_the_closure_must_be_in_dl_form(tmp_path: Path) -> None:
    text = "Document( Group( Forall ?x ( <http://e/p>(?x) :- <http://e/o>[?x -> 1] ) ) )"
    (tmp_path / "b.rif").write_text(text, "utf-8")
    (tmp_path / "g.ttl").write_text(f"<> a <{OWL}Ontology> .", "utf-8")
    profile = "<http://www.w3.org/ns/entailment/OWL-Direct>"
    main = f"Document( Import(<b.rif>) Import(<g.ttl> {profile}) )"
    with pytest.raises(ImportErrors) as caught:
        load(parse(main), str(tmp_path / "main.rif"), Locations(), 1)
    assert [Path(part.name).name for part in caught.value.parts] == ["b.rif"]
    assert caught.value.parts[0].report().startswith(f"{tmp_path / 'b.rif'}:1:63: R4314")


def test_with_owl_rdf_based_beside_it_nothing_needs_dl_form(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text("", "utf-8")
    profile = "http://www.w3.org/ns/entailment/OWL"
    imports = f"Import(<g> <{profile}-Direct>) Import(<g> <{profile}-RDF-Based>)"
    rule = "Forall ?x ( <http://e/p>(?x) :- <http://e/o>[?x -> 1] )"
    closure = load(
        parse(f"Document( {imports} Group( {rule} ) )"), str(tmp_path / "m"), Locations(), 1
    )
    assert len(load_graphs(closure, Dictionary(), Counters()).rows) == 0


# Graphs


@pytest.mark.parametrize(
    "graph",
    [
        "",
        ":a a :C .",
        "<> a owl:Ontology . :other a owl:Ontology .",
        HEADER + ":p a owl:ObjectProperty , owl:DatatypeProperty .",
        HEADER + ":p a owl:TransitiveProperty , owl:DatatypeProperty .",
        HEADER + ":p a owl:AnnotationProperty , owl:DatatypeProperty .",
        HEADER + ":c a owl:Class , rdfs:Datatype .",
        HEADER + ":p a owl:ObjectProperty . :a :p 'text' .",
        HEADER + ":p a owl:DatatypeProperty . :a :p :b .",
    ],
)
def test_what_is_no_owl_2_dl_ontology_is_refused(graph, tmp_path: Path) -> None:
    assert refused(tmp_path, graph) == ["R4323"]
    loaded(tmp_path, graph, profile="OWL-RDF-Based")


@pytest.mark.parametrize(
    "graph",
    [
        "[] a owl:Ontology .",
        "<> a owl:Ontology ; owl:versionIRI <v1> ; owl:priorVersion <v0> . <v0> a owl:Ontology .",
        HEADER + ":p a owl:ObjectProperty , owl:FunctionalProperty . :a :p :b , [] .",
        HEADER + ":p a owl:DatatypeProperty . :a :p 'text' , 1 .",
        HEADER + ":p a owl:AnnotationProperty . :a :p 'text' , :b .",
        HEADER + ":c a owl:Class , owl:NamedIndividual , owl:ObjectProperty . :a a :c .",
        HEADER + ":a a :Undeclared ; :undeclared :b .",
    ],
)
def test_what_may_be_an_owl_2_dl_ontology_is_taken(graph, tmp_path: Path) -> None:
    _, found = loaded(tmp_path, graph)
    assert found.warnings == ()


def test_a_fault_of_each_kind_is_told_and_names_the_thing(tmp_path: Path) -> None:
    graph = ":p a owl:ObjectProperty , owl:DatatypeProperty . :q a owl:ObjectProperty . :a :q 1 ."
    with pytest.raises(ImportErrors) as caught:
        loaded(tmp_path, graph)
    report = caught.value.report()
    assert "no ontology headers" in report
    assert "<http://e/p> is declared as a data property and as an object property" in report
    assert "<http://e/q> is declared as an object property, but has a literal as value" in report
    assert report.count("g0.ttl: R4323") == 3


def test_annotations_are_no_facts(tmp_path: Path) -> None:
    graph = HEADER + (
        ":note a owl:AnnotationProperty . <> :note 'n' ; :title 't' ; owl:versionInfo '1' ."
        ":a :note :b ; rdfs:label 'a' ; rdfs:comment 'c' ; rdfs:seeAlso :b ; :p :b ."
        "[] a owl:Axiom ; owl:annotatedSource :a ; owl:annotatedProperty :p ;"
        " owl:annotatedTarget :b ; :note 'why' ."
    )
    assert facts(tmp_path, graph) == ["a p b", "note type AnnotationProperty"]
    assert len(facts(tmp_path, graph, profile="OWL-RDF-Based")) == 15


def test_an_annotation_property_of_one_ontology_is_one_in_all(tmp_path: Path) -> None:
    declares = HEADER + ":note a owl:AnnotationProperty ."
    uses = HEADER + ":a :note 'n' ; :p 'v' ."
    assert facts(tmp_path, declares, uses) == ['a p "v"', "note type AnnotationProperty"]


def test_the_ontology_may_be_an_individual_too(tmp_path: Path) -> None:
    graph = HEADER + ":p a owl:ObjectProperty . <> a :C ; :p :b ; :title 't' ."
    assert facts(tmp_path, graph) == [
        "C type Class",
        "g0.ttl p b",
        "g0.ttl type C",
        "p type ObjectProperty",
    ]


def test_what_is_used_as_a_class_is_declared(tmp_path: Path) -> None:
    graph = HEADER + ":a a :C , :D . :D a owl:Class ."
    assert facts(tmp_path, graph) == ["C type Class", "D type Class", "a type C", "a type D"]
    assert "C type Class" not in facts(tmp_path, graph, profile="OWL-RDF-Based")


@pytest.mark.parametrize("profile", ["OWL-Direct", "OWL-RDF-Based"])
def test_an_ontology_that_imports_others_is_warned_of(profile, tmp_path: Path) -> None:
    _, found = loaded(tmp_path, HEADER + "<> owl:imports <http://e/other> .", profile=profile)
    (warning,) = found.warnings
    assert "R4324 warning: owl:imports of <http://e/other> is not followed" in warning.report()
    _, found = loaded(tmp_path, HEADER + "<> owl:imports <http://e/other> .", profile="RDFS")
    assert found.warnings == ()


# What is kept apart


@pytest.mark.parametrize(
    ("graph", "body"),
    [
        (":a a :C .", "ex:a[rdf:type -> xs:string]"),
        (":a a owl:NamedIndividual .", "ex:a[rdf:type -> xs:integer]"),
        (":C a owl:Class .", '"text"[rdf:type -> ex:C]'),
        (":p a owl:ObjectProperty .", 'ex:a[ex:p -> "John"]'),
        (":p a owl:DatatypeProperty . :b a :C .", "ex:a[ex:p -> ex:b]"),
        (":p a owl:ObjectProperty . :q a owl:DatatypeProperty . :a :p :b .", "ex:c[ex:q -> ex:b]"),
        (":D a rdfs:Datatype . :a a :C .", "ex:a[rdf:type -> ex:D]"),
        (
            ":p a owl:ObjectProperty . :a :p :b .",
            "Forall ?x ?y ( ?y[ex:p -> 1] :- ?x[ex:p -> ?y] )",
        ),
    ],
)
def test_a_mixture_of_individuals_and_values_is_inconsistent(graph, body, tmp_path: Path) -> None:
    assert is_inconsistent(tmp_path, HEADER + graph, body) is True
    assert is_inconsistent(tmp_path, HEADER + graph) is False


@pytest.mark.parametrize(
    ("graph", "body"),
    [
        (":a a :C .", '"text"[rdf:type -> xs:string]'),
        (":p a owl:ObjectProperty . :a :p :b .", "ex:b[ex:p -> ex:c]"),
        (":q a owl:DatatypeProperty . :a :q 1 .", "ex:a[ex:q -> 2]"),
        (":n a owl:AnnotationProperty . :a a :C ; :n 'x' , :a .", "ex:a[ex:n -> 2]"),
        (":q a owl:DatatypeProperty .", "ex:a[ex:q -> ex:of-rules-only]"),
    ],
)
def test_what_is_kept_apart_stays_consistent(graph, body, tmp_path: Path) -> None:
    assert is_inconsistent(tmp_path, HEADER + graph, body) is False


def test_the_steps_of_its_rules_are_no_answers(tmp_path: Path) -> None:
    closure = closure_of(tmp_path, HEADER + ":C a owl:Class . :a a :C .")
    terms = Dictionary()
    program = compile_document(closure.documents[0], TimeScale(), background=separation())
    core = Core(program.in_front(), terms)
    core.assert_static(load_graphs(closure, terms, Counters()).rows)
    assert len(Driver(core).begin()) == 0
    assert core.derived > 0
