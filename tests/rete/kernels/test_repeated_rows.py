"""Rows that repeat others many times: which of them are new does not depend on how that is known.

The compiled kernels keep a bit for each combination of terms where rows of a store are dense; the
pure ones look each row up.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.kernels import load

SIDE = 90
CHANGES = ["none", "shorter", "removed", "dropped", "wider", "timed"]


def drawn(draw: np.random.Generator, count: int, *, first: int = 100, side: int = SIDE) -> Rows:
    """Facts of one predicate about some subjects and objects, which always hold."""
    found = np.empty((count, 5), np.int64)
    found[:, 0] = draw.integers(first, first + side, count)
    found[:, 1] = 7
    found[:, 2] = draw.integers(40, 40 + side, count)
    found[:, 3:] = NEG_INF, POS_INF
    return found


def timed(rows: Rows, draw: np.random.Generator) -> Rows:
    """Some of them with ends."""
    found = rows.copy()
    found[::3, 3] = draw.integers(0, 50, len(found[::3]))
    found[::3, 4] = found[::3, 3] + 10
    return found


def change(modules: dict[str, ModuleType], what: str, store: ModuleType, whole: ModuleType) -> None:
    """What happens to a store between two deltas."""
    draw = np.random.default_rng(2)
    absorb, remove = modules["rows._intervals"].absorb, modules["rows._intervals"].remove
    if what == "shorter":
        place = modules["rows._intervals"].find(store.rows(0, 1)[:, :4].copy(), whole, 0)
        store.set_ends(place[:1], np.array([30], np.int64))
    elif what == "removed":
        remove(whole, store.rows(0, store.end, 3))
    elif what == "dropped":
        store.keep(np.arange(store.count) % 3 > 0)
    elif what == "wider":
        absorb(whole, drawn(draw, 3000, first=20, side=200))
    elif what == "timed":
        absorb(whole, timed(drawn(draw, 3000, side=2 * SIDE), draw))


@pytest.mark.parametrize("what", CHANGES)
def test_a_repeated_row_gains_nothing_and_a_new_one_all(what: str) -> None:
    try:
        back_ends = load("compiled"), load("pure")
    except ImportError:
        pytest.skip("no compiled kernels on this machine")
    answers = []
    for modules in back_ends:
        draw = np.random.default_rng(1)
        store = modules["rows._store"].FactStore(3)
        whole = store.index(np.arange(3))
        absorb = modules["rows._intervals"].absorb
        found = [absorb(whole, drawn(draw, 6000)) for _ in range(5)]
        change(modules, what, store, whole)
        found += [absorb(whole, drawn(draw, 3000, side=SIDE + 5)) for _ in range(3)]
        found.append(absorb(whole, timed(drawn(draw, 3000, side=SIDE + 9), draw)))
        found += [absorb(whole, drawn(draw, 3000, side=SIDE + 9)) for _ in range(2)]
        found.append(store.rows(0, store.end, living=True))
        answers.append([sorted(each.tolist()) for each in found])
    assert answers[0] == answers[1]
    assert len(answers[0][3]) < len(answers[0][0]) / 5  # most rows repeat others


def test_a_delta_that_is_refused_leaves_none_of_its_rows_known_that_is_not_there(
    modules: dict[str, ModuleType],
) -> None:
    draw = np.random.default_rng(1)
    store = modules["rows._store"].FactStore(3)
    whole, absorb = store.index(np.arange(3)), modules["rows._intervals"].absorb
    for _ in range(3):
        absorb(whole, drawn(draw, 6000))
    rows = drawn(draw, 3000)
    rows[20, 0] = 1 << 40
    with pytest.raises(OverflowError):
        absorb(whole, rows)
    rows = np.delete(rows, 20, axis=0)
    there = {tuple(row) for row in store.rows(0, store.end).tolist()}
    gains = {tuple(row) for row in absorb(whole, rows).tolist()}
    assert gains == {tuple(row) for row in rows.tolist()} - there
    assert len(gains) > 10
