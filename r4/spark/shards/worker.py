"""A worker: the network of one shard, which takes steps.

A step is a function of the state and its inputs alone: no clock, no file, no other shard. It takes
in what elements assert and take back, and what other shards derived; derives what follows; and
gives what others ask for. When no shard has anything for another, all instants before the frontier
are closed, and answers are told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from r4.answers.output_order import NO_CHANGES, Changes
from r4.checkpoint import fingerprint
from r4.engine.core import Core
from r4.run.driver import Driver
from r4.spark.partition.shard_programs import ShardProgram
from r4.spark.shards.messages import AssertedFacts, FactMessage, encode_rows
from r4.spark.shards.outlets import TableOutlet
from r4.spark.shards.senders import make_senders
from rete.arrays.delta import NEG_INF
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary

_ELSEWHERE: Final = -(2**40)
"""The name of what another shard derived is this less its number: no element or rule has such."""


@dataclass(frozen=True, slots=True)
class StepInputs:
    """What a step is given, in the order in which it is taken.

    Attributes:
        ends: whether the input has ended.
        parcels: from other shards.
        retracts: names of elements that are taken back.
        taken: single triples that are taken back: three texts and the name of the element, each.
        asserted: what elements assert.
        begins: whether all static data are in.
        until: the tick up to which is derived what has no end; None: nothing is derived.
        closes: the frontier, if no shard has anything for another any more; `NEG_INF`: what
            follows from static data alone is told.
    """

    ends: bool = False
    parcels: Sequence[FactMessage] = ()
    retracts: Sequence[str] = ()
    taken: Sequence[tuple[str, str, str, str]] = ()
    asserted: Sequence[AssertedFacts] = ()
    begins: bool = False
    until: int | None = None
    closes: int | None = None


@dataclass(frozen=True, slots=True)
class StepOutputs:
    """What a step gives.

    Attributes:
        parcels: with the shards that they go to.
        changes: the answers that became final, in ids that hold until the next step.
    """

    parcels: tuple[tuple[int, FactMessage], ...] = ()
    changes: Changes = field(default=NO_CHANGES)


class ShardWorker:
    """A shard's engine.

    Attributes:
        terms: its dictionary.
        driver: takes its steps.
    """

    def __init__(
        self,
        share: ShardProgram,
        *,
        instances: bool = False,
        by_value: bool = False,
        limit: int | None = None,
        resumes: StateReader | None = None,
    ) -> None:
        """Build the network of a share.

        Args:
            share: what it has to do.
            instances: whether facts are kept by start instead of by maximal interval.
            by_value: whether literals of equal values are one term.
            limit: the most facts that a step may derive; None: any number.
            resumes: what a worker of the same share has saved, to be gone on from.

        Raises:
            ValueError: it is of other rules, or no worker was ever in such a state.
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

    @property
    def core(self) -> Core:
        """Its network."""
        return self.driver.core

    def saved(self) -> State:
        """The state between two steps: all that a worker of the same share goes on from.

        What has ended is forgotten: so it is as large as what still holds, but for room for ids.
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
        }

    def _outlets(self) -> list[TableOutlet]:
        return [outlet for sender in self._senders for outlet in sender.outlets]

    def step(self, given: StepInputs) -> StepOutputs:
        """Take a step.

        Raises:
            LimitReached: rules derive more than the limit from it.
        """
        changes = self.driver.exchange(
            lambda: self._take_in(given),
            ends=given.ends,
            begins=given.begins,
            until=given.until,
            closes=given.closes,
        )
        parcels = tuple(self._parcels()) if self.core.begun else ()
        assert given.closes is None or not parcels, "closed before all that follows was derived"
        return StepOutputs(parcels, changes)

    def _take_in(self, given: StepInputs) -> None:
        self._receive(given.parcels)
        self._take_back(given)
        for each in given.asserted:
            self._assert(each)

    def _parcels(self) -> Iterator[tuple[int, FactMessage]]:
        bound = max(2 * self.core.frontier, NEG_INF)
        for sender in self._senders:
            yield from sender.parcels(bound)

    def _receive(self, parcels: Sequence[FactMessage]) -> None:
        arrived = []
        for each in parcels:
            relation, name = each.relation, _ELSEWHERE - each.sender
            facts = np.empty((len(each), relation.arity + 2), np.int64)
            facts[:, :-2] = encode_rows(relation, each.texts, len(each), self.terms)
            facts[:, -2], facts[:, -1] = each.lo, each.hi
            if not each.holds.all():
                self.core.assertions.depart(relation, facts[~each.holds], name)
            arrived.append((relation, facts[each.holds], name))
        for relation, facts, name in arrived:
            if len(facts):
                self.core.assertions.arrive(relation, facts, name)

    def _take_back(self, given: StepInputs) -> None:
        if not (given.retracts or given.taken):
            return
        names = self.terms.encode_many(list(given.retracts))
        texts = [text for row in given.taken for text in row]
        rows = np.unique(self.terms.encode_many(texts).reshape(-1, 4), axis=0)
        self.core.assertions.retract(np.unique(names))
        self.core.assertions.retract_rows(rows)

    def _assert(self, given: AssertedFacts) -> None:
        count = len(given.start)
        rows = encode_rows(given.relation, given.texts, count, self.terms)
        names = np.zeros(count, np.int64)
        named = [place for place, name in enumerate(given.names) if name]
        names[named] = self.terms.encode_many([given.names[place] for place in named])
        self.core.assert_part(given.relation, rows, given.start, given.end, names)
