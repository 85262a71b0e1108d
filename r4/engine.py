"""The engine: batches of facts in, changes of what follows out."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from r4.answers import Block, Ledger
from r4.changes import ERROR, Changes, in_order
from r4.compile import Program
from r4.entailment import AUXILIARY
from r4.streams import NO_END, Batch
from rete.agenda import Agenda
from rete.asserted import Asserted
from rete.delta import NEG_INF, POS_INF, Column, Rows
from rete.dictionary import Dictionary
from rete.layers import Layers
from rete.network import Network
from rete.nodes.calls import Outside, summed
from rete.plan import TRIPLES, Relation
from rete.strata import negates
from rif.terms import OWL

_STEPS: Final = f"<{AUXILIARY}"
_MANY: Final = 1000
"""So many facts may be taken back before terms are forgotten for that."""
SAME_AS: Final = f"<{OWL}sameAs>"
_FAR: Final = 2**61 - 1
"""After every finite tick, and its cell still a finite one."""


def _is_told(relation: Relation) -> bool:
    """Whether facts of the relation are answers, and not steps of the rules of a regime."""
    return not relation.op.startswith(_STEPS)


class Core:
    """A program running: the network, its clock, and what is still to be told.

    All in ids and ticks; `r4.api.Engine` speaks RDF.

    Attributes:
        program: what runs.
        terms: the dictionary that all ids belong to.
        layers: its networks: nodes and their state.
        network: that of the rules it began with.
        frontier: instants before it are closed; `NEG_INF` before the first.
        begun: whether all static data are in.
        negates: whether some rule has a negated condition, so that what is derived may be lost.
        without_effect: names and triples that were to be taken back and were not there.
    """

    def __init__(  # noqa: PLR0913 - options of a run
        self,
        program: Program,
        terms: Dictionary,
        *,
        instances: bool = False,
        limit: int | None = None,
        keep: bool = False,
        retracts: bool = True,
    ) -> None:
        """Begin.

        Args:
            program: what runs.
            terms: the dictionary of all ids.
            instances: whether facts are kept by start instead of by maximal interval.
            limit: the most facts that may be derived at once; None: any number.
            keep: whether rules that are added later see what was asserted before and still holds;
                retraction is quick from the first, too.
            retracts: whether facts may be taken back, or be asked why they hold.
        """
        self.program = program
        self.terms = terms
        self._instances = instances
        self.layers = self._layers(instances=instances)
        self.network = self.layers.generic[0]
        self.frontier = NEG_INF
        self._ledger = Ledger(instances=instances)
        emits = (*program.emits, *program.background)
        self.negates = any(negates(emit.source) for emit in emits)
        if retracts or keep or self.negates:
            self.layers.asserts = Asserted(instances=instances)
        self._agenda = Agenda(self.layers, self._ledger.tell, limit, lost=self._ledger.lose)
        if keep or self.negates:
            self._agenda.maintain()
        self._keep = keep
        self._withdrawn = 0
        self.without_effect = 0
        self.begun = False
        self._state(program, NEG_INF)

    def add(self, program: Program) -> None:
        """Rules that join in: they see what is asserted from now on; if kept, all that still holds.

        Their facts hold from the frontier on, and so does what they derive. ``program`` is compiled
        with the numbers that follow those of the rules so far; its window does not count.
        """
        self._agenda.run()
        if any(negates(emit.source) for emit in program.emits):
            self.negates = True
            self._agenda.maintain()
        self.program = replace(
            self.program,
            labels=self.program.labels + program.labels,
            places=self.program.places + program.places,
            emits=self.program.emits + program.emits,
        )
        now = 2 * self.frontier if self.frontier > NEG_INF else NEG_INF
        network = Network(
            program.emits, self.terms, instances=self._instances, before=self.layers.networks
        )
        self.layers.add(network)
        self._agenda.admit(network, now)
        if self._keep:
            assert self.layers.asserts is not None
            for relation, rows in [*self.layers.asserts.content(), *self.layers.facts()]:
                since = rows.copy()
                np.maximum(since[:, -2], now, out=since[:, -2])
                since = since[since[:, -2] < since[:, -1]]
                if relation == TRIPLES:
                    since = self.layers.same.expand(self.layers.same.of(since))
                self._agenda.repeat(network, relation, since)
        self._state(program, now)

    def drop(self, rules: Container[int]) -> None:
        """Rules and facts of these numbers that are there no longer, from the frontier on.

        What they gave goes as if it were retracted; answers that end by that name them still.
        """
        self._agenda.run()
        self._agenda.maintain()
        emits = tuple(emit for emit in self.program.emits if emit.rule not in rules)
        self.program = replace(self.program, emits=emits)
        given = [each for network in self.layers.generic for each in network.drop(rules)]
        self._agenda.rearrange()
        for table, rule in given:
            self._agenda.disown(table, rule)
        asserts = self.layers.asserts
        assert asserts is not None
        numbers = range(1, len(self.program.labels) + 1)
        names = np.array([-number for number in numbers if number in rules], np.int64)
        self._withdraw(asserts.take(names, self._agenda.bound))

    def _state(self, program: Program, since: int) -> None:
        """Assert the facts of ``program``, from the cell ``since`` on."""
        for relation, texts, number in program.facts:
            ids = self.terms.encode_many(texts)
            self.terms.pin(ids)
            fact = np.array([[*ids.tolist(), since, POS_INF]], np.int64)
            self._enter(relation, fact, np.array([-number]))

    def _enter(self, relation: Relation, facts: Rows, names: Column | None = None) -> None:
        """Asserted facts, (n, arity + 2), by elements of these names, (n,)."""
        if self.layers.asserts is not None:
            known = self.layers.same.of(facts) if relation == TRIPLES else facts
            self.layers.asserts.add(relation, known, names, self._agenda.bound)
        self._agenda.push(relation, facts)

    def _layers(self, *, instances: bool) -> Layers:
        terms, program = self.terms, self.program
        if not program.background:
            return Layers(Network(program.emits, terms, instances=instances, answers=_is_told))
        # An inconsistency is told, whoever finds it; nothing else of the background is.
        beneath = Network(program.background, terms, instances=instances, answers=ERROR.__eq__)
        generic = Network(program.emits, terms, instances=instances, before=[beneath])
        if not program.unites:
            return Layers(generic, beneath)
        same_as = terms.encode_many([SAME_AS])
        terms.pin(same_as)
        return Layers(generic, beneath, int(same_as[0]))

    def assert_static(self, rows: Rows) -> None:
        """Triples (n, 3) that always hold; before `begin` only."""
        assert not self.begun
        self.terms.pin(rows.ravel())
        self._push(rows, np.full(len(rows), NEG_INF), np.full(len(rows), POS_INF))

    def begin(self) -> Changes:
        """All static data is in: what follows from it alone. Called once, by `step` if need be."""
        self.close_static()
        self.layers.seal()
        return self._changes(self._ledger.close(NEG_INF))

    def close_static(self) -> None:
        """Derive all that follows from static data alone; nothing static may come after it.

        Raises:
            LimitReached: it is more than ``limit``; called again it goes on.
        """
        self.begun = True
        self._agenda.run()
        while len(again := self.layers.united()):
            if self.layers.asserts is not None:
                self.layers.asserts.translate(TRIPLES, self.layers.same)
            self._agenda.push(TRIPLES, again)
            self._agenda.run()

    def step(self, batch: Batch) -> list[Changes]:
        """Take in a batch; what became final by it, in order.

        What follows from static data comes first, in changes of its own, once. The ids of changes
        mean something until the next step, when terms may be forgotten.

        Raises:
            LimitReached: rules derive more than ``limit`` facts from it.
        """
        rows = batch.rows
        if len(rows) and batch.start[0] == NEG_INF:
            self.assert_static(rows)
            return []
        out = [] if self.begun else [self.begin()]
        lo, hi = self._valid(batch.start, batch.end)
        names = batch.names if len(batch.names) else None
        if self.terms.due or self._withdrawn > max(_MANY, len(self.terms)):
            self.forget((*batch.held, rows, batch.names, batch.retracts, batch.taken[:, :3]))
        self.terms.touch(rows, hi)
        if names is not None:
            self.terms.touch(names.reshape(-1, 1), hi)
        if batch.takes_back:
            out.append(self.close(batch.frontier))
            self._take_back(batch)
        some = lo < hi
        if not some.all():  # a window of 0, or an interval that rounding empties
            rows, lo, hi = rows[some], lo[some], hi[some]
            names = None if names is None else names[some]
        self._push(rows, lo, hi, names)
        out.append(self.close(batch.frontier))
        return out

    def _take_back(self, batch: Batch) -> None:
        asserts = self.layers.asserts
        assert asserts is not None
        names = np.unique(batch.retracts)
        self.without_effect += len(names) - asserts.known(names, self._agenda.bound)
        self.retract(names)
        for row in batch.taken:
            self.without_effect += not self.retract_rows(row.reshape(1, -1))

    def retract(self, names: Column) -> int:
        """Take back what elements of these names assert, from the frontier on; how many facts.

        What has no name (0) is never taken back: static data, facts of rules.

        From there all is as if it had never been asserted.
        """
        assert self.layers.asserts is not None
        return self._withdraw(self.layers.asserts.take(names[names != 0], self._agenda.bound))

    def retract_rows(self, rows: Rows) -> int:
        """Take back single triples with the names of their elements, (n, 4), likewise."""
        asserts = self.layers.asserts
        assert asserts is not None
        facts = asserts.take_rows(TRIPLES, rows, self._agenda.bound)
        return self._withdraw([(TRIPLES, facts)])

    def _withdraw(self, lost: Iterable[tuple[Relation, Rows]]) -> int:
        self._agenda.run()
        count = 0
        for relation, facts in lost:
            if len(facts):
                count += len(facts)
                self._withdrawn += len(facts)
                self._agenda.withdraw(relation, facts)
        self._agenda.run()
        return count

    def close(self, frontier: int) -> Changes:
        """Close all instants before ``frontier``; what is final by that, in order."""
        self._agenda.run()
        if frontier <= self.frontier:
            return self._changes([])
        self.frontier = frontier
        blocks = self._ledger.close(2 * frontier - 1)
        self._agenda.bound = 2 * frontier
        return self._changes(blocks)

    def finish(self, last: int, drain: int | None = 0) -> Changes:
        """The input has ended with ``last`` its largest stamp: what is still to be told.

        Args:
            last: ticks; `NEG_INF` if there was no stamp.
            drain: ticks after ``last`` up to which changes are told too, inclusive; None: to the
                end of all that ends.
        """
        if not self.begun:
            return self.begin()
        if last == NEG_INF:
            return self._changes([])
        until = _FAR if drain is None else last + drain
        return self.close(max(until + 1, self.frontier))

    @property
    def inconsistent(self) -> bool:
        """Whether ``rif:error()`` was derived, of whatever time."""
        return self.derives(ERROR)

    def outside(self) -> list[Outside]:
        """What was outside the domain of a built-in so far, by its IRI."""
        return summed(part for network in self.layers.networks for part in network.outside())

    @property
    def derived(self) -> int:
        """How many facts were derived so far."""
        return self._agenda.derived

    @property
    def overdeleted(self) -> int:
        """How many rows of facts were deleted so far, those that were derived again included."""
        return self._agenda.overdeleted

    def derives(self, relation: Relation) -> bool:
        """Whether a fact of ``relation`` was derived, of whatever time."""
        return any(
            len(table.facts.content()) > 0
            for network in self.layers.networks
            for table in network.tables
            if table.relation == relation
        )

    def derived_at(self, tick: int) -> Iterator[tuple[str, str, str]]:
        """Texts of the derived triples that hold at ``tick``, in no order."""
        self._agenda.run()
        for table in self.layers.tables:
            if table.relation == TRIPLES:
                rows = table.facts.content()
                holds = (rows[:, -2] <= 2 * tick) & (2 * tick < rows[:, -1])
                texts = self.terms.decode_many(np.ascontiguousarray(rows[holds, :3]).ravel())
                yield from zip(*[iter(texts)] * 3, strict=True)

    def _push(self, rows: Rows, lo: Column, hi: Column, names: Column | None = None) -> None:
        if len(rows):
            facts = np.empty((len(rows), 5), np.int64)
            facts[:, :3] = rows
            facts[:, 3] = lo
            facts[:, 4] = hi
            self._enter(TRIPLES, facts, names)

    def _valid(self, start: Column, end: Column) -> tuple[Column, Column]:
        window = self.program.window
        last = POS_INF // 2 if window is None else start + window
        ticks = np.where(end == NO_END, last, end)
        return 2 * start, np.where(ticks >= POS_INF // 2, POS_INF, 2 * ticks)

    def forget(self, held: Iterable[Column] = ()) -> None:
        """Forget what ended, and the terms that no row can mention any more.

        Args:
            held: ids that are needed though no row mentions them yet, in arrays of any shape.
        """
        bound = self._agenda.bound
        for network in self.layers.networks:
            network.forget(bound)
        if self.layers.asserts is not None:
            self.layers.asserts.expire(bound)
        if self._withdrawn:  # what was to hold longer is gone
            self.terms.untouch()
            for rows in self._held():
                self.terms.touch(np.ascontiguousarray(rows[:, :-2]), rows[:, -1].copy())
            self._withdrawn = 0
        self.terms.sweep(bound, held)

    def _held(self) -> Iterator[Rows]:
        """All rows with terms that are still to be needed."""
        for network in self.layers.networks:
            for stream in network.streams.values():
                if stream.stem is not None:
                    yield stream.stem.content()
            for table in network.tables:
                yield from (stem.content() for stem in table.stems)
        if self.layers.asserts is not None:
            yield from (stem.content() for stem in self.layers.asserts.stems)

    def _changes(self, blocks: list[Block]) -> Changes:
        return in_order(blocks, self.terms)
