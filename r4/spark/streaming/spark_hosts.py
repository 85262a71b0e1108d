"""Hosts as the tasks of a Spark job that all run at once, a job for each batch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from r4.checkpoint import SnapshotError
from r4.spark.jobs.tasks import collect, units
from r4.spark.partition.shard_programs import ShardProgram
from r4.spark.streaming.exchange import OtherHostFailed
from r4.spark.streaming.host import BatchSpec, LiveShards, RunSpec, run_host
from rete.inference.errors import LimitReached

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import SparkSession

_LIMIT: Final = "limit"
LIVE: Final = LiveShards()
"""The cached shards of this process, where it is a worker of Spark."""


class SparkHostRunner:
    """Runs hosts as tasks of a Spark session.

    A job for each round would cost more than most rounds do. So a batch is one job, whose tasks
    Spark starts together or not at all (a barrier stage), and they meet in files. Its ``name`` is
    what jobs are called in Spark's pages.
    """

    def __init__(self, spark: SparkSession, shares: Sequence[ShardProgram], name: str) -> None:
        self.spark = spark
        self.name = name
        self._shares: Broadcast[list[ShardProgram]] = spark.sparkContext.broadcast(list(shares))

    def hosts(self, shards: int) -> int:
        """How many it runs at once, for so many shards."""
        return min(shards, self.spark.sparkContext.defaultParallelism)

    def run(self, run_spec: RunSpec, batch_spec: BatchSpec, says: str) -> None:
        """Let all hosts take the steps of a batch; raises as `HostRunner` does."""
        says = f"{self.name}, {run_spec.shards} shard(s), {says}"
        task = partial(_host, run_spec, batch_spec, self._shares)
        frame = units(self.spark, batch_spec.hosts, task, barrier=True)
        for found in collect(frame, says, says):
            _raise(**json.loads(found))


def _host(
    run_spec: RunSpec, batch_spec: BatchSpec, shares: Broadcast[list[ShardProgram]], number: int
) -> str:
    """In a worker: the host of this number."""
    found = {"code": "", "message": ""}
    try:
        run_host(run_spec, batch_spec, number, LIVE, lambda shard: shares.value[shard])
    except LimitReached as error:
        found = {"code": _LIMIT, "message": str(error)}
    except SnapshotError as error:
        found = {"code": error.code, "message": error.message}
    except OtherHostFailed:
        pass  # who failed says why
    return json.dumps(found)


def _raise(code: str, message: str) -> None:
    """Raise the error that a host reported; none for an empty code."""
    if code == _LIMIT:
        raise LimitReached(message)
    for fault in SnapshotError.__subclasses__():
        if fault.code == code:
            raise fault(message)
