"""Imported graphs: read whole, in every format, as ids of the run; or refused with their faults."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from r4.errors import Counters
from r4.imports import Closure, GraphRows, ImportErrors, Locations, judge_graphs, load, load_graphs
from r4.imports.rdf_lists import NIL
from rete.terms.dictionary import Dictionary
from tests.generators.rules.parsers import parse

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XML = (
    f'<rdf:RDF xmlns:rdf="{RDF}" xmlns="urn:">'
    '<rdf:Description rdf:about="urn:s"><p>x</p></rdf:Description></rdf:RDF>'
)
ROW = ("<urn:s>", "<urn:p>", '"x"')


def closure_of(folder: Path, profile: str = "Simple", body: str = "", **graphs) -> Closure:
    """Of rules that import every graph, from files of the given names (``_`` for the dot)."""
    lines = []
    for name, text in graphs.items():
        path = folder / name.replace("_", ".")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        lines.append(f"Import(<{path.name}> <http://www.w3.org/ns/entailment/{profile}>)")
    text = f"Document(\n{chr(10).join(lines)}\nGroup( {body} ) )"
    return load(parse(text, name="main"), str(folder / "main.rif"), Locations(), 1)


def rows_of(closure: Closure) -> tuple[list[tuple[str, ...]], GraphRows]:
    terms = Dictionary()
    terms.encode("<urn:other>")
    loaded = load_graphs(closure, terms, Counters())
    texts = terms.decode_many(loaded.rows.ravel())
    return list(zip(texts[::3], texts[1::3], texts[2::3], strict=True)), loaded


def faults(closure: Closure) -> list[str]:
    with pytest.raises(ImportErrors) as caught:
        rows_of(closure)
    with pytest.raises(ImportErrors) as again:
        judge_graphs(closure)
    assert str(again.value) == str(caught.value)
    return [
        f"{Path(part.name).name}:{fault.span.line} {fault.code}"
        for part in caught.value.parts
        for fault in part.errors
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g_ttl", "@prefix : <urn:> . :s :p 'x' ."),
        ("g_nt", '<urn:s> <urn:p> "x" .\n'),
        ("g_rdf", XML),
        ("g_owl", XML),
        ("g_jsonld", '{"@id":"urn:s","urn:p":"x"}'),
        ("g_ttl_gz", gzip.compress(b"<urn:s> <urn:p> 'x' .", mtime=0)),
        ("g", XML),
        ("g", "<?xml version='1.0'?>\n" + XML),
        ("g", "\ufeff \n<!-- a graph -->" + XML),
        ("g_v2", f'<!DOCTYPE rdf:RDF [<!ENTITY r "{RDF}">]>' + XML.replace(RDF, "&r;")),
        ("g_xml", XML),
        ("g", '{"@id":"urn:s","urn:p":"x"}'),
        ("g", '[{"@id":"urn:s","urn:p":"x"}]'),
        ("g", "<urn:s> <urn:p> 'x' ."),
        ("g", "# xmlns\n@prefix x: <urn:> .\nx:s x:p 'x'."),
        ("g", '<urn:s> <urn:p> "x" .\n'),
    ],
)
def test_a_graph_is_read_in_every_format(name, text, tmp_path: Path) -> None:
    rows, loaded = rows_of(closure_of(tmp_path, **{name: text}))
    assert rows == [ROW]
    assert loaded.warnings == ()


def test_a_turtle_graph_that_begins_with_a_bracket_is_no_json(tmp_path: Path) -> None:
    rows, _ = rows_of(closure_of(tmp_path, g="[ <urn:p> 'x' ] <urn:q> 'y' ."))
    assert sorted(row[1] for row in rows) == ["<urn:p>", "<urn:q>"]


def test_relative_iris_are_resolved_against_the_location(tmp_path: Path) -> None:
    (tmp_path / "g").write_text("<#s> <p> <> .", "utf-8")
    text = "Document( Import(<http://e/dir/g> <http://www.w3.org/ns/entailment/Simple>) )"
    where = Locations(catalogue={"http://e/dir/g": tmp_path / "g"})
    rows, _ = rows_of(load(parse(text), None, where, 1))
    assert rows == [("<http://e/dir/g#s>", "<http://e/dir/p>", "<http://e/dir/g>")]


def test_blank_nodes_of_two_graphs_are_apart(tmp_path: Path) -> None:
    nodes = "_:x <urn:p> [] ."
    rows, _ = rows_of(closure_of(tmp_path, a_ttl=nodes, b_ttl=nodes))
    assert rows[0][::2] == ("_:d1_x", "_:d1_g1")
    assert rows[1][::2] == ("_:d2_x", "_:d2_g1")


def test_a_pipe_of_the_catalogue_is_read_as_turtle() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"@prefix : <urn:> . :s :p 'x' .")
    os.close(writing)
    text = "Document( Import(<urn:g> <http://www.w3.org/ns/entailment/Simple>) )"
    where = Locations(catalogue={"urn:g": Path(f"/dev/fd/{reading}")})
    rows, _ = rows_of(load(parse(text), None, where, 1))
    os.close(reading)
    assert rows == [ROW]


def test_what_was_read_is_counted(tmp_path: Path) -> None:
    counters = Counters()
    closure = closure_of(tmp_path, a_ttl="<urn:a> <urn:p> (1) .")
    load_graphs(closure, Dictionary(), counters)
    assert counters.quads == 3
    assert not counters.bad


@pytest.mark.parametrize("space", ["iri", "local"])
def test_literals_of_symbol_spaces_of_rif_are_refused(space, tmp_path: Path) -> None:
    text = f'<urn:a> <urn:p> "http://e/x"^^<http://www.w3.org/2007/rif#{space}> , "fine" .'
    assert faults(closure_of(tmp_path, g_ttl=text)) == ["g.ttl:0 R4321"]


def test_plain_literals_are_refused_one_by_one(tmp_path: Path) -> None:
    text = f'<urn:a> <urn:p> "a@en"^^<{RDF}PlainLiteral> , "b@"^^<{RDF}PlainLiteral> .'
    other = f'<urn:a> <urn:p> <{RDF}PlainLiteral> , "^^<{RDF}PlainLiteral>" .'
    assert faults(closure_of(tmp_path, g_ttl=text, h_ttl=other)) == ["g.ttl:0 R4321"] * 2


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("g_ttl", "<urn:a> <urn:p> 1 .\n\n<urn:a> <urn:p> .\n", "g.ttl:3"),
        ("g_nt", "<urn:a> <urn:p> <urn:b> .\n<urn:a> <urn:p> 1 .\n", "g.nt:2"),
        ("g_rdf", XML.replace("</p>", "</q>"), "g.rdf:1"),
        ("g_jsonld", '{"@context":"http://e/c"}', "g.jsonld:0"),
        ("g_ttl", "<urn:a> <urn:p> <<( <urn:a> <urn:p> 1 )>> .", "g.ttl:1"),
        ("g_ttl_gz", b"\x1f\x8b", "g.ttl.gz:1"),
    ],
)
def test_a_graph_with_a_malformed_statement_is_refused(name, text, place, tmp_path: Path) -> None:
    assert faults(closure_of(tmp_path, **{name: text})) == [f"{place} R4322"]


def test_a_graph_that_has_gone_is_refused(tmp_path: Path) -> None:
    closure = closure_of(tmp_path, g_ttl="")
    (tmp_path / "g.ttl").unlink()
    assert faults(closure) == ["g.ttl:0 R4306"]


def test_the_faults_of_all_graphs_are_told(tmp_path: Path) -> None:
    closure = closure_of(tmp_path, a_ttl="a", b_ttl="", c_ttl="<urn:a> <p:>")
    assert faults(closure) == ["a.ttl:1 R4322", "c.ttl:1 R4322"]


def test_lists_of_graphs_and_rules_are_terms_with_triples(tmp_path: Path) -> None:
    body = '<urn:r>(List("y"))'
    rows, _ = rows_of(closure_of(tmp_path, body=body, g_ttl="<urn:a> <urn:p> ('x') ."))
    assert set(rows) == {
        ("<urn:a>", "<urn:p>", 'List("x")'),
        *(
            (f'List("{name}")', f"<{RDF}{key}>", value)
            for name in "xy"
            for key, value in (("first", f'"{name}"'), ("rest", NIL), ("rest", "List()"))
        ),
    }


def test_rules_without_graphs_have_no_rows(tmp_path: Path) -> None:
    rows, _ = rows_of(closure_of(tmp_path, body='<urn:r>(List("y"))'))
    assert rows == []


def test_lists_that_find_no_room_are_warned_of(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("r4.imports.rdf_lists.identify.__defaults__", (100,))
    numbers = " ".join(map(str, range(50)))
    _, loaded = rows_of(closure_of(tmp_path, g_ttl=f"<urn:a> <urn:p> ({numbers}) ."))
    assert [fault.code for part in loaded.warnings for fault in part.errors] == ["R4325"]


APPEND = "http://www.w3.org/2007/rif-builtin-function#append"
COMPUTES = f'Forall ?x ( <urn:r>(External(<{APPEND}>(?x "y"))) :- <urn:q>(?x) )'
FOLLOWS = f"Forall ?x ?y ( <urn:m>(?y) :- ?x[<{RDF}first> -> ?y] )"


@pytest.mark.parametrize(
    ("body", "graphs", "codes"),
    [
        (COMPUTES + FOLLOWS, {"g_ttl": ""}, ["R4328"]),
        (COMPUTES + FOLLOWS, {}, []),
        (COMPUTES, {"g_ttl": ""}, []),
        (FOLLOWS + '<urn:r>(List("y"))', {"g_ttl": ""}, []),
    ],
)
def test_of_triples_that_computed_lists_lack_there_is_a_warning(
    body: str, graphs: dict[str, str], codes: list[str], tmp_path: Path
) -> None:
    warnings = judge_graphs(closure_of(tmp_path, body=body, **graphs))
    assert [fault.code for part in warnings for fault in part.errors] == codes
