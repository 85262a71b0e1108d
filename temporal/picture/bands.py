"""Where the segment of a model lies, and its periods: once as they were found, then as they repeat.

Above the lanes two lines say from when to when, exactly; behind them each turn of a period has a
tint of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rete.drawing import svg
from rete.drawing.boxes import SMALL_PITCH, shortened, units
from temporal.mtl.ast import PredicateKey
from temporal.periods.periodic_model import PeriodicModel
from temporal.periods.windows import Repetition
from temporal.picture.axis import Axis

HEIGHT: Final = 50.0
"""What the lines above the lanes take."""

_SEGMENT: Final = 15.0
_PERIOD: Final = 36.0
_TINT: Final = 42.0
_TURN: Final = 5.0
"""Turns of fewer pixels are one tint."""
_HOOK: Final = 4.0


@dataclass(frozen=True, slots=True)
class Bands:
    """The bands of a model that goes on for ever; ``top`` is where their lines begin."""

    endless: PeriodicModel[PredicateKey]
    axis: Axis
    window: tuple[int, int]
    top: float

    def behind(self, bottom: float) -> Iterator[str]:
        """The tints, down to ``bottom``."""
        for side, repeat in self._repeats():
            begin, turn = repeat.period[0], 2 * repeat.shift
            lo, hi = self.window
            first, last = (lo - begin) // turn, (hi - 1 - begin) // turn
            first, last = (max(first, 0), last) if side > 0 else (first, min(last, 0))
            if first > last:
                continue
            if self.axis.x(turn // 2 + (lo >> 1)) - self.axis.left < _TURN:
                yield self._tint(begin + first * turn, begin + (last + 1) * turn, "again", bottom)
                continue
            for number in range(first, last + 1):
                kind = ("again" if number % 2 else "anew") if number else "period"
                at = begin + number * turn
                yield self._tint(at, at + turn, kind, bottom)

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

    def lines(self) -> Iterator[str]:
        """From when to when the segment and the periods are."""
        lo, hi = self.endless.segment
        begin, end = self.window
        if lo < end and hi > begin:
            y = self.top + _SEGMENT
            x0, x1 = self.axis.x(max(lo, begin) >> 1), self.axis.x(min(hi, end) >> 1)
            hooks = [x for x, is_seen in ((x0, lo >= begin), (x1, hi <= end)) if is_seen]
            d = f"M{svg.number(x0)} {svg.number(y)}H{svg.number(x1)}" + "".join(
                f"M{svg.number(x)} {svg.number(y - _HOOK)}v{svg.number(2 * _HOOK)}" for x in hooks
            )
            yield svg.path(d, "frame")
            said = f"segment {self.axis.interval(lo, hi)}"
            half = units(said) * SMALL_PITCH / 2
            middle = min(max((x0 + x1) / 2, self.axis.left + half), self.axis.right - half)
            yield svg.text((middle, y - 5), said, "n c")
        for side, repeat in self._repeats():
            every = self.axis.distance(repeat.shift)
            name = "left" if side < 0 else "right"
            said = f"{name} period {self.axis.interval(*repeat.period)}, again every {every}"
            said = shortened(said, int(self.axis.width / 2 / SMALL_PITCH))
            at = (self.axis.left if side < 0 else self.axis.right, self.top + _PERIOD)
            yield svg.text(at, said, "n" if side < 0 else "n r")

    def _repeats(self) -> Iterator[tuple[int, Repetition]]:
        for side, repeat in ((-1, self.endless.left), (1, self.endless.right)):
            if not repeat.is_constant:
                yield side, repeat
