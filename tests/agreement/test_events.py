"""Aggregates, event times, calendars, earlier answers: what the definition says at each instant."""

from __future__ import annotations

import pytest

from tests.seeds import parts
from tests.simulation.meetings.event_comparison import compare, smallest

PART = 100


@pytest.mark.compared
@pytest.mark.parametrize("first", parts(PART, check=0, pure=1, test=10, soak=60))
def test_the_engine_tells_what_the_definition_says_of_event_rules(first: int) -> None:
    features, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n{smallest(min(faults))}"
    assert features["answers"] >= PART / 2
    assert features["rule with an aggregate"] >= PART / 3
    assert features["range that ends in a variable, with answers"] >= PART / 50
    assert features["an end, or a second round"] >= PART / 3
