"""Metric operators in rule documents: read, written in both syntaxes, and judged."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given

from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.terms import Local
from temporal.intervals.durations import Durations
from temporal.intervals.interval import Interval
from temporal.metric_rif.syntax import parse_range
from temporal.mtl.ast import BoxMinus, BoxPlus, DiamondMinus, DiamondPlus, Since, Until
from tests.generators.rules import metric_syntax
from tests.generators.rules.parsers import (
    PLAIN,
    parse,
    parse_formula,
    parse_xml,
    parse_xml_either,
    unparse,
    unparse_formula,
    write_xml,
    write_xml_formula,
)
from tests.rif.rule_parser import parse_rule, parse_rules

Q = ast.Atom(Local("q"), ())
R = ast.Atom(Local("r"), ())


def body(text: str) -> ast.Formula:
    rule = parse_rule(f"_p() :- {text}")
    assert isinstance(rule, ast.Implies)
    return rule.body


def faults(text: str) -> list[str]:
    try:
        parse_rules(text)
    except RuleErrors as found:
        errors = [fault for fault in found.errors if fault.severity == "error"]
        return [f"{fault.code} {fault.span.column}" for fault in errors]
    return []


def seconds(
    left: int, right: int | None, left_closed: bool = True, right_closed: bool = True
) -> Durations:
    end = None if right is None else Fraction(right)
    return Durations(Fraction(left), end, left_closed, right_closed)


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("DiamondMinus [0 s, 10 m] (_q())", DiamondMinus(seconds(0, 600), Q)),
        ("DiamondPlus (1 m 1 h] (_q())", DiamondPlus(seconds(60, 3600, False), Q)),
        ("BoxMinus[0,1 d)(_q())", BoxMinus(seconds(0, 86400, True, False), Q)),
        ("BoxPlus [.5 s, inf) (_q())", BoxPlus(Durations(Fraction(1, 2), None), Q)),
        ("Since [0 s, 5 s] (_q() _r())", Since(seconds(0, 5), Q, R)),
        ("Until [0, 5000 ms] (_q(), _r())", Until(seconds(0, 5), Q, R)),
        (
            "DiamondMinus [1, 2] (_q())",
            DiamondMinus(Durations(Fraction(1), Fraction(2), in_ticks=True), Q),
        ),
        (
            "BoxMinus [0 s, 1 s] (Since [0 s, inf] (_q() DiamondPlus [1 s, 1 s] (_r())))",
            BoxMinus(seconds(0, 1), Since(seconds(0, None), Q, DiamondPlus(seconds(1, 1), R))),
        ),
    ],
)
def test_operators_are_read_with_durations_ticks_and_open_ends(text, formula) -> None:
    assert body(text) == formula


def test_a_range_of_durations_is_in_seconds_and_one_of_ticks_is_not() -> None:
    assert parse_range("[0 s, 1 m)").cells(1000) == (0, 120_000)
    assert parse_range("(1, 2]").cells(1000) == (3, 5)


def test_ends_are_written_back_as_they_were() -> None:
    text = "DiamondMinus [90 s, 1.50 h) (_q())"
    assert unparse_formula(body(text)) == text
    built = DiamondMinus(Interval(Fraction(3, 2), Fraction(86400)), Q)
    assert unparse_formula(built) == "DiamondMinus [1500 ms, 1 d] (_q())"


@pytest.mark.slow
@given(metric_syntax.documents)
def test_reading_what_was_written_gives_the_same_document(document: ast.Document) -> None:
    text = unparse(document)
    assert parse(text, check=False, language=PLAIN).document == document
    assert unparse(parse(text, check=False, language=PLAIN).document) == text


@given(metric_syntax.formulas)
def test_a_formula_alone_is_read_back(formula: ast.Formula) -> None:
    written = unparse_formula(formula)
    assert parse_formula(written, {}, closed=False, check=False, language=PLAIN) == formula


@given(metric_syntax.ranges())
def test_a_range_is_read_back_with_its_ends_as_written(rho: Durations) -> None:
    assert parse_range(str(rho)) == rho
    assert str(parse_range(str(rho))) == str(rho)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("_p() :- DiamondMinus (_q())", ["MTL106 23"]),
        ("_p() :- DiamondMinus [5 s] (_q())", ["MTL106 26"]),
        ("_p() :- DiamondMinus [5 s, 1 s] (_q())", ["MTL201 22"]),
        ("_p() :- DiamondMinus [1 s, 1 s) (_q())", ["MTL201 22"]),
        ("_p() :- DiamondMinus [-1 s, 1 s] (_q())", ["MTL202 23"]),
        ("_p() :- DiamondMinus [1 s, -1 s] (_q())", ["MTL202 28"]),
        ("_p() :- DiamondMinus [1, 1 s] (_q())", ["MTL106 22"]),
        ("_p() :- DiamondMinus [1 y, 2 y] (_q())", ["MTL106 23", "MTL106 28"]),
        ("_p() :- DiamondMinus [inf, inf) (_q())", ["MTL106 22"]),
        ("_p() :- DiamondMinus [1e3 s, 2 s] (_q())", ["MTL106 23"]),
        ("_p() :- Since [0 s, 1 s] (_q())", ["RIF101 31"]),
        ("_p() :- Since [0 s, 1 s] (_q() _r() _s())", ["RIF101 37"]),
        ("_p() :- diamondminus [0 s, 1 s] (_q())", ["RIF108 9", "RIF101 25"]),
        ("DiamondMinus [0 s, 1 s] (_p()) :- _q()", ["RIF157 1"]),
        ("BoxPlus [0 s, 1 s] (DiamondPlus [0 s, 1 s] (_p())) :- _q()", ["RIF157 21"]),
        ("BoxPlus [0 s, 1 s] (BoxMinus [1, 2] (_p())) :- _q()", []),
    ],
)
def test_what_is_no_range_or_no_head_is_a_fault_with_its_place(text, found) -> None:
    assert faults(text) == found


def test_every_fault_of_a_range_has_a_hint() -> None:
    with pytest.raises(RuleErrors) as caught:
        parse_rules("_p() :- And(DiamondMinus [2, 1] (_q()) BoxPlus [-1, 1] (_q()))")
    assert [bool(fault.hint) for fault in caught.value.errors] == [True, True]


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        ("_p(?x) :- DiamondMinus [0, 1] (_q(?x))", []),
        ("_p(?x) :- BoxMinus [0, 1] (Exists ?y (_q(?x ?y)))", []),
        ("_p(?x) :- Since [0, 1] (_q(?x ?y) _r(?x))", []),
        ("_p(?x) :- And(_s(?y) Since [0, 1] (_q(?x ?y) _r(?x)))", []),
        ("_p(?x ?y) :- Since (0, 1] (_q(?x ?y) _r(?x))", []),
        ("_p(?x ?y) :- Since [0, 1] (_q(?x ?y) _r(?x))", ["RIF301"]),
        ("_p(?x) :- And(Since [0, 1] (_q(?x ?y) _r(?x)) Naf(_s(?y)))", ["RIF302"]),
        ("_p(?x) :- DiamondMinus [0, 1] (Since [0, 1] (_q(?x ?y) _r(?x)))", ["RIF302"]),
        ("_p(?x) :- And(_s(?x ?y) BoxMinus [0, 1] (Naf(_q(?x))))", ["RIF305"]),
        (
            "_p(?x) :- And(_s(?x ?y) BoxPlus [0, 1] (External(pred:numeric-less-than(?x ?y))))",
            ["RIF305", "RIF305"],
        ),
        ("_p(?x) :- And(_s(?x ?y) BoxPlus [0, 1] (Or(_q(?x) _r(?x ?y))))", ["RIF305"]),
        ("_p(?x) :- And(_s(?x) BoxPlus [0, 1] (Exists ?y (And(_q(?x) Naf(_r(?y))))))", ["RIF302"]),
    ],
)
def test_what_stands_under_an_operator_is_bound_there(rule, found) -> None:
    assert [fault.split()[0] for fault in faults(f"Forall ?x ?y ({rule})")] == found


def test_in_xml_an_operator_is_an_element_of_its_own_namespace_with_its_range() -> None:
    formula = body("Since (0 s, 10 m] (_q() DiamondMinus [1, 2] (_r()))")
    text = write_xml_formula(formula)
    assert '<r4:Since xmlns:r4="urn:r4:rif#" range="(0 s, 10 m]"' in text
    assert '<r4:DiamondMinus xmlns:r4="urn:r4:rif#" range="[1, 2]">' in text
    assert parse_xml_either(text.encode()) == formula


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("[0 s, 5 s]", "[5 s, 0 s]", "MTL201"),
        ("[0 s, 5 s]", "[-1 s, 0 s]", "MTL202"),
        ("[0 s, 5 s]", "0 s", "MTL106"),
        ("[0 s, 5 s]", "[0 s, 5 x]", "MTL106"),
        (' range="[0 s, 5 s]"', "", "RIF130"),
        ("r4:DiamondMinus", "DiamondMinus", "RIF127"),
    ],
)
def test_what_is_no_operator_in_xml_is_a_fault(old, new, code) -> None:
    rule = ast.Implies((R,), DiamondMinus(seconds(0, 5), Q))
    text = write_xml(ast.Document(group=ast.Group((rule,))))
    assert old in text
    with pytest.raises(RuleErrors) as caught:
        parse_xml(text.replace(old, new).encode())
    assert [fault.code for fault in caught.value.errors if fault.code.startswith(code)]


@pytest.mark.slow
@given(metric_syntax.documents)
def test_what_was_written_as_xml_is_read_back_and_written_alike(document: ast.Document) -> None:
    try:
        text = write_xml(document)
    except RuleErrors:
        return  # a character that XML cannot have
    read_back = parse_xml(text.encode(), check=False).document
    assert write_xml(read_back) == text
