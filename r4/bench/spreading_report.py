"""What was found of streams over shards, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from r4.bench.spreading import BATCHES, Spread
from r4.bench.table import Json, Table


def spread_tables(found: Spread | None) -> Iterator[Table]:
    """One network, and shards."""
    if found is None:
        return
    single = min(run.seconds for run in found.single)
    yield Table(
        f"Streams over shards on Spark: {found.triples:,} triples in {BATCHES} batches, the best of"
        f" each. Triples/s after the first batch. Lines: {found.wrong or 'right'}.",
        ("", "triples/s", "of r4 run", "s to 1st batch", "1st batch", "around one", "whole"),
        (
            ("r4 run", f"{found.single_rate:,.0f}", "", "", "", "", f"{single:.1f}"),
            *(_row(found, shards) for shards in found.large),
        ),
    )


def spread_json(found: Spread | None) -> Mapping[str, Json]:
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


def _row(found: Spread, shards: int) -> tuple[str, ...]:
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
