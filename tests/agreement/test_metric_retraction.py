"""What is retracted under metric rules is, from the frontier on, as if it had never been said."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.seeds import parts
from tests.simulation.retraction.metric_stories import metric_difference

PART = 20


@pytest.mark.compared
@pytest.mark.parametrize("negation", [False, True], ids=["positive", "naf"])
@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=12))
def test_what_is_retracted_had_never_been_said_from_the_frontier_on(first, negation) -> None:
    found: Counter[str] = Counter()
    for seed in range(first, first + PART):
        exercised, fault = metric_difference(seed, negation=negation)
        found.update(exercised)
        assert fault is None, f"seed {seed}\n{fault}"
    assert found["answers"] > PART // 4
    assert found["retraction that changes answers"]


@pytest.mark.compared
@pytest.mark.parametrize("first", parts(4 * PART, check=1, test=1, soak=8))
def test_what_is_older_than_may_be_retracted_stays(first: int) -> None:
    found: Counter[str] = Counter()
    for seed in range(first, first + 4 * PART):
        exercised, fault = metric_difference(seed, negation=seed % 2 > 0, bounded=True)
        found.update(exercised)
        assert fault is None, f"seed {seed}\n{fault}"
    assert found["answers"] > PART
    assert found["retraction that changes answers"] > PART // 10
    assert found["too old, or not there"] > PART
