"""The engine: batches of facts in, changes of what follows out."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from r4.assertions import Assertions
from r4.changes import ERROR, NOTHING, Changes
from r4.compile import Program
from r4.forgetting import expire, forget_names, remembered
from r4.including import STATE
from r4.ruleset import Ruleset
from r4.streams import NO_END, Batch
from r4.telling import Teller
from rete.agenda import Agenda
from rete.asserted import Asserted
from rete.delta import NEG_INF, POS_INF, Column, Rows
from rete.dictionary import Dictionary
from rete.layers import Layers
from rete.network import Network
from rete.nodes.calls import Outside, summed
from rete.nodes.terminal import FactTable
from rete.plan import METRIC, TRIPLES, Relation
from rete.reach import measure
from rete.saved import Given, Mask, State
from rete.strata import negates

if TYPE_CHECKING:
    from r4.possible.foresight import Foresight

_MANY: Final = 1000
"""So many facts may be taken back before terms are forgotten for that."""
_FAR: Final = 2**61 - 1
"""After every finite tick, and its cell still a finite one."""
_AROUND: Final = 4
"""Cells around a time that belong to it: its closure, and that of what touches it."""
_AHEAD: Final = 2**61
"""So many cells before the frontier nothing is final."""


class Core:
    """A program running: the network, its clock, and what is still to be told.

    All in ids and ticks; `r4.api.Engine` speaks RDF.

    Attributes:
        terms: the dictionary that all ids belong to.
        layers: its networks: nodes and their state.
        network: that of the rules it began with.
        assertions: the way in for facts.
        teller: tells answers.
        foresight: what is possible; None: nobody asks.
        frontier: instants before it are closed; `NEG_INF` before the first.
        begun: whether all static data are in.
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
        foresight: Foresight | None = None,
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
            foresight: is told what becomes of possible answers, whose rules are in ``program``;
                None: there are none.
        """
        self.terms = terms
        self._rules = Ruleset(program, terms, instances=instances)
        self._lag, self._beyond = 0, 2
        self._final = self._last = NEG_INF
        self.layers: Layers = self._rules.layers
        self.layers.late = dict(program.neighbours.late)
        self.network: Network = self.layers.generic[0]
        if retracts or keep or self.negates:
            self.layers.asserts = Asserted(instances=instances)
        state = bool(program.given)
        self.teller = Teller(self.layers, terms, instances=instances, arrival=arrival, state=state)
        self.foresight = foresight
        if foresight is not None:
            foresight.attach(self.layers)
        self._agenda = Agenda(self.layers, self._gained, limit, lost=self._lost, begins=not resumes)
        self._read_at_ticks()
        if keep or self.negates:
            self._agenda.maintain()
        taken = None if foresight is None else foresight.take_back
        self.assertions = Assertions(self.layers, self._agenda, terms, taken, state=state)
        self._keep = keep
        self.frontier = NEG_INF
        self.begun = False
        if not resumes and self.layers.statics is None:
            self.assertions.facts_of(program, NEG_INF)

    def _gained(self, table: FactTable, rows: Rows) -> None:
        """A table of answers gained ``rows``."""
        if self.foresight is not None:
            self.foresight.gain(table, rows)
            if self.foresight.reads(table.relation):
                self._agenda.derived -= len(rows)
                return
        if table.relation.whole == STATE:
            self._agenda.derived -= len(rows)  # if they are derived, they were counted as that
        if table.ticks is not None:
            rows = table.ticks.gain(rows, self._agenda.bound)
        if len(rows):
            self.teller.gain(table.told, rows)

    def _lost(self, table: FactTable, rows: Rows) -> None:
        """A table of answers lost ``rows``."""
        if self.foresight is not None:
            self.foresight.lose(table, rows)
            if self.foresight.reads(table.relation):
                return
        if table.ticks is not None:
            rows = table.ticks.lose(rows, self._agenda.bound)
        if len(rows):
            self.teller.lose(table.told, rows)

    def _read_at_ticks(self) -> None:
        """With metric operators, what tables hold is rounded to ticks, and final later."""
        if self._rules.metric:
            tables = [table for table in self.layers.all_tables if table.answers]
            if self.foresight is not None:
                tables = [table for table in tables if not self.foresight.reads(table.relation)]
            own = max((table.late for table in tables), default=0)
            self._lag = min(max(own, self.program.neighbours.lag), _AHEAD)
            for table in tables:
                table.read_at_ticks().lag = self._lag

    def keep_past(self) -> None:
        """From now on keep all that answers may hang on, for who asks why they held.

        Where they hang on each other through time, that is all there is; and what follows without
        end is derived a little further than time is, so that it is seen to go on.
        """
        reach = self.program.reach
        far = reach.back + self.lookahead
        self.layers.past = POS_INF if math.isinf(far) else 2 * int(far) + _AROUND
        measure(self.layers)
        plans = (plan for network in self.layers.networks for plan in network.streams)
        ends = (end for plan in plans if isinstance(plan, METRIC) for end in plan.rho)
        self._beyond = 2 * max((end for end in ends if end < POS_INF), default=0) + _AROUND

    @property
    def program(self) -> Program:
        """What runs."""
        return self._rules.program

    @property
    def negates(self) -> bool:
        """Whether some rule has a negated condition, so that what is derived may be lost."""
        return self._rules.negates

    def add(self, program: Program) -> None:
        """Rules that join in: they see what is asserted from now on; if kept, all that still holds.

        Their facts hold from the frontier on, and so does what they derive. ``program`` is compiled
        with the numbers that follow those of the rules so far; its window does not count.
        """
        self._agenda.run()
        if any(negates(emit.source) for emit in program.emits):
            self._agenda.maintain()
        now = 2 * self.frontier if self.frontier > NEG_INF else NEG_INF
        network = self._rules.join(program)
        self._agenda.admit(network, now)
        self._read_at_ticks()
        self.teller.watch()
        if self._keep:
            self.assertions.repeat(network)
        self.assertions.facts_of(program, now)

    def drop(self, rules: Container[int]) -> None:
        """Rules and facts of these numbers that are there no longer, from the frontier on.

        What they gave goes as if it were retracted; answers that end by that name them still.
        """
        self._agenda.run()
        self._agenda.maintain()
        numbers = range(1, len(self.program.labels) + 1)
        gone = tuple(number for number in numbers if number in rules)
        given = self._rules.leave(gone)
        self._agenda.rearrange()
        for table, rule in given:
            self._agenda.disown(table, rule)
        self.assertions.retract_facts_of(gone)

    def assert_static(self, rows: Rows) -> None:
        """Triples (n, 3) that always hold; before `begin` only."""
        assert not self.begun
        self.terms.pin(rows.ravel())
        self.assertions.triples(rows, *_always(len(rows)))

    def assert_part(
        self, relation: Relation, rows: Rows, start: Column, end: Column, names: Column
    ) -> None:
        """Facts of a relation, (n, arity), as those of a batch; they hold always, or none does."""
        if len(rows) and start[0] == NEG_INF:
            self.terms.pin(rows.ravel())
            lo, hi = _always(len(rows))
        else:
            lo, hi = self._valid(start, end)
            self.terms.touch(rows, hi)
            self.terms.touch(names.reshape(-1, 1), hi)
        some = lo < hi
        facts = np.column_stack((rows, lo, hi))[some]
        self.assertions.enter(relation, facts, names[some])

    def begin(self) -> Changes:
        """All static data is in: what follows from it alone. Called once, by `step` if need be."""
        self.close_static()
        final = self.teller.close(NEG_INF)
        return final if self.teller.arrivals is None else self.arrived(NEG_INF)

    def close_static(self) -> None:
        """Derive all that follows from static data alone; nothing static may come after it.

        Raises:
            LimitReached: it is more than ``limit``; called again it goes on.
        """
        statics = self.layers.statics
        if statics is not None and statics.open:
            self.close_background()
            self.assertions.raise_statics(statics)
            self.assertions.facts_of(self.program, NEG_INF)
        self.begun = True
        self.derive()
        self.assertions.withdrawn += 1

    def close_background(self) -> None:
        """Derive what the rules of the background say of static data; those of the user follow.

        So no rule or fact that may be dropped makes terms the same for ever.

        Raises:
            LimitReached: it is more than ``limit``; called again it goes on.
        """
        self.begun = True
        self.derive()
        statics = self.layers.statics
        while statics is not None and len(again := statics.united()):
            if self.layers.asserts is not None:
                self.layers.asserts.translate(TRIPLES, self.layers.same)
            self._agenda.push(TRIPLES, again)
            self.derive()
        forget_names(self.layers)

    def derive(self, until: int = NEG_INF) -> None:
        """Derive what follows; where it has no end, up to the tick ``until`` or the last stamp.

        Raises:
            LimitReached: it is more than ``limit``; called again it goes on.
        """
        if self.program.reach.derives_on:
            ticks = max(self.frontier, self._last, until)
            end = min(2 * ticks + self._lag + self._beyond, POS_INF) if ticks > NEG_INF else NEG_INF
            now = self._agenda.horizon
            if now is None or now[1] < end:
                self._agenda.widen((NEG_INF, end))
        self._agenda.run()

    def step(self, batch: Batch) -> list[Changes]:
        """Take in a batch; what became final by it, or is due if it completes an element, in order.

        What follows from static data comes first, in changes of its own, once. The ids of changes
        mean something until the next step, when terms may be forgotten.

        Raises:
            LimitReached: rules derive more than ``limit`` facts from it.
        """
        rows = batch.rows
        self._last = max(self._last, batch.last)
        if len(rows) and batch.start[0] == NEG_INF:
            self.assert_static(rows)
            return []
        out = [] if self.begun else [self.begin()]
        lo, hi = self._valid(batch.start, batch.end)
        names = batch.names if len(batch.names) else None
        self.tidy((*batch.held, rows, batch.names, batch.retracts, batch.taken[:, :3]))
        self.terms.touch(rows, hi)
        if names is not None:
            self.terms.touch(names.reshape(-1, 1), hi)
        if batch.takes_back:
            out.append(self.close(batch.frontier))
            self.assertions.take_back(batch)
        some = lo < hi
        if not some.all():  # a window of 0, or an interval that rounding empties
            rows, lo, hi = rows[some], lo[some], hi[some]
            names = None if names is None else names[some]
        self.assertions.triples(rows, lo, hi, names)
        out.append(self.close(batch.frontier))
        if batch.completes and self.teller.arrivals is not None:
            out.append(self.arrived(batch.last))
        return out

    def _valid(self, start: Column, end: Column) -> tuple[Column, Column]:
        """The valid time of facts, in cells."""
        window = self.program.window
        last = POS_INF // 2 if window is None else start + window
        ticks = np.where(end == NO_END, last, end)
        hi = np.where(ticks >= POS_INF // 2, POS_INF, 2 * ticks)
        if window is None and self.program.metric:
            hi = np.where(end == NO_END, 2 * start + 1, hi)
        return 2 * start, hi

    def retract(self, names: Column) -> int:
        """Take back what elements of these names assert, from the frontier on; how many facts.

        What has no name (0) is never taken back: static data, facts of rules.

        From there all is as if it had never been asserted.
        """
        return self.assertions.retract(names)

    def retract_rows(self, rows: Rows) -> int:
        """Take back single triples with the names of their elements, (n, 4), likewise."""
        return self.assertions.retract_rows(rows)

    def close(self, frontier: int) -> Changes:
        """Close all instants before ``frontier``; what is final by that, in order."""
        self.derive(frontier)
        self.frontier = max(frontier, self.frontier)
        cell = 2 * self.frontier - self._lag
        if cell <= self._final:
            return NOTHING
        self._final = cell
        final = self.teller.close(cell - 1)
        self._agenda.bound = 2 * self.frontier
        return final

    def arrived(self, last: int) -> Changes:
        """An element is complete and ``last`` the largest stamp: what is to be told and undone.

        Nothing, where only what is final is told.
        """
        self.derive(last)
        return self.teller.arrived(last)

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
            return NOTHING
        self.end()
        final = self.close(end_of(last, drain))
        return final if self.teller.arrivals is None else self.arrived(NEG_INF)

    def end(self) -> None:
        """The input has ended: nothing comes that could change what was."""
        self._lag = 0

    def tidy(self, held: Iterable[Column] = ()) -> None:
        """`forget`, if it is due."""
        if self.terms.due or self.assertions.withdrawn > max(_MANY, len(self.terms)):
            self.forget(held)

    def forget(self, held: Iterable[Column] = ()) -> None:
        """Forget what ended, and the terms that no row can mention any more.

        Args:
            held: ids that are needed though no row mentions them yet, in arrays of any shape.
        """
        bound = self._agenda.bound
        expire(self.layers, bound)
        # What was to hold longer is gone, or what operators made of it is held longer.
        if self.assertions.withdrawn or self._rules.metric:
            self.terms.untouch()
            for rows in remembered(self.layers):
                ends = np.full(len(rows), POS_INF) if self._rules.metric else rows[:, -1].copy()
                self.terms.touch(np.ascontiguousarray(rows[:, :-2]), ends)
            self.assertions.withdrawn = 0
        foreseen = () if self.foresight is None else (self.foresight.held,)
        self.terms.sweep(bound, (*held, self.teller.held, *foreseen))

    @property
    def lookahead(self) -> float:
        """How many ticks after an instant its answers are final; infinity: at the end."""
        return math.inf if self._lag >= _AHEAD else self._lag // 2

    @property
    def inconsistent(self) -> bool:
        """Whether ``rif:error()`` was derived, of whatever time."""
        return self.derives(ERROR)

    @property
    def derived(self) -> int:
        """How many facts were derived so far."""
        return self._agenda.derived

    @property
    def overdeleted(self) -> int:
        """How many rows of facts were deleted so far, those that were derived again included."""
        return self._agenda.overdeleted

    @property
    def without_effect(self) -> int:
        """How many names and triples were to be taken back and were not there."""
        return self.assertions.without_effect

    def outside(self) -> list[Outside]:
        """What was outside the domain of a built-in so far, by its IRI."""
        return summed(part for network in self.layers.networks for part in network.outside())

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

    def saved(self) -> State:
        """All that it is to go on with, but for its program and its terms."""
        self._agenda.run()
        return {
            "frontier": self.frontier,
            "begun": self.begun,
            "without_effect": self.without_effect,
            "withdrawn": self.assertions.withdrawn,
            "history": self._rules.saved(),
            "layers": self.layers.saved(),
            "agenda": self._agenda.saved(),
            "ledger": self.teller.saved(),
        }

    def rebuild(self, given: Given, joined: Iterator[Program]) -> None:
        """Let rules join and leave as they did until ``given`` was saved; they derive nothing."""
        self._rules.rebuild(given.parts("history"), joined)
        self._read_at_ticks()
        self.teller.watch()

    def restore(self, given: Given, alive: Mask) -> None:
        """Go on from what was saved of a core that was built alike; see `rebuild`."""
        self.frontier = given.whole("frontier", NEG_INF, _FAR + 1)
        self.begun = given.flag("begun")
        self.assertions.without_effect = given.whole("without_effect", 0)
        self.assertions.withdrawn = given.whole("withdrawn", 0)
        self.layers.restore(given.part("layers"), alive)
        self._agenda.restore(given.part("agenda"))
        self._read_at_ticks()
        self._final = max(2 * self.frontier - self._lag, NEG_INF)
        self.teller.restore(given.part("ledger"), alive)


def end_of(last: int, drain: int | None) -> int:
    """The instants before it are closed at the end, as of `Core.finish`."""
    return (_FAR if drain is None else last + drain) + 1


def _always(count: int) -> tuple[Column, Column]:
    """The valid time of so many facts that always hold, in cells."""
    return np.full(count, NEG_INF), np.full(count, POS_INF)
