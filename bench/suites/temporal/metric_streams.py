"""How fast R4 follows published streams of facts with metric time, and whether it is right."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.harness.rounds import Series, run_rounds
from bench.workloads.temporal.sumo_streams import QUERY, short_stops, stream_files

OVER_QUOTED: Final = 100
"""So many times the rate that is quoted for the peer R4 means to reach."""


@dataclass(slots=True)
class StreamRuns(Series[str, list[str]]):
    """The runs over one stream; what each reports are its answers.

    Attributes:
        facts: the lines of the stream.
        expected: the answers by definition.
    """

    facts: int = field(kw_only=True)
    expected: list[str] = field(kw_only=True)

    @property
    def rate(self) -> float:
        """Facts a second of processor time: the best run, with the start of its process."""
        return self.facts / min(usage.cpu for usage in self.usages)

    @property
    def net_rate(self) -> float:
        """The same without what the process takes on an empty stream."""
        start = min(idle.cpu for idle in self.idles)
        return self.facts / max(min(usage.cpu for usage in self.usages) - start, 1e-3)

    @property
    def wrong(self) -> str:
        """How the answers differ from the definition; empty: they do not."""
        for found in self.reports:
            if found != self.expected:
                return f"{self.key}: {len(found)} answers, not these {len(self.expected)}"
        return ""


def run_metric_streams(
    names: Sequence[str], data: Path, rounds: int, folder: Path, say: Callable[[str], None]
) -> list[StreamRuns]:
    """Follow the streams of these names, round by round.

    Raises:
        RunFailed: R4 ended with an error.
    """
    empty = folder / "empty.txt"
    empty.touch()
    files = {name: stream_files(name, data) for name in names}
    series = []
    for name, (_, stream) in files.items():
        facts = stream.read_bytes().count(b"\n")
        series.append(StreamRuns(name, facts=facts, expected=short_stops(stream)))

    def command(program: Path, stream: Path) -> tuple[str, ...]:
        words = ("-m", "r4", "mtl", "stream", str(program), "--query", QUERY, str(stream))
        return (sys.executable, *words)

    run_rounds(
        series,
        lambda each, _: command(*files[each.key]),
        lambda output: output.read_text(encoding="utf-8").splitlines(),
        rounds,
        folder,
        say,
        idle=lambda each: command(files[each.key][0], empty),
    )
    empty.unlink()
    return series
