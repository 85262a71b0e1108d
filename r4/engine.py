"""The engine: batches of facts in, changes of what follows out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from r4.answers import Block, Ledger
from r4.changes import ERROR, Changes, in_order
from r4.compile import Program
from r4.entailment import AUXILIARY
from r4.streams import NO_END, Batch
from rete.agenda import Agenda
from rete.delta import NEG_INF, POS_INF, Column, Rows
from rete.dictionary import Dictionary
from rete.layers import Layers
from rete.network import Network
from rete.nodes.calls import Outside, summed
from rete.plan import TRIPLES, Relation
from rete.stem import Stem
from rif.terms import OWL

_STEPS: Final = f"<{AUXILIARY}"
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
    """

    def __init__(
        self,
        program: Program,
        terms: Dictionary,
        *,
        instances: bool = False,
        limit: int | None = None,
        keep: bool = False,
    ) -> None:
        """Begin.

        Args:
            program: what runs.
            terms: the dictionary of all ids.
            instances: whether facts are kept by start instead of by maximal interval.
            limit: the most facts that may be derived at once; None: any number.
            keep: whether rules that are added later see what was asserted before and still holds.
        """
        self.program = program
        self.terms = terms
        self._asserted: dict[Relation, Stem] | None = {} if keep else None
        self._instances = instances
        self.layers = self._layers(instances=instances)
        self.network = self.layers.generic[0]
        self.frontier = NEG_INF
        self._ledger = Ledger(instances=instances)
        self._agenda = Agenda(self.layers, self._ledger.tell, limit)
        self.begun = False
        self._state(program, NEG_INF)

    def add(self, program: Program) -> None:
        """Rules that join in: they see what is asserted from now on; if kept, all that still holds.

        Their facts hold from the frontier on, and so does what they derive. ``program`` is compiled
        with the numbers that follow those of the rules so far; its window does not count.
        """
        self._agenda.run()
        labels = self.program.labels + program.labels
        self.program = replace(
            self.program, labels=labels, emits=self.program.emits + program.emits
        )
        now = 2 * self.frontier if self.frontier > NEG_INF else NEG_INF
        network = Network(
            program.emits, self.terms, instances=self._instances, before=self.layers.networks
        )
        self.layers.add(network)
        self._agenda.admit(network, now)
        if self._asserted is not None:
            known = [(relation, stem.content()) for relation, stem in self._asserted.items()]
            for relation, rows in [*known, *self.layers.facts()]:
                since = rows.copy()
                np.maximum(since[:, -2], now, out=since[:, -2])
                since = since[since[:, -2] < since[:, -1]]
                if relation == TRIPLES:
                    since = self.layers.same.expand(self.layers.same.of(since))
                self._agenda.repeat(network, relation, since)
        self._state(program, now)

    def _state(self, program: Program, since: int) -> None:
        """Assert the facts of ``program``, from the cell ``since`` on."""
        for relation, texts in program.facts:
            ids = self.terms.encode_many(texts)
            self.terms.pin(ids)
            self._enter(relation, np.array([[*ids.tolist(), since, POS_INF]], np.int64))

    def _enter(self, relation: Relation, facts: Rows) -> None:
        """Asserted facts, (n, arity + 2)."""
        if self._asserted is not None:
            if relation not in self._asserted:
                self._asserted[relation] = Stem(relation.arity, instances=self._instances)
            self._asserted[relation].absorb(facts, self._agenda.bound)
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
        self.terms.touch(rows, hi)
        self._forget(batch.held)
        some = lo < hi
        if not some.all():  # a window of 0, or an interval that rounding empties
            rows, lo, hi = rows[some], lo[some], hi[some]
        self._push(rows, lo, hi)
        out.append(self.close(batch.frontier))
        return out

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

    def derives(self, relation: Relation) -> bool:
        """Whether a fact of ``relation`` was derived, of whatever time."""
        return any(
            table.facts.n > 0
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

    def _push(self, rows: Rows, lo: Column, hi: Column) -> None:
        if len(rows):
            facts = np.empty((len(rows), 5), np.int64)
            facts[:, :3] = rows
            facts[:, 3] = lo
            facts[:, 4] = hi
            self._enter(TRIPLES, facts)

    def _valid(self, start: Column, end: Column) -> tuple[Column, Column]:
        window = self.program.window
        last = POS_INF // 2 if window is None else start + window
        ticks = np.where(end == NO_END, last, end)
        return 2 * start, np.where(ticks >= POS_INF // 2, POS_INF, 2 * ticks)

    def _forget(self, held: Iterable[Column]) -> None:
        """Now and then, forget the terms that no row can mention any more."""
        if self.terms.due:
            bound = self._agenda.bound
            for network in self.layers.networks:
                network.forget(bound)
            for stem in (self._asserted or {}).values():
                stem.expire(bound)
            self.terms.sweep(bound, held)

    def _changes(self, blocks: list[Block]) -> Changes:
        return in_order(blocks, self.terms)
