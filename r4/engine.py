"""The engine: batches of facts in, changes of what follows out."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from r4.answers import Block, Ledger
from r4.arrivals import Arrivals
from r4.changes import ERROR, NOTHING, Changes, in_order
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
from rete.nodes.terminal import FactTable
from rete.plan import TRIPLES, Relation
from rete.saved import Given, Mask, State
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
        arrival: bool = False,
        resumes: bool = False,
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
            arrival: whether changes are told as soon as time reaches them; then each element should
                be a batch of its own.
            resumes: whether it goes on from a saved state: `rebuild` and `restore` come next.
        """
        self.program = program
        self.terms = terms
        self._instances = instances
        self.layers = self._layers(instances=instances)
        self.network = self.layers.generic[0]
        self.frontier = NEG_INF
        self._arrivals = Arrivals(instances=instances) if arrival else None
        self._ledger = self._arrivals or Ledger(instances=instances)
        emits = (*program.emits, *program.background)
        self.negates = any(negates(emit.source) for emit in emits)
        if retracts or keep or self.negates:
            self.layers.asserts = Asserted(instances=instances)
        self._agenda = Agenda(
            *(self.layers, self._ledger.tell, limit), lost=self._ledger.lose, begins=not resumes
        )
        if keep or self.negates:
            self._agenda.maintain()
        self._keep = keep
        self._withdrawn = 0
        self.without_effect = 0
        self.begun = False
        self._history: list[tuple[int, ...] | None] = []
        self._watch()
        if not resumes:
            self._state(program, NEG_INF)

    def add(self, program: Program) -> None:
        """Rules that join in: they see what is asserted from now on; if kept, all that still holds.

        Their facts hold from the frontier on, and so does what they derive. ``program`` is compiled
        with the numbers that follow those of the rules so far; its window does not count.
        """
        self._agenda.run()
        if any(negates(emit.source) for emit in program.emits):
            self._agenda.maintain()
        now = 2 * self.frontier if self.frontier > NEG_INF else NEG_INF
        network = self._join(program)
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

    def _join(self, program: Program) -> Network:
        """The network of rules that join in."""
        self.negates = self.negates or any(negates(emit.source) for emit in program.emits)
        self.program = replace(
            self.program,
            labels=self.program.labels + program.labels,
            places=self.program.places + program.places,
            emits=self.program.emits + program.emits,
            facts=self.program.facts + program.facts,
        )
        network = Network(
            program.emits, self.terms, instances=self._instances, before=self.layers.networks
        )
        self.layers.add(network)
        self._watch()
        self._history.append(None)
        return network

    def drop(self, rules: Container[int]) -> None:
        """Rules and facts of these numbers that are there no longer, from the frontier on.

        What they gave goes as if it were retracted; answers that end by that name them still.
        """
        self._agenda.run()
        self._agenda.maintain()
        numbers = range(1, len(self.program.labels) + 1)
        gone = tuple(number for number in numbers if number in rules)
        given = self._leave(gone)
        self._agenda.rearrange()
        for table, rule in given:
            self._agenda.disown(table, rule)
        asserts = self.layers.asserts
        assert asserts is not None
        names = -np.array(gone, np.int64)
        self._withdraw(asserts.take(names, self._agenda.bound))

    def _leave(self, rules: tuple[int, ...]) -> list[tuple[FactTable, int]]:
        """Take ``rules`` out of the networks; the tables they gave facts to."""
        emits = tuple(emit for emit in self.program.emits if emit.rule not in rules)
        self.program = replace(self.program, emits=emits)
        self._history.append(rules)
        return [each for network in self.layers.generic for each in network.drop(rules)]

    def saved(self) -> State:
        """All that it is to go on with, but for its program and its terms."""
        self._agenda.run()
        return {
            "frontier": self.frontier,
            "begun": self.begun,
            "without_effect": self.without_effect,
            "withdrawn": self._withdrawn,
            "history": [
                {} if rules is None else {"dropped": np.array(rules, np.int64)}
                for rules in self._history
            ],
            "layers": self.layers.saved(),
            "agenda": self._agenda.saved(),
            "ledger": self._ledger.saved(self.layers.all_tables),
        }

    def rebuild(self, given: Given, joined: Iterator[Program]) -> None:
        """Let rules join and leave as they did until ``given`` was saved; they derive nothing."""
        for step in given.parts("history"):
            if "dropped" in step:
                self._leave(tuple(step.array("dropped", np.int64, None).tolist()))
            else:
                self._join(next(joined))

    def restore(self, given: Given, alive: Mask) -> None:
        """Go on from what was saved of a core that was built alike; see `rebuild`."""
        self.frontier = given.whole("frontier", NEG_INF, _FAR + 1)
        self.begun = given.flag("begun")
        self.without_effect = given.whole("without_effect", 0)
        self._withdrawn = given.whole("withdrawn", 0)
        self.layers.restore(given.part("layers"), alive)
        self._agenda.restore(given.part("agenda"))
        self._ledger.restore(given.part("ledger"), self.layers.all_tables, alive)

    def _watch(self) -> None:
        """Let it be told which rule gives an answer, where answers are told before they are final.

        Once for every network.
        """
        if self._arrivals is not None:
            self._arrivals.unite()
            for network in self.layers.networks:
                for table in network.tables:
                    table.watch = self._arrivals.shift if table.answers else None

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
        final = self._changes(self._ledger.close(NEG_INF))
        return final if self._arrivals is None else self.arrived(NEG_INF)

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
        """Take in a batch; what became final by it, or is due if it completes an element, in order.

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
        if batch.completes and self._arrivals is not None:
            out.append(self.arrived(batch.last))
        return out

    def _take_back(self, batch: Batch) -> None:
        asserts = self.layers.asserts
        assert asserts is not None
        names = np.unique(batch.retracts)
        self.without_effect += len(names) - asserts.known(names, self._agenda.bound)
        self.retract(names)
        if len(batch.taken):
            rows = np.unique(batch.taken, axis=0)
            known = asserts.known_rows(TRIPLES, self._mapped(rows), self._agenda.bound)
            self.without_effect += len(rows) - known
            self.retract_rows(rows)

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
        facts = asserts.take_rows(TRIPLES, self._mapped(rows), self._agenda.bound)
        return self._withdraw([(TRIPLES, facts)])

    def _mapped(self, rows: Rows) -> Rows:
        """Triples with a name, (n, 4), as the base table has them."""
        timed = np.zeros((len(rows), 5), np.int64)
        timed[:, :3] = rows[:, :3]
        return np.column_stack((self.layers.same.of(timed)[:, :3], rows[:, 3]))

    def _withdraw(self, lost: Iterable[tuple[Relation, Rows]]) -> int:
        self._agenda.run()
        self._withdrawn += 1  # of what is asserted otherwise, too, at least a name is gone
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

    def arrived(self, last: int) -> Changes:
        """An element is complete and ``last`` the largest stamp: what is to be told and undone.

        Nothing, where only what is final is told.
        """
        if self._arrivals is None:
            return NOTHING
        self._agenda.run()
        return self._arrivals.due(last, self.terms)

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
        final = self.close(max(until + 1, self.frontier))
        return final if self._arrivals is None else self.arrived(NEG_INF)

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
        told = () if self._arrivals is None else (self._arrivals.held,)
        self.terms.sweep(bound, (*held, *told))

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
