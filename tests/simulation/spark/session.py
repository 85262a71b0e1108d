"""A case on Spark, all in one session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from unittest.mock import patch

import r4.cli.streams.spark
from tests.simulation.command import CommandOutput, call
from tests.simulation.spark.mix import MIX, SHARDS, case_of, commands, options_of
from tests.simulation.spark.thread_hosts import differences

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def within(spark: SparkSession) -> Iterator[None]:
    """What `r4 spark` starts is this session, which goes on."""

    @contextmanager
    def same(*_: object) -> Iterator[SparkSession]:
        yield spark

    with patch.object(r4.cli.streams.spark, "session", same):
        yield


def sharded(args: list[str], folder: Path, shards: int, batch: int) -> CommandOutput:
    """`r4 spark` with these arguments; answers in ``out``, the checkpoint in ``check``."""
    where = ["--output", str(folder / "out"), "--checkpoint", str(folder / "check")]
    return call([*args, *where, "--shards", str(shards), "--batch", str(batch), "--once"])


def disagreement(spark: SparkSession, seed: int, features: set[str]) -> str | None:
    """How the lines of the case of a seed differ, in a few batches."""
    case, shards = case_of(seed), SHARDS[seed // len(MIX) % len(SHARDS)]
    with TemporaryDirectory() as name:
        folder = Path(name)
        run, args = commands(case, folder, options_of(seed))
        printed = call(run)
        if printed.code:
            return None
        features.update({"case", MIX[seed % len(MIX)]} | ({"answers"} if printed.out else set()))
        batch = max(200, max(map(len, case.sources), default=0) // 2)
        with within(spark):
            found = sharded(args, folder, shards, batch)
        return differences(
            printed, found, folder / "out", f"{shards} shards, {batch} bytes\n{case}"
        )


def compare(spark: SparkSession, count: int, first: int = 0) -> tuple[Counter[str], dict[int, str]]:
    """What ``count`` cases by seed exercise, and where the lines differ."""
    features: Counter[str] = Counter()
    faults: dict[int, str] = {}
    for seed in range(first, first + count):
        found: set[str] = set()
        if (fault := disagreement(spark, seed, found)) is not None:
            faults[seed] = fault
        features.update(found)
    return features, faults
