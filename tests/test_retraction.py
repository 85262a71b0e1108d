"""From where something is taken back, all is as if it had never been said, in memory too."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases.shorter import minimal
from tests.cases.taking_back import Story, story
from tests.draw import from_hypothesis, from_seed
from tests.retracting import compare, fault_of
from tests.retraction_faults import FAULTS, Fault, lost_sign

KINDS = ("dense", "plain", "naf")
PART = 50
CASES = 1000
"""Within how many random stories each planted fault must be noticed."""


@st.composite
def stories(draw: st.DrawFn, *, kind: str = "") -> Story:
    return story(from_hypothesis(draw), kind=kind or draw(st.sampled_from(KINDS)))


@settings(max_examples=settings().max_examples // 2)
@given(stories())
def test_after_each_step_all_is_as_if_what_was_taken_back_had_never_been_said(told: Story) -> None:
    assert fault_of(told)[1] is None


@pytest.mark.slow
@settings(max_examples=settings().max_examples // 6)
@given(stories(kind="regime"))
def test_so_it_is_above_a_regime(told: Story) -> None:
    assert fault_of(told)[1] is None


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 600, PART))
def test_so_it_is_for_many_seeds(first: int) -> None:
    _, faults = compare(PART, first, every=2)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


def test_random_stories_take_back_what_matters() -> None:
    found: Counter[str] = Counter()
    for kind in KINDS:
        found += compare(15, 0, kind=kind, every=100)[0]
    assert found["answers"] > 20
    assert found["retraction with an effect"] > 30
    assert found["retraction that changes answers"] > 6
    assert found["retraction without an effect"] > 10
    assert found["all taken back"] > 20
    assert found["second round"] > 5
    assert found["deletion"] > 6


@pytest.mark.slow
def test_a_failing_story_is_made_smaller() -> None:
    with lost_sign():
        told = next(
            one
            for seed in range(CASES)
            if fault_of(one := story(from_seed(seed), kind="dense"))[1] is not None
        )
        least = minimal(told, lambda one: fault_of(one)[1] is not None)
    assert len(least.steps) < len(told.steps)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_noticed(fault: Fault) -> None:
    def notices(seed: int) -> bool:
        """A crash does not count."""
        with fault():
            found = fault_of(story(from_seed(seed), kind=KINDS[seed % 3]))[1]
        return found is not None and not found.startswith("Traceback")

    assert any(notices(seed) for seed in range(CASES))
