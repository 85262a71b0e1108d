"""What a query becomes, what is refused of it, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import r4
from r4.foreign.rule_parser import parse_rules
from r4.language import LANGUAGE
from rif.errors.base import RuleError
from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.negation import Naf
from rif.syntax.traversal import formulas_of, rules
from rif.text.parser import parse
from rif.text.writer import unparse
from tests.simulation.command import call

PREFIX = "PREFIX ex: <urn:ex:>\n"


def document(query: str) -> ast.Document:
    return parse_rules((PREFIX + query).encode(), language=LANGUAGE).document


def faults(query: str) -> list[RuleError]:
    with pytest.raises(RuleErrors) as caught:
        document(query)
    return list(caught.value.errors)


def test_a_construct_is_a_rule() -> None:
    found = document("CONSTRUCT { ?a ex:alarm ex:Gale } WHERE { ?a ex:gust ?k FILTER(?k > 34) }")
    wanted = """Document( Prefix(ex <urn:ex:>) Prefix(r4 <urn:r4:builtin#>) Group(
      Forall ?a ?k ( ?a[ex:alarm -> ex:Gale] :-
        And( ?a[ex:gust -> ?k] External(r4:greater-than(?k 34)) ) ) ) )"""
    assert found == parse(wanted, language=LANGUAGE).document


def test_what_it_becomes_is_read_again_as_it_is() -> None:
    found = document(
        """CONSTRUCT { ?s ex:out ?n } WHERE { ?s ex:in/ex:part* ?r OPTIONAL { ?r ex:off ?x }
        { SELECT ?r (AVG(?v) AS ?n) { ?s ex:in ?r ; ex:reads ?v } GROUP BY ?r }
        FILTER(!BOUND(?x)) }"""
    )
    assert parse(unparse(found, LANGUAGE), language=LANGUAGE).document == found


@pytest.mark.parametrize("written", ["-1.5", "-01", "-1.0e0", "+01", "1.50", '"01"^^xsd:int'])
def test_a_number_is_as_it_is_written(written: str, tmp_path: Path) -> None:
    prefixes = "PREFIX ex: <urn:ex:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
    (tmp_path / "query.rq").write_text(f"{prefixes}SELECT ?s {{ ?s ex:p {written} }}", "utf-8")
    (tmp_path / "data.ttl").write_text(f"{prefixes}ex:a ex:p {written} . ex:b ex:p 1 .", "utf-8")
    files = [str(tmp_path / "query.rq"), "--static", str(tmp_path / "data.ttl")]
    (line,) = call(["run", *files, "--quiet", "--literals", "term"]).lines()
    assert "(<urn:ex:a>)" in line


def test_a_relative_name_is_one_of_the_base() -> None:
    query = 'SELECT ?n { ?s ex:p ?x BIND(IRI("there") AS ?n) }'
    assert '"there"' in unparse(document(query), LANGUAGE)
    found = unparse(document("BASE <http://ex.org/here>\n" + query), LANGUAGE)
    assert '"http://ex.org/there"' in found


def test_a_triple_that_needs_nothing_of_an_optional_part_needs_no_negation() -> None:
    found = document("CONSTRUCT { ?s ex:p ?x . ?s ex:q ?y } { ?s ex:a ?x OPTIONAL { ?x ex:b ?y } }")
    assert len(list(rules(found))) == 2
    assert not any(isinstance(part, Naf) for rule in rules(found) for part in formulas_of(rule))


@pytest.mark.parametrize(
    ("query", "code", "word", "place"),
    [
        ("CONSTRUCT { ?s ex:p [] } { ?s ex:a ?x }", "R4702", "blank node", (2, 1)),
        (
            "CONSTRUCT { ?s ex:p ?x }\n{ SERVICE <urn:a> { ?s ex:a ?x } }",
            "R4702",
            "SERVICE",
            (3, 3),
        ),
        ("CONSTRUCT { ?s ex:p ?x }\n{ GRAPH ?g { ?s ex:a ?x } }", "R4702", "GRAPH", (3, 3)),
        ("CONSTRUCT { ?s ex:p ?t } { ?s ex:a ?x BIND(NOW() AS ?t) }", "R4702", "NOW", (2, 44)),
        ("CONSTRUCT { ?s ex:p ?t } { ?s ex:a ?x BIND(ex:f(?x) AS ?t) }", "R4702", "urn:ex:f", None),
        ("SELECT ?s { ?s !(ex:a|^ex:b) ?x }", "R4702", "negated path", (2, 1)),
        (
            "SELECT ?x (COUNT(?s) AS ?n) { ?s ex:a ?x } GROUP BY ?s",
            "R4701",
            "?x is neither",
            (2, 1),
        ),
        ("SELECT ?x (COUNT(?s) AS ?n) { ?s ex:a ?x }", "R4701", "?x is neither", (2, 1)),
        (
            "SELECT (SUM(?x) + ?x AS ?n) { ?s ex:a ?x } GROUP BY ?s",
            "R4701",
            "?x is neither",
            (2, 1),
        ),
        ("SELECT ?s { ?s ex:a ?x } LIMIT 3", "R4702", "LIMIT", None),
        ("DESCRIBE <urn:x>", "R4702", "DESCRIBE", (2, 1)),
        ("INSERT { ?s ex:p ?x } WHERE { ?s ex:a ?x }", "R4702", "INSERT", (2, 1)),
        ("CONSTRUCT { ?s ex:p ?x } WHERE { ?s ex:a ?x", "R4701", "the end", None),
        ("CONSTRUCT { ?s ex:p ?x } WHERE { ?s not:known ?x }", "R4701", "not", None),
        ("CONSTRUCT { ?s ex:p ?x } WHERE { ?s ex:a ?x ) }", "R4701", ")", (2, 45)),
    ],
)
def test_what_has_no_counterpart_is_refused_by_place(
    query: str, code: str, word: str, place: tuple[int, int] | None
) -> None:
    (fault,) = faults(query)
    assert fault.code == code
    assert word in fault.message
    assert fault.hint
    if place is not None:
        assert (fault.span.line, fault.span.column) == place


def test_too_many_cases_are_refused() -> None:
    parts = " ".join(f"OPTIONAL {{ ?s ex:p{n} ?v{n} }}" for n in range(10))
    (fault,) = faults(f"SELECT * {{ ?s ex:a ?x {parts} }}")
    assert fault.code == "R4703"


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("CONSTRUCT { ?s ex:p ?o } { ?s ex:p ?x . ?x ex:p ?o }", "R4712"),
        ("SELECT ?s { ?s ex:p ?x } ORDER BY ?x", "R4711"),
        ("SELECT ?s FROM <urn:g> { ?s ex:p ?x }", "R4713"),
        ("CONSTRUCT { ?s ex:p ?y } { ?s ex:q ?x }", "R4711"),
    ],
)
def test_what_may_surprise_is_said(query: str, code: str) -> None:
    parsed = parse_rules((PREFIX + query).encode(), language=LANGUAGE)
    (warning,) = parsed.warnings
    assert (warning.code, warning.severity) == (code, "warning")
    assert warning.span.line == 2


def test_a_negation_is_no_fault_of_a_query() -> None:
    query = "SELECT ?s { ?s ex:p ?x FILTER NOT EXISTS { ?s ex:q ?x } }"
    assert not parse_rules((PREFIX + query).encode(), language=LANGUAGE).warnings


def test_a_row_of_a_select_is_an_atom(tmp_path: Path) -> None:
    rows = tmp_path / "rows.sparql"
    rows.write_text(PREFIX + "SELECT * { ?s ex:a ?x OPTIONAL { ?x ex:b ?y } }", "utf-8")
    data = tmp_path / "data.ttl"
    data.write_text("<urn:s> <urn:ex:a> <urn:x>, <urn:z> . <urn:x> <urn:ex:b> 1 .", "utf-8")
    found = call(["run", str(rows), "--static", str(data), "--quiet"])
    atoms = [line.partition('"atom":"')[2].partition('","from"')[0] for line in found.lines()]
    assert atoms == [
        '<urn:r4:answer>(<urn:s> <urn:x> \\"1\\"^^<http://www.w3.org/2001/XMLSchema#integer>)',
        "<urn:r4:answer>(<urn:s> <urn:z> <urn:r4:unbound>)",
    ]


def test_the_same_text_has_the_same_rules_each_time() -> None:
    query = "SELECT * { [] ex:a [ ex:b ?x ; ex:c ( 1 ?y ) ] . _:a ex:d _:b }"
    assert unparse(document(query), LANGUAGE) == unparse(document(query), LANGUAGE)


def test_steps_of_paths_are_no_answers(tmp_path: Path) -> None:
    query = tmp_path / "query.rq"
    query.write_text(PREFIX + "CONSTRUCT { ?s ex:out ?o } { ?s ex:a+ ?o }", "utf-8")
    data = tmp_path / "data.ttl"
    data.write_text("<urn:1> <urn:ex:a> <urn:2> . <urn:2> <urn:ex:a> <urn:3> .", "utf-8")
    found = call(["run", str(query), "--static", str(data), "--quiet"])
    assert len(found.lines()) == 3
    assert "urn:r4:path" not in found.out


def test_rif_may_import_a_query(tmp_path: Path) -> None:
    query = PREFIX + "CONSTRUCT { ?s ex:out ?o } { ?s ex:a ?o }"
    (tmp_path / "query.rq").write_text(query, "utf-8")
    rules = "Document( Prefix(ex <urn:ex:>) Import(<query.rq>) Group( <urn:s>[ex:a -> 1] ) )"
    (tmp_path / "rules.rif").write_text(rules, "utf-8")
    assert len(call(["run", str(tmp_path / "rules.rif"), "--quiet"]).lines()) == 1


@pytest.mark.parametrize(
    ("query", "code"),
    [
        (f"SELECT * {{ {'{' * 2000} ?s ?p ?o {'}' * 2000} }}", "R4701"),
        (f"SELECT * {{ ?s ?p ?o FILTER({' + '.join('1' * 2000)} > ?o) }}", "R4701"),
        (f"SELECT * {{ ?s ?p ?o FILTER({' + '.join('1' * 150)} > ?o) }}", "R4701"),
        (f"SELECT * {{ ?s {'/'.join(['(ex:a|ex:b)'] * 30)} ?o }}", "R4703"),
        ("SELECT * { " + "{ ?s ex:a ?o } UNION " * 40 + "{ ?s ex:b ?o } { ?s ex:a ?x } }", None),
    ],
    ids=["groups", "sum", "short sum", "paths", "union"],
)
def test_no_query_takes_long(query: str, code: str | None) -> None:
    if code is None:
        assert len(list(rules(document(query)))) == 41
        return
    (fault,) = faults(query)
    assert fault.code == code


def test_an_engine_reads_a_query() -> None:
    query = "CONSTRUCT { ?s ex:out ?o } FROM STREAM <s> [RANGE 3] { ?s ex:in ?o FILTER(?o > 2) }"
    engine = r4.Engine.from_text(PREFIX + query)
    engine.add("<urn:a> <urn:ex:in> 1 . <urn:b> <urn:ex:in> 3 .", at=1)
    engine.advance(9)
    found = [(each.op, each.at, str(each.triple[0])) for each in engine.changes() if each.triple]
    assert found == [("+", 1, "urn:b"), ("-", 4, "urn:b")]


def test_an_ill_typed_literal_is_read_in_silence(caplog: pytest.LogCaptureFixture) -> None:
    typed = '"abc"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert typed in unparse(document(f"SELECT ?s {{ ?s ex:p {typed} }}"), LANGUAGE)
    assert not caplog.records


def test_many_values_are_one_rule() -> None:
    values = " ".join(f"ex:n{number}" for number in range(2000))
    assert len(list(rules(document(f"SELECT * {{ VALUES ?s {{ {values} }} ?s ex:p ?o }}")))) == 1
