"""Every mistake that is planted on purpose is detected."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from tests.faults.areas import AREAS
from tests.faults.detection import Fault, FaultArea, first_detection
from tests.faults.retraction.base_table import other_names_go_too
from tests.generators.stories.shrinking import minimal
from tests.simulation.retraction.seeds import disagreement_of, story_of_seed


@pytest.mark.parametrize("area", AREAS.values(), ids=AREAS)
def test_what_a_planted_fault_replaces_is_there(area: FaultArea) -> None:
    for fault in area.faults:
        with fault():
            pass


@pytest.mark.soak
@pytest.mark.parametrize(
    ("area", "fault"),
    [
        pytest.param(area, fault, id=f"{name}-{fault.__name__}")
        for name, area in AREAS.items()
        for fault in area.faults
    ],
)
def test_a_planted_fault_is_detected(area: FaultArea, fault: Fault) -> None:
    """By a case in which nothing is wrong without it."""
    seed = first_detection(area, fault)
    assert seed is not None, f"not within {area.cases} cases"
    assert not area.detects(seed, nullcontext)


@pytest.mark.soak
def test_a_failing_story_is_made_smaller() -> None:
    with other_names_go_too():
        seed = next(seed for seed in range(1000) if disagreement_of(story_of_seed(seed))[1])
        whole = story_of_seed(seed)
        least = minimal(whole, lambda one: disagreement_of(one)[1] is not None)
    assert len(least.steps) < len(whole.steps)
