"""A whole model, finite or periodic: rows as far as the windows, and what repeats beyond.

A periodic model is the unfolding of its segment [DRedMTL26, Definition 2]. What holds for ever from
some time on has rows with infinite ends; of what else repeats there are rows up to the outer
ends of the windows, and no further.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.kernels import clip
from temporal.intervals.interval import Interval
from temporal.intervals.notation import Notation
from temporal.periods.change_points import Relations
from temporal.periods.unfolding import coalesce, continue_rows, reflect, repeat_rows
from temporal.periods.windows import Repetition

K = TypeVar("K", bound=Hashable)


class InfiniteUnfolding(ValueError):
    """A stretch without end of what repeats for ever has no finite number of rows."""


@dataclass(frozen=True, slots=True)
class PeriodicModel(Generic[K]):
    """A model: the rows of each relation, maximal, and its repetitions on both sides."""

    facts: Relations[K]
    left: Repetition
    right: Repetition

    @classmethod
    def of(cls, facts: Relations[K], left: Repetition, right: Repetition) -> PeriodicModel[K]:
        """From facts that are known within a horizon, and the periods that were found in them.

        Relations that do not reach beyond the data are shared, not copied.
        """
        past = left.mirrored()
        found: dict[K, Rows] = {}
        for name, rows in facts.items():
            onward = continue_rows(rows, right.source, outer_cell(right))
            if (onward[:, -2] < left.source[1]).any():
                onward = reflect(continue_rows(reflect(onward), past.source, outer_cell(past)))
            found[name] = onward
        return cls(found, left, right)

    @property
    def segment(self) -> tuple[int, int]:
        """The cells from the outer end of the one window to that of the other, half-open.

        Infinite where all is constant: then it is the whole of that side.
        """
        lo = NEG_INF if self.left.is_constant else self.left.period[0]
        hi = POS_INF if self.right.is_constant else self.right.period[1]
        return lo, hi

    @property
    def is_finite(self) -> bool:
        """Do the rows say all, with no repetition?"""
        return self.left.is_constant and self.right.is_constant

    def unfold(self, lo: int, hi: int) -> Iterator[tuple[K, Rows]]:
        """The relations, clipped to the cells ``lo`` to ``hi``: maximal rows, sorted.

        One relation after the other, lazily. O(n log n) in the rows that result,
        however far outside of the segment they lie, and O(n) in those of the segment.

        Raises:
            InfiniteUnfolding: there is no end to a side on which something repeats.
        """
        begin, end = self.segment
        if (lo <= NEG_INF < begin) or (hi >= POS_INF > end):
            message = "what repeats for ever cannot be written out without an end"
            raise InfiniteUnfolding(message)
        for name, rows in self.facts.items():
            yield name, self._unfolded(rows, lo, hi)

    def around(self, lo: int, hi: int) -> Iterator[tuple[K, Rows]]:
        """The relations as rules see them from the cells ``lo`` to ``hi``, maximal.

        What holds for ever keeps its infinite ends; of a finite model it is all.
        """
        if self.is_finite:
            yield from self.facts.items()
            return
        begin, end = self.segment
        for name, rows in self.unfold(
            lo if begin > NEG_INF else NEG_INF, hi if end < POS_INF else POS_INF
        ):
            of = self.facts[name]
            endless = of[(of[:, -2] <= NEG_INF) | (of[:, -1] >= POS_INF)]
            yield name, coalesce(np.concatenate([rows, endless]))

    def unfold_relation(self, name: K, lo: int, hi: int, width: int) -> Rows:
        """The rows of one relation, of ``width`` columns, as `unfold` gives them."""
        rows = self.facts.get(name)
        return np.empty((0, width), np.int64) if rows is None else self._unfolded(rows, lo, hi)

    def most(self, lo: int, hi: int) -> int:
        """The most rows that `unfold` may give, counted without writing them. O(n)."""
        repeated = sum(
            rows * _repetitions_in(length, cells) for length, rows, cells in self._sides(lo, hi)
        )
        return sum(map(len, self.facts.values())) + repeated

    def until(self, lo: int, hi: int, most: int) -> int:
        """Up to where, ``hi`` at the latest, `unfold` repeats no more than ``most`` rows. O(n)."""
        for length, rows, (first, last) in self._sides(lo, hi):
            wanted = rows * _repetitions_in(length, (first, last))
            if wanted > most:
                return first + max(0, most // rows - 1) * length
            most -= wanted
        return hi

    def _sides(self, lo: int, hi: int) -> Iterator[tuple[int, int, tuple[int, int]]]:
        """Of each side: cells and rows of a period, and in which cells of a stretch it repeats."""
        begin, end = self.segment
        if lo < begin:
            rows = self._rows_in_period(*self.left.period, outer=-2)
            yield 2 * self.left.shift, rows, (lo, min(hi, begin))
        if hi > end:
            rows = self._rows_in_period(*self.right.period, outer=-1)
            yield 2 * self.right.shift, rows, (max(lo, end), hi)

    def _rows_in_period(self, lo: int, hi: int, *, outer: int) -> int:
        """How many rows of these cells have a finite end in column ``outer``."""
        ending = (rows[np.abs(rows[:, outer]) < POS_INF] for rows in self.facts.values())
        return sum(len(clip(rows, lo, hi)) for rows in ending)

    def holds(self, name: K, terms: tuple[int, ...], lo: int, hi: int) -> bool:
        """Does a fact hold in all cells from ``lo`` on, before ``hi``?

        At any distance from the segment, over any number of periods, and to infinity: no more
        than one period on each side is written out. O(n) in the rows of the relation.
        """
        rows = self.facts.get(name)
        if rows is None:
            return False
        of = rows[(rows[:, :-2] == np.array(terms, np.int64)).all(axis=1)]
        if not len(of) or _covered(of, lo, hi):
            return bool(len(of))
        # What holds for ever from the segment on need not be looked up there.
        begin, end = self.segment
        lo = max(lo, begin) if of[:, -2].min() <= NEG_INF else lo
        hi = min(hi, end) if of[:, -1].max() >= POS_INF else hi
        # What does not is absent somewhere in each repetition.
        if _exceeds(hi - max(lo, end), self.right) or _exceeds(min(hi, begin) - lo, self.left):
            return False
        if lo >= end:
            length = 2 * self.right.shift
            lo, hi = (at - (lo - end + length) // length * length for at in (lo, hi))
        elif hi <= begin:
            length = 2 * self.left.shift
            lo, hi = (at + (begin - hi + length) // length * length for at in (lo, hi))
        return _covered(self._unfolded(of, lo, hi), lo, hi)

    def period_lines(self, scale: int, notation: Notation = Interval) -> tuple[str, str]:
        """``left period [a,b)`` and ``right period (a,b]``, or ``none`` where nothing holds."""
        left, right = (
            "none" if side.is_empty else str(notation.of_cells(*side.period, scale))
            for side in (self.left, self.right)
        )
        return f"left period {left}", f"right period {right}"

    def _unfolded(self, rows: Rows, lo: int, hi: int) -> Rows:
        parts = [clip(rows, lo, hi)]
        if not self.right.is_constant:
            ending = rows[rows[:, -1] < POS_INF]
            parts.append(repeat_rows(ending, self.right.period, max(lo, self.right.period[1]), hi))
        if not self.left.is_constant:
            period = self.left.mirrored().period
            from_some_time = reflect(rows[rows[:, -2] > NEG_INF])
            parts.append(
                reflect(repeat_rows(from_some_time, period, max(1 - hi, period[1]), 1 - lo))
            )
        return coalesce(np.concatenate(parts))


def outer_cell(repetition: Repetition) -> int:
    """The cell at which the rows of a model end that do not last for ever, to the right."""
    return repetition.source[1] if repetition.is_constant else repetition.period[1]


def _covered(rows: Rows, lo: int, hi: int) -> bool:
    return bool(((rows[:, -2] <= lo) & (hi <= rows[:, -1])).any())


def _exceeds(cells: int, repetition: Repetition) -> bool:
    return not repetition.is_constant and cells >= 2 * repetition.shift


def _repetitions_in(length: int, cells: tuple[int, int]) -> int:
    """How many repetitions of so many cells begin in a stretch, at most."""
    return -(-(cells[1] - cells[0]) // length) + 1
