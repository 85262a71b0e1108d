"""What was found of streams of facts with metric time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from bench.harness.rounds import first_wrong
from bench.harness.tables import Json, TextTable, format_megabytes
from bench.suites.temporal.metric_streams import OVER_QUOTED, StreamRuns
from bench.workloads.temporal.sumo_streams import QUOTED_RATE


@dataclass(frozen=True, slots=True)
class MetricStreamFindings:
    """Streams of facts with metric time.

    Attributes:
        streams: the runs over each.
    """

    streams: Sequence[StreamRuns] = ()

    @property
    def wrong(self) -> str:
        """The first stream with wrong answers; empty if there is none."""
        return first_wrong(self.streams)

    def tables(self) -> Iterator[TextTable]:
        """Rates, beside the one that is quoted for a peer."""
        if self.streams:
            yield TextTable(
                "Streams with metric time: facts a second of processor time, best of the rounds."
                f" Over the peer: over the {QUOTED_RATE:,} facts a second that are quoted for"
                f" MeTeoR-Str, which did not run here; {OVER_QUOTED} times are wanted.",
                ("", "facts", "answers", "whole", "without start", "over the peer", "peak MB", ""),
                tuple(map(_row, self.streams)),
            )

    def json(self) -> Mapping[str, Json]:
        """The same, complete."""
        return {
            "metric_streams": [
                {
                    "name": series.key,
                    "facts": series.facts,
                    "answers": len(series.expected),
                    "rate": series.rate,
                    "net_rate": series.net_rate,
                    "wrong": series.wrong,
                    "runs": [asdict(usage) for usage in series.usages],
                }
                for series in self.streams
            ]
        }


def _row(series: StreamRuns) -> tuple[str, ...]:
    return (
        series.key,
        f"{series.facts:,}",
        f"{len(series.expected):,}",
        f"{series.rate:,.0f}",
        f"{series.net_rate:,.0f}",
        f"{series.net_rate / QUOTED_RATE:,.0f}",
        format_megabytes(series.peak),
        series.wrong or "right",
    )
