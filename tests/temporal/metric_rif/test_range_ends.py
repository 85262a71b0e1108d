"""Ranges that end in a variable: how they are written, and what may bind it."""

from __future__ import annotations

import pytest
from hypothesis import given

from rif.errors.base import RuleError
from rif.errors.report import RuleErrors
from rif.syntax.terms import Variable
from temporal.intervals.durations import Durations, VariableRange
from temporal.metric_rif.range_ends import range_ends
from temporal.metric_rif.syntax import parse_range, range_attribute
from tests.generators.rules import metric_syntax
from tests.generators.rules.parsers import parse
from tests.temporal.metric_rif.metric_documents import document, rule

WAITS = "?x[ex:waits -> ?d]"


@given(metric_syntax.open_ranges())
def test_the_attribute_of_xml_has_a_variable_of_any_name(rho: Durations) -> None:
    assert parse_range(range_attribute(rho)) == rho


def test_a_variable_stands_at_the_right_end() -> None:
    rho = parse_range("[1.50 m, ?d)")
    assert isinstance(rho, VariableRange)
    assert rho.variable.value == Variable("d")
    assert str(rho) == "[1.50 m, ?d)"
    assert str(rho.up_to(90_000, 1000, in_ticks=False)) == "[90 s, 90 s)"
    assert rho.up_to(90_000, 1000, in_ticks=False).is_empty
    assert not rho.up_to(90_001, 1000, in_ticks=False).is_empty


@pytest.mark.parametrize("text", ["[?d, 5 s]", "[?d, ?e]", '[0 s, ?"\\x"]', "[0 s, ?]"])
def test_what_is_no_range_is_refused_in_xml(text: str) -> None:
    with pytest.raises(RuleError, match="MTL106"):
        parse_range(text)


def _faults(*rules: str) -> list[str]:
    try:
        found = parse(document(*rules)).document
    except RuleErrors as errors:
        return [each.code for each in errors.errors]
    return [f"{each.code} {each.span.column}" for each in range_ends([found]).faults]


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (f"And({WAITS} DiamondMinus [0 s, ?d] (?x[ex:p -> ex:y]))", []),
        (f"And({WAITS} Naf(DiamondMinus [0 s, ?d] (?x[ex:p -> ex:y])))", []),
        (f"And({WAITS} Naf(Or(?x # ex:C DiamondMinus [0 s, ?d] (?x[ex:p -> ex:y]))))", []),
        (
            "And(?x # ex:C Naf(Exists ?d (And(?x[ex:waits -> ?d] BoxMinus [0, ?d] (?x # ex:D)))))",
            [],
        ),
        ("And(ex:lasts(?x ?d) BoxMinus [0 s, ?d] (?x[ex:p -> ex:y]))", []),
        ("And(ex:lasts(?d ?x) BoxMinus [0 s, ?d] (?x[ex:p -> ex:y]))", []),
        (f"DiamondMinus [0 s, 1 s] (And({WAITS} BoxMinus [0 s, ?d] (?x[ex:p -> ex:y])))", []),
        ("DiamondMinus [0 s, ?d] (?x[ex:p -> ex:y])", ["RIF302"]),
        ("And(?x # ex:C ?d = 5 DiamondMinus [0 s, ?d] (?x[ex:p -> ex:y]))", ["RIF217 "]),
        ("And(?x[?p -> ?d] DiamondMinus [0 s, ?d] (?x[ex:p -> ex:y]))", ["RIF217 "]),
        ("And(?x[ex:t -> ?d] DiamondMinus [0 s, ?d] (?x[ex:p -> ex:y]))", ["RIF217 "]),
        (f"And({WAITS} DiamondMinus [0 s, 1 s] (DiamondMinus [0 s, ?d] (?x # ex:C)))", ["RIF305"]),
        ("DiamondMinus [0 s, ?d] (And(?x[ex:waits -> ?d] ?x # ex:C))", ["RIF217 "]),
        (f"And({WAITS} DiamondMinus [?d, 5 s] (?x[ex:p -> ex:y]))", ["MTL106"]),
    ],
)
def test_what_binds_the_end_stands_beside_the_operator(body: str, codes: list[str]) -> None:
    found = _faults(rule(body, more="?d ?p" if "?p" in body else "?d"))
    assert [each.rstrip("0123456789") if " " in each else each for each in found] == codes


def test_a_variable_ends_no_range_of_a_conclusion() -> None:
    assert _faults(rule(WAITS, "BoxPlus [0 s, ?d] (?x[ex:t -> ex:y])", "?d"))[0][:6] == "RIF217"


def test_a_fact_with_a_slot_more_binds_it_too() -> None:
    body = "And(?x[ex:p -> ex:y ex:waits -> ?d] DiamondPlus (1 s, ?d) (?x # ex:C))"
    found = parse(document(rule(body, more="?d"))).document
    (pattern,) = range_ends([found]).patterns
    assert pattern.predicate == "<http://e/waits>"
