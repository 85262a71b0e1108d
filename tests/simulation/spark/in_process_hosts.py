"""Hosts as threads of this process: a run without Spark."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from r4.spark.partition.shard_programs import ShardProgram
from r4.spark.streaming.exchange import OtherHostFailed
from r4.spark.streaming.host import BatchSpec, LiveShards, RunSpec, run_host


class Here:
    """Runs hosts as threads.

    Attributes:
        live: what is alive, by host.
    """

    def __init__(self, shares: Sequence[ShardProgram], hosts: int = 1) -> None:
        self._shares = shares
        self.live = [LiveShards() for _ in range(hosts)]

    def hosts(self, shards: int) -> int:
        """How many it runs at once, for so many shards."""
        return min(shards, len(self.live))

    def run(self, run_spec: RunSpec, call: BatchSpec, says: str) -> None:
        """Let all hosts take the steps of a batch."""
        del says
        with ThreadPoolExecutor(call.hosts) as pool:
            running = [
                pool.submit(
                    run_host, run_spec, call, host, self.live[host], self._shares.__getitem__
                )
                for host in range(call.hosts)
            ]
            errors = [each.exception() for each in running]
        for error in sorted(
            filter(None, errors), key=lambda each: isinstance(each, OtherHostFailed)
        ):
            raise error
