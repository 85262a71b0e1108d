"""A picture of growth: how long a change takes in models of more and more facts, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from typing import Final

from r4.bench.suites.temporal.model_updates import FEW, Growth
from rete.drawing import style, svg

_SIZE: Final = (720.0, 400.0)
_PLOT: Final = (70.0, 76.0, 420.0, 260.0)
"""Left, top, width and height of what is between the axes."""
_COLOURS: Final = ("#3b82c4", "#c77a1c", "#2f9e5a", "#8b6fd6")
_STYLE: Final = (
    style.STYLE
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


def draw_growth(growths: Sequence[Growth]) -> str:
    """Seconds over facts, both in decades: full lines follow a change, dashed ones derive anew."""
    points = [point for growth in growths for point in growth.points]
    facts = [log10(count) for count, _, _ in points]
    seconds = [log10(time) for _, *times in points for time in times]
    return _Plot(
        (floor(min(facts)), ceil(max(facts))), (floor(min(seconds)), ceil(max(seconds)))
    ).draw(growths)


class _Plot:
    """Two axes in decades."""

    def __init__(self, across: tuple[int, int], up: tuple[int, int]) -> None:
        self._across = across[0], max(across[1], across[0] + 1)
        self._up = up[0], max(up[1], up[0] + 1)

    def _at(self, facts: float, seconds: float) -> svg.Point:
        """Where a point lies; both as logarithms."""
        left, top, width, height = _PLOT
        (begin, end), (low, high) = self._across, self._up
        x = left + width * (facts - begin) / (end - begin)
        return x, top + height * (high - seconds) / (high - low)

    def draw(self, growths: Sequence[Growth]) -> str:
        """A document of its own: no scripts, no fonts or pictures from elsewhere."""
        left = _PLOT[0] - 42
        title = f"A change of {FEW} facts in models of more and more"
        sub = "milliseconds over facts; dashed: all derived anew"
        lines = [
            svg.opening(*_SIZE),
            svg.element("title", svg.escaped(f"{title}: {sub}")),
            f"<style>{_STYLE}</style>",
            svg.rect((0.5, 0.5), (_SIZE[0] - 1, _SIZE[1] - 1), "page", rx=8),
            svg.text((left, 32), title, "title"),
            svg.text((left, 53), sub, "sub"),
            *self._grid(),
            *self._lines(growths),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _grid(self) -> Iterator[str]:
        (begin, end), (low, high) = self._across, self._up
        for decade in range(begin, end + 1):
            (x, top), (_, bottom) = self._at(decade, high), self._at(decade, low)
            yield _line([(x, top), (x, bottom)], class_="grid")
            yield svg.text((x, bottom + 20), f"{10**decade:,}", "mid")
        for decade in range(low, high + 1):
            (left, y), (right, _) = self._at(begin, decade), self._at(end, decade)
            yield _line([(left, y), (right, y)], class_="grid")
            yield svg.text((left - 8, y + 4), f"{1000 * 10**decade:g}", "end")

    def _lines(self, growths: Sequence[Growth]) -> Iterator[str]:
        dashed = set()
        for number, growth in enumerate(growths):
            colour = _COLOURS[number % len(_COLOURS)]
            follow = [self._at(log10(n), log10(time)) for n, time, _ in growth.points]
            anew = [self._at(log10(n), log10(time)) for n, _, time in growth.points]
            yield _line(follow, stroke=colour)
            yield from (svg.element("circle", cx=x, cy=y, r=3.0, fill=colour) for x, y in follow)
            if growth.name not in dashed:
                dashed.add(growth.name)
                yield _line(anew, stroke=colour, dash="5 4")
            y = _PLOT[1] + 10 + 22 * number
            x = _PLOT[0] + _PLOT[2] + 24
            yield _line([(x, y), (x + 22, y)], stroke=colour)
            name = growth.name.split(maxsplit=1)[0]
            yield svg.text((x + 30, y + 4), f"{name}, {growth.change}")


def _line(
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
