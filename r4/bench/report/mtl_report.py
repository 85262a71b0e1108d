"""What was found of models with metric time, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from r4.bench.harness.tables import Json, TextTable, format_bound, format_megabytes
from r4.bench.suites.mtl_models import ModelRatio, ModelRuns, model_ratios
from r4.bench.workloads.published_programs import PUBLISHED, WHOLE


def mtl_tables(derivings: Sequence[ModelRuns], share: float) -> Iterator[TextTable]:
    """One for each kind of finding that there is."""
    if derivings:
        part = "" if share == WHOLE else f" of the first {share:g} of the facts"
        yield TextTable(
            f"Models with metric time{part}: least seconds of processor time. Whole: with the"
            " start and end of a process.",
            (
                *("", "load", "derive", "whole", "facts", "peak MB", "bytes a fact"),
                *("bounds", "compared", "answers"),
            ),
            tuple(_row(one, share) for one in derivings),
        )
    found = tuple(map(_times_row, model_ratios(derivings, share)))
    if found:
        yield TextTable(
            "Ratios of processor times from file to model.",
            ("", "over", "ratio", "times as fast", "of whole", "bound"),
            found,
            texts=2,
        )


def mtl_json(derivings: Sequence[ModelRuns], share: float) -> Mapping[str, Json]:
    """The same, complete."""
    return {
        "models": [
            {
                **one.reasoner._asdict(),
                "share": share,
                "runs": [{**asdict(usage), "told": asdict(told)} for usage, told in one.runs],
                "bytes_a_fact": one.bytes_a_fact,
                "compared": one.compared,
                "wrong": one.wrong,
            }
            for one in derivings
        ],
        "model_ratios": [
            {
                "over": one.over._asdict(),
                "of": one.of._asdict(),
                "ratio": one.net,
                "of_whole": one.gross,
                "bound": one.most,
                "kept": one.kept,
                "counts": one.counts,
            }
            for one in model_ratios(derivings, share)
        ],
    }


def _row(one: ModelRuns, share: float) -> tuple[str, ...]:
    best = one.best
    least = "> " if one.stopped else ""
    return (
        str(one.reasoner),
        f"{best.load:.2f}",
        f"{least}{best.derive:.2f}",
        f"{least}{one.whole:.2f}",
        "" if one.stopped else f"{best.facts:,}",
        format_megabytes(one.peak),
        "" if one.stopped else f"{one.bytes_a_fact:,.0f}",
        _bounds(one) if share == WHOLE else "",
        f"{one.compared:,}" if one.compared else "",
        one.wrong or ("as R4" if one.compared else ""),
    )


def _bounds(one: ModelRuns) -> str:
    """The bounds of R4 on time and memory, and what became of them."""
    if one.reasoner.runner != "r4":
        return ""
    published, took = PUBLISHED[one.reasoner.name], one.best.seconds
    said = []
    for most, found, text in (
        (published.seconds, took, f"{published.seconds:g} s" if published.seconds else ""),
        (
            published.peak,
            one.peak,
            f"{format_megabytes(published.peak)} MB" if published.peak else "",
        ),
    ):
        if most is not None:
            said.append(f"{text} {'kept' if found <= most else 'missed'}")
    return ", ".join(said)


def _times_row(one: ModelRatio) -> tuple[str, ...]:
    if not one.counts:
        judged = "the peer is wrong"
    else:
        judged = "" if one.most is None else format_bound(one.most, kept=one.kept)
    return (
        str(one.over),
        str(one.of),
        f"{one.net:.4f}",
        f"{1 / one.net:.1f}",
        f"{one.gross:.3f}",
        judged,
    )
