"""``--literals constant``: the definition, where rules write numbers otherwise than the data."""

from __future__ import annotations

import pytest

from tests.seeds import parts
from tests.simulation.meetings.number_comparison import compare, smallest

PART = 100


@pytest.mark.compared
@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=30))
def test_numbers_of_conditions_match_what_is_equal(first: int) -> None:
    features, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n{smallest(min(faults))}"
    assert features["answers"] >= PART / 2
    assert features["a number in another spelling"] >= PART / 2


@pytest.mark.compared
@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=10))
def test_numbers_of_conditions_of_event_rules_match_what_is_equal(first: int) -> None:
    features, faults = compare(PART, first, events=True)
    assert not faults, f"seeds {sorted(faults)}\n{smallest(min(faults), events=True)}"
    assert features["answers"] >= PART / 3
    assert features["a number in another spelling"] >= PART / 3
