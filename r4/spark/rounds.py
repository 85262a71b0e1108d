"""Rounds: all shards of a partition in one process, with the interface of a `Core` over batches.

A batch goes to the shards that ask for its facts. Then come rounds: each shard that was sent
something takes a step, until none sends any more. So much was derived as one network would have,
and all shards close the instants before the frontier. What crosses is told by `r4.spark.parcels`
alone, so a job on a cluster can take the same steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from r4.changes import Changes
from r4.engine import end_of
from r4.including import INPUT
from r4.spark.parcels import Asserted, Parcel
from r4.spark.partition import Partition
from r4.spark.routing import Router
from r4.spark.shares import share_of
from r4.spark.worker import Inputs, Outputs, Worker
from r4.streams import Batch
from rete.delta import NEG_INF, POS_INF, Column, Rows
from rete.dictionary import Dictionary
from rete.plan import TRIPLES

Told: TypeAlias = Callable[[Worker, Changes], object]
_NOTHING = Inputs()


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
        self._router = Router(given.demands, terms, given.shards)
        self._includes = bool(given.program.given)
        self._frontier = self._last = NEG_INF
        self._begun = self._ends = False
        self.traffic = Traffic()
        self.workers = [
            Worker(
                share_of(given, shard), instances=instances, by_value=terms.by_value, limit=limit
            )
            for shard in range(given.shards)
        ]

    def assert_static(self, rows: Rows) -> None:
        """Triples, (n, 3), that always hold, before anything else."""
        always = np.full(len(rows), NEG_INF), np.full(len(rows), POS_INF)
        for shard, asserted in self._routed(rows, *always, rows[:0, 0]).items():
            self.workers[shard].step(Inputs(asserted=asserted))

    def begin(self) -> None:
        """All static data are in: what follows from them alone is told."""
        if not self._begun:
            self._begun = True
            self._derive([Inputs(begins=True, until=self._last)] * len(self.workers))
            self._close(NEG_INF)

    def step(self, batch: Batch) -> None:
        """Take in a batch."""
        self._last = max(self._last, batch.last)
        if len(batch.rows) and batch.start[0] == NEG_INF:
            self.assert_static(batch.rows)
            return
        self.begin()
        given = _NOTHING
        if batch.takes_back:
            self.close(batch.frontier)
            given = self._taken_back(batch)
        routed = self._routed(batch.rows, batch.start, batch.end, batch.names)
        self._derive(
            [
                replace(given, asserted=routed.get(shard, ()), until=self._last)
                for shard in range(len(self.workers))
            ]
        )
        self._close(batch.frontier)
        if self._terms.due:
            self._terms.sweep(POS_INF, batch.held)

    def close(self, frontier: int) -> None:
        """Close all instants before ``frontier``."""
        until = max(frontier, self._last)
        self._derive([Inputs(ends=self._ends, until=until)] * len(self.workers))
        self._close(frontier)

    def finish(self, last: int, drain: int | None = 0) -> None:
        """The input has ended with ``last`` its largest stamp; as of a `Core`."""
        self.begin()
        if last > NEG_INF:
            self._ends = True
            self.close(end_of(last, drain))

    def _routed(
        self, rows: Rows, start: Column, end: Column, names: Column
    ) -> dict[int, list[Asserted]]:
        """Asserted triples by the shards that ask for them."""
        facts = np.empty((len(rows), 5), np.int64)
        facts[:, :3] = rows
        facts[:, 3] = np.arange(len(rows))
        facts[:, 4] = facts[:, 3] + 1
        found: dict[int, list[Asserted]] = {}
        for relation in (TRIPLES, INPUT) if self._includes else (TRIPLES,):
            for shard, seen, some in self._router.route(relation, facts) if len(facts) else ():
                places = some[:, 3]
                texts = self._terms.decode_many(np.ascontiguousarray(some[:, :3]).ravel())
                named = self._names(names[places]) if len(names) else ()
                asserted = Asserted(seen, texts, start[places], end[places], named)
                found.setdefault(shard, []).append(asserted)
        return found

    def _names(self, names: Column) -> Sequence[str]:
        return [self._terms.decode(name) if name else "" for name in names.tolist()]

    def _taken_back(self, batch: Batch) -> Inputs:
        texts = iter(self._terms.decode_many(np.ascontiguousarray(batch.taken).ravel()))
        taken = tuple(zip(texts, texts, texts, texts, strict=True))
        return Inputs(retracts=self._names(batch.retracts), taken=taken)

    def _derive(self, given: Sequence[Inputs]) -> None:
        """Let all shards take a step, and those that are sent something further ones."""
        pairs = zip(self.workers, given, strict=True)
        mail = self._sorted(worker.step(each) for worker, each in pairs)
        rounds = 0
        while mail:
            rounds += 1
            self.traffic.rounds = max(self.traffic.rounds, rounds)
            until = max(self._last, *(each.until or NEG_INF for each in given))
            mail = self._sorted(
                self.workers[shard].step(Inputs(parcels=parcels, until=until))
                for shard, parcels in sorted(mail.items())
            )

    def _sorted(self, outputs: Iterator[Outputs]) -> dict[int, list[Parcel]]:
        """What was sent, by where it goes."""
        mail: dict[int, list[Parcel]] = {}
        for each in outputs:
            for shard, parcel in each.parcels:
                self.traffic.facts += len(parcel)
                self.traffic.gone += int(np.count_nonzero(~parcel.holds))
                mail.setdefault(shard, []).append(parcel)
        return mail

    def _close(self, frontier: int) -> None:
        for worker in self.workers:
            changes = worker.step(Inputs(closes=frontier)).changes
            if len(changes):
                self._told(worker, changes)
