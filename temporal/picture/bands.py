"""Bands: the segment of a model and its periods, once as they were found, then as they repeat.

Two lines above the lanes have the exact times; behind the lanes each repetition of a period has a
tint of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rete.drawing.picture import svg
from rete.drawing.picture.boxes import SMALL_PITCH, shortened, units
from temporal.mtl.ast import PredicateKey
from temporal.periods.periodic_model import PeriodicModel
from temporal.periods.windows import Repetition
from temporal.picture.axis import Axis

HEIGHT: Final = 50.0
"""What the lines above the lanes take."""

_SEGMENT: Final = 15.0
_PERIOD: Final = 36.0
_TINT: Final = 42.0
_NARROWEST: Final = 5.0
"""Repetitions of fewer pixels are one tint."""
_HOOK: Final = 4.0


@dataclass(frozen=True, slots=True)
class Bands:
    """The bands of a model that goes on for ever; ``top`` is where their lines begin."""

    periodic: PeriodicModel[PredicateKey]
    axis: Axis
    window: tuple[int, int]
    top: float

    def tints(self, bottom: float) -> Iterator[str]:
        """The tints, down to ``bottom``."""
        for side, repetition in self._repetitions():
            begin, length = repetition.period[0], 2 * repetition.shift
            lo, hi = self.window
            first, last = (lo - begin) // length, (hi - 1 - begin) // length
            first, last = (max(first, 0), last) if side > 0 else (first, min(last, 0))
            if first > last:
                continue
            if self.axis.x(length // 2 + (lo >> 1)) - self.axis.left < _NARROWEST:
                yield self._tint(
                    begin + first * length, begin + (last + 1) * length, "again", bottom
                )
                continue
            for number in range(first, last + 1):
                kind = ("again" if number % 2 else "anew") if number else "period"
                at = begin + number * length
                yield self._tint(at, at + length, kind, bottom)

    def _tint(self, lo: int, hi: int, kind: str, bottom: float) -> str:
        top = self.top + _TINT
        x0, x1 = self.axis.x(lo >> 1), self.axis.x(hi >> 1)
        tint = svg.rect((x0, top), (x1 - x0, bottom - top), kind)
        edges = "".join(
            f"M{svg.number(x)} {svg.number(top)}V{svg.number(bottom)}"
            for x, cell in ((x0, lo), (x1, hi))
            if self.window[0] < cell < self.window[1]
        )
        return tint + (svg.path(edges, "turn") if edges else "")

    def labels(self) -> Iterator[str]:
        """From when to when the segment and the periods are."""
        lo, hi = self.periodic.segment
        begin, end = self.window
        if lo < end and hi > begin:
            y = self.top + _SEGMENT
            x0, x1 = self.axis.x(max(lo, begin) >> 1), self.axis.x(min(hi, end) >> 1)
            hooks = [x for x, is_seen in ((x0, lo >= begin), (x1, hi <= end)) if is_seen]
            d = f"M{svg.number(x0)} {svg.number(y)}H{svg.number(x1)}" + "".join(
                f"M{svg.number(x)} {svg.number(y - _HOOK)}v{svg.number(2 * _HOOK)}" for x in hooks
            )
            yield svg.path(d, "frame")
            label = f"segment {self.axis.interval(lo, hi)}"
            half = units(label) * SMALL_PITCH / 2
            middle = min(max((x0 + x1) / 2, self.axis.left + half), self.axis.right - half)
            yield svg.text((middle, y - 5), label, "n c")
        for side, repetition in self._repetitions():
            every = self.axis.distance(repetition.shift)
            name = "left" if side < 0 else "right"
            label = f"{name} period {self.axis.interval(*repetition.period)}, again every {every}"
            label = shortened(label, int(self.axis.width / 2 / SMALL_PITCH))
            at = (self.axis.left if side < 0 else self.axis.right, self.top + _PERIOD)
            yield svg.text(at, label, "n" if side < 0 else "n r")

    def _repetitions(self) -> Iterator[tuple[int, Repetition]]:
        for side, repetition in ((-1, self.periodic.left), (1, self.periodic.right)):
            if not repetition.is_constant:
                yield side, repetition
