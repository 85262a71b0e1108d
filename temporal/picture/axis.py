"""A line of time across the picture: from ticks to pixels, with exact marks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import floor, log10
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import Column
from rete.drawing.picture.boxes import SMALL_PITCH
from temporal.intervals.interval import Interval
from temporal.intervals.notation import Notation, format_distance

Pixels: TypeAlias = npt.NDArray[np.float64]

_MIN_DISTANCE: Final = 64.0
"""Pixels from one mark to the next, at least."""
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_OF_THE_CLOCK: Final = (
    *(1, 5, 15, 30),
    *(_MINUTE * each for each in (1, 5, 15, 30)),
    *(_HOUR * each for each in (1, 2, 3, 6, 12)),
)
"""Seconds that divide a day."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The ticks ``begin`` to ``end``, the former before the latter, on ``width`` pixels.

    Attributes:
        scale: ticks to the unit of time.
        notation: how times are written.
        left: where ``begin`` is.
    """

    begin: int
    end: int
    scale: int
    notation: Notation
    left: float
    width: float

    @property
    def right(self) -> float:
        """Where ``end`` is."""
        return self.left + self.width

    def x(self, tick: int) -> float:
        """Where a tick is; those outside are at the edge."""
        inside = min(max(tick, self.begin), self.end)
        return self.left + self.width * ((inside - self.begin) / (self.end - self.begin))

    def xs(self, ticks: Column) -> Pixels:
        """`x` of many."""
        inside = np.clip(ticks, self.begin, self.end) - self.begin
        found: Pixels = self.left + self.width * (inside / (self.end - self.begin))
        return found

    def interval(self, lo: int, hi: int) -> Interval:
        """The time from a cell to another."""
        return self.notation.of_cells(lo, hi, self.scale)

    def time(self, tick: int) -> str:
        """A tick as text."""
        return self.notation.text_of(Fraction(tick, self.scale))

    def distance(self, ticks: int) -> str:
        """So many ticks as text."""
        return format_distance(Fraction(ticks, self.scale), self.notation)

    def marks(self) -> Iterator[tuple[float, str]]:
        """Where round times are, as far apart as their texts need it."""
        begin, end = Fraction(self.begin, self.scale), Fraction(self.end, self.scale)
        steps = _numbers if self.notation is Interval else _spans
        for step in steps(_MIN_DISTANCE * (end - begin) / self.width):
            times = [step * n for n in range(-(-begin // step), end // step + 1)]
            texts = [self._mark(at) for at in times]
            distance_needed = max(
                [_MIN_DISTANCE, *(len(text) * SMALL_PITCH + 14 for text in texts)]
            )
            if float(step / (end - begin)) * self.width >= distance_needed:
                for at, text in zip(times, texts, strict=True):
                    yield self.left + self.width * float((at - begin) / (end - begin)), text
                return

    def _mark(self, at: Fraction) -> str:
        if self.notation is Interval:  # a round number is a short decimal
            return format(Decimal(at.numerator) / Decimal(at.denominator), "f")
        return self.notation.text_of(at)


def _numbers(least: float) -> Iterator[Fraction]:
    """Round numbers, ascending, from ``least`` on or little less, without end."""
    power = Fraction(10) ** floor(log10(least))
    while True:
        yield from (power * each for each in (1, 2, 5))
        power *= 10


def _spans(least: float) -> Iterator[Fraction]:
    """The same of seconds: from one to a day what divides a day, then days."""
    for step in _numbers(least):
        if step >= 1:
            break
        yield step
    yield from (Fraction(each) for each in _OF_THE_CLOCK if each >= least / 2)
    yield from (_DAY * each for each in _numbers(max(1.0, least / _DAY)))
