"""The queue by valid time says how many rows have ended, and when it pays to forget them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rete.arrays.delta import POS_INF, columns
from rete.storage import valid_time_queue
from rete.storage.valid_time_queue import ValidTimeQueue

BATCHES = st.lists(st.lists(st.integers(0, 50), max_size=9), max_size=30)


@given(batches=BATCHES, bounds=st.lists(st.integers(0, 60), max_size=5).map(sorted))
def test_it_counts_rows_by_their_ends(batches: list[list[int]], bounds: list[int]) -> None:
    queue = ValidTimeQueue()
    for ends in batches:
        queue.add(columns([*ends, POS_INF]))
    given_ends = [end for ends in batches for end in ends]
    assert queue.valid == len(given_ends)
    for bound in bounds:
        queue.is_due(bound)
        assert queue.valid + queue.ended == len(given_ends)
        assert queue.ended <= sum(end <= bound for end in given_ends)


def test_it_is_due_when_more_rows_ended_than_did_not() -> None:
    queue = ValidTimeQueue()
    least = valid_time_queue._LEAST
    for _ in range(4):
        queue.add(np.full(least, 10))
    queue.add(np.full(3 * least, 20))
    assert not queue.is_due(9)
    assert queue.is_due(10)
    assert (queue.ended, queue.valid) == (4 * least, 3 * least)
    assert not queue.is_due(10, beside=4 * least)
    queue.forgotten()
    assert not queue.is_due(10)
    assert queue.is_due(20)


def test_few_rows_are_one_entry() -> None:
    queue = ValidTimeQueue()
    for end in range(10_000):
        queue.add(columns([end]))
    assert len(queue._entries) < 10
    assert not queue.is_due(20_000)
    assert queue.ended == 10_000 - queue._rows
