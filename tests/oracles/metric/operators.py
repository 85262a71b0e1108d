"""Metric operators by their definition, over cells: slow and obvious.

Cell 2t is the instant t, cell 2t + 1 the open gap behind it. Where all ends are integers, what
holds at one point of a cell holds at all of it, so a formula is judged at one point: at t itself,
in a gap at its middle. In half units that point is the number of the cell, and a range doubled.
Nothing is shared with the packages under test but the classes of the syntax tree.

A `Truth` says of every cell of a stretch whether something holds; left of the stretch what holds in
its first cell, right of it what holds in its last. All operators are exact for such truths, if the
stretch is wide enough for the result to be one: as wide on both sides as the range is long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from temporal.intervals.interval import Interval

Truth: TypeAlias = int
"""Bit i says whether it holds in cell ``first + i`` of the stretch."""


@dataclass(frozen=True, slots=True)
class CellRange:
    """A set of distances, doubled; ``high`` None is infinite."""

    low: int
    high: int | None
    low_closed: bool
    high_closed: bool

    @property
    def has_zero(self) -> bool:
        return self.low == 0 and self.low_closed

    @classmethod
    @lru_cache(maxsize=10_000)
    def of(cls, rho: Interval, scale: int) -> CellRange:
        assert rho.left is not None
        high = None if rho.right is None else whole(rho.right * scale) * 2
        return cls(whole(rho.left * scale) * 2, high, rho.left_closed, rho.right_closed)


def whole(number: Fraction) -> int:
    assert number.denominator == 1
    return number.numerator


def meets(cell: int, at: int, rho: CellRange, side: int) -> bool:
    """Is a point of ``cell`` at some distance in ``rho`` from ``at``?

    Before it for ``side`` -1, after it for 1. All in half units.
    """
    low, high = (cell, cell) if cell % 2 == 0 else (cell - 1, cell + 1)
    near, far = (at - high, at - low) if side < 0 else (low - at, high - at)
    closed = cell % 2 == 0
    # The distances of the cell are near..far, all of it open or one closed point.
    begin = max((near, not closed), (rho.low, not rho.low_closed))
    end = (far, closed) if rho.high is None else min((far, closed), (rho.high, rho.high_closed))
    return begin[0] < end[0] or (begin[0] == end[0] and not begin[1] and end[1])


@dataclass(frozen=True, slots=True)
class Stretch:
    """The cells ``first`` to ``last``, both included; both are gaps."""

    first: int
    last: int

    def __post_init__(self) -> None:
        assert self.first % 2 == 1
        assert self.last % 2 == 1

    @property
    def size(self) -> int:
        return self.last - self.first + 1

    @property
    def always(self) -> Truth:
        return (1 << self.size) - 1

    def cells(self) -> range:
        return range(self.first, self.last + 1)

    def holds(self, truth: Truth, cell: int) -> bool:
        """Does it hold in a cell, be it outside of the stretch?"""
        place = min(max(cell - self.first, 0), self.size - 1)
        return bool(truth >> place & 1)

    def between(self, lo: int | None, hi: int | None) -> Truth:
        """What holds in the cells ``lo`` to ``hi``, the latter excluded; None is infinite."""
        begin = 0 if lo is None else min(max(lo - self.first, 0), self.size)
        end = self.size if hi is None else min(max(hi - self.first, 0), self.size)
        return (1 << end) - (1 << begin) if begin < end else 0

    def runs(self, truth: Truth) -> list[tuple[int, int]]:
        """The maximal runs of cells, half-open, within the stretch."""
        found: list[tuple[int, int]] = []
        cell = self.first
        while truth:
            without = (truth & -truth).bit_length() - 1
            truth >>= without
            held = (~truth & (truth + 1)).bit_length() - 1
            truth >>= held
            cell += without + held
            found.append((cell - held, cell))
        return found

    # The operators. ``side`` is -1 for those that look back, 1 for those that look ahead.

    def diamond(self, rho: CellRange, side: int, phi: Truth) -> Truth:
        """phi at some point at a distance in rho."""
        found = 0
        for parity in (0, 1):
            some = 0
            for seen in self._seen_from(phi, _offsets(self, rho, side, parity)):
                some |= seen
            found |= some & _of_parity(self, parity)
        return found

    def box(self, rho: CellRange, side: int, phi: Truth) -> Truth:
        """phi at all points at a distance in rho."""
        found = 0
        for parity in (0, 1):
            every = self.always
            for seen in self._seen_from(phi, _offsets(self, rho, side, parity)):
                every &= seen
            found |= every & _of_parity(self, parity)
        return found

    def spread(self, rho: CellRange, side: int, truth: Truth) -> Truth:
        """Where a fact is concluded that holds at all distances in rho from ``truth``."""
        found = 0
        for parity in (0, 1):
            offsets = _offsets(self, rho, side, parity)
            pad = 2 * max(map(abs, offsets), default=0)
            wide = Stretch(self.first - pad, self.last + pad)
            given = self._padded(truth, pad) & _of_parity(wide, parity)
            for offset in offsets:
                found |= given >> pad - offset
        return found & self.always

    def chain(self, rho: CellRange, side: int, phi: Truth, psi: Truth) -> Truth:
        """psi at a point at a distance in rho, phi at every point strictly between."""
        found = psi if rho.has_zero else 0
        for parity in (0, 1):
            found |= self._chained(rho, side, phi, psi, parity) & _of_parity(self, parity)
        return found

    def _chained(self, rho: CellRange, side: int, phi: Truth, psi: Truth, parity: int) -> Truth:
        """Since (-1) or Until (1) at the cells of a parity, witnesses tried from near to far."""
        # Of another witness than its own point a gap has a part between that and itself.
        held = phi if parity == 1 else self.always
        found = held & psi if parity == 1 and self._within_gap(rho) else 0
        offsets = _reached(self, rho, side, parity)
        far = max(map(abs, offsets), default=0)
        phis, psis = self._padded(phi, far), self._padded(psi, far)
        for offset in range(side, side * (far + 1), side):
            if not held:
                break
            if offset in offsets:
                reached = held & psis >> far + offset
                # A witness in a gap has a part of that between as well.
                found |= reached if (parity + offset) % 2 == 0 else reached & phis >> far + offset
            held &= phis >> far + offset
        return found

    def _padded(self, truth: Truth, pad: int) -> Truth:
        """So many cells more on either side, the first of them at place 0."""
        after = truth >> (self.size - 1) & 1
        fill = (1 << pad) - 1
        return truth << pad | (truth & 1) * fill | after * fill << pad + self.size

    @staticmethod
    def _within_gap(rho: CellRange) -> bool:
        """Is a distance in rho that is more than none and less than half a gap (1 half unit)?"""
        return rho.low < 1 and (rho.high is None or rho.high > 0)

    def _seen_from(self, truth: Truth, offsets: list[int]) -> Iterator[Truth]:
        """What holds so many cells further on, for each number; more than the stretch."""
        far = max(map(abs, offsets), default=0)
        padded = self._padded(truth, far)
        return (padded >> far + offset for offset in offsets)


@lru_cache(maxsize=10_000)
def _offsets(stretch: Stretch, rho: CellRange, side: int, parity: int) -> list[int]:
    """Cells that meet rho, counted from a cell of a parity."""
    reach = (stretch.size + rho.low if rho.high is None else rho.high) + 8
    steps = range(-reach, reach + 1)
    return [step for step in steps if meets(parity + step, parity, rho, side)]


@lru_cache(maxsize=10_000)
def _reached(stretch: Stretch, rho: CellRange, side: int, parity: int) -> frozenset[int]:
    return frozenset(_offsets(stretch, rho, side, parity))


@lru_cache(maxsize=1000)
def _of_parity(stretch: Stretch, parity: int) -> Truth:
    """What holds in all instants, or in all gaps."""
    every_other = int("01" * stretch.size, 2)
    return every_other << (parity - stretch.first) % 2 & stretch.always
