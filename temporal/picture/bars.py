"""The intervals of a fact as bars: whose ends belong to them is seen, where there is room.

Colour tells what is in the data from what follows, also within one bar. A point is a dot. A bar
too narrow for its ends has none; many that nearly touch are one, which says how many it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF
from rete.drawing.picture import svg
from rete.drawing.picture.boxes import SMALL_PITCH, shortened, units
from temporal.picture.axis import Axis, Pixels
from temporal.picture.lanes import Lane

HEIGHT: Final = 6.0
ARROW: Final = 11.0
"""What the head of an arrow takes beyond the edge."""

_END: Final = 4.2
"""Radius of the mark of an end."""
_DOT: Final = 4.2
_NARROW: Final = 3 * _END
_TOUCH: Final = 6.0
"""Two narrow bars with less between them are one."""
_LEAST: Final = 2.0
"""Width of the narrowest bar."""
_ABOVE: Final = 9.0
"""The base line of a text over the middle of its bar."""
_TOOLTIP_CHARACTERS: Final = 300
"""Characters of a fact in a tooltip."""
_BEFORE: Final = {"n": 0.0, "n c": 0.5, "n r": 1.0}
"""The share of a text that lies left of its anchor, by its class."""


@dataclass(frozen=True, slots=True)
class Bars:
    """The bars of a lane; ``window`` are the cells that are seen."""

    lane: Lane
    axis: Axis
    window: tuple[int, int]

    def draw(self, middle: float) -> Iterator[str]:
        """The elements, around the height ``middle``."""
        ticks = self.lane.rows >> 1
        begins, ends = self.axis.xs(ticks[:, 0]), self.axis.xs(ticks[:, 1])
        free = self.axis.left - ARROW
        for first, last in _runs(begins, ends):
            x0, x1 = float(begins[first]), float(ends[last])
            if first < last:
                yield self._dense(first, last, (x0, x1), middle)
            else:
                yield self._bar(first, (x0, x1), middle)
            text = self._text(first, last)
            wide = units(text) * SMALL_PITCH
            at, anchor = (x0 + x1) / 2, "n c"
            if at - wide / 2 < self.axis.left:
                at, anchor = self.axis.left, "n"
            elif at + wide / 2 > self.axis.right:
                at, anchor = self.axis.right, "n r"
            left = at - wide * _BEFORE[anchor]
            if left >= free:
                yield svg.text((at, middle - _ABOVE), text, anchor)
                free = left + wide + SMALL_PITCH

    def _bar(self, row: int, ends: tuple[float, float], middle: float) -> str:
        lo, hi = self.lane.rows[row].tolist()
        x0, x1 = ends
        tip, parts = f"{tooltip(self.lane)}@{self._interval_text(row)}", list[str]()
        kinds = [self._kind(lo), self._kind(hi - 1)]
        if hi - lo == 1 and not lo & 1:
            return svg.group(tip, _circle((x0, middle), _DOT, kinds[0]))
        parts.append(_rect(x0, x1, middle, "derived"))
        data = self.lane.data_cells
        for begin, end in data[(data[:, 0] >= lo) & (data[:, 1] <= hi)].tolist():
            parts.append(_rect(self.axis.x(begin >> 1), self.axis.x(end >> 1), middle, "given"))
        for at, side, kind in ((x0, -1, kinds[0]), (x1, 1, kinds[1])):
            if self._is_endless(row, side):
                parts.append(_arrow((at, middle), side, kind))
        if x1 - x0 >= _NARROW:
            for at, cell, side, kind in ((x0, lo, -1, kinds[0]), (x1, hi, 1, kinds[1])):
                if self._is_seen(row, side):
                    is_open = bool(cell & 1) == (side < 0)
                    parts.append(_circle((at, middle), _END, f"{kind} open" if is_open else kind))
        return svg.group(tip, *parts)

    def _dense(self, first: int, last: int, ends: tuple[float, float], middle: float) -> str:
        label = f"{tooltip(self.lane)}: {last - first + 1:,} intervals"
        kind = f"{self._kind(int(self.lane.rows[first, 0]))} dense"
        tip = f"{label} in {self._interval_text(first, last)}"
        return svg.group(tip, _rect(*ends, middle, kind))

    def _kind(self, cell: int) -> str:
        """Whether the data say what holds in a cell."""
        data_cells = self.lane.data_cells
        seen = min(max(cell, self.window[0]), self.window[1] - 1)
        is_given = ((data_cells[:, 0] <= seen) & (seen < data_cells[:, 1])).any()
        return "given" if is_given else "derived"

    def _is_seen(self, row: int, side: int) -> bool:
        """Is the end of a row within the window?"""
        lo, hi = self.lane.rows[row].tolist()
        return bool(lo >= self.window[0] if side < 0 else hi <= self.window[1])

    def _is_endless(self, row: int, side: int) -> bool:
        """Has it no end to that side?"""
        for_ever = self.lane.from_ever if side < 0 else self.lane.for_ever
        return for_ever and not self._is_seen(row, side)

    def _text(self, first: int, last: int) -> str:
        """What is written over a bar."""
        if first < last:
            return f"{last - first + 1:,}×"
        lo, hi = self.lane.rows[first].tolist()
        if hi - lo == 1 and not lo & 1:
            return self.axis.time(lo >> 1)
        return self._interval_text(first)

    def _interval_text(self, first: int, last: int | None = None) -> str:
        """From the left end of a row to the right end of another, exactly; … what is not seen."""
        last = first if last is None else last
        lo = int(self.lane.rows[first, 0])
        hi = int(self.lane.rows[last, 1])
        lo = NEG_INF if self._is_endless(first, -1) else lo
        hi = POS_INF if self._is_endless(last, 1) else hi
        text = str(self.axis.interval(lo, hi))
        left, _, right = text.partition(",")
        if lo > NEG_INF and not self._is_seen(first, -1):
            left = "…"
        if hi < POS_INF and not self._is_seen(last, 1):
            right = "…"
        return f"{left},{right}"


def tooltip(lane: Lane) -> str:
    """The fact of a lane, for a tooltip."""
    return shortened(printable(lane.name), _TOOLTIP_CHARACTERS)


def printable(text: str) -> str:
    """A text with nothing in it that cannot be seen."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _runs(begins: Pixels, ends: Pixels) -> Iterator[tuple[int, int]]:
    """The first and last of each run of narrow bars that nearly touch; one each for the others."""
    narrow = ends - begins < _NARROW
    touch = narrow[1:] & narrow[:-1] & (begins[1:] - ends[:-1] < _TOUCH)
    firsts = np.flatnonzero(~np.concatenate([[False], touch])).tolist()
    return zip(firsts, [*(first - 1 for first in firsts[1:]), len(begins) - 1], strict=True)


def _rect(x0: float, x1: float, middle: float, kind: str) -> str:
    return svg.rect((x0, middle - HEIGHT / 2), (max(x1 - x0, _LEAST), HEIGHT), kind)


def _circle(at: tuple[float, float], radius: float, kind: str) -> str:
    x, y = at
    return svg.element("circle", cx=x, cy=y, r=radius, class_=kind)


def _arrow(at: tuple[float, float], side: int, kind: str) -> str:
    """A head that points to ``side``, behind an edge."""
    x, y = at
    return svg.path(svg.polygon([(x + side * ARROW, y), (x, y - HEIGHT), (x, y + HEIGHT)]), kind)
