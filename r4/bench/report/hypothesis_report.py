"""What was found of hypothetical answers, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from r4.bench.harness.bounds import bounds_json, bounds_table
from r4.bench.harness.tables import Json, TextTable, format_megabytes
from r4.bench.suites.hypotheses import HypothesisSeries, hypothesis_bounds
from r4.bench.suites.possible_answers import PossibleSeries, cost_ratio, possible_bounds


def hypotheses_tables(followings: Sequence[HypothesisSeries]) -> Iterator[TextTable]:
    """One for each kind of finding that there is."""
    if not followings:
        return
    yield TextTable(
        "Readings of turbines, and what they make possible: the least processor time, in µs a"
        " reading; lines go nowhere.",
        (
            *("", "readings", "read", "match", "tell", "write", "readings/s", "of matching"),
            *("lines", "held at most", "peak MB", "told"),
        ),
        tuple(map(_series_row, followings)),
    )
    title = "Bounds; ratios are medians over the rounds, with idle devices of the least times."
    yield bounds_table(title, hypothesis_bounds(followings))


def hypotheses_json(followings: Sequence[HypothesisSeries]) -> Mapping[str, Json]:
    """The same, complete."""
    return {
        "hypotheses": [
            {
                "name": following.name,
                "runs": [asdict(told) for told in following.runs],
                "wrong": following.wrong,
            }
            for following in followings
        ],
        "hypotheses_bounds": bounds_json(hypothesis_bounds(followings) if followings else ()),
    }


def _series_row(following: HypothesisSeries) -> tuple[str, ...]:
    best = following.best
    spent = best.read, best.match, best.tell, best.write
    return (
        following.name,
        f"{best.facts:,}",
        *(f"{1e6 * each / best.facts:.2f}" for each in spent),
        f"{best.rate:,.0f}",
        f"{best.facts / best.match:,.0f}",
        f"{best.lines:,}",
        f"{max(told.held for told in following.runs):,}",
        format_megabytes(max(told.peak for told in following.runs)),
        following.wrong or "right",
    )


def foretelling_tables(found: Sequence[PossibleSeries]) -> Iterator[TextTable]:
    """One for each kind of finding that there is."""
    if not found:
        return
    yield TextTable(
        "The same as RDF, for rules of RIF: the least processor time, from files to a file.",
        (
            *("", "readings", "µs a reading", "readings/s", "over without", "lines", "µs a line"),
            *("MB told", "half MB", "peak MB", "told"),
        ),
        tuple(_cost_row(telling, cost_ratio(telling, found)) for telling in found),
    )
    yield bounds_table("Bounds; ratios are medians over the rounds.", possible_bounds(found))


def foretelling_json(found: Sequence[PossibleSeries]) -> Mapping[str, Json]:
    """The same, complete."""
    return {
        "foretelling": [
            {
                "name": telling.name,
                "runs": [asdict(run) for run in telling.runs],
                "over": cost_ratio(telling, found),
                "wrong": telling.wrong,
            }
            for telling in found
        ],
        "foretelling_bounds": bounds_json(possible_bounds(found)),
    }


def _cost_row(telling: PossibleSeries, ratio: float) -> tuple[str, ...]:
    best = telling.best
    return (
        telling.name,
        f"{best.readings:,}",
        f"{1e6 * best.seconds / best.readings:.1f}",
        f"{best.rate:,.0f}",
        f"{ratio:.1f}",
        f"{best.lines:,}",
        f"{1e6 * best.seconds / max(best.lines, 1):.0f}",
        format_megabytes(best.size),
        format_megabytes(max(run.half for run in telling.runs)),
        format_megabytes(max(run.peak for run in telling.runs)),
        telling.wrong or "right",
    )
