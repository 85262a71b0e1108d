"""A worker: the network of one shard, which takes steps.

A step is a function of the state and its inputs alone: no clock, no file, no other shard. It takes
in what elements assert and retract, and messages of other shards; derives what follows; and gives
messages for others. When no shard has a message for another, all instants before the frontier are
closed, and answers are emitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from r4.answers.output_order import NO_CHANGES, Changes
from r4.answers.periodic_report import PeriodicReport, ReportSettings
from r4.checkpoint import fingerprint
from r4.engine.core import Core
from r4.run.driver import Driver
from r4.spark.partition.shard_programs import ShardProgram
from r4.spark.shards.messages import AssertedFacts, FactMessage
from r4.spark.shards.senders import TableOutlet, make_senders
from r4.time.ticks import StampFormat, Tick, TickUnit, TimeScale
from rete.arrays.delta import NEG_INF, POS_INF
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary

_ELSEWHERE: Final = -(2**30)
"""Facts of another shard have this less its number as their name: no element or rule has such."""


@dataclass(frozen=True, slots=True)
class StepInputs:
    """The inputs of a step, in the order in which they are taken in.

    Attributes:
        ends: whether the input has ended.
        messages: from other shards.
        retracted_names: of elements.
        retracted_rows: single triples, each three texts and the name of its element.
        asserted: what elements assert.
        begins: whether all static data are in.
        first: the least stamp so far; `POS_INF` before there is one.
        settles: whether what has waited longest is retracted, as all before its frontier is final.
        until: the tick up to which is derived what has no end; None: nothing is derived.
        closes: the frontier, once no shard has a message for another; `NEG_INF`: what follows from
            static data alone is emitted; None: nothing is closed.
    """

    ends: bool = False
    messages: Sequence[FactMessage] = ()
    retracted_names: Sequence[str] = ()
    retracted_rows: Sequence[tuple[str, str, str, str]] = ()
    asserted: Sequence[AssertedFacts] = ()
    begins: bool = False
    first: int = POS_INF
    settles: bool = False
    until: int | None = None
    closes: int | None = None


@dataclass(frozen=True, slots=True)
class StepOutputs:
    """The outputs of a step.

    Attributes:
        messages: with the shards that they go to.
        changes: the answers that became final, in ids that hold until the next step.
    """

    messages: tuple[tuple[int, FactMessage], ...] = ()
    changes: Changes = field(default=NO_CHANGES)


@dataclass(slots=True)
class StampBounds:
    """The first and the last stamp that moved time in all shards, as of `Stamps`."""

    first: Tick = POS_INF
    last: Tick = NEG_INF


class ShardWorker:
    """The engine of a shard.

    Attributes:
        terms: the dictionary of the shard.
        driver: drives its core.
        clock: how its stamps are written; whoever knows their kind sets it.
        stamps: the first and the last stamp; whoever knows them sets them.
        periodic: makes reports at marks of time; None: there are none. What one answer is belongs
            to one shard for ever, so those of a shard are the reports of its own answers.
    """

    def __init__(  # noqa: PLR0913 - options of a run
        self,
        share: ShardProgram,
        *,
        instances: bool = False,
        by_value: bool = False,
        limit: int | None = None,
        tick: TickUnit = "ms",
        report: ReportSettings | None = None,
        resumes: StateReader | None = None,
    ) -> None:
        """Build the network of a share.

        Args:
            share: the program of the shard.
            instances: whether facts are kept by start instead of by maximal interval.
            by_value: whether literals of equal values are one term.
            limit: the most facts that a step may derive; None: any number.
            tick: the length of a tick.
            report: when there are reports, and of what; None: there are none.
            resumes: the saved state of a worker of the same share; None: it starts anew.

        Raises:
            ValueError: the state is of other rules, or none that a worker can have.
        """
        self.terms = Dictionary(by_value=by_value)
        core = Core(
            share.program,
            self.terms,
            instances=instances,
            limit=limit,
            resumes=resumes is not None,
        )
        self.driver = Driver(core)
        self.clock, self.stamps = StampFormat(TimeScale(tick)), StampBounds()
        self.terms.clock = self.clock
        self.periodic: PeriodicReport | None = None
        if report is not None:
            self.periodic = periodic = PeriodicReport(
                report, self.terms, self.clock, lambda: self.stamps
            )
            core.reported_ids = lambda: periodic.needed_ids
        self._senders = list(make_senders(share, core.layers.tables, self.terms))
        if resumes is not None:
            if resumes.text("program") != fingerprint(self.core):
                resumes.refuse("program", "is another one, or this share was divided otherwise")
            alive = self.terms.restore(resumes.part("terms"))
            self.core.restore(resumes.part("core"), alive)
            outlets = self._outlets()
            parts = resumes.parts("outlets", len(outlets))
            for outlet, part in zip(outlets, parts, strict=True):
                outlet.restore(part, alive)
            if self.periodic is not None:
                self.periodic.restore(resumes.part("report"), alive)

    @property
    def core(self) -> Core:
        """The core of the driver."""
        return self.driver.core

    def saved(self) -> State:
        """Its state between two steps.

        What has ended is forgotten first; so its size is that of what still holds, plus ids.
        """
        self.core.derive()  # first what is pending, as in a saved state nothing is
        self.core.forget()  # else all that a large batch has closed is written, and read again
        core = self.core.saved()
        outlets = [outlet.saved() for outlet in self._outlets()]
        return {
            "program": fingerprint(self.core),
            "core": core,
            "outlets": outlets,
            "terms": self.terms.saved(),
            **({} if self.periodic is None else {"report": self.periodic.saved()}),
        }

    def _outlets(self) -> list[TableOutlet]:
        return [outlet for sender in self._senders for outlet in sender.outlets]

    def step(self, inputs: StepInputs) -> StepOutputs:
        """Take a step; raises `LimitReached` if rules derive more than the limit from it."""
        changes = self.driver.exchange(
            lambda: self._take_in(inputs),
            ends=inputs.ends,
            begins=inputs.begins,
            until=inputs.until,
            closes=inputs.closes,
        )
        messages = tuple(self._messages()) if self.core.begun else ()
        assert inputs.closes is None or not messages, "closed before all that follows was derived"
        return StepOutputs(messages, changes)

    def _take_in(self, inputs: StepInputs) -> None:
        self.core.progress.first = min(self.core.progress.first, inputs.first)
        if inputs.settles:
            self.core.change_waiting()
        self._receive(inputs.messages)
        self._retract(inputs)
        for each in inputs.asserted:
            self._assert(each)

    def _messages(self) -> Iterator[tuple[int, FactMessage]]:
        bound = max(2 * self.core.frontier, NEG_INF)
        for sender in self._senders:
            yield from sender.messages(bound)

    def _receive(self, messages: Sequence[FactMessage]) -> None:
        arrived = []
        for each in messages:
            relation, name = each.relation, _ELSEWHERE - each.sender
            facts = np.empty((len(each), relation.arity + 2), np.int64)
            facts[:, :-2] = self.terms.encode_many(each.texts).reshape(len(each), relation.arity)
            facts[:, -2], facts[:, -1] = each.lo, each.hi
            if not each.holds.all():
                self.core.assertions.depart(relation, facts[~each.holds], name)
            arrived.append((relation, facts[each.holds], name))
        for relation, facts, name in arrived:
            if len(facts):
                self.core.assertions.arrive(relation, facts, name)

    def _retract(self, inputs: StepInputs) -> None:
        if not (inputs.retracted_names or inputs.retracted_rows):
            return
        names = self.terms.encode_many(list(inputs.retracted_names))
        texts = [text for row in inputs.retracted_rows for text in row]
        rows = np.unique(self.terms.encode_many(texts).reshape(-1, 4), axis=0)
        self.core.assertions.retract(np.unique(names))
        self.core.assertions.retract_rows(rows)

    def _assert(self, asserted: AssertedFacts) -> None:
        count = len(asserted.start)
        arity = asserted.relation.arity
        rows = self.terms.encode_many(asserted.texts).reshape(count, arity)
        names = np.zeros(count, np.int64)
        named = [place for place, name in enumerate(asserted.names) if name]
        names[named] = self.terms.encode_many([asserted.names[place] for place in named])
        self.core.assert_part(asserted.relation, rows, asserted.start, asserted.end, names)
