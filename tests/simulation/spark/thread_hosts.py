"""Runs without Spark: hosts are threads, and drivers stop between batches, or inside of one."""

from __future__ import annotations

import difflib
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import r4.cli.streams.spark
from r4.spark.partition.shard_programs import shard_program
from r4.spark.streaming.checkpoint_layout import CheckpointLayout, open_checkpoint
from r4.spark.streaming.file_pieces import Seen, next_pieces
from tests.generators.draw import Draw, from_seed
from tests.simulation.command import CommandOutput, call, small_batches
from tests.simulation.spark.in_process_hosts import Here
from tests.simulation.spark.mix import (
    MIX,
    SHARDS,
    case_of,
    commands,
    options_of,
    report_options,
)
from tests.simulation.stream_comparison import cut_of

if TYPE_CHECKING:
    from r4.cli.streams.spark import SparkRunOptions
    from r4.spark.streaming.batch_runner import BatchRunner
    from r4.spark.streaming.sharded_run import ShardedRun


@dataclass
class ThreadHosts:
    """Takes the batches of a run as Spark would.

    Attributes:
        features: what happened.
        differs: files of batches that were taken again, and are not as they were.
        host_runner: runs the hosts.
    """

    draw: Draw
    features: set[str] = field(default_factory=set)
    differs: set[str] = field(default_factory=set)
    host_runner: Here = field(init=False)

    def follow(self, run: ShardedRun, options: SparkRunOptions, _: dict[str, str]) -> int:
        """In the place of that of the command."""
        self._run = run
        self._places = CheckpointLayout(options.checkpoint, options.output)
        with open_checkpoint(self._places, run.about()) as name:
            self._run_spec = run.run_spec(name, self._places)
        self._shares = [shard_program(run.partition, shard) for shard in range(options.shards)]
        seen: dict[str, Seen] = {}
        batch_runner, batch = self._batch_runner(), 0
        while True:
            pieces, then = next_pieces(run.inputs, seen, options.batch)
            if not pieces:
                break
            batch_runner.take(batch, pieces)
            if self.draw.chance(25):
                batch_runner = self._batch_runner()
                self.features.add("new driver")
            if self.draw.chance(20):
                before = self._parts()
                for path in self._places.output.glob(f"part-{batch:08}-*"):
                    path.unlink()
                batch_runner = self._batch_runner()
                batch_runner.take(batch, pieces)
                self.differs |= {name for name, _ in before.items() ^ self._parts().items()}
                self.features.add("batch taken again")
            if self.draw.chance(10):
                batch_runner.end(run.drain)
                batch_runner = self._batch_runner()
                self.features.add("end that was none")
            seen, batch = then, batch + 1
        batch_runner.end(run.drain)
        counters = batch_runner.front.intake.counters
        batch_runner.report.samples(counters)
        batch_runner.report.counts(counters)
        if batch > 2:
            self.features.add("several batches")
        return 0

    def _batch_runner(self) -> BatchRunner:
        self.host_runner = Here(self._shares, self.draw.integer(1, 3))
        return self._run.batch_runner(self._run_spec, self.host_runner)

    def _parts(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self._places.output.glob("part-0*")}


@contextmanager
def without_spark(player: ThreadHosts) -> Iterator[None]:
    """The command goes on without Spark."""
    with (
        patch.object(r4.cli.streams.spark, "_follow", player.follow),
        patch.object(r4.cli.streams.spark, "require", lambda: None),
    ):
        yield


def lines_in(output: Path) -> list[str]:
    """The lines in the part files of a folder, sorted."""
    return sorted(
        line for path in output.glob("part-*") for line in path.read_text("utf-8").split("\n")[:-1]
    )


def differences(
    printed: CommandOutput, sharded: CommandOutput, output: Path, case: object
) -> str | None:
    """How the answers differ."""
    one, other = sorted(printed.lines()), lines_in(output)
    if printed.code == sharded.code and one == other:
        return None
    changes = difflib.unified_diff(one, other, "r4 run", "r4 spark", "", "", 0, "")
    return f"{case}\nexit {printed.code}, {sharded.code}\n{sharded.err}\n" + "\n".join(changes)


def disagreement(seed: int, features: set[str], *, reports: bool = False) -> str | None:
    """How the lines of the case of a seed differ, played in random parts; perhaps of reports."""
    case, draw = case_of(seed), from_seed(seed + 1)
    shards, batch = SHARDS[seed // len(MIX) % len(SHARDS)], draw.integer(40, 900)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        options = options_of(seed) + (report_options(draw, case) if reports else [])
        run, spark = commands(case, folder, options)
        printed = call(run)
        if printed.code:
            return None
        features.update({"case", MIX[seed % len(MIX)]} | ({"answers"} if printed.out else set()))
        lines = printed.lines()
        features.update({"empty marks"} if any('"from"' not in line for line in lines) else ())
        features.update({"several lines"} if len(lines) > 3 else ())
        output, player = folder / "out", ThreadHosts(draw)
        spark += ["--output", str(output), "--checkpoint", str(folder / "check")]
        spark += ["--shards", str(shards), "--batch", str(batch), "--once"]
        with without_spark(player), small_batches(cut_of(seed)):
            sharded = call(spark)
        features.update(player.features)
        if player.differs:
            return f"{case}\nnot the same when taken again: {sorted(player.differs)}"
        return differences(printed, sharded, output, f"{shards} shards, {batch} bytes\n{case}")


def compare(
    count: int, first: int = 0, *, reports: bool = False
) -> tuple[Counter[str], dict[int, str]]:
    """What ``count`` cases by seed exercise, and where the lines differ."""
    features: Counter[str] = Counter()
    faults: dict[int, str] = {}
    for seed in range(first, first + count):
        found: set[str] = set()
        if (fault := disagreement(seed, found, reports=reports)) is not None:
            faults[seed] = fault
        features.update(found)
    return features, faults
