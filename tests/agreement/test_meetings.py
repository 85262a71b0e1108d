"""Where dimensions meet: the engine tells what the definition gives, however it is run."""

from __future__ import annotations

import pytest

from tests.generators.meetings.features import dimensions_of
from tests.generators.meetings.histories import random_meeting
from tests.seeds import parts
from tests.simulation.meetings.comparison import compare, smallest
from tests.simulation.meetings.coverage import Coverage

PART = 100


def disagreement_of_part(first: int) -> str | None:
    """The smallest case of a part that disagrees; None: none does. Most have answers."""
    coverage, faults = compare(PART, first)
    assert coverage.answers >= PART / 2
    return f"seeds {sorted(faults)}\n{smallest(min(faults))}" if faults else None


@pytest.mark.compared
@pytest.mark.parametrize("first", parts(PART, check=0, pure=1, test=2, soak=10))
def test_the_engine_tells_what_counts_at_each_instant(first: int) -> None:
    assert disagreement_of_part(first) is None


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=18, first=20 * PART))
def test_the_engine_tells_what_counts_at_each_instant_of_more_cases(first: int) -> None:
    assert disagreement_of_part(first) is None


@pytest.mark.slow
def test_all_dimensions_meet_in_a_thousand_cases() -> None:
    coverage = Coverage()
    for seed in range(10 * PART):
        coverage.add(dimensions_of(random_meeting(seed)), answers=True)
    assert not coverage.lacking(8)
