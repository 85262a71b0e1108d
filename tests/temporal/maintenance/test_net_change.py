"""Net changes: what came and went meanwhile does not count."""

from __future__ import annotations

import random
from typing import Final

import numpy as np
import pytest

from rete.arrays.delta import Rows
from rete.storage.row_algebra import coalesce
from temporal.maintenance.net_change import NetChange

ATOMS: Final = 3
CELLS: Final = 12
Point = tuple[int, int]


def rows_of(points: set[Point]) -> Rows:
    """Maximal rows of one term that hold at the points, an atom and a cell each."""
    rows = np.array([[atom, cell, cell + 1] for atom, cell in sorted(points)], np.int64)
    return coalesce(rows.reshape(-1, 3))


def points_of(rows: Rows) -> list[Point]:
    return sorted((atom, cell) for atom, lo, hi in rows.tolist() for cell in range(lo, hi))


@pytest.mark.parametrize("seed", range(200))
def test_net_change_is_the_difference_of_the_ends(seed: int) -> None:
    numbers = random.Random(seed)  # noqa: S311
    every = [(atom, cell) for atom in range(ATOMS) for cell in range(CELLS)]
    before = {point for point in every if numbers.random() < 0.5}
    now, change = set(before), NetChange(1)
    for _ in range(numbers.randrange(8)):
        some = set(numbers.sample(every, numbers.randrange(1, 12)))
        if numbers.random() < 0.5:
            change.gain(rows_of(some - now))
            now |= some
        else:
            change.lose(rows_of(some & now))
            now -= some
    gained, lost = change.found() or (rows_of(set()), rows_of(set()))
    assert points_of(gained) == sorted(now - before)
    assert points_of(lost) == sorted(before - now)


def test_it_begins_anew() -> None:
    change = NetChange(1)
    change.gain(rows_of({(0, 1)}))
    change.clear()
    assert change.rows_gained == 0
    assert change.found() is None


def test_what_lies_within_some_cells_need_not_be_found() -> None:
    change = NetChange(1)
    change.gain(rows_of({(0, 1)}))
    assert change.found((0, 4)) is None
    change.lose(rows_of({(0, 5)}))
    found = change.found((0, 4))
    assert found is not None
    assert [points_of(rows) for rows in found] == [[], [(0, 5)]]
