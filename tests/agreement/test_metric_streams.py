"""Answers along a stream are those of materialising each prefix."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from tests.seeds import parts
from tests.simulation.metric.fact_streams import compare_seed

PART = 65

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


@cache
def _met(first: int) -> Counter[str]:
    """What the streams of a part have in them, once."""
    found: Counter[str] = Counter()
    for seed in range(first, first + PART):
        found.update(compare_seed(seed))
    return found


@pytest.mark.compared
@pytest.mark.parametrize("first", parts(PART, check=0, pure=2, test=4, soak=24))
def test_streamed_answers_are_those_of_each_prefix(first: int) -> None:
    met, often = _met(first), {name: share for name, share in LEAST.items() if share >= 1 / 4}
    assert not {name for name, share in often.items() if met[name] < share / 2 * PART}


@pytest.mark.slow
def test_the_streams_have_what_is_hard_in_them() -> None:
    met = sum(map(_met, range(0, 8 * PART, PART)), Counter[str]())
    assert not {name for name, share in LEAST.items() if met[name] < share * 8 * PART}


@pytest.mark.compared
def test_right_rows_of_a_since_are_not_dropped_before_its_history_has_them() -> None:
    """Two rows end within one step; the second one came when the first could be dropped."""
    assert "history" in compare_seed(423)
