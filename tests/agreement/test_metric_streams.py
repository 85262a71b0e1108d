"""Answers along a stream are those of materialising each prefix."""

from __future__ import annotations

from collections import Counter

import pytest

from tests import seeds
from tests.simulation.metric.fact_streams import compare_seed

LEAST = {
    "with answers": 1 / 2,
    "recursive": 1 / 3,
    "endless": 1 / 2,
    "dense": 1 / 4,
    "history": 1 / 20,
    "delay": 1 / 3,
    "late": 1 / 20,
    "retraction": 1 / 8,
    "refused retraction": 1 / 200,
    "finer stamps": 1 / 2,
    "intervals": 1 / 2,
    "lookahead": 1 / 200,
    "ranges to infinity": 1 / 30,
}
"""Shares of what random streams exercise: a little less than the whole mix has."""


@pytest.mark.compared
@pytest.mark.parametrize("first", seeds.parts(300, check=1, test=2, soak=10))
def test_streamed_answers_are_those_of_each_prefix(first: int) -> None:
    found: Counter[str] = Counter()
    for seed in range(first, first + 300):
        found.update(compare_seed(seed))
    assert not {name for name, share in LEAST.items() if found[name] < share * 300}
