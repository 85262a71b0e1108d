"""Change points on one side of the data: where facts begin and cease, in the order of time.

All here looks to the right of the data; the left side is the right one of the mirrored rows
(`temporal.periods.unfolding.reflect`).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np

from rete import kernels
from rete.arrays.delta import Column, Rows

K = TypeVar("K", bound=Hashable)
Relations: TypeAlias = Mapping[K, Rows]
"""The rows of each relation, (n, arity + 2): maximal, in any order."""


@dataclass(frozen=True, slots=True)
class ChangePoints:
    """Content of the cells ``first`` to ``stop``, the latter excluded.

    Attributes:
        at: (m,) ascending. The cells in which a fact begins, or no longer holds.
        what: (m,) Twice the number of the fact, and 1 if it begins; ascending in each cell.
        fact, lo, hi: (n,) The rows that hold in one of the cells; facts are numbered from 0.
        first, stop: The cells. The first has no changes: what begins in it holds there.
    """

    at: Column
    what: Column
    fact: Column
    lo: Column
    hi: Column
    first: int
    stop: int

    def holds(self, cell: int) -> bool:
        """Whether any fact holds in a cell. O(n)."""
        return bool(((self.lo <= cell) & (cell < self.hi)).any())

    def holding(self, cell: int) -> Column:
        """The facts that hold in a cell, ascending. O(n)."""
        return np.sort(self.fact[(self.lo <= cell) & (cell < self.hi)])


def find_changes(facts: Relations[K], first: int, stop: int) -> ChangePoints:
    """The changes of maximal rows in the cells from ``first`` on, before ``stop``. O(n log n)."""
    found: list[Rows] = []
    count = 0
    for rows in facts.values():
        inside = rows[(rows[:, -1] > first) & (rows[:, -2] < stop)]
        if len(inside):
            (number,) = number_rows(inside[:, :-2])
            found.append(np.column_stack([number + count, inside[:, -2:]]))
            count += int(number.max()) + 1
    return order_changes(np.concatenate([np.empty((0, 3), np.int64), *found]), first, stop)


def order_changes(rows: Rows, first: int, stop: int) -> ChangePoints:
    """The same of (n, 3) maximal rows with the number of their fact, all in one of the cells."""
    fact, lo, hi = rows.T
    begins, ceases = lo > first, hi < stop
    at = np.concatenate([lo[begins], hi[ceases]])
    what = np.concatenate([2 * fact[begins] + 1, 2 * fact[ceases]])
    order = np.lexsort((what, at))
    return ChangePoints(at[order], what[order], fact, lo, hi, first, stop)


def number_rows(*matrices: Rows) -> tuple[Column, ...]:
    """One number for each row, equal where the rows are, in the order in which they come. O(n).

    The matrices have the same number of columns, 0 too; numbers are dense, from 0, over them all.
    """
    _, found = kernels.distinct(np.concatenate(matrices))
    if len(matrices) == 1:
        return (found,)
    return tuple(np.split(found, np.cumsum([len(matrix) for matrix in matrices])[:-1]))
