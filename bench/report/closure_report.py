"""What was found of closures, and of entailment over a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median

from bench.harness.bounds import Ratio
from bench.harness.rounds import first_wrong
from bench.harness.tables import Json, TextTable, format_bound, format_megabytes
from bench.suites.graphs.closure import ClosureContestant, ClosureRuns, closure_ratios
from bench.suites.graphs.stream_entailment import EntailedStream


@dataclass(frozen=True, slots=True)
class ClosureFindings:
    """Closures of a university, and the same university as a stream.

    Attributes:
        closures: the runs of everybody.
        streams: the streams that were read.
    """

    closures: Sequence[ClosureRuns] = ()
    streams: Sequence[EntailedStream] = ()

    @property
    def wrong(self) -> str:
        """The first thing that is wrong; empty if nothing."""
        return first_wrong((*self.closures, *self.streams))

    def tables(self) -> Iterator[TextTable]:
        """Runs, ratios, streams."""
        if self.closures:
            yield TextTable(
                "Closing a graph of a university. Medians; whole: with the start and end of a"
                " process.",
                (
                    *("", "triples", "load", "close", "whole", "peak MB"),
                    *("closure", "compared", "answers"),
                ),
                tuple(map(_closure_row, self.closures)),
            )
        rows = tuple(map(_ratio_row, closure_ratios(self.closures)))
        if rows:
            yield TextTable(
                "Ratios of times from file to closure, medians over the rounds.",
                ("", "over", "triples", "of", "ratio", "of whole", "bound"),
                rows,
                texts=2,
            )
        if self.streams:
            yield TextTable(
                "The university as a stream under owl-rl, window 10 s.",
                ("triples", "seconds", "triples/s", "peak MB", "+", "-", "answers"),
                tuple(map(_stream_row, self.streams)),
            )

    def json(self) -> Mapping[str, Json]:
        """The same, complete."""
        return {
            "closures": [
                {
                    **series.key._asdict(),
                    "runs": [
                        {**asdict(usage), "told": asdict(report)} for usage, report in series.runs
                    ],
                    "compared": series.compared,
                    "wrong": series.wrong,
                }
                for series in self.closures
            ],
            "closure_ratios": [
                {
                    "over": ratio.over._asdict(),
                    "of": ratio.of._asdict(),
                    "ratio": ratio.net,
                    "of_whole": ratio.gross,
                    "bound": ratio.most,
                    "kept": ratio.kept,
                }
                for ratio in closure_ratios(self.closures)
            ],
            "entailed_streams": [
                {**asdict(found), "triples_per_second": found.rate} for found in self.streams
            ],
        }


def _closure_row(series: ClosureRuns) -> tuple[str, ...]:
    reports = series.reports
    least = "> " if series.stopped else ""
    return (
        str(series.key),
        f"{series.key.triples:,}",
        f"{median(report.load for report in reports):.2f}",
        f"{least}{median(report.close for report in reports):.2f}",
        f"{least}{median(series.gross):.2f}",
        format_megabytes(series.peak),
        "" if series.stopped else f"{reports[-1].triples:,}",
        f"{series.compared:,}" if series.compared else "",
        series.wrong or ("right" if series.compared else ""),
    )


def _ratio_row(ratio: Ratio[ClosureContestant]) -> tuple[str, ...]:
    return (
        str(ratio.over),
        str(ratio.of),
        f"{ratio.over.triples:,}",
        f"{ratio.of.triples:,}",
        f"{ratio.net:.3f}",
        f"{ratio.gross:.3f}",
        "" if ratio.most is None else format_bound(ratio.most, kept=ratio.kept),
    )


def _stream_row(found: EntailedStream) -> tuple[str, ...]:
    inserted, deleted = found.answers
    return (
        f"{found.triples:,}",
        f"{found.seconds:.2f}",
        f"{found.rate:,.0f}",
        format_megabytes(found.peak),
        f"{inserted:,}",
        f"{deleted:,}",
        found.wrong or "right",
    )
