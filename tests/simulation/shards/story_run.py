"""A story told to one network, and to shards, with the lines of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from r4.answers.output_order import Changes
from r4.engine.core import Core
from r4.program.program import Program
from r4.run.driver import Driver
from r4.sinks.json_lines import JsonLines
from r4.sinks.output import SinkContext
from r4.spark.partition.program_partition import Partition
from r4.spark.shards.worker import ShardWorker
from r4.stream.batch import Batch
from r4.time.ticks import NO_END, StampFormat
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.terms.dictionary import Dictionary
from tests.generators.stories.steps import ElementStep, FrontierStep, Story, SweepStep, TripleStep
from tests.oracles.streams.run import Triple, named
from tests.simulation.retraction.core_player import DOCUMENT, MOST
from tests.simulation.shards.rounds import Rounds


class StoryTarget(Protocol):
    """What a story is told to."""

    terms: Dictionary

    def assert_static(self, rows: Rows) -> None: ...
    def step(self, batch: Batch) -> None: ...
    def close(self, frontier: int) -> None: ...
    def forget(self) -> None: ...
    def finish(self, last: int) -> None: ...


class _StoryLines:
    def __init__(self, program: Program, *, instances: bool) -> None:
        self._labels = program.labels
        self._instances = instances
        self.lines: list[str] = []

    def hear(self, terms: Dictionary, changes: Changes) -> None:
        sink = JsonLines(SinkContext(terms, self._labels, StampFormat(), self._instances))
        self.lines += sink.render(changes).decode().split("\n")[:-1]


class SingleNetwork(_StoryLines):
    """One network."""

    def __init__(self, program: Program, *, instances: bool, by_value: bool = False) -> None:
        super().__init__(program, instances=instances)
        self.terms = Dictionary(by_value=by_value)
        self.core = Core(program, self.terms, instances=instances, limit=MOST)

    def assert_static(self, rows: Rows) -> None:
        self.core.assert_static(rows)

    def step(self, batch: Batch) -> None:
        for changes in Driver(self.core).step(batch):
            self.hear(self.terms, changes)

    def close(self, frontier: int) -> None:
        if not self.core.begun:
            self.hear(self.terms, Driver(self.core).begin())
        self.hear(self.terms, Driver(self.core).close(frontier))

    def forget(self) -> None:
        self.core.forget()

    def finish(self, last: int) -> None:
        self.hear(self.terms, Driver(self.core).finish(last, None))


class ShardedNetwork(_StoryLines):
    """Shards."""

    def __init__(self, given: Partition, *, instances: bool, by_value: bool = False) -> None:
        super().__init__(given.program, instances=instances)
        self.terms = Dictionary(by_value=by_value)
        self.rounds = Rounds(given, self.terms, self._told, instances=instances, limit=MOST)

    def _told(self, worker: ShardWorker, changes: Changes) -> None:
        self.hear(worker.terms, changes)

    def assert_static(self, rows: Rows) -> None:
        self.rounds.assert_static(rows)

    def step(self, batch: Batch) -> None:
        self.rounds.step(batch)

    def close(self, frontier: int) -> None:
        self.rounds.begin()
        self.rounds.close(frontier)

    def forget(self) -> None:
        for worker in self.rounds.workers:
            worker.core.forget()

    def finish(self, last: int) -> None:
        self.rounds.finish(last, None)


class _Said(NamedTuple):
    """A triple, from when until when it holds, and the name of its element."""

    triple: Triple
    start: int
    end: int
    name: str


class _Teller:
    """Tells a story, of which rules that come and go are left out."""

    def __init__(self, story: Story, to: StoryTarget) -> None:
        self._story = story
        self._to = to
        self._last = self._frontier = NEG_INF
        self._waiting: list[ElementStep] = []

    def tell(self) -> None:
        self._to.assert_static(self._ids(self._story.statics))
        for step in self._story.steps:
            match step:
                case ElementStep() if not step.takes_back:
                    self._waiting.append(step)
                    if len(self._waiting) >= self._story.batch:
                        self._flush()
                case ElementStep():
                    self._flush()
                    self._say([step])
                case TripleStep(triples) if self._frontier > NEG_INF:
                    self._flush()
                    self._batch([_Said(each, self._frontier, POS_INF, "") for each in triples])
                case FrontierStep(to):
                    self._flush()
                    self._frontier = max(self._frontier, to)
                    self._to.close(self._frontier)
                case SweepStep():
                    self._flush()
                    self._to.forget()
        self._flush()
        self._to.finish(self._last)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._say(waiting)

    def _say(self, said: Sequence[ElementStep]) -> None:
        good = []
        for each in said:
            if each.start >= self._frontier:  # else it is late
                good.append(each)
                self._last = max(self._last, each.start)
                self._frontier = max(self._frontier, self._last - self._story.delay)
        if not good:
            return
        told = [
            _Said(triple, each.start, NO_END if each.end is None else each.end, each.name)
            for each in good
            for triple in each.triples
        ]
        names = [name for each in good for name in each.names]
        self._batch(told, names, [row for each in good for row in each.rows])

    def _batch(
        self,
        said: Sequence[_Said],
        back: Sequence[str] = (),
        rows: Sequence[tuple[Triple, str]] = (),
    ) -> None:
        facts = self._ids([each.triple for each in said])
        start = np.array([each.start for each in said], np.int64)
        end = np.array([each.end for each in said], np.int64)
        own, retracts = self._names([each.name for each in said]), self._names(back)
        taken = np.empty((len(rows), 4), np.int64)
        taken[:, :3] = self._ids([triple for triple, _ in rows])
        taken[:, 3] = self._names([name for _, name in rows])
        now, held = (self._frontier, self._last), (facts, own, retracts, taken)
        self._to.step(Batch(facts, start, end, *now, held, own, retracts, taken))

    def _ids(self, triples: Sequence[Triple]) -> Rows:
        texts = [term for triple in triples for term in named(triple, DOCUMENT)[1:]]
        return self._to.terms.encode_many(texts).reshape(-1, 3)

    def _names(self, names: Sequence[str]) -> Column:
        terms = self._to.terms
        return np.array([terms.encode(f"<{name}>") if name else 0 for name in names], np.int64)


def run_story(story: Story, to: StoryTarget) -> None:
    """Tell a story from begin to end."""
    _Teller(story, to).tell()
