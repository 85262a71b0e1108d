"""Runs with recorded time: what is told, and when, is a function of the input and the events."""

from __future__ import annotations

import pytest

from tests.seeds import parts
from tests.simulation.timed_comparison import compare

pytestmark = pytest.mark.compared

PART = 50


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=30))
def test_what_is_told_and_when_is_what_the_definition_says(first: int) -> None:
    _, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
