"""Where dimensions meet: the engine tells what the definition gives, however it is run."""

from __future__ import annotations

import pytest

from tests.generators.meetings.features import dimensions_of
from tests.generators.meetings.histories import random_meeting
from tests.seeds import parts
from tests.simulation.meetings.comparison import compare, smallest
from tests.simulation.meetings.coverage import Coverage

PART = 100


@pytest.mark.compared
@pytest.mark.parametrize("first", parts(PART, check=1, test=10, soak=50))
def test_the_engine_tells_what_counts_at_each_instant(first: int) -> None:
    coverage, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n{smallest(min(faults))}"
    assert coverage.answers >= PART / 2


@pytest.mark.slow
def test_all_dimensions_meet_in_the_cases_of_make_test() -> None:
    coverage = Coverage()
    for seed in range(10 * PART):
        coverage.add(dimensions_of(random_meeting(seed)), answers=True)
    assert not coverage.lacking(8)
