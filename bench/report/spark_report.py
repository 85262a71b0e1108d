"""What was found of bulk loading, and of streams over shards on Spark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median

from bench.harness.bounds import Bound
from bench.harness.process_usage import Usage
from bench.harness.tables import Json, TextTable, format_megabytes
from bench.suites.bulk_load import LoadRuns, load_bounds
from bench.suites.sharded_stream import BATCHES, ShardedRuns


@dataclass(frozen=True, slots=True)
class LoadFindings:
    """Bulk loading, and a rule on what is loaded; None: it did not run."""

    load: LoadRuns | None = None

    @property
    def wrong(self) -> str:
        """What is wrong with the folder or the answers; empty if nothing."""
        return "" if self.load is None else self.load.wrong

    def tables(self) -> Iterator[TextTable]:
        """Runs, bounds."""
        load = self.load
        if load is None:
            return
        yield TextTable(
            f"Bulk loading of {load.quads:,} quads: whole processes, medians. Peak of the largest"
            " process, which may be Java.",
            ("", "seconds", "quads/s", "CPU", "peak MB"),
            tuple(_load_row(name, runs, load.quads) for name, runs in load.runs.items()),
        )
        yield TextTable(
            f"Bounds, medians over the rounds. Folder and answers: {load.wrong or 'right'}.",
            ("", "figure", "bound", ""),
            tuple(
                (bound.description, f"{bound.figure:.2f}", bound.limit_text, bound.verdict)
                for bound in load_bounds(load)
            ),
        )

    def json(self) -> Mapping[str, Json]:
        """The same, complete."""
        load = self.load
        if load is None:
            return {}
        return {
            "bulk": {
                "quads": load.quads,
                "runs": {name: [asdict(run) for run in runs] for name, runs in load.runs.items()},
                "bounds": [_bound_json(bound) for bound in load_bounds(load)],
                "wrong": load.wrong,
            }
        }


@dataclass(frozen=True, slots=True)
class ShardFindings:
    """A stream in one network and in shards; None: it did not run."""

    stream: ShardedRuns | None = None

    @property
    def wrong(self) -> str:
        """How the lines of shards differ; empty if they do not."""
        return "" if self.stream is None else self.stream.wrong

    def tables(self) -> Iterator[TextTable]:
        """One network, and shards."""
        found = self.stream
        if found is None:
            return
        single = min(run.seconds for run in found.single)
        yield TextTable(
            f"Streams over shards on Spark: {found.triples:,} triples in {BATCHES} batches, the"
            f" best of each. Triples/s after the first batch. Lines: {found.wrong or 'right'}.",
            ("", "triples/s", "of r4 run", "s to 1st batch", "1st batch", "around one", "whole"),
            (
                ("r4 run", f"{found.single_rate:,.0f}", "", "", "", "", f"{single:.1f}"),
                *(_shard_row(found, shards) for shards in found.large),
            ),
        )

    def json(self) -> Mapping[str, Json]:
        """The same, complete."""
        found = self.stream
        if found is None:
            return {}
        shards: dict[str, Json] = {
            str(count): {
                "triples_per_second": found.rate(count),
                "of_single": found.rate(count) / found.single_rate,
                "around_a_batch": found.around(count),
                "large": [asdict(run) for run in found.large[count]],
                "little": [asdict(run) for run in found.little[count]],
            }
            for count in found.large
        }
        return {
            "spark": {
                "triples": found.triples,
                "single": [asdict(run) for run in found.single],
                "idle": [asdict(run) for run in found.idle],
                "shards": shards,
                "wrong": found.wrong,
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


def _bound_json(bound: Bound) -> Mapping[str, Json]:
    return {
        "says": bound.description,
        "figure": bound.figure,
        "limit": bound.limit,
        "most": bound.most,
        "kept": bound.kept,
    }


def _shard_row(found: ShardedRuns, shards: int) -> tuple[str, ...]:
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
