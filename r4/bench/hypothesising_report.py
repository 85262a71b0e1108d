"""What was found of hypothetical answers, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from r4.bench.bounds import bounds_json, bounds_table
from r4.bench.hypothesising import Following, bounds
from r4.bench.table import Json, Table, megabytes


def hypotheses_tables(followings: Sequence[Following]) -> Iterator[Table]:
    """One for each kind of finding that there is."""
    if not followings:
        return
    yield Table(
        "Readings of turbines, and what they make possible: the least processor time, in µs a"
        " reading; lines go nowhere.",
        (
            *("", "readings", "read", "match", "tell", "write", "readings/s", "of matching"),
            *("lines", "held at most", "peak MB", "told"),
        ),
        tuple(map(_row, followings)),
    )
    title = "Bounds; ratios are medians over the rounds, with idle devices of the least times."
    yield bounds_table(title, bounds(followings))


def hypotheses_json(followings: Sequence[Following]) -> Mapping[str, Json]:
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
        "hypotheses_bounds": bounds_json(bounds(followings) if followings else ()),
    }


def _row(following: Following) -> tuple[str, ...]:
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
        megabytes(max(told.peak for told in following.runs)),
        following.wrong or "right",
    )
