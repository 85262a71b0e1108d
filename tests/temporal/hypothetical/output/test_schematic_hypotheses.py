"""Sets of hypotheses that are enough without evidence make those of entries needless."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from temporal.hypothetical.hypothesiser import Hypothesiser, Told
from temporal.hypothetical.output import schematic_hypotheses
from tests.simulation.hypothetical.seeds import NESTED, case_of, engine_output

GOAL = "Goal(a,T) :- Q(X,T), S(X,T), P(X,T)\nGoal(X,T) :- Q(X,T)\n"
LATE = ["3"]


def told(rules: str, facts: str) -> list[tuple[int, str, str]]:
    """Moment, status and hypotheses of the lines about the answer of ``a`` at 3."""
    lines = Hypothesiser(rules, "Goal(X,T)", LATE).follow(facts)
    return [_brief(each) for each in lines if tuple(each.answer.values()) == ("a", 3)]


def _brief(line: Told) -> tuple[int, str, str]:
    return line.tau, line.status, " ".join(line.hypotheses)


@pytest.mark.parametrize(
    ("facts", "wanted"),
    [
        ("@3 S(a,3)\n@9\n", []),
        ("@3 S(b,3)\n@9\n", [(3, "supported", "P(b,3) Q(b,3)"), (6, "withdrawn", "")]),
        ("@3 S(a,3)\n@4 P(a,3)\n@9\n", []),
        ("@3 S(a,3)\n@4 Q(a,3)\n@9\n", [(4, "answer", "")]),
        (
            "@3 S(b,3)\n@4 S(a,3)\n@4 P(b,3)\n@9\n",
            [(3, "supported", "P(b,3) Q(b,3)"), (4, "supported", "Q(b,3)"), (6, "withdrawn", "")],
        ),
    ],
)
def test_what_is_enough_without_evidence_needs_no_more(
    facts: str, wanted: list[tuple[int, str, str]]
) -> None:
    assert told(GOAL, facts) == wanted


def test_a_free_variable_may_be_anything() -> None:
    """``R`` of any thing is enough, so that of the evidence is."""
    some = "Goal(X,T) :- R(Y,T), Q(X,T)\n"
    more = "Goal(a,T) :- S(Y,T), R(Y,T), Q(Y,T)\n"
    assert told(some + more, "@3 S(a,3)\n@9\n") == []
    assert told(some + more, "@3 S(b,3)\n@9\n")[0] == (3, "supported", "Q(b,3) R(b,3)")


def test_what_is_enough_for_one_thing_is_not_for_any() -> None:
    """``R`` of ``b`` is enough; of another thing it needs the evidence."""
    rules = "Goal(X,T) :- S(X,T), R(Y,T), P(Y,T)\nGoal(a,T) :- R(b,T)\n"
    found = told(rules, "@3 S(a,3)\n@4 P(b,3)\n@5 P(c,3)\n@9\n")
    assert found == [
        (3, "supported", "P(?Y,3) R(?Y,3)"),
        (5, "supported", "R(c,3)"),
        (6, "withdrawn", ""),
    ]


@pytest.mark.parametrize(("time", "wanted"), [(6, []), (7, [(7, "supported", "P(a,7) Q(a,7)")])])
def test_times_must_be_as_far_apart(time: int, wanted: list[tuple[int, str, str]]) -> None:
    rules = "Goal(X,T) :- P(X,T+3)\nGoal(X,T) :- S(X,T), P(X,U), Q(X,U), W(X,U)\n"
    facts = f"@3 S(a,3)\n@{time} W(a,{time})\n"
    assert [line for line in told(rules, facts) if line[0] == time] == wanted


def test_bounds_of_what_is_less_must_be_kept() -> None:
    """Before 3 there is no ``B(X,T-3)``, so only from there on is ``P`` enough."""
    less = "Goal(X,T) :- B(X,T-3)\nB(X,T) :- P(X,T+3)\n"
    more = "Goal(a,T) :- S(X,T), P(X,T), R(X,T)\n"
    lines = Hypothesiser(less + more, "Goal(X,T)", LATE).follow("@2 S(a,2)\n@3 S(a,3)\n@9\n")
    assert [(e.answer["T"], e.status) for e in lines] == [(2, "supported"), (2, "withdrawn")]


@pytest.mark.slow
def test_rows_that_are_compared_one_by_one_give_the_same() -> None:
    for number in range(NESTED // 2 - 1, 20 * NESTED, NESTED):
        wanted = engine_output(case_of(number), number)
        with patch.object(schematic_hypotheses, "MOST_STEPS", 0):
            assert engine_output(case_of(number), number) == wanted
