"""Dispatch: from batches to the inputs of each shard, step by step.

The facts of a batch go to the shards that ask for them, its retractions to all shards. After a
step in which something is derived come rounds: each shard that was sent a message takes a further
step, until none sends any. Then as much was derived as in one network, and in the next step all
shards close the instants before the frontier.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from r4.program.program import INPUT
from r4.spark.partition.program_partition import Partition
from r4.spark.shards.messages import AssertedFacts
from r4.spark.shards.routing import Router
from r4.spark.shards.worker import StepInputs
from r4.stream.batch import Batch
from r4.time.progress import closing_frontier
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary
from rete.terms.relations import NAMED, STAMPED, TRIPLES, Relation

_NOTHING = StepInputs()


class ShardStep(NamedTuple):
    """A step of all shards.

    Attributes:
        inputs: of each shard.
        travels: whether rounds follow.
    """

    inputs: Sequence[StepInputs]
    travels: bool = False


class Dispatcher:
    """Makes the steps of all shards of a partition from batches."""

    def __init__(self, partition: Partition, terms: Dictionary) -> None:
        """Start; ``terms`` is the dictionary of the batches."""
        self._terms = terms
        self._shards = partition.shards
        self._router = Router(partition.demands, terms, partition.shards)
        self._includes = bool(partition.program.given)
        self._lag = partition.lag
        self._waiting: list[int] = []
        self._last, self._first = NEG_INF, POS_INF
        self._begun = self._ends = False

    def saved(self) -> State:
        """Its state."""
        waiting = np.array(self._waiting, np.int64)
        times = {"first": self._first, "last": self._last}
        return {**times, "begun": self._begun, "waiting": waiting}

    def restore(self, saved: StateReader) -> None:
        """Go on from a saved state."""
        self._first = saved.integer("first", NEG_INF, POS_INF)
        self._last = saved.integer("last", NEG_INF)
        self._begun = saved.flag("begun")
        self._waiting = saved.array("waiting", np.int64, None).tolist()

    def always(self, rows: Rows) -> Iterator[ShardStep]:
        """The step that asserts triples, (n, 3), that always hold; before any other."""
        if len(rows):
            always = np.full(len(rows), NEG_INF), np.full(len(rows), POS_INF)
            routed = self._routed(rows, *always, rows[:0, 0])
            yield ShardStep(
                [StepInputs(asserted=routed.get(shard, ())) for shard in range(self._shards)]
            )

    def begin(self) -> Iterator[ShardStep]:
        """The steps that close static data and emit what follows from them alone; once."""
        if not self._begun:
            self._begun = True
            yield self._alike(StepInputs(begins=True, until=NEG_INF), travels=True)
            yield self._alike(StepInputs(closes=NEG_INF))

    def deal(self, batch: Batch) -> Iterator[ShardStep]:
        """The steps of a batch."""
        self._last = max(self._last, batch.last)
        self._first = min(self._first, batch.first)
        if len(batch.rows) and batch.start[0] == NEG_INF:
            yield from self.always(batch.rows)
            return
        yield from self.begin()
        inputs = _NOTHING
        if batch.is_retraction:
            yield from self.close(batch.frontier)
            inputs = self._retractions(batch)
            begun = batch.frontier > NEG_INF
            if self._lag and begun and batch.frontier not in self._waiting:
                self._waiting.append(batch.frontier)
        routed = self._routed(batch.rows, batch.start, batch.end, batch.names)
        yield ShardStep(
            [
                replace(
                    inputs,
                    asserted=routed.get(shard, ()),
                    first=self._first,
                    until=self._last,
                )
                for shard in range(self._shards)
            ],
            travels=True,
        )
        yield from self._closing(batch.frontier)

    def close(self, frontier: int) -> Iterator[ShardStep]:
        """The steps that close all instants before ``frontier``."""
        until = max(frontier, self._last)
        yield self._alike(StepInputs(ends=self._ends, until=until), travels=True)
        yield from self._closing(frontier)

    def _closing(self, frontier: int) -> Iterator[ShardStep]:
        """The step that closes time, and ahead of it those that retract what has waited for it."""
        final = 2 * frontier - (0 if self._ends else self._lag)
        while self._waiting and 2 * self._waiting[0] <= final:
            del self._waiting[0]
            until = max(frontier, self._last)
            yield self._alike(StepInputs(settles=True, until=until), travels=True)
        yield self._alike(StepInputs(closes=frontier))

    def finish(self, last: int, drain: int | None = 0) -> Iterator[ShardStep]:
        """The steps at the end of the input; arguments as of `r4.run.driver.Driver.finish`."""
        yield from self.begin()
        if last > NEG_INF:
            self._ends = True
            yield from self.close(closing_frontier(last, drain))

    def _alike(self, inputs: StepInputs, *, travels: bool = False) -> ShardStep:
        return ShardStep([inputs] * self._shards, travels)

    def _routed(
        self, rows: Rows, start: Column, end: Column, names: Column
    ) -> dict[int, list[AssertedFacts]]:
        """Asserted triples by the shards that ask for them."""
        found: dict[int, list[AssertedFacts]] = {}
        for relation, terms, which in self._asserted(rows, start, names):
            if not len(terms):
                continue
            facts = np.column_stack((terms, which, which + 1))
            for shard, seen, some in self._router.route(relation, facts):
                places = some[:, -2]
                texts = self._terms.decode_many(np.ascontiguousarray(some[:, :-2]).ravel())
                named = self._names(names[places]) if len(names) else ()
                asserted = AssertedFacts(seen, texts, start[places], end[places], named)
                found.setdefault(shard, []).append(asserted)
        return found

    def _asserted(
        self, rows: Rows, start: Column, names: Column
    ) -> Iterator[tuple[Relation, Rows, Column]]:
        """What is asserted with triples, per relation: the terms, and which triple each is of."""
        which = np.arange(len(rows))
        yield TRIPLES, rows, which
        if self._includes:
            yield INPUT, rows, which
        if len(names):
            which = np.flatnonzero(names)
            named = np.column_stack((rows[which], names[which]))
            yield NAMED, named, which
            ticks, places = np.unique(start[which], return_inverse=True)
            term = self._terms.clock.term
            stamps = self._terms.encode_many([term(tick) for tick in ticks.tolist()])
            yield STAMPED, np.column_stack((rows[which], stamps[places])), which

    def _names(self, names: Column) -> Sequence[str]:
        return [self._terms.decode(name) if name else "" for name in names.tolist()]

    def _retractions(self, batch: Batch) -> StepInputs:
        texts = iter(self._terms.decode_many(np.ascontiguousarray(batch.retracted_rows).ravel()))
        retracted_rows = tuple(zip(texts, texts, texts, texts, strict=True))
        return StepInputs(
            retracted_names=self._names(batch.retracted_names), retracted_rows=retracted_rows
        )
