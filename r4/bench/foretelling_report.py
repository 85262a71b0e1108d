"""What was found of `r4 run --hypotheses`, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from r4.bench.bounds import bounds_json, bounds_table
from r4.bench.foretelling import Foretelling, foretelling_bounds, over
from r4.bench.table import Json, Table, megabytes


def foretelling_tables(found: Sequence[Foretelling]) -> Iterator[Table]:
    """One for each kind of finding that there is."""
    if not found:
        return
    yield Table(
        "The same as RDF, for rules of RIF: the least processor time, from files to a file.",
        (
            *("", "readings", "µs a reading", "readings/s", "over without", "lines", "µs a line"),
            *("MB told", "half MB", "peak MB", "told"),
        ),
        tuple(_row(telling, over(telling, found)) for telling in found),
    )
    yield bounds_table("Bounds; ratios are medians over the rounds.", foretelling_bounds(found))


def foretelling_json(found: Sequence[Foretelling]) -> Mapping[str, Json]:
    """The same, complete."""
    return {
        "foretelling": [
            {
                "name": telling.name,
                "runs": [asdict(run) for run in telling.runs],
                "over": over(telling, found),
                "wrong": telling.wrong,
            }
            for telling in found
        ],
        "foretelling_bounds": bounds_json(foretelling_bounds(found)),
    }


def _row(telling: Foretelling, ratio: float) -> tuple[str, ...]:
    best = telling.best
    return (
        telling.name,
        f"{best.readings:,}",
        f"{1e6 * best.seconds / best.readings:.1f}",
        f"{best.rate:,.0f}",
        f"{ratio:.1f}",
        f"{best.lines:,}",
        f"{1e6 * best.seconds / max(best.lines, 1):.0f}",
        megabytes(best.size),
        megabytes(max(run.half for run in telling.runs)),
        megabytes(max(run.peak for run in telling.runs)),
        telling.wrong or "right",
    )
