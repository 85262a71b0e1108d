"""What was found of bulk loading, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import median

from r4.bench.harness.process_usage import Usage
from r4.bench.harness.tables import Json, TextTable, format_megabytes
from r4.bench.suites.bulk_load import LoadBound, LoadRuns, load_bounds
from r4.bench.suites.sharded_stream import BATCHES, ShardedRuns


def bulk_tables(bulk: LoadRuns | None) -> Iterator[TextTable]:
    """What ran, and the bounds."""
    if bulk is None:
        return
    yield TextTable(
        f"Bulk loading of {bulk.quads:,} quads: whole processes, medians. Peak of the largest"
        " process, which may be Java.",
        ("", "seconds", "quads/s", "CPU", "peak MB"),
        tuple(_load_row(name, runs, bulk.quads) for name, runs in bulk.runs.items()),
    )
    yield TextTable(
        f"Bounds, medians over the rounds. Folder and answers: {bulk.wrong or 'right'}.",
        ("", "figure", "bound", ""),
        tuple(map(_limit_row, load_bounds(bulk))),
    )


def bulk_json(bulk: LoadRuns | None) -> Mapping[str, Json]:
    """The same, complete."""
    if bulk is None:
        return {}
    return {
        "bulk": {
            "quads": bulk.quads,
            "runs": {name: [asdict(run) for run in runs] for name, runs in bulk.runs.items()},
            "bounds": [{**asdict(limit), "kept": limit.kept} for limit in load_bounds(bulk)],
            "wrong": bulk.wrong,
        }
    }


def _load_row(name: str, runs: Sequence[Usage], quads: int) -> tuple[str, ...]:
    seconds = median(run.seconds for run in runs)
    return (
        name,
        f"{seconds:.2f}",
        f"{quads / seconds:,.0f}",
        f"{median(run.cpu for run in runs):.2f}",
        format_megabytes(max(run.peak for run in runs)),
    )


def _limit_row(limit: LoadBound) -> tuple[str, ...]:
    return (
        limit.says,
        f"{limit.figure:.2f}",
        f"{'at most' if limit.most else 'at least'} {limit.limit:g}",
        "kept" if limit.kept else "missed",
    )


def spread_tables(found: ShardedRuns | None) -> Iterator[TextTable]:
    """One network, and shards."""
    if found is None:
        return
    single = min(run.seconds for run in found.single)
    yield TextTable(
        f"Streams over shards on Spark: {found.triples:,} triples in {BATCHES} batches, the best of"
        f" each. Triples/s after the first batch. Lines: {found.wrong or 'right'}.",
        ("", "triples/s", "of r4 run", "s to 1st batch", "1st batch", "around one", "whole"),
        (
            ("r4 run", f"{found.single_rate:,.0f}", "", "", "", "", f"{single:.1f}"),
            *(_stream_row(found, shards) for shards in found.large),
        ),
    )


def spread_json(found: ShardedRuns | None) -> Mapping[str, Json]:
    """The same, complete."""
    if found is None:
        return {}
    told: dict[str, Json] = {
        str(shards): {
            "triples_per_second": found.rate(shards),
            "of_single": found.rate(shards) / found.single_rate,
            "around_a_batch": found.around(shards),
            "large": [asdict(run) for run in found.large[shards]],
            "little": [asdict(run) for run in found.little[shards]],
        }
        for shards in found.large
    }
    return {
        "spark": {
            "triples": found.triples,
            "single": [asdict(run) for run in found.single],
            "idle": [asdict(run) for run in found.idle],
            "shards": told,
            "wrong": found.wrong,
        }
    }


def _stream_row(found: ShardedRuns, shards: int) -> tuple[str, ...]:
    runs = found.large[shards]
    return (
        f"r4 spark, {shards} shard{'s' * (shards > 1)}",
        f"{found.rate(shards):,.0f}",
        f"{found.rate(shards) / found.single_rate:.2f}",
        f"{min(run.begun for run in runs):.1f}",
        f"{min(run.first for run in runs):.1f}",
        f"{found.around(shards):.2f}",
        f"{min(run.usage.seconds for run in runs):.1f}",
    )
