"""Rules of Jena: what they derive, what they become, what is refused of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from r4.foreign.rule_parser import parse_rules
from r4.language import LANGUAGE
from rif.errors.base import RuleError
from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.text.parser import parse
from tests.simulation.command import call

PREFIX = "@prefix ex: <urn:ex:> .\n"
DATA = """@prefix ex: <urn:ex:> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:a ex:n 3 ; ex:m 5 ; ex:t "ab" ; ex:in ex:b . ex:b ex:n 7 ; ex:in ex:c ; ex:t "cd"@en .
ex:c ex:n 2.5 ; ex:d "PT1H"^^xsd:dayTimeDuration ; ex:u _:u ; ex:y "2026"^^xsd:gYear .
"""


def document(rules: str) -> ast.Document:
    return parse_rules((PREFIX + rules).encode(), language=LANGUAGE).document


def derived(rules: str, folder: Path) -> set[str]:
    """Subject and object of each triple that rules derive."""
    (folder / "a.rules").write_text(PREFIX + rules, "utf-8")
    (folder / "data.ttl").write_text(DATA, "utf-8")
    files = [str(folder / "a.rules"), "--static", str(folder / "data.ttl")]
    found = call(["run", *files, "--quiet"])
    assert found.code == 0, found.err
    lines = map(json.loads, found.lines())
    return {f"{short(line['s'])} {short(line['o'])}" for line in lines}


def short(term: str) -> str:
    name = term.removeprefix("<urn:ex:").removesuffix(">")
    return name.split("^^")[0].strip('"') if term.startswith('"') else name


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        ("[r: (?x ex:in ?y) (?y ex:in ?z) -> (?x ex:in ?z)]", {"a c"}),
        ("[(?x ex:n ?n), greaterThan(?n, 3) -> (?x ex:is 'big')]", {"b big"}),
        ("[(?x ex:n ?n) ge(?n 3) -> (?x ex:is 'big')]", {"a big", "b big"}),
        ("[(?x ex:n ?n) lessThan(?n 3) -> (?x ex:is 'small')]", {"c small"}),
        ("[(?x ex:n ?n) notEqual(?n 3) -> (?x ex:is ?n)]", {"b 7", "c 2.5"}),
        ("[(?x ex:n ?n) noValue(?x ex:in ?y) -> (?x ex:is 'top')]", {"c top"}),
        ("[(?x ex:n ?n) noValue(?x ex:in) -> (?x ex:is 'top')]", {"c top"}),
        ("[(?x ex:n ?n) noValue(?x ex:in ex:b) -> (?x ex:is 'out')]", {"b out", "c out"}),
        ("[(?x ex:n ?n) (?x ex:m ?m) sum(?n ?m ?s) -> (?x ex:s ?s)]", {"a 8"}),
        ("[(?x ex:n ?n) (?x ex:m ?m) difference(?n ?m ?s) -> (?x ex:s ?s)]", {"a -2"}),
        ("[(?x ex:n ?n) (?x ex:m ?m) product(?n ?m ?s) -> (?x ex:s ?s)]", {"a 15"}),
        ("[(?x ex:n ?n) quotient(?n 2 ?s) -> (?x ex:s ?s)]", {"a 1.5", "b 3.5", "c 1.25"}),
        ("[(?x ex:n ?n) (?x ex:m ?m) max(?n ?m ?s) -> (?x ex:s ?s)]", {"a 5"}),
        ("[(?x ex:n ?n) (?x ex:m ?m) min(?n ?m ?s) -> (?x ex:s ?s)]", {"a 3"}),
        ("[(?x ex:n ?n) addOne(?n ?s) -> (?x ex:s ?s)]", {"a 4", "b 8", "c 3.5"}),
        ("[(?x ex:n ?n) (?x ex:m ?m) sum(?n 2 ?m) -> (?x ex:is 'two')]", {"a two"}),
        ("[(?x ex:t ?t) strConcat(?t '-' ?t ?s) -> (?x ex:s ?s)]", {"a ab-ab", "b cd-cd"}),
        ("[(?x ex:t ?t) uriConcat('urn:ex:' ?t ?s) -> (?s ex:s ?x)]", {"ab a", "cd b"}),
        ("[(?x ex:t ?t) regex(?t 'a.*') -> (?x ex:is 'a')]", {"a a"}),
        ("[(?x ex:t ?t) regex(?t 'a') -> (?x ex:is 'a')]", set()),
        (
            "[(?x ?p ?o) isLiteral(?o) isDType(?o xsd:integer) -> (?x ex:i ?o)]",
            {"a 3", "a 5", "b 7"},
        ),
        ("[(?x ex:u ?u) isDType(?u xsd:integer) -> (?x ex:is 'any')]", {"c any"}),
        ("[(?x ex:u ?u) notDType(?u xsd:integer) -> (?x ex:is 'any')]", set()),
        ("[(?x ex:t ?t) isDType(?t rdfs:Literal) -> (?x ex:is 'text')]", {"a text", "b text"}),
        ("[(?x ex:y ?y) isDType(?y xsd:gYear) -> (?x ex:is ?y)]", {"c 2026"}),
        ("[(?x ex:t ?t) (?y ex:t ?u) le(?t ?u) -> (?x ex:is ?y)]", set()),
        ("[(?x ex:d ?d) (?y ex:d ?e) ge(?d ?e) -> (?x ex:is ?y)]", set()),
        ("[(?x ex:n ?n) (?y ex:n ?m) lessThan(?n ?m) -> (?x ex:is ?y)]", {"a b", "c a", "c b"}),
        ("[(?x ex:d ?d) sum(?d ?d ?s) -> (?x ex:s ?s)]", set()),
        ("[(?x ex:d ?d) product(?d 2 ?s) -> (?x ex:s ?s)]", set()),
        ("[(?x ex:n ?n) max(?n 3.0 ?s) -> (?x ex:s ?s)]", {"a 3.0", "b 7", "c 3.0"}),
        ("[(?x ex:t ?t) (?y ex:t ?u) min(?t ?u ?s) -> (?x ex:s ?s)]", set()),
        ("[(_ ex:in ?y) -> (?y ex:is 'around')]", {"b around", "c around"}),
        ("(?x ex:in ?y) -> (?y ex:has ?x) .\n(?x ex:m ?n) -> (?n ex:of ?x)", {"b a", "c b", "5 a"}),
        ("[(?x ex:n 3) -> (?x ex:is 'three') (?x rdf:type ex:T)]", {"a three", "a T"}),
        ("[-> (ex:z ex:in ex:a)] [(?x ex:in ex:a) -> (?x ex:is 'in')]", {"z in"}),
        ("# a comment\n// another (?x\n[(?x ex:m ?n) print(?x) -> (?x ex:is ?n)]", {"a 5"}),
    ],
)
def test_rules_derive_what_they_say(rule: str, wanted: set[str], tmp_path: Path) -> None:
    assert derived(rule, tmp_path) == wanted


def test_a_rule_keeps_its_name() -> None:
    found = document("[gale: (?a ex:gust ?k) greaterThan(?k, 34) -> (?a ex:alarm ex:Gale)]")
    wanted = """Document( Prefix(ex <urn:ex:>) Prefix(r4 <urn:r4:builtin#>) Group(
      (* <urn:r4:rule#gale> *) Forall ?a ?k ( ?a[ex:alarm -> ex:Gale] :-
        And( ?a[ex:gust -> ?k] External(r4:greater-than(?k 34)) ) ) ) )"""
    assert found == parse(wanted, language=LANGUAGE).document


@pytest.mark.parametrize(
    ("rules", "code", "word", "place"),
    [
        ("[r: (?x ex:p ?y) <- (?y ex:q ?x)]", "R4702", "backward", (2, 18)),
        ("[(?x ex:p ?y) -> [(?y ex:q ?z) -> (?x ex:q ?z)]]", "R4702", "is a rule", (2, 18)),
        ("[(?x ex:p ?y) now(?t) -> (?x ex:q ?t)]", "R4702", "now", (2, 15)),
        ("[(?x ex:p ?y) makeSkolem(?t ?x) -> (?x ex:q ?t)]", "R4702", "makeSkolem", (2, 15)),
        ("[(?x ex:p ?y) -> remove(0)]", "R4702", "remove", (2, 18)),
        ("[(?x ex:p ?y) regex(?y 'a(' ) -> (?x ex:q ?y)]", "R4702", "regular", (2, 15)),
        ("[(?x ex:p ?y) regex(?y 'a' ?z) -> (?x ex:q ?z)]", "R4702", "arguments", (2, 15)),
        ("[(?x ex:p ?y) lessThan(?y 'b') -> (?x ex:q ?y)]", "R4702", "compared", (2, 27)),
        ("[(?x ex:p ?y) ge(?y ex:b) -> (?x ex:q ?y)]", "R4702", "compared", (2, 21)),
        ("[(?x ex:p f(?y)) -> (?x ex:q ?y)]", "R4702", "structure", (2, 11)),
        ("[(?x no:p ?y) -> (?x ex:q ?y)]", "R4701", "prefix", (2, 6)),
        ("[(?x ex:p) -> (?x ex:q ?y)]", "R4701", "three", (2, 2)),
        ("[(?x ex:p ?y) -> (?x ex:q ?z)]", "RIF301", "?z", (2, 27)),
        ("@include <other.rules>.\n[(?x ex:p ?y) -> (?x ex:q ?y)]", "R4702", "include", (2, 10)),
    ],
)
def test_what_has_no_counterpart_is_refused_by_place(
    rules: str, code: str, word: str, place: tuple[int, int]
) -> None:
    (fault,) = faults(rules)
    assert (fault.code, fault.span.line, fault.span.column) == (code, *place)
    assert word in fault.message


def faults(rules: str) -> list[RuleError]:
    with pytest.raises(RuleErrors) as caught:
        document(rules)
    return list(caught.value.errors)


@pytest.mark.parametrize(
    ("rules", "hint"),
    [
        ("[(?x ex:p ?y) GreaterThan(?y 3) -> (?x ex:q ?y)]", "did you mean greaterThan?"),
        ("[(?x ex:p ?y) novalue(?y ex:p) -> (?x ex:q ?y)]", "did you mean noValue?"),
        ("[(?x ex:p ?y) listLength(?y ?z) -> (?x ex:q ?z)]", "docs/how-do-i-say-it.md"),
        ("[(?x a ex:T) -> (?x ex:q 1)]", "write rdf:type"),
        ("[(?x T ex:T) -> (?x ex:q 1)]", "write it as ex:name"),
    ],
)
def test_a_word_that_is_meant_is_told(rules: str, hint: str) -> None:
    (fault,) = faults(rules)
    assert fault.hint.startswith(hint)


def test_warnings_have_the_places_of_the_calls(tmp_path: Path) -> None:
    path = tmp_path / "jena.rules"
    path.write_text(
        PREFIX + "[(?x ex:n ?n) sum(?n, 1, ?m) -> (?x ex:n ?m)]\n"
        "[(?x ex:in ?y) uriConcat(?y, '/', ?z) -> (?x ex:in ?z)]\n"
    )
    told = call(["check", str(path), "--format", "json"]).lines()
    faults = [json.loads(line) for line in told]
    assert [(each["code"], each["line"], each["column"]) for each in faults] == [
        ("RIF304", 2, 15),
        ("RIF304", 3, 16),
    ]


def test_all_faults_of_a_file_are_found() -> None:
    found = faults("[(?x ex:p) -> (?x ex:q ?y)]\n[(?x no:p ?y) -> (?x ex:q ?y)] [(a b c) <- ]")
    assert [(each.code, each.span.line) for each in found] == [
        ("R4701", 2),
        ("R4701", 3),
        ("R4701", 3),
    ]


def test_rules_of_a_regime_are_an_option() -> None:
    parsed = parse_rules(
        (PREFIX + "@include <RDFS>.\n[(?x ex:p ?y) -> (?x ex:q ?y)]").encode(), language=LANGUAGE
    )
    (warning,) = parsed.warnings
    assert (warning.code, warning.hint) == ("R4713", "--entailment rdfs has these rules")
