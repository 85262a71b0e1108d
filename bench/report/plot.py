"""Lines between two axes, as SVG: a document of its own, without scripts, fonts or pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final, NamedTuple

from rete.drawing.picture import svg

_SIZE: Final = (720.0, 400.0)
_PLOT: Final = (70.0, 76.0, 420.0, 260.0)
"""Left, top, width and height of what is between the axes."""
_COLOURS: Final = ("#3b82c4", "#c77a1c", "#2f9e5a", "#8b6fd6", "#c0356f", "#0c8593", "#6d7b1c")
_STEPS: Final = 5
"""So many steps of a linear axis at most."""
_MARKED: Final = 20
"""So many points of a line at most are drawn as dots."""
_STYLE: Final = (
    svg.STYLE
    + """
text{font-size:13px}
.title{font-size:17px}
.grid{stroke:#e3e8ee;fill:none}
.end{text-anchor:end}
.mid{text-anchor:middle}
@media (prefers-color-scheme:dark){
text,.title{fill:#e6edf3}
.sub{fill:#aab6c4}
.page{fill:#0d1117;stroke:#30363d}
.grid{stroke:#222a33}
}
""".rstrip()
)


class Tick(NamedTuple):
    """A line of the grid: where, and what is written there."""

    value: float
    label: str


@dataclass(frozen=True, slots=True)
class Axis:
    """From the first to the last of its ticks."""

    ticks: Sequence[Tick]  # at least two, in increasing order
    log: bool = False  # whether it is logarithmic

    def share(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1."""
        first, last, here = (
            log10(each) if self.log else each
            for each in (self.ticks[0].value, self.ticks[-1].value, value)
        )
        return (here - first) / (last - first)


def decades(values: Iterable[float], times: float = 1.0) -> Axis:
    """A logarithmic axis around positive values; what is written is ``times`` these."""
    logs = [log10(value) for value in values]
    low, high = floor(min(logs)), ceil(max(logs))
    powers = (10.0**decade for decade in range(low, max(high, low + 1) + 1))
    return Axis([Tick(power, _written(power * times)) for power in powers], log=True)


def from_zero(most: float) -> Axis:
    """A linear axis from 0 to at least ``most``, which is positive, in at most five round steps."""
    power = 10.0 ** floor(log10(most))
    steps = (factor * power for factor in (0.2, 0.5, 1.0, 2.0))
    step = next(step for step in steps if most / step <= _STEPS)
    return Axis([Tick(i * step, _written(i * step)) for i in range(ceil(most / step) + 1)])


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a plot."""

    name: str  # for the legend; empty: it belongs to the line before, and has its colour
    points: Sequence[tuple[float, float]]  # across and up, in increasing order
    dashed: bool = False  # whether it is


def draw(title: str, sub: str, lines: Sequence[Line], across: Axis, up: Axis) -> str:
    """The document."""
    left = _PLOT[0] - 42
    parts = [
        svg.text((left, 32), title, "title"),
        svg.text((left, 53), sub, "sub"),
        *_grid(across, up),
        *_lines(lines, across, up),
    ]
    return f"{svg.document(f'{title}: {sub}', _SIZE, parts, style=_STYLE)}\n"


def _grid(across: Axis, up: Axis) -> Iterator[str]:
    left, top, width, height = _PLOT
    for value, label in across.ticks:
        x = left + width * across.share(value)
        yield _path([(x, top), (x, top + height)], class_="grid")
        yield svg.text((x, top + height + 20), label, "mid")
    for value, label in up.ticks:
        y = top + height * (1 - up.share(value))
        yield _path([(left, y), (left + width, y)], class_="grid")
        yield svg.text((left - 8, y + 4), label, "end")


def _lines(lines: Sequence[Line], across: Axis, up: Axis) -> Iterator[str]:
    left, top, width, height = _PLOT
    number, colour = -1, ""
    for line in lines:
        if line.name:
            number += 1
            colour = _COLOURS[number % len(_COLOURS)]
        places = [
            (left + width * across.share(x), top + height * (1 - up.share(y)))
            for x, y in line.points
        ]
        yield _path(places, stroke=colour, dash="5 4" if line.dashed else None)
        if not line.dashed and len(places) <= _MARKED:
            yield from (svg.element("circle", cx=x, cy=y, r=3.0, fill=colour) for x, y in places)
        if line.name:
            x, y = left + width + 24, top + 10 + 22 * number
            yield _path([(x, y), (x + 22, y)], stroke=colour)
            yield svg.text((x + 30, y + 4), line.name)


def _path(
    points: Sequence[svg.Point],
    class_: str = "",
    stroke: str | None = None,
    dash: str | None = None,
) -> str:
    places = "L".join(f"{svg.number(x)} {svg.number(y)}" for x, y in points)
    look = None if stroke is None else "none"
    width = None if stroke is None else 2.0
    return svg.path(
        f"M{places}", class_, stroke=stroke, fill=look, stroke_width=width, stroke_dasharray=dash
    )


def _written(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 and value == round(value) else f"{value:g}"
