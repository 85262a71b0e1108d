"""Strong safeness: which rules can feed computed values back to themselves."""

from __future__ import annotations

import pytest

from tests.rif.rule_parser import parse_rules


def messages(text: str) -> list[str]:
    return [fault.message for fault in parse_rules(text).warnings]


ADD = "External(func:numeric-add({} 1))"


def test_the_example_of_the_standard() -> None:
    (warning,) = parse_rules(
        "_p(0)\nForall ?x (_p(External(func:numeric-add(?x 1))) :- _p(?x))"
    ).warnings
    assert warning.code == "RIF304"
    assert warning.severity == "warning"
    assert (warning.span.line, warning.span.column) == (2, 15)
    assert warning.message == (
        "not strongly safe: argument 1 of _p/1 feeds on itself through func:numeric-add"
    )


@pytest.mark.parametrize(
    "text",
    [
        f"Forall ?x ?y (_p(?x {ADD.format('?x')}) :- _p(?x ?y))",
        f"Forall ?x (_q({ADD.format('?x')}) :- _p(?x))",
        "Forall ?x (_p(?x) :- _q(?x)) Forall ?x (_q(?x) :- _p(?x))",
        f"Forall ?x (_p(?x {ADD.format('?x')}) :- _p(?x 1))",
        "Forall ?x ?y (_p(?y) :- And(_p(?x) _q(?y) ?y = External(func:numeric-add(?x 1))))",
        f"Forall ?o ?x (?o[_f -> {ADD.format('?x')}] :- ?o[_c -> ?x])",
        "Forall ?x ?y (_p(?y) :- And(_p(?x) External(pred:iri-string(?x ?y))))",
        f"Forall ?x (_p({ADD.format('?x')}) :- _p(?x ?x))",
        f"Forall ?x (_p({ADD.format('?x')}) :- Or())",
    ],
)
def test_strongly_safe(text: str) -> None:
    assert messages(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Forall ?x ?y (_p(?y) :- And(_p(?x) ?y = External(func:numeric-add(?x 1))))",
        "Forall ?x ?y ?z (_p(?z) :- And(?z = ?y ?y = External(func:numeric-add(?x 1)) _p(?x)))",
        f"Forall ?x (_p({ADD.format('?x')}) :- _q(?x)) Forall ?x (_q(?x) :- _p(?x))",
        f"Forall ?x ?y (_p(?y {ADD.format('?x')}) :- _p(?x ?y))",
        f"Forall ?x (_p({ADD.format('?x')}) :- Or(_q(?x) _p(?x)))",
        f"Forall ?o ?x (?o[_f -> {ADD.format('?x')}] :- ?o[_f -> ?x])",
        f"Forall ?o ?x ?k (?o[?k -> {ADD.format('?x')}] :- And(?o[_f -> ?x] _k(?k)))",
        f"Forall ?o ?x ?k (?o[_f -> {ADD.format('?x')}] :- ?o[?k -> ?x])",
        "Forall ?o ?x (External(func:make-list(?o))[_f -> 1] :- ?o[_f -> 1])",
        "Forall ?o (External(func:make-list(?o))[rdf:type -> _c] :- ?o # _c)",
        f"Forall ?x (_p(External(xs:integer({ADD.format('?x')}))) :- _p(?x))",
        "Forall ?n (_p(?n) :- ?n = sum{ ?x | DiamondMinus [1 s, 5 s] (_p(?x)) })",
        f"Forall ?x ?y (_p(?y) :- And(_p(?x) External(pred:iri-string(?y {ADD.format('?x')}))))",
    ],
)
def test_not_strongly_safe(text: str) -> None:
    assert len(messages(text)) == 1


def test_values_that_are_only_checked_make_no_cycle() -> None:
    assert messages(f"Forall ?x (_p(?x) :- And(?x = 1 ?x = {ADD.format('?x')}))") == []
    text = f"Forall ?x ?y (_p(?y) :- And(_p(?x) ?y = {ADD.format('?x')} ?y = {ADD.format('?y')}))"
    assert len(messages(text)) == 1


def test_the_cycle_is_named() -> None:
    (message,) = messages(
        "Forall ?x (_a(External(func:concat(?x ?x))) :- _b(1 ?x)) Forall ?x (_b(?x ?x) :- _c(?x))"
        " Forall ?x (_c(?x) :- _a(?x))"
    )
    assert message == (
        "not strongly safe: argument 1 of _a/1 feeds on itself through func:concat,"
        " by way of argument 2 of _b/2, argument 1 of _c/1"
    )


def test_the_cycle_of_a_property_is_named() -> None:
    (message,) = messages(f"Forall ?o ?x (?o[_f -> {ADD.format('?x')}] :- ?o[_f -> ?x])")
    assert message == (
        "not strongly safe: the value of property _f feeds on itself through func:numeric-add"
    )


def test_each_knot_is_told_once() -> None:
    rule = "Forall ?x (_{0}(External(func:numeric-add(?x 1))) :- _{0}(?x)) "
    assert len(messages(rule.format("a") * 3 + rule.format("b"))) == 2


def test_a_frame_with_a_constant_key_is_a_predicate_of_its_own() -> None:
    assert not messages(f"Forall ?o ?x (?o[_f -> {ADD.format('?x')}] :- ?o[_c -> ?x])")
    assert not messages("Forall ?x (_p(?x) :- ?x # _c)")
