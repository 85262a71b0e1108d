"""R4 warns of sets of hypotheses that are minimal only for early times that are not known."""

from __future__ import annotations

from contextlib import suppress
from unittest.mock import patch

import pytest

from rif.errors.base import RuleError
from temporal.hypothetical.hypothesiser import Hypothesiser
from temporal.hypothetical.output import free_times
from temporal.hypothetical.syntax.errors import TimeNotKnown
from tests.generators.hypothetical.queries import random_case
from tests.generators.hypothetical.text import shown_program, shown_query

LATER = "Q(X,T+3) :- e(X,T+2)\nQ(X,T+1) :- f(X,U), w(T-1), e(X,T)\n"
FACTS = "@0 f(a,0)\n@5\n"


def warning_of(rules: str, query: str) -> RuleError | None:
    return Hypothesiser(rules, query).warning


def test_a_set_that_needs_its_evidence_at_one_time_that_has_passed_is_told_with_a_warning() -> None:
    found = Hypothesiser(LATER, "Q(X,T)")
    assert isinstance(found.warning, TimeNotKnown)
    assert found.warning.severity == "warning"
    assert "w(T-2), e(X,T-1) may come for any T from 0 on" in found.warning.message
    told = [(each.status, each.hypotheses) for each in found.follow(FACTS)]
    assert told == [("supported", ["e(a,?T-1)", "w(?T-2)"])]


def test_a_set_of_which_a_part_is_always_enough_is_not_told_and_not_warned_of() -> None:
    rules = LATER.replace("Q(X,T+3) :- e(X,T+2)", "Q(X,T+1) :- e(X,T)")
    found = Hypothesiser(rules, "Q(X,T)")
    assert found.warning is None
    assert [*found.follow(FACTS)] == []


@pytest.mark.parametrize(
    ("rules", "query"),
    [
        (LATER, "Q(X,3)"),
        (LATER.replace("f(X,U)", "f(X,T)"), "Q(X,T)"),
        ("Q(X,T) :- p(X,T), r(Y,U)\n", "Q(X,T)"),
        ("Q(X,5) :- p(X,T)\nQ(X,5) :- r(X,U), s(X,5)\n", "Q(X,5)"),
    ],
)
def test_there_is_no_warning_where_times_are_known_or_make_no_difference(
    rules: str, query: str
) -> None:
    assert warning_of(rules, query) is None


def test_evidence_of_the_part_may_be_what_makes_it_one() -> None:
    rules = "Q(X,T+3) :- s(X,U), e(X,T+2)\nQ(X,T+1) :- f(X,U), w(T-1), e(X,T), s(X,V)\n"
    assert warning_of(rules, "Q(X,T)") is not None


def test_what_takes_too_long_to_compare_is_warned_of() -> None:
    rules = "Q(X,T) :- p(X,U), r(X,T)\nQ(X,T) :- p(X,U), r(X,T), r(Y,V)\n"
    assert warning_of(rules, "Q(X,T)") is None
    with patch.object(free_times, "_MOST_STEPS", 0):
        assert warning_of(rules, "Q(X,T)") is not None


def test_few_random_queries_are_warned_of() -> None:
    """A time that a rule relates to no other is frequent; that it matters is rare."""
    warned = []
    for given in (random_case(seed, nested=seed % 2 > 0) for seed in range(100)):
        with suppress(RuleError):
            warned.append(warning_of(shown_program(given.program), shown_query(given.query)))
    assert 0 < sum(each is not None for each in warned) < len(warned) / 10
