"""Plain RIF alone: with ``strict`` each shorthand is refused where it stands."""

from __future__ import annotations

import pytest

from rif.errors.report import RuleErrors
from rif.language import CORE
from rif.text.parser import parse
from tests.rif.rule_parser import parse_rules


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("_p(1, 2)", "1:5 RIF114"),
        ("_p() :- _q(), _r()", "1:13 RIF114"),
        ("_p(?x) :- _q(?x)", "1:4 RIF201"),
        ("_p() :- pred:numeric-equal(1 1)", "1:9 RIF207"),
        ("_p().", "1:5 RIF120"),
        ("Forall ?x (_p(?x) :- And(_q(?x) ?x > 3))", "1:33 RIF120"),
        ("Forall ?x (_p(?x) :- And(_q(?x) ?x != 3))", "1:33 RIF120"),
        ("Forall ?x (_p((?x + 1)) :- _q(?x))", "1:15 RIF120"),
        ("Forall ?x (_p(?x) :- And(_q(?x) not _r(?x)))", "1:33 RIF153"),
        ("Forall ?x (_p(?x) :- (_q(?x)))", "1:22 RIF120"),
        ("Forall ?x (_p(?x) :- And(_q(?x) ?x = 1 + 2))", "1:38 RIF120"),
        ("Forall ?x (_p(?x) :- And(_q(?x) ?x = 5 m))", "1:38 RIF120"),
        ("# no comment\n_p()", "1:1 RIF101"),
        ("Forall ?x (_p(?x) :- And(_q(?x) ?x > avg{ ?y | _q(?y) }))", "1:38 RIF120"),
    ],
)
def test_shorthand_is_refused_by_place(text: str, expected: str) -> None:
    with pytest.raises(RuleErrors) as caught:
        parse_rules(text, strict=True)
    assert expected in [
        f"{each.span.line}:{each.span.column} {each.code}" for each in caught.value.errors
    ]


@pytest.mark.parametrize("equation", ["?x = {}", "{} = ?x", "{} = {}", "3 = {}"])
def test_an_aggregate_that_is_a_side_of_an_equation_is_no_shorthand(equation: str) -> None:
    members = "count{ ?y [?x] | _q(?x ?y) }"
    text = f"Forall ?x (_p(?x) :- And(_q(?x 1) {equation.format(members, members)}))"
    parse_rules(text, strict=True)


def test_a_document_of_clauses_is_refused() -> None:
    with pytest.raises(RuleErrors) as caught:
        parse("<urn:p>(1).", language=CORE.with_syntax(strict=True))
    assert caught.value.errors[0].code == "RIF120"
