"""A stream over shards on Spark, against one network that reads the same file.

Each is a process of its own. The files that Spark leaves in its checkpoint have the times at which
batches of ``r4 spark`` began and ended; nothing is measured inside. The first batch is counted
apart, as Spark and its workers start in it. So are batches of one element: they cost what is
around a batch.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import time
from typing import Final

from bench.harness.process_usage import Usage, measure_process
from bench.harness.rounds import Series, run_rounds
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
    """A run of ``r4 spark``.

    Attributes:
        begun: seconds from the start of the process until its first batch begins.
        first: those that the first batch takes.
        later: those of each batch after it.
        usage: of the process, and of Java; not of the workers.
    """

    begun: float
    first: float
    later: Sequence[float]
    usage: Usage


@dataclass(slots=True)
class ShardedRuns:
    """A stream, and the runs on it: one a round.

    Attributes:
        triples: in the stream.
        single: of one network.
        idle: the same on empty input.
        large: by shards, in `BATCHES` batches.
        little: by shards, of `LITTLE` elements in as many batches.
        wrong: how lines differ; empty if they do not.
    """

    triples: int
    single: list[Usage] = field(default_factory=list)
    idle: list[Usage] = field(default_factory=list)
    large: dict[int, list[ShardedReport]] = field(default_factory=dict)
    little: dict[int, list[ShardedReport]] = field(default_factory=dict)
    wrong: str = ""

    @property
    def single_rate(self) -> float:
        """Triples a second of one network, at best; its start is left out."""
        seconds = min(run.seconds for run in self.single) - min(run.seconds for run in self.idle)
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


def run_sharded(triples: int, rounds: int, folder: Path, say: Callable[[str], None]) -> ShardedRuns:
    """Run the rules of gales on a stream, in one network and in shards.

    Raises:
        RunFailed: a program ended with an error.
    """
    files, count = Files(folder), triples // TRIPLES
    path, little = files.stream("gales", count), files.stream("gales", LITTLE)
    found, shard_folder = ShardedRuns(count * TRIPLES), folder / "shards"
    single = (sys.executable, "-m", "r4", "run", str(_RULES), "--window", WINDOW)
    series = Series[str, list[bytes]]("r4 run")

    def run_shards(_: Series[str, list[bytes]], number: int) -> None:
        lines = series.reports[-1]
        for shards in SHARDS:
            say(f"round {number + 1} of {rounds}: {shards} shard(s)")
            run, shard_lines = _run(path, shards, BATCHES, shard_folder)
            found.large.setdefault(shards, []).append(run)
            if shard_lines != lines:
                found.wrong = f"{shards} shard(s): {len(shard_lines)} lines, not these {len(lines)}"
            run, _lines = _run(little, shards, LITTLE, shard_folder)
            found.little.setdefault(shards, []).append(run)

    run_rounds(
        [series],
        lambda _, __: (*single, str(path)),
        lambda output: sorted(output.read_bytes().splitlines()),
        rounds,
        folder,
        say,
        title=lambda each: f"{each.key}, {found.triples:,} triples",
        idle=lambda _: (*single, str(files.stream("gales", 0))),
        after=run_shards,
    )
    found.single, found.idle = series.usages, series.idles
    return found


def _run(path: Path, shards: int, batches: int, folder: Path) -> tuple[ShardedReport, list[bytes]]:
    """A run in so many batches, and its output lines in order."""
    out, checkpoint = folder / "out", folder / "checkpoint"
    size = -(-path.stat().st_size // batches)
    command = (
        *(sys.executable, "-m", "r4", "spark", str(_RULES), "--input", str(path), "--once"),
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
