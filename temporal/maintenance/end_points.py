"""End points of the data, counted, so that the ruler follows when some of them go or come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from temporal.periods.windows import Ruler

_NO_CUTS: Final[Rows] = np.empty((0, 4), np.int64)


class CountedNumbers:
    """A multiset of ``numbers``, (n,): those that occur, ascending."""

    __slots__ = ("_counts", "numbers")

    def __init__(self) -> None:
        self.numbers: Column = np.empty(0, np.int64)
        self._counts: Column = np.empty(0, np.int64)

    def add(self, numbers: Column, counts: Column) -> tuple[Column, Column]:
        """Each of these occurs so many times more, or less; all of them occur at least never.

        Returns those that occur from now on, and those that do no longer. O(n) copying, if there
        are any; else O(m log n) in the m given ones.
        """
        at = self.numbers.searchsorted(numbers)
        if len(self.numbers):
            known = self.numbers.take(at, mode="clip") == numbers
        else:
            known = np.zeros(len(at), np.bool_)
        if not known.all():
            new, more = _summed(numbers[~known], counts[~known])
            at, counts = at[known], counts[known]
        else:
            new = more = numbers[:0]
        np.add.at(self._counts, at, counts)
        gone = new[:0]
        if len(at) and (least := self._counts.take(at).min()) <= 0:
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
        self.change((), (), (rows,))

    def change(self, cuts: Sequence[Rows], gone: Sequence[Rows], come: Sequence[Rows]) -> None:
        """The ends of rows change: some are ``gone``, and others ``come``.

        ``cuts``, (n, 4), are the ends of a row, and those of a piece that is cut out of it; no two
        pieces of a row touch.
        """
        cut = np.concatenate([_NO_CUTS, *cuts])
        ends = cut[:, 2:]
        signs = np.where(cut[:, :2] == ends, -1, 1)  # others are ends of what is left
        for parts, sign in ((gone, -1), (come, 1)):
            if parts:
                rows = np.concatenate([rows[:, -2:] for rows in parts])
                ends = np.concatenate([ends, rows])
                signs = np.concatenate([signs, np.full(rows.shape, sign)])
        ends, signs = ends.ravel(), signs.ravel()
        finite = (ends > NEG_INF) & (ends < POS_INF)
        if not finite.all():
            ends, signs = ends[finite], signs[finite]
        new, old = self._ends.add(ends >> 1, signs)
        if len(new) or len(old):
            self._ruler = None
            counts = np.repeat([1, -1], [len(new), len(old)])
            self._residues.add(np.concatenate([new, old]) % self._step, counts)

    def ruler(self) -> Ruler:
        """The ruler: the first end, the last one, and for each residue one between them.

        The same object until an end begins or ceases to occur.
        """
        if self._ruler is None:
            ends, points = self._ends.numbers, np.zeros(1, np.int64)
            if len(ends):
                others = ends[0] + (self._residues.numbers - ends[0]) % self._step
                points = np.union1d(others, ends[[0, -1]])
            self._ruler = Ruler(points, self._depth, self._step)
        return self._ruler
