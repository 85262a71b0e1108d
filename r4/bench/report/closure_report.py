"""What was found of closures, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import median

from r4.bench.harness.tables import Json, TextTable, format_bound, format_megabytes
from r4.bench.suites.closure import ClosureRatio, ClosureRuns, closure_ratios
from r4.bench.suites.stream_entailment import EntailedStream


def closure_tables(
    closings: Sequence[ClosureRuns], streams: Sequence[EntailedStream]
) -> Iterator[TextTable]:
    """One for each kind of finding that there is."""
    if closings:
        yield TextTable(
            "Closing a graph of a university. Medians; whole: with the start and end of a process.",
            ("", "triples", "load", "close", "whole", "peak MB", "closure", "compared", "answers"),
            tuple(map(_closing_row, closings)),
        )
    found = tuple(map(_share_row, closure_ratios(closings)))
    if found:
        yield TextTable(
            "Ratios of times from file to closure, medians over the rounds.",
            ("", "over", "triples", "of", "ratio", "of whole", "bound"),
            found,
            texts=2,
        )
    if streams:
        yield TextTable(
            "The university as a stream under owl-rl, window 10 s.",
            ("triples", "seconds", "triples/s", "peak MB", "+", "-", "answers"),
            tuple(map(_stream_row, streams)),
        )


def closure_json(
    closings: Sequence[ClosureRuns], streams: Sequence[EntailedStream]
) -> Mapping[str, Json]:
    """The same, complete."""
    return {
        "closures": [
            {
                **closing.entrant._asdict(),
                "runs": [{**asdict(usage), "told": asdict(told)} for usage, told in closing.runs],
                "compared": closing.compared,
                "wrong": closing.wrong,
            }
            for closing in closings
        ],
        "closure_ratios": [
            {
                "over": share.over._asdict(),
                "of": share.of._asdict(),
                "ratio": share.net,
                "of_whole": share.gross,
                "bound": share.most,
                "kept": share.kept,
            }
            for share in closure_ratios(closings)
        ],
        "entailed_streams": [
            {**asdict(found), "triples_per_second": found.rate} for found in streams
        ],
    }


def _closing_row(closing: ClosureRuns) -> tuple[str, ...]:
    told = [told for _, told in closing.runs]
    least = "> " if closing.stopped else ""
    return (
        str(closing.entrant),
        f"{closing.entrant.triples:,}",
        f"{median(one.load for one in told):.2f}",
        f"{least}{median(one.close for one in told):.2f}",
        f"{least}{median(closing.gross):.2f}",
        format_megabytes(closing.peak),
        "" if closing.stopped else f"{told[-1].triples:,}",
        f"{closing.compared:,}" if closing.compared else "",
        closing.wrong or ("right" if closing.compared else ""),
    )


def _share_row(share: ClosureRatio) -> tuple[str, ...]:
    return (
        str(share.over),
        str(share.of),
        f"{share.over.triples:,}",
        f"{share.of.triples:,}",
        f"{share.net:.3f}",
        f"{share.gross:.3f}",
        "" if share.most is None else format_bound(share.most, kept=share.kept),
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
