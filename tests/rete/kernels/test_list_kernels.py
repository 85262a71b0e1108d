"""Lists of triples: against their definition, and the two back ends against each other."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

Triple = tuple[tuple[int, int, int], tuple[int, int]]

SMALL = st.integers(0, 2)
TRIPLES = st.tuples(st.tuples(SMALL, SMALL, SMALL), st.tuples(SMALL, SMALL))
LISTS = st.integers(0, 5).flatmap(
    lambda length: st.lists(st.lists(TRIPLES, min_size=length, max_size=length), max_size=6)
)


@pytest.fixture(scope="module")
def kernels(modules: dict[str, ModuleType]) -> ModuleType:
    return modules["rows._lists"]


def expected(triples: list[Triple], *, by_time: bool) -> list[list[int]]:
    """Each once: the least of those that are alike."""
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    for (s, p, o), (first, second) in triples:
        if s:
            key = (first, s, p, o) if by_time else (s, p, o, first, second)
            found[key] = min(found.get(key, (s, p, o, first, second)), (s, p, o, first, second))
    return [list(found[key]) for key in sorted(found)]


@given(given_lists=LISTS, by_time=st.booleans(), shift=st.integers(0, 2))
def test_lists_are_in_order_and_each_triple_stands_once(
    kernels: ModuleType, given_lists: list[list[Triple]], by_time: bool, shift: int
) -> None:
    count, length = len(given_lists), len(given_lists[0]) if given_lists else 0
    values = np.arange(3)[None, :] + np.zeros((count, 1), np.int64)
    values = np.ascontiguousarray(np.roll(values, shift, axis=1))  # places differ from terms
    terms = np.array([[t for t, _ in each] for each in given_lists], np.int64)
    places = (terms.reshape(count, length, 3) + shift) % 3
    times = np.array([[t for _, t in each] for each in given_lists], np.int64)
    listed, counts = kernels.sorted_lists(
        values, places, times.reshape(count, length, 2), by_time=by_time
    )
    for row, each in enumerate(given_lists):
        wanted = expected(each, by_time=by_time)
        assert counts[row] == len(wanted)
        assert listed[row, : len(wanted)].tolist() == wanted
        assert not listed[row, len(wanted) :].any()
