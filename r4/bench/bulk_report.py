"""What was found of bulk loading, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import median

from r4.bench.bulk import Bulk, Limit, limits
from r4.bench.measure import Usage
from r4.bench.table import Json, Table, megabytes


def bulk_tables(bulk: Bulk | None) -> Iterator[Table]:
    """What ran, and the bounds."""
    if bulk is None:
        return
    yield Table(
        f"Bulk loading of {bulk.quads:,} quads: whole processes, medians. Peak of the largest"
        " process, which may be Java.",
        ("", "seconds", "quads/s", "CPU", "peak MB"),
        tuple(_row(name, runs, bulk.quads) for name, runs in bulk.runs.items()),
    )
    yield Table(
        f"Bounds, medians over the rounds. Folder and answers: {bulk.wrong or 'right'}.",
        ("", "figure", "bound", ""),
        tuple(map(_limit_row, limits(bulk))),
    )


def bulk_json(bulk: Bulk | None) -> Mapping[str, Json]:
    """The same, complete."""
    if bulk is None:
        return {}
    return {
        "bulk": {
            "quads": bulk.quads,
            "runs": {name: [asdict(run) for run in runs] for name, runs in bulk.runs.items()},
            "bounds": [{**asdict(limit), "kept": limit.kept} for limit in limits(bulk)],
            "wrong": bulk.wrong,
        }
    }


def _row(name: str, runs: Sequence[Usage], quads: int) -> tuple[str, ...]:
    seconds = median(run.seconds for run in runs)
    return (
        name,
        f"{seconds:.2f}",
        f"{quads / seconds:,.0f}",
        f"{median(run.cpu for run in runs):.2f}",
        megabytes(max(run.peak for run in runs)),
    )


def _limit_row(limit: Limit) -> tuple[str, ...]:
    return (
        limit.says,
        f"{limit.figure:.2f}",
        f"{'at most' if limit.most else 'at least'} {limit.limit:g}",
        "kept" if limit.kept else "missed",
    )
