"""Growth between two horizons: rows of one relation that reach farther than before.

All functions look to the right; the left side is the mirror image.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from temporal.periods.coalescing import coalesce, number_rows


@dataclass(frozen=True, slots=True)
class Growth:
    """Rows of one relation that reach farther than they did.

    Attributes:
        rows: (n, k + 2) All rows of it, maximal and sorted.
        at: (m,) Positions of those that grew.
        by: (m,) How many cells.
        was: (m,) Their ends before.
    """

    rows: Rows
    at: Column
    by: Column
    was: Column


def find_growth(before: Rows, now: Rows) -> Growth:
    """The last row of each fact, where its finite end lies behind that of the last one before."""
    old, new = coalesce(before), coalesce(now)
    ids, others = number_rows(new[:, :-2], old[:, :-2])
    _, mine, theirs = np.intersect1d(ids[::-1], others[::-1], return_indices=True)
    at, was = len(new) - 1 - mine, len(old) - 1 - theirs
    more = new[at, -1] - old[was, -1]
    grew = (more > 0) & (new[at, -1] < POS_INF) & (new[at, -2] <= old[was, -2])
    return Growth(new, at[grew], more[grew], old[was[grew], -1])


def extend_rows(growth: Growth) -> Rows:
    """The rows that grew, without an end."""
    found = growth.rows[growth.at]
    found[:, -1] = POS_INF
    return found


def join_growth(found: Iterable[Growth]) -> Growth:
    """The growth of all relations, without their rows."""
    parts = list(found)
    nothing = np.empty(0, np.int64)
    by = np.concatenate([nothing, *(part.by for part in parts)])
    was = np.concatenate([nothing, *(part.was for part in parts)])
    return Growth(np.empty((0, 2), np.int64), nothing, by, was)


def fixed_ends(rows: Rows, growth: Growth | None) -> list[int]:
    """The right ends that did not grow."""
    if growth is None:
        return finite_ends(rows[:, -1])
    return finite_ends(np.delete(growth.rows[:, -1], growth.at))


def finite_ends(ends: Column) -> list[int]:
    """The finite ones of some ends."""
    found: list[int] = ends[(ends > NEG_INF) & (ends < POS_INF)].tolist()
    return found
