"""End points of the data, counted, so that the ruler follows when some of them go or come."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rete import kernels
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

    def add(self, numbers: Column, counts: Column) -> tuple[Column, Column]:
        """Each of these occurs so many times more, or less; all of them occur at least never.

        Returns those that occur from now on, and those that do no longer. O(n) copying, if there
        are any; else O(m log n) in the m given ones.
        """
        at = np.searchsorted(self.numbers, numbers)
        known = at < len(self.numbers)
        known[known] = self.numbers[at[known]] == numbers[known]
        if not known.all():
            new, more = _summed(numbers[~known], counts[~known])
            at, counts = at[known], counts[known]
        else:
            new = more = numbers[:0]
        np.add.at(self._counts, at, counts)
        gone = new[:0]
        if len(at) and (least := self._counts[at].min()) <= 0:
            assert least == 0
            stays = self._counts > 0
            gone = self.numbers[~stays]
            self.numbers, self._counts = self.numbers[stays], self._counts[stays]
        if len(new):
            assert more.min() > 0
            at = np.searchsorted(self.numbers, new)
            self.numbers = np.insert(self.numbers, at, new)
            self._counts = np.insert(self._counts, at, more)
        return new, gone


def _summed(numbers: Column, counts: Column) -> tuple[Column, Column]:
    """The numbers whose counts do not add up to 0, ascending, and the sums."""
    firsts, which = kernels.distinct(numbers[:, None])
    sums = np.bincount(which, counts, len(firsts)).astype(np.int64)
    found = np.flatnonzero(sums)
    found = found[np.argsort(numbers[firsts[found]])]
    return numbers[firsts[found]], sums[found]


class EndPoints:
    """The finite end points of maximal intervals of the data, and where they lie on the ruler."""

    __slots__ = ("_depth", "_ends", "_residues", "_ruler", "_step")

    def __init__(self, depth: int, step: int) -> None:
        self._depth = depth
        self._step = step
        self._ends = CountedNumbers()
        self._residues = CountedNumbers()  # each end counts once, however often it occurs
        self._ruler: Ruler | None = None

    def add(self, rows: Rows) -> None:
        """The ends of ``rows``, which are maximal."""
        self.change(((rows, 1),))

    def change(self, parts: Iterable[tuple[Rows, int]]) -> None:
        """The ends of rows come (1) or go (-1)."""
        some = [(rows, sign) for rows, sign in parts if len(rows)]
        if not some:
            return
        cells = np.concatenate([rows[:, -2:] for rows, _ in some]).ravel()
        signs = np.repeat([sign for _, sign in some], [2 * len(rows) for rows, _ in some])
        finite = (cells > NEG_INF) & (cells < POS_INF)
        new, gone = self._ends.add(cells[finite] >> 1, signs[finite])
        if len(new) or len(gone):
            self._ruler = None
            signs = np.repeat([1, -1], [len(new), len(gone)])
            self._residues.add(np.concatenate([new, gone]) % self._step, signs)

    def ruler(self) -> Ruler:
        """The ruler: the first end, the last one, and for each residue one between them.

        The same object until an end begins or ceases to occur.
        """
        if self._ruler is None:
            self._ruler = self._made_ruler()
        return self._ruler

    def _made_ruler(self) -> Ruler:
        ends = self._ends.numbers
        if not len(ends):
            return Ruler(np.zeros(1, np.int64), self._depth, self._step)
        first = ends[0]
        others = first + (self._residues.numbers - first) % self._step
        return Ruler(np.union1d(others, ends[[0, -1]]), self._depth, self._step)
