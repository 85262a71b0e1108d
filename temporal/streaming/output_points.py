"""Output points: the times at which answers are wanted, in ticks, taken as they become certain.

They are the stamps of the input, the multiples of a number, or those of a list.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

import numpy as np

from rete.arrays.delta import Column, columns

_NO_TICKS: Final = columns([])


class TickWindow:
    """Output points in an array, ascending; ``count`` says how many."""

    def __init__(self, ticks: Column) -> None:
        self._ticks = ticks
        self.count = len(ticks)

    def before(self, cells: Column) -> Column:
        """Per cell how many of the points lie before it. O(cells log points)."""
        found: Column = np.searchsorted(2 * self._ticks, cells)
        return found

    def ticks(self, positions: Column) -> Column:
        """The points at these positions."""
        return self._ticks[positions]


class MultipleWindow:
    """Multiples of a number of ticks, however many, as a `TickWindow` has its points."""

    def __init__(self, step: int, first: int, end: int) -> None:
        """The multiples ``step * first`` and on before ``step * end``."""
        self._step, self._first = step, first
        self.count = max(0, end - first)

    def before(self, cells: Column) -> Column:
        """Per cell how many of the points lie before it. O(cells)."""
        found: Column = np.clip(-(-cells // (2 * self._step)) - self._first, 0, self.count)
        return found

    def ticks(self, positions: Column) -> Column:
        """The points at these positions."""
        found: Column = (self._first + positions) * self._step
        return found


PointWindow: TypeAlias = TickWindow | MultipleWindow


class StampPoints:
    """The stamps of the input; those that were not taken yet."""

    def __init__(self) -> None:
        self._ticks = _NO_TICKS

    def stamp(self, ticks: Column) -> None:
        """Facts with these stamps came, which are not below the frontier: they are points."""
        self._ticks = np.union1d(self._ticks, ticks)

    def take(self, end: int) -> PointWindow:
        """The points of which the cell lies before the cell ``end``."""
        count = int(np.searchsorted(2 * self._ticks, end))
        taken, self._ticks = self._ticks[:count], self._ticks[count:]
        return TickWindow(taken)

    def rescale(self, factor: int) -> None:
        """From now on there are ``factor`` times as many ticks."""
        self._ticks *= factor


class ListedPoints(StampPoints):
    """Points that are given."""

    def __init__(self, ticks: Iterable[int]) -> None:
        super().__init__()
        self._ticks = np.unique(columns(ticks))

    def stamp(self, ticks: Column) -> None:
        """Stamps are no points."""


class MultiplePoints:
    """The multiples of a number of ticks from the first stamp to the last."""

    def __init__(self, step: int) -> None:
        self._step = step
        self._next: int | None = None
        self._last = 0

    def stamp(self, ticks: Column) -> None:
        """The points lie between the least and the greatest of them."""
        if not len(ticks):
            return
        least, last = int(ticks.min()), int(ticks.max())
        if self._next is None:
            self._next, self._last = -(-least // self._step), last
        else:
            # A stamp before the first one so far comes within the delay: no point was taken then.
            self._next = min(self._next, -(-least // self._step))
            self._last = max(self._last, last)

    def take(self, end: int) -> PointWindow:
        """Those before the cell, and not after the last stamp."""
        if self._next is None:
            return TickWindow(_NO_TICKS)
        stop = min(-(-end // (2 * self._step)), self._last // self._step + 1)
        first, self._next = self._next, max(self._next, stop)
        return MultipleWindow(self._step, first, stop)

    def rescale(self, factor: int) -> None:
        """From now on there are ``factor`` times as many ticks."""
        self._step *= factor
        self._last *= factor


OutputPoints: TypeAlias = StampPoints | MultiplePoints
