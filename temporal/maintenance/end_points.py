"""End points of the data, counted, so that the ruler follows when some of them go or come."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from temporal.periods.windows import Ruler


class CountedNumbers:
    """A multiset of numbers.

    Attributes:
        numbers: (n,) those that occur, ascending.
    """

    __slots__ = ("_counts", "numbers")

    def __init__(self) -> None:
        self.numbers: Column = np.empty(0, np.int64)
        self._counts: Column = np.empty(0, np.int64)

    def add(self, numbers: Column, counts: Column) -> None:
        """Each of these occurs so many times more, or less; all of them occur at least never.

        O(n) copying, where one begins or ceases to occur; else O(m log n) in the m given ones.
        """
        given, places = np.unique(numbers, return_inverse=True)
        change = np.zeros(len(given), np.int64)
        np.add.at(change, places, counts)
        at = np.searchsorted(self.numbers, given)
        known = at < len(self.numbers)
        known[known] = self.numbers[at[known]] == given[known]
        self._counts[at[known]] += change[known]
        new = ~known & (change != 0)
        if new.any():
            self.numbers = np.insert(self.numbers, at[new], given[new])
            self._counts = np.insert(self._counts, at[new], change[new])
        if (known & (change < 0)).any():
            stays = self._counts > 0
            if not stays.all():
                self.numbers, self._counts = self.numbers[stays], self._counts[stays]
        assert not len(self._counts) or self._counts.min() > 0


class EndPoints:
    """The finite end points of maximal intervals of the data, and where they lie on the ruler."""

    __slots__ = ("_depth", "_ends", "_residues", "_step")

    def __init__(self, depth: int, step: int) -> None:
        self._depth = depth
        self._step = step
        self._ends = CountedNumbers()
        self._residues = CountedNumbers()

    def add(self, rows: Rows) -> None:
        """The ends of ``rows``, which are maximal."""
        self.change(((rows, 1),))

    def change(self, parts: Iterable[tuple[Rows, int]]) -> None:
        """The ends of rows come (1) or go (-1)."""
        parts = list(parts)
        cells = np.concatenate([rows[:, -2:] for rows, _ in parts])
        signs = np.repeat([sign for _, sign in parts], [len(rows) for rows, _ in parts])
        finite = (cells > NEG_INF) & (cells < POS_INF)
        numbers, counts = cells[finite] >> 1, np.column_stack([signs, signs])[finite]
        if len(numbers):
            self._ends.add(numbers, counts)
            self._residues.add(numbers % self._step, counts)

    def ruler(self) -> Ruler:
        """The ruler: the first end, the last one, and for each residue one between them."""
        ends = self._ends.numbers
        if not len(ends):
            return Ruler(np.zeros(1, np.int64), self._depth, self._step)
        first = ends[0]
        others = first + (self._residues.numbers - first) % self._step
        return Ruler(np.union1d(others, ends[[0, -1]]), self._depth, self._step)
