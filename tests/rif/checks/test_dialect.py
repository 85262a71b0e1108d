"""The dialect of the paper this system follows: its own two rules, and what makes them readable."""

from __future__ import annotations

import pytest

from rif.checks.document import ParsedDocument, check_document
from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.terms import Local, Variable
from rif.text.parser import parse
from rif.text.writer import unparse
from tests.rif.rule_parser import parse_rule, parse_rules

PREFIXES = {
    name: f"http://example.org/{name}#"
    for name in ("ssn", "ssnExt", "rdf", "yago", "dbpprop", "bsbm_voc", "dc", "dcc")
} | {"pred": "http://www.w3.org/2007/rif-builtin-predicate#"}

HURRICANE = """
Forall ?obs ?sensor ?result ?value ?v ?hur ?hurWind (
    If And( ?obs [ssn:observedProperty -> wind_speed]
        ?obs [ssn:observedBy -> ?sensor]
            ?obs [ssn:observationResult -> ?result]
            ?result [ssn:hasValue -> ?value]
            ?value [ssnExt:hasQuantityValue -> ?v]
            ?hur [rdf:type -> yago:Hurricane111467018]
            ?hur [dbpprop:1MinWinds -> ?hurWind]
            External (pred:numeric-greater-than(?v ?hurWind)) )
    Then ?obs [ssn:observedWeatherType -> yago:Hurricane111467018] )
"""

OFFER = """
Forall ?offer ?product ?vendor ?price ?from ?to ?delivery ?webpage(
    If And( ?offer [rdf:type -> bsbm_voc:Offer]
            ?offer [bsbm_voc:product -> ?product]
            ?offer [bsbm_voc:vendor -> ?vendor]
            ?offer [bsbm_voc:price -> ?price]
            ?offer [bsbm_voc:validFrom -> ?from]
            ?offer [bsbm_voc:validTo -> ?to]
            ?offer [bsbm_voc:deliveryDays -> ?delivery]
            ?offer [bsbm_voc:offerWebpage -> ?webpage]
            ?offer [dc:publisher -> ?publisher]
            ?offer [dcc:date -> ?date] )
    Then ?product [bsbm_voc:offerPrice -> ?price] )
"""


def lenient(text: str) -> ParsedDocument:
    return parse_rules(text, PREFIXES, lenient=True)


def test_a_bare_word_is_refused_with_a_hint_at_the_lenient_mode() -> None:
    with pytest.raises(RuleErrors) as caught:
        parse_rules(HURRICANE, PREFIXES)
    (fault,) = caught.value.errors
    assert fault.code == "RIF108"
    assert "lenient" in fault.hint


def test_in_lenient_mode_a_bare_word_is_a_local_constant() -> None:
    parsed = lenient(HURRICANE)
    (warning,) = parsed.warnings
    assert (warning.code, warning.span.line) == ("RIF108", 3)
    strict = parse_rules(HURRICANE.replace("wind_speed", "_wind_speed"), PREFIXES)
    assert parsed.document == strict.document
    assert strict.warnings == ()
    assert Local("wind_speed") in [
        value.value
        for frame in body_of(parsed).items
        if isinstance(frame, ast.Frame)
        for _, value in frame.slots
        if isinstance(value, ast.Constant)
    ]


def body_of(parsed: ParsedDocument) -> ast.And:
    assert parsed.document.group is not None
    (rule,) = parsed.document.group.items
    assert isinstance(rule, ast.Forall)
    assert isinstance(rule.clause, ast.Implies)
    assert isinstance(rule.clause.body, ast.And)
    return rule.clause.body


def test_undeclared_variables_are_refused_all_of_them() -> None:
    with pytest.raises(RuleErrors) as caught:
        parse_rules(OFFER, PREFIXES)
    messages = [fault.message for fault in caught.value.errors]
    assert messages == ["?publisher is not declared", "?date is not declared"]


def test_in_lenient_mode_undeclared_variables_are_added_to_the_forall() -> None:
    parsed = lenient(OFFER)
    assert [warning.code for warning in parsed.warnings] == ["RIF201", "RIF201"]
    assert parsed.document.group is not None
    (rule,) = parsed.document.group.items
    assert isinstance(rule, ast.Forall)
    assert rule.variables[-2:] == (Variable("publisher"), Variable("date"))
    assert check_document(parsed.document) == []


def test_a_rule_without_forall_gets_one_in_lenient_mode() -> None:
    rule = parse_rule("_p(?x) :- _q(?x ?y)", lenient=True)
    assert rule == parse_rule("Forall ?x ?y (_p(?x) :- _q(?x ?y))")


def test_a_bare_word_may_be_a_predicate_in_lenient_mode() -> None:
    rule = parse_rule("warm(?x) :- And(temp(?x ?t) ?x # room)", lenient=True, check=False)
    assert rule == parse_rule("Forall ?x ?t (_warm(?x) :- And(_temp(?x ?t) ?x # _room))")


def test_what_was_read_leniently_is_written_strictly() -> None:
    for text in (HURRICANE, OFFER):
        parsed = lenient(text)
        assert parse(unparse(parsed.document)).document == parsed.document


def test_a_document_of_the_paper() -> None:
    declared = " ".join(f"Prefix({name} <{iri}>)" for name, iri in PREFIXES.items())
    imported = "Import(<http://e/stream> <http://e/profile>)"
    text = f"Document({declared} {imported} 10 s Group({HURRICANE}{OFFER}))"
    parsed = parse(text, lenient=True)
    assert parsed.document.window == ast.Window("10", "s")
    assert len(parsed.warnings) == 3
