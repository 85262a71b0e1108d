"""A picture of growth: how long a change takes in models of more and more facts, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.report.plot import Line, decades, draw
from bench.suites.temporal.model_updates import FEW, Growth


def draw_growth(growths: Sequence[Growth]) -> str:
    """Milliseconds over facts, in decades: full lines follow a change, dashed ones derive anew."""
    points = [point for growth in growths for point in growth.points]
    return draw(
        f"A change of {FEW} facts in models of more and more",
        "milliseconds over facts; dashed: all derived anew",
        list(_lines(growths)),
        decades(count for count, _, _ in points),
        decades((time for _, *times in points for time in times), times=1000),
    )


def _lines(growths: Sequence[Growth]) -> Iterator[Line]:
    dashed = set()
    for growth in growths:
        name = growth.name.split(maxsplit=1)[0]
        points = growth.points
        yield Line(f"{name}, {growth.change}", [(count, time) for count, time, _ in points])
        if growth.name not in dashed:
            dashed.add(growth.name)
            yield Line("", [(count, time) for count, _, time in points], dashed=True)
