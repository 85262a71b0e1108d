"""`r4 bench mtl-stream`: how fast R4 follows published streams of facts with metric time.

Its answers are compared with those of the definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.harness.benchmark import Benchmark, Findings, Request, needs_files
from bench.harness.process_usage import python
from bench.harness.rounds import Series, first_wrong, run_rounds
from bench.harness.tables import Json, format_megabytes, tabled
from bench.workloads.temporal.sumo_streams import (
    QUERY,
    QUOTED_RATE,
    STREAMS,
    short_stops,
    stream_files,
)

OVER_QUOTED: Final = 100
"""The multiple of the rate that is quoted for the peer that R4 means to reach."""


@dataclass(slots=True)
class StreamRuns(Series[str, list[str]]):
    """The runs over one stream; each reports its answers."""

    facts: int = field(kw_only=True)  # the lines of the stream
    expected: list[str] = field(kw_only=True)  # the answers by definition

    @property
    def rate(self) -> float:
        """Facts a second of processor time: the best run, with the start of its process."""
        return self.facts / self.cpu

    @property
    def net_rate(self) -> float:
        """The same without what the process takes on an empty stream."""
        start = min(idle.cpu for idle in self.idles)
        return self.facts / max(self.cpu - start, 1e-3)


def _files(_name: str, data: Path) -> Iterator[Path]:
    return (path for name in STREAMS for path in stream_files(name, data))


BENCHMARK: Final = Benchmark(
    {"mtl-stream": "published streams of facts with metric time; see --data"},
    lambda request: findings(follow(request, tuple(STREAMS))),
    lacks=needs_files("streams", _files),
)


def follow(request: Request, names: Sequence[str]) -> list[StreamRuns]:
    """Follow the streams of these names."""
    empty = request.folder / "empty.txt"
    empty.touch()
    files = {name: stream_files(name, request.data) for name in names}
    series = [
        StreamRuns(name, facts=stream.read_bytes().count(b"\n"), expected=short_stops(stream))
        for name, (_, stream) in files.items()
    ]

    def command(program: Path, stream: Path) -> tuple[str, ...]:
        return python("r4", "mtl", "stream", program, "--query", QUERY, stream)

    def check(each: StreamRuns, _: int) -> str:
        found, right = each.reports[-1], each.expected
        same = found == right
        return "" if same else f"{each.key}: {len(found)} answers, not these {len(right)}"

    run_rounds(
        request,
        series,
        lambda each, _: command(*files[each.key]),
        lambda output: output.read_text(encoding="utf-8").splitlines(),
        idle=lambda each: command(files[each.key][0], empty),
        check=check,
    )
    empty.unlink()
    return series


def findings(series: Sequence[StreamRuns]) -> Findings:
    """Rates, beside the one that is quoted for a peer."""
    table = tabled(
        "Streams with metric time: facts a second of processor time, best of the rounds."
        f" Over the peer: over the {QUOTED_RATE:,} facts a second that are quoted for"
        f" MeTeoR-Str, which did not run here; {OVER_QUOTED} times are wanted.",
        ("", "facts", "answers", "whole", "without start", "over the peer", "peak MB", ""),
        (
            (
                each.key,
                f"{each.facts:,}",
                f"{len(each.expected):,}",
                f"{each.rate:,.0f}",
                f"{each.net_rate:,.0f}",
                f"{each.net_rate / QUOTED_RATE:,.0f}",
                format_megabytes(each.peak),
                each.wrong or "right",
            )
            for each in series
        ),
    )
    figures: list[Json] = [
        {
            "name": each.key,
            "facts": each.facts,
            "answers": len(each.expected),
            "rate": each.rate,
            "net_rate": each.net_rate,
            "wrong": each.wrong,
        }
        for each in series
    ]
    return Findings([*table], {"metric_streams": figures}, first_wrong(series))
