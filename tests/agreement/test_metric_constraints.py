"""Inconsistency of random programs is that of the definition, and what violates constraints."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.seeds import parts
from tests.simulation.metric.constraints import compare

PART = 60

LEAST = {
    "inconsistent": 1 / 2,
    "by several rules": 1 / 4,
    "by several instances of a rule": 1 / 5,
    "under a box": 1 / 5,
    "again and again": 1 / 8,
    "for ever": 1 / 6,
}
"""Shares of what the cases exercise."""


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=17))
def test_violations_are_those_of_the_definition(first: int) -> None:
    met = sum(map(compare, range(first, first + PART)), Counter[str]())
    assert met["compared"] > PART * 3 // 4
    assert not {name for name, share in LEAST.items() if met[name] < share * met["compared"]}
