"""`r4 bench spark`: a stream over shards on Spark, against one network that reads the same file.

Each is a process of its own, and all must print the same lines. The files that Spark leaves in its
checkpoint have the times at which batches of ``r4 spark`` began and ended; nothing is measured
inside. The first batch is counted apart, as Spark and its workers start in it. So are batches of
one element: they cost what is around a batch.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import time
from typing import Final

from bench.harness.benchmark import Benchmark, Findings, Request, needs_spark
from bench.harness.process_usage import Usage, measure_process, python
from bench.harness.rounds import Series, run_rounds
from bench.harness.tables import Json, tabled
from bench.workloads import catalogue
from bench.workloads.catalogue import TRIPLES, Files

SHARDS: Final = (1, 2)
MASTER: Final = "local[2]"
WINDOW: Final = "10s"
BATCHES: Final = 5
LITTLE: Final = 12
"""Batches of one element."""
_RULES: Final = catalogue.RULES / "gales.rif"


@dataclass(frozen=True, slots=True)
class ShardedReport:
    """A run of ``r4 spark``."""

    begun: float  # seconds from the start of the process until its first batch begins
    first: float  # those that the first batch takes
    later: Sequence[float]  # those of each batch after it
    usage: Usage  # of the process, and of Java; not of the workers


@dataclass(slots=True)
class ShardedRuns(Series[str, list[bytes]]):
    """The runs of one network on a stream, and those of shards after each."""

    triples: int = field(kw_only=True)  # in the stream
    # by shards, in `BATCHES` batches; one a round
    large: dict[int, list[ShardedReport]] = field(default_factory=dict)
    # by shards, of `LITTLE` elements in as many batches
    little: dict[int, list[ShardedReport]] = field(default_factory=dict)

    @property
    def single_rate(self) -> float:
        """Triples a second of one network, at best; its start is left out."""
        seconds = min(usage.seconds for usage in self.usages) - self.start
        return self.triples / max(seconds, 1e-9)

    def rate(self, shards: int) -> float:
        """Triples a second after the first batch, at best: all batches have equally many."""
        return max(
            self.triples * len(run.later) / (1 + len(run.later)) / sum(run.later)
            for run in self.large[shards]
        )

    def around(self, shards: int) -> float:
        """Seconds of a batch of one element, the median of the best run."""
        return min(median(run.later) for run in self.little[shards])


def run(request: Request) -> Findings:
    """Run the rules of gales on a stream, in one network and in shards."""
    files, count = Files(request.folder), request.triples // TRIPLES
    path, little = files.stream("gales", count), files.stream("gales", LITTLE)
    folder = request.folder / "shards"
    words = python("r4", "run", _RULES, "--window", WINDOW)
    found = ShardedRuns("r4 run", triples=count * TRIPLES)

    def run_shards(_: ShardedRuns, number: int) -> str:
        lines, wrong = found.reports[-1], ""
        for shards in SHARDS:
            request.say(f"round {number + 1} of {request.rounds}: {shards} shard(s)")
            report, told = _run(path, shards, BATCHES, folder)
            found.large.setdefault(shards, []).append(report)
            if told != lines:
                wrong = f"{shards} shard(s): {len(told)} lines, not these {len(lines)}"
            report, _lines = _run(little, shards, LITTLE, folder)
            found.little.setdefault(shards, []).append(report)
        return wrong

    run_rounds(
        request,
        [found],
        lambda _, __: (*words, str(path)),
        lambda output: sorted(output.read_bytes().splitlines()),
        title=lambda each: f"{each.key}, {each.triples:,} triples",
        idle=lambda _: (*words, str(files.stream("gales", 0))),
        check=run_shards,
    )
    return findings(found)


BENCHMARK: Final = Benchmark(
    {"spark": "a stream over shards on Spark, against one network"}, run, lacks=needs_spark
)


def _run(path: Path, shards: int, batches: int, folder: Path) -> tuple[ShardedReport, list[bytes]]:
    """A run in ``batches``, and its output lines in order."""
    out, checkpoint = folder / "out", folder / "checkpoint"
    size = -(-path.stat().st_size // batches)
    command = (
        *python("r4", "spark", _RULES, "--input", path, "--once"),
        *("--window", WINDOW, "--shards", str(shards), "--batch", str(size)),
        *("--output", str(out), "--checkpoint", str(checkpoint), "--master", MASTER),
    )
    folder.mkdir()
    try:
        begun = time()
        usage = measure_process(command, folder / "said")
        start, done = (_written(checkpoint / "spark" / name) for name in ("offsets", "commits"))
        lines = sorted(
            line for part in out.glob("part-*") for line in part.read_bytes().splitlines()
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    later = [after - before for before, after in pairwise(done)]
    return ShardedReport(start[0] - begun, done[0] - start[0], later, usage), lines


def _written(log: Path) -> list[float]:
    """When the entries of a log of Spark were written, one a batch."""
    return [
        path.stat().st_mtime for path in sorted(log.glob("[0-9]*"), key=lambda it: int(it.name))
    ]


def findings(found: ShardedRuns) -> Findings:
    """One network, and shards."""
    single = min(usage.seconds for usage in found.usages)
    table = tabled(
        f"Streams over shards on Spark: {found.triples:,} triples in {BATCHES} batches, the"
        f" best of each. Triples/s after the first batch. Lines: {found.wrong or 'right'}.",
        ("", "triples/s", "of r4 run", "s to 1st batch", "1st batch", "around one", "whole"),
        (
            ("r4 run", f"{found.single_rate:,.0f}", "", "", "", "", f"{single:.1f}"),
            *(_row(found, shards) for shards in found.large),
        ),
    )
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
    figures: dict[str, Json] = {
        "triples": found.triples,
        "single": [asdict(usage) for usage in found.usages],
        "idle": [asdict(usage) for usage in found.idles],
        "shards": shards,
        "wrong": found.wrong,
    }
    return Findings([*table], {"spark": figures}, found.wrong)


def _row(found: ShardedRuns, shards: int) -> tuple[str, ...]:
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
