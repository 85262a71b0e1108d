"""Rounds: all shards of a partition in one process, with the interface of a `Core` over batches.

What crosses is in `messages` alone, so a job on a cluster can take the same steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from r4.answers.output_order import Changes
from r4.spark.partition.program_partition import Partition
from r4.spark.partition.shard_programs import shard_program
from r4.spark.shards.dispatch import Dispatcher, ShardStep
from r4.spark.shards.messages import FactMessage
from r4.spark.shards.worker import ShardWorker, StepInputs, StepOutputs
from r4.stream.batch import Batch
from rete.arrays.delta import POS_INF, Rows
from rete.terms.dictionary import Dictionary

Told: TypeAlias = Callable[[ShardWorker, Changes], object]


@dataclass(slots=True)
class Traffic:
    """What crossed between shards.

    Attributes:
        rounds: the most rounds that a batch took after the first.
        facts: how many facts were sent, those that cease included.
        gone: how many of them ceased.
    """

    rounds: int = 0
    facts: int = 0
    gone: int = 0


class Rounds:
    """A program running in shards.

    Attributes:
        workers: the shards.
        traffic: what crossed so far.
    """

    def __init__(
        self,
        given: Partition,
        terms: Dictionary,
        told: Told,
        *,
        instances: bool = False,
        limit: int | None = None,
    ) -> None:
        """Begin.

        Args:
            given: the partition.
            terms: the dictionary of batches.
            told: is given the answers of a worker as they become final.
            instances: whether facts are kept by start instead of by maximal interval.
            limit: the most facts that a shard may derive at once.
        """
        self._terms = terms
        self._told = told
        self._dispatcher = Dispatcher(given, terms)
        self.traffic = Traffic()
        self.workers = [
            ShardWorker(
                shard_program(given, shard),
                instances=instances,
                by_value=terms.by_value,
                limit=limit,
            )
            for shard in range(given.shards)
        ]
        for worker in self.workers:
            worker.terms.clock = terms.clock

    def assert_static(self, rows: Rows) -> None:
        """Triples, (n, 3), that always hold, before anything else."""
        self._take(self._dispatcher.always(rows))

    def begin(self) -> None:
        """All static data are in: what follows from them alone is told."""
        self._take(self._dispatcher.begin())

    def step(self, batch: Batch) -> None:
        """Take in a batch."""
        self._take(self._dispatcher.deal(batch))
        if self._terms.due:
            self._terms.sweep(POS_INF, batch.needed_ids)

    def close(self, frontier: int) -> None:
        """Close all instants before ``frontier``."""
        self._take(self._dispatcher.close(frontier))

    def finish(self, last: int, drain: int | None = 0) -> None:
        """The input has ended with ``last`` its largest stamp; as of a `Core`."""
        self._take(self._dispatcher.finish(last, drain))

    def _take(self, steps: Iterator[ShardStep]) -> None:
        """Let all shards take a step, and those that are sent something further ones."""
        for step in steps:
            pairs = zip(self.workers, step.inputs, strict=True)
            outputs = [worker.step(each) for worker, each in pairs]
            for worker, output in zip(self.workers, outputs, strict=True):
                if len(output.changes):
                    self._told(worker, output.changes)
            mail, rounds = self._sorted(iter(outputs)), 0
            while mail:
                rounds += 1
                self.traffic.rounds = max(self.traffic.rounds, rounds)
                until = step.inputs[0].until
                mail = self._sorted(
                    self.workers[shard].step(StepInputs(messages=messages, until=until))
                    for shard, messages in sorted(mail.items())
                )

    def _sorted(self, outputs: Iterator[StepOutputs]) -> dict[int, list[FactMessage]]:
        """What was sent, by where it goes."""
        mail: dict[int, list[FactMessage]] = {}
        for each in outputs:
            for shard, message in each.messages:
                self.traffic.facts += len(message)
                self.traffic.gone += int(np.count_nonzero(~message.holds))
                mail.setdefault(shard, []).append(message)
        return mail
