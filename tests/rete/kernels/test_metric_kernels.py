"""Metric kernels: the two back ends say the same, function by function.

That both say what the operators mean is held in tests/temporal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.kernels import load

if TYPE_CHECKING:
    from types import ModuleType

Modules = dict[str, "ModuleType"]

LEAST, MOST = -(2**61), 2**61
ends = st.one_of(st.integers(-9, 9), st.sampled_from((NEG_INF, POS_INF, LEAST, MOST)))
terms = st.integers(1, 2)


@pytest.fixture(scope="module")
def both() -> tuple[Modules, Modules]:
    try:
        return load("compiled"), load("pure")
    except ImportError:
        pytest.skip("no compiled kernels on this machine")


@st.composite
def matrices(draw) -> Rows:
    rows = draw(st.lists(st.tuples(terms, terms, ends, ends), max_size=12))
    kept = [row for row in rows if row[2] < row[3]]
    return np.array(kept, np.int64).reshape(len(kept), 4)


@st.composite
def ranges(draw) -> tuple[int, int]:
    lo = draw(st.integers(0, 6))
    return lo, draw(st.one_of(st.integers(lo + 1, lo + 9), st.just(POS_INF)))


def ordered(rows: Rows) -> list[list[int]]:
    return sorted(rows.tolist())


def store(modules: Modules, batches: list[Rows], lost: Rows, key: list[int]):
    """A store of maximal intervals, some of which were taken out again, and an index on ``key``."""
    sets, kept = modules["rows._intervals"], modules["rows._store"].FactStore(2)
    whole = kept.index(np.array([0, 1], np.int64))
    for batch in batches:
        sets.absorb(whole, batch)
    sets.remove(whole, lost)
    return kept.index(np.array(key, np.int64))


@given(rows=matrices(), rho=ranges(), future=st.booleans())
def test_dilate_and_erode_are_alike(both, rows, rho, future) -> None:
    compiled, pure = (modules["rows._metric"] for modules in both)
    for name in ("dilate", "erode"):
        one, two = (getattr(each, name)(rows, *rho, future) for each in (compiled, pure))
        assert np.array_equal(one, two)
        assert (one[:, 2] < one[:, 3]).all()
        assert len(one) == 0 or (one[:, 2].min() >= NEG_INF and one[:, 3].max() <= POS_INF)


@given(
    batches=st.lists(matrices(), max_size=3),
    lost=matrices(),
    asked=matrices(),
    key=st.sampled_from(([], [0], [0, 1], [1, 0])),
    rho=ranges(),
    future=st.booleans(),
    data=st.data(),
)
def test_boxes_are_looked_up_alike(both, batches, lost, asked, key, rho, future, data) -> None:
    found: list[tuple[list[list[int]], int, int]] = []
    most = data.draw(st.integers(1, 20))
    for modules in both:
        index = store(modules, batches, lost, key)
        end = index.store.end
        limit = data.draw(st.integers(0, end)) if not found else min(end, found[0][2])
        args = np.array(key, np.int64), index, limit, np.array([0, ~0, ~1], np.int64)
        made, met = modules["rows._metric"].probe_eroded(asked, *args, *rho, future, most)
        found.append((ordered(made), met, limit))
    assert found[0] == found[1]


@given(
    batches=st.lists(matrices(), max_size=3),
    lost=matrices(),
    asked=matrices(),
    key=st.sampled_from(([], [0], [0, 1])),
    rho=ranges(),
    future=st.booleans(),
    psi=st.booleans(),
    data=st.data(),
)
def test_since_is_looked_up_alike(both, batches, lost, asked, key, rho, future, psi, data) -> None:
    times = data.draw(st.permutations(asked[:, -2:].tolist()))
    found: list[tuple[list[list[int]], int]] = []
    most = data.draw(st.integers(1, 20))
    for modules in both:
        index = store(modules, batches, lost, key)
        own = np.array(times, np.int64).reshape(len(times), 2)
        args = np.array(key, np.int64), index, index.store.end, np.array([1, ~0], np.int64)
        made, met = modules["rows._metric"].probe_since(asked, own, *args, *rho, future, psi, most)
        found.append((ordered(made), met))
    assert found[0] == found[1]
