"""Random models are those of the definition, and what they are made of."""

from __future__ import annotations

import pytest

from tests.generators.metric.programs import case_of
from tests.simulation.metric.operators import ENDS, compare
from tests.simulation.metric.tally import tally

LEAST = {
    "with answers": 1 / 2,
    "a second round of recursion": 1 / 3,
    "endless": 1 / 2,
    "endless, and never constant": 1 / 4,
    "endless on both sides": 1 / 10,
    "nested operators": 1 / 6,
    "Since or Until": 1 / 5,
    "several variables in a rule": 1 / 3,
    "several constants": 1 / 2,
    "rationals": 1 / 4,
    "ranges to infinity": 1 / 30,
}
"""Shares of what random programs exercise: a little less than the whole mix has."""


@pytest.mark.parametrize(
    ("count", "first"),
    [(120, 0), *(pytest.param(900, n, marks=pytest.mark.soak) for n in (1000, 2000))],
)
def test_random_models_are_those_of_the_definition(count: int, first: int) -> None:
    found = tally(count, first, case_of)
    assert not found.wrong, next(iter(found.wrong.values()))
    assert not {name for name, share in LEAST.items() if found.exercised[name] < share * count}
    assert sum(found.not_counted.values()) < count // 10


@pytest.mark.parametrize("ends", ENDS)
def test_operators_with_such_ranges_give_what_their_definition_says(ends: str) -> None:
    compare(0, ends)
