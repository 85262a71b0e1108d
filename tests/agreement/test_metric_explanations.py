"""Explanations of facts of models are those of the definition: right, minimal, step by step."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from tests.seeds import parts
from tests.simulation.metric.explanations import compare

PART = 60

LEAST = {
    "recursive": 1 / 2,
    "shifted": 1 / 3,
    "after a deletion": 1 / 2,
    "far away": 1 / 5,
    "all found": 1 / 4,
    "several facts": 1 / 8,
    "several sets": 1 / 40,
    "by several rules": 1 / 8,
    "nested": 1 / 20,
    "Diamondminus": 1 / 5,
    "Diamondplus": 1 / 6,
    "Boxminus": 1 / 8,
    "Boxplus": 1 / 6,
    "Since": 1 / 50,
    "Until": 1 / 60,
}
"""Shares of what the explained facts exercise."""


@cache
def known(first: int) -> Counter[str]:
    """What the cases of a part have in them, once."""
    return sum(map(compare, range(first, first + PART)), Counter[str]())


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=20))
def test_what_is_said_is_what_the_definition_says(first: int) -> None:
    assert known(first)["explained"] > PART * 3 // 5


@pytest.mark.soak
def test_the_cases_have_what_is_hard_in_them() -> None:
    met = sum(map(known, range(0, 7 * PART, PART)), Counter[str]())
    assert met["explained"] >= 300
    assert met["without a proof"] < met["explained"] // 20
    assert not {name for name, share in LEAST.items() if met[name] < share * met["explained"]}
