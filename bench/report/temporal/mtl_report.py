"""What was found of models of programs with metric time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from bench.harness.bounds import Ratio
from bench.harness.tables import Json, TextTable, format_bound, format_megabytes
from bench.suites.temporal.mtl_models import (
    ModelContestant,
    ModelRuns,
    disputed_programs,
    model_ratios,
)
from bench.workloads.temporal.metric_programs import PUBLISHED, WHOLE


@dataclass(frozen=True, slots=True)
class ModelFindings:
    """Models of programs with metric time.

    Attributes:
        models: the runs of everybody.
        share: how much there was of the facts.
    """

    models: Sequence[ModelRuns] = ()
    share: float = WHOLE

    @property
    def wrong(self) -> str:
        """A program on which R4 agrees with no mode of a peer; empty if there is none."""
        return next(iter(disputed_programs(self.models)), "")

    def tables(self) -> Iterator[TextTable]:
        """Runs, ratios."""
        if self.models:
            part = "" if self.share == WHOLE else f" of the first {self.share:g} of the facts"
            yield TextTable(
                f"Models with metric time{part}: least seconds of processor time. Whole: with the"
                " start and end of a process.",
                (
                    *("", "load", "derive", "whole", "facts", "peak MB", "bytes a fact"),
                    *("bounds", "compared", "answers"),
                ),
                tuple(_model_row(series, self.share) for series in self.models),
            )
        rows = tuple(map(_ratio_row, model_ratios(self.models, self.share)))
        if rows:
            yield TextTable(
                "Ratios of processor times from file to model.",
                ("", "over", "ratio", "times as fast", "of whole", "bound"),
                rows,
                texts=2,
            )

    def json(self) -> Mapping[str, Json]:
        """The same, complete."""
        return {
            "models": [
                {
                    **series.key._asdict(),
                    "share": self.share,
                    "runs": [
                        {**asdict(usage), "told": asdict(report)} for usage, report in series.runs
                    ],
                    "bytes_a_fact": series.bytes_a_fact,
                    "compared": series.compared,
                    "wrong": series.wrong,
                }
                for series in self.models
            ],
            "model_ratios": [
                {
                    "over": ratio.over._asdict(),
                    "of": ratio.of._asdict(),
                    "ratio": ratio.net,
                    "of_whole": ratio.gross,
                    "bound": ratio.most,
                    "kept": ratio.kept,
                    "counts": ratio.counts,
                }
                for ratio in model_ratios(self.models, self.share)
            ],
        }


def _model_row(series: ModelRuns, share: float) -> tuple[str, ...]:
    best = series.best
    least = "> " if series.stopped else ""
    return (
        str(series.key),
        f"{best.load:.2f}",
        f"{least}{best.derive:.2f}",
        f"{least}{series.whole:.2f}",
        "" if series.stopped else f"{best.facts:,}",
        format_megabytes(series.peak),
        "" if series.stopped else f"{series.bytes_a_fact:,.0f}",
        _bounds(series) if share == WHOLE else "",
        f"{series.compared:,}" if series.compared else "",
        series.wrong or ("as R4" if series.compared else ""),
    )


def _bounds(series: ModelRuns) -> str:
    """The bounds of R4 on time and memory, and whether they are kept."""
    if series.key.runner != "r4":
        return ""
    published, took = PUBLISHED[series.key.name], series.best.seconds
    texts = []
    for most, figure, text in (
        (published.seconds, took, f"{published.seconds:g} s" if published.seconds else ""),
        (
            published.peak,
            series.peak,
            f"{format_megabytes(published.peak)} MB" if published.peak else "",
        ),
    ):
        if most is not None:
            texts.append(f"{text} {'kept' if figure <= most else 'missed'}")
    return ", ".join(texts)


def _ratio_row(ratio: Ratio[ModelContestant]) -> tuple[str, ...]:
    if not ratio.counts:
        judged = "the peer is wrong"
    else:
        judged = "" if ratio.most is None else format_bound(ratio.most, kept=ratio.kept)
    return (
        str(ratio.over),
        str(ratio.of),
        f"{ratio.net:.4f}",
        f"{1 / ratio.net:.1f}",
        f"{ratio.gross:.3f}",
        judged,
    )
