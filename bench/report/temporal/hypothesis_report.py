"""What was found of hypothetical answers, and of possible answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from bench.harness.bounds import bounds_json, bounds_table
from bench.harness.rounds import first_wrong
from bench.harness.tables import Json, TextTable, format_megabytes
from bench.suites.temporal.hypotheses import HypothesisSeries, hypothesis_bounds
from bench.suites.temporal.possible_answers import PossibleSeries, cost_ratio, possible_bounds


@dataclass(frozen=True, slots=True)
class HypothesisFindings:
    """Hypothetical answers to late readings: a series for each work."""

    works: Sequence[HypothesisSeries] = ()

    @property
    def wrong(self) -> str:
        """The first thing that is wrong; empty if nothing."""
        return first_wrong(self.works)

    def tables(self) -> Iterator[TextTable]:
        """Runs, bounds."""
        if not self.works:
            return
        yield TextTable(
            "Readings of turbines, and what they make possible: the least processor time, in µs a"
            " reading; lines go nowhere.",
            (
                *("", "readings", "read", "match", "tell", "write", "readings/s", "of matching"),
                *("lines", "held at most", "peak MB", "told"),
            ),
            tuple(map(_hypothesis_row, self.works)),
        )
        title = "Bounds; ratios are medians over the rounds, with idle devices of the least times."
        yield bounds_table(title, hypothesis_bounds(self.works))

    def json(self) -> Mapping[str, Json]:
        """The same, complete."""
        return {
            "hypotheses": [
                {
                    "name": series.key,
                    "runs": [asdict(report) for report in series.reports],
                    "wrong": series.wrong,
                }
                for series in self.works
            ],
            "hypotheses_bounds": bounds_json(hypothesis_bounds(self.works) if self.works else ()),
        }


@dataclass(frozen=True, slots=True)
class PossibleFindings:
    """Possible answers of rules over the same readings: a series for each work."""

    works: Sequence[PossibleSeries] = ()

    @property
    def wrong(self) -> str:
        """The first thing that is wrong; empty if nothing."""
        return first_wrong(self.works)

    def tables(self) -> Iterator[TextTable]:
        """Runs, bounds."""
        if not self.works:
            return
        yield TextTable(
            "The same as RDF, for rules of RIF: the least processor time, from files to a file.",
            (
                *("", "readings", "µs a reading", "readings/s", "over without"),
                *("lines", "µs a line", "MB told", "half MB", "peak MB", "told"),
            ),
            tuple(_possible_row(series, cost_ratio(series, self.works)) for series in self.works),
        )
        yield bounds_table(
            "Bounds; ratios are medians over the rounds.", possible_bounds(self.works)
        )

    def json(self) -> Mapping[str, Json]:
        """The same, complete."""
        return {
            "possible_answers": [
                {
                    "name": series.key,
                    "runs": [asdict(report) for report in series.reports],
                    "over": cost_ratio(series, self.works),
                    "wrong": series.wrong,
                }
                for series in self.works
            ],
            "possible_answers_bounds": bounds_json(possible_bounds(self.works)),
        }


def _hypothesis_row(series: HypothesisSeries) -> tuple[str, ...]:
    best = series.best
    spent = best.read, best.match, best.tell, best.write
    return (
        series.key,
        f"{best.facts:,}",
        *(f"{1e6 * each / best.facts:.2f}" for each in spent),
        f"{best.rate:,.0f}",
        f"{best.facts / best.match:,.0f}",
        f"{best.lines:,}",
        f"{max(report.held for report in series.reports):,}",
        format_megabytes(max(report.peak for report in series.reports)),
        series.wrong or "right",
    )


def _possible_row(series: PossibleSeries, ratio: float) -> tuple[str, ...]:
    best = series.best
    return (
        series.key,
        f"{best.readings:,}",
        f"{1e6 * best.seconds / best.readings:.1f}",
        f"{best.rate:,.0f}",
        f"{ratio:.1f}",
        f"{best.lines:,}",
        f"{1e6 * best.seconds / max(best.lines, 1):.0f}",
        format_megabytes(best.size),
        format_megabytes(max(report.half for report in series.reports)),
        format_megabytes(max(report.peak for report in series.reports)),
        series.wrong or "right",
    )
