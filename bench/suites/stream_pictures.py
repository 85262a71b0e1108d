"""Pictures of a comparison on streams: time over the window, and memory through a run, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from bench.report.plot import Axis, Line, Tick, decades, draw, from_zero
from bench.suites.stream_contestants import Contestant
from bench.workloads.catalogue import TRIPLES, WORKLOADS
from bench.workloads.stream_terms import milliseconds

_LOOKS: Final = 3
"""So many looks at the memory of a run there are at least to be, for it to be drawn."""


def draw_streams(results: Sequence[Contestant]) -> Iterator[tuple[str, str]]:
    """The name of a file, and what is in it: of each workload that there is enough of."""
    for name in WORKLOADS:
        met = [each for each in results if each.key.workload == name and not each.failure]
        if picture := _draw_times(name, [each for each in met if not each.short]):
            yield f"time-{name}.svg", picture
        if picture := _draw_memory(name, met):
            yield f"memory-{name}.svg", picture


def _draw_times(workload: str, results: Sequence[Contestant]) -> str:
    """Seconds that a million triples take, over seconds of the window; empty if there is one."""
    lines = []
    for runner in dict.fromkeys(each.key.runner for each in results):
        mine = [each for each in results if each.key.runner == runner]
        longest = max(each.key.graphs for each in mine)
        points = sorted(
            (milliseconds(each.key.window) / 1000, 1_000_000 / each.rate)
            for each in mine
            if each.key.graphs == longest
        )
        if len(points) > 1:
            lines.append(Line(_named(runner, longest, results), points))
    if not lines:
        return ""
    return draw(
        f"{workload}: time over the window",
        "seconds for a million triples, over seconds of the window",
        lines,
        from_zero(max(x for line in lines for x, _ in line.points)),
        decades(y for line in lines for _, y in line.points),
    )


def _draw_memory(workload: str, results: Sequence[Contestant]) -> str:
    """Megabytes over the share of a run that is over, under the longest window."""
    windows = sorted({each.key.window for each in results}, key=milliseconds)
    lines = []
    for each in results:
        resident = each.runs[-1][0].resident
        longest = max(one.key.graphs for one in results if one.key.runner == each.key.runner)
        looked = len(resident) >= _LOOKS and any(resident)
        if each.key[2:] == (windows[-1], longest) and looked:
            step = 100 / (len(resident) - 1)
            points = [(number * step, size / 1e6) for number, size in enumerate(resident)]
            lines.append(Line(_named(each.key.runner, longest, results), points))
    if not lines:
        return ""
    return draw(
        f"{workload}: memory through a run, window {windows[-1]}",
        "megabytes, over the part of the run that is over",
        lines,
        Axis([Tick(part, f"{part} %") for part in range(0, 101, 25)]),
        from_zero(max(y for line in lines for _, y in line.points)),
    )


def _named(runner: str, graphs: int, results: Sequence[Contestant]) -> str:
    """The name of a line, with its triples if it read fewer than others."""
    shorter = graphs < max(each.key.graphs for each in results)
    return f"{runner}, {graphs * TRIPLES:,} triples" if shorter else runner
