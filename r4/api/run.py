"""A run: elements go in and are taken back, time moves, and changes come out."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from rdflib import Graph

from r4.answers.output_order import Changes
from r4.api.change import ChangeQueue
from r4.api.event_clock import EventClock, Instant
from r4.api.graph_terms import Statements, encode_statements, iri
from r4.api.possible_tracking import PossibleTracking
from r4.api.rulebook import DATA, check_type
from r4.engine.core import Core
from r4.errors import Counters
from r4.explain.question.journal import Journal
from r4.program.program import Program
from r4.run.driver import Driver
from r4.stream.batch import Batch
from r4.time.ticks import NO_END
from rete.arrays.delta import Rows

UNNAMED = "urn:r4:unnamed"
"""The name of elements that have none."""


class LibraryRun:
    """Feeds a core with what the user gives: statements, with points in time.

    Attributes:
        driver: takes the steps of the core.
        course: how far time has come.
        journal: what was asserted of late, if it is kept.
        outbox: what is to be told.
        counters: what was added, and what came too late.
        attached: the graphs that are followed.
        awaited: texts of the triples of graphs that were, when what it resumes was saved, and that
            will be attached again in that order.
        foretelling: possible answers, if they are asked for.
    """

    def __init__(
        self,
        core: Core,
        course: EventClock,
        journal: Journal | None,
        outbox: ChangeQueue,
        foretelling: PossibleTracking | None = None,
    ) -> None:
        self.driver = Driver(core)
        self.course = course
        self.journal = journal
        self.outbox = outbox
        self.counters = Counters()
        self.attached: list[Graph] = []
        self.awaited: list[list[str]] = []
        self.foretelling = foretelling

    @property
    def core(self) -> Core:
        """What reasons."""
        return self.driver.core

    def always(self, rows: Rows) -> None:
        """Triples (n, 3) that always hold; before time begins."""
        if self.foretelling is None:
            self.driver.assert_static(rows)
        else:
            self.foretelling.always(rows, self.core.terms)
        if self.journal is not None:
            self.journal.always(rows)

    def add_static(self, data: Statements) -> None:
        """Triples that always hold, as data."""
        if self.core.begun:
            message = "static data come before the first element"
            raise ValueError(message)
        rows = self.encode(data)
        self.counters.static += len(rows)
        self.always(rows)

    def join(self, program: Program) -> None:
        """Rules that join in."""
        if self.journal is not None:
            self.journal.join(self.course.frontier, facts=bool(program.facts))
        self.driver.join(program)

    def drop(self, rule: str | int) -> int:
        """Rules of this label or number that are there no longer; how many."""
        self.course.go_on()
        core = self.core
        labels, regime = core.program.labels, {emit.rule for emit in core.program.background}
        rules = {number for number, label in enumerate(labels, 1) if rule in {label, number}}
        rules -= regime
        changes = self.driver.drop(rules, self.course.frontier)
        if self.journal is not None:
            self.journal.since = max(self.journal.since, self.course.frontier)
        self._tell(changes)
        return len(rules)

    def add(
        self, data: Statements | Rows, at: Instant, until: Instant | None, name: str | None
    ) -> bool:
        """One element; whether it was in time."""
        course = self.course
        course.go_on()
        begin = course.stamp(at)
        stop = None if until is None else course.stamp(until, begin.kind)
        if stop is not None and (stop.tick, stop.rest) <= (begin.tick, begin.rest):
            message = f"an element ends after it starts: {at} to {until}"
            raise ValueError(message)
        if begin.tick < course.frontier:
            self.counters.late += 1
            return False
        rows, element = self.encode(data), self._name(name)
        course.reach(begin)
        self.counters.elements += 1
        self.counters.quads += len(rows)
        self._assert(rows, begin.tick, NO_END if stop is None else stop.tick, element)
        return True

    def _assert(self, rows: Rows, start: int, end: int, name: int) -> None:
        starts, ends, names = (np.full(len(rows), each) for each in (start, end, name))
        journal, frontier = self.journal, self.course.frontier
        held = (rows, names) if journal is None else (rows, names, journal.ids)
        batch = Batch(rows, starts, ends, frontier, self.course.last, held, names)
        if journal is not None:
            journal.note(batch, self.core.program.window, frontier)
        if self.foretelling is not None:
            self.begin()
            self.foretelling.reach()
        self._tell(self.driver.step(batch))
        self._completed()

    def _completed(self) -> None:
        if self.foretelling is not None:
            self.foretelling.completed()

    def retract(
        self,
        data: Statements | Rows | None,
        name: str | None,
        at: Instant | None,
        *,
        late: bool = False,
    ) -> int:
        """Take back elements of a name, or some triples of theirs; how many facts they were.

        What is late has no effect, but if it may be ``late`` it counts from the frontier on.
        """
        course = self.course
        course.go_on()
        if data is None and name is None:
            message = "say what is to be taken back: triples, or the name of an element"
            raise ValueError(message)
        element = self._name(name)
        rows = None if data is None else np.insert(self.encode(data), 3, element, axis=1)
        if at is not None:
            stamp = course.stamp(at)
            if stamp.tick >= course.frontier:
                course.reach(stamp)
            elif not late:
                self.counters.late += 1
                return 0
        self.begin()
        if self.foretelling is not None:
            self.foretelling.reach()
        names = np.array([element])
        done = self.driver.retract(names, rows, course.frontier, course.last)
        if self.journal is not None:
            self.journal.cut(names if rows is None else rows, course.frontier)
        self.counters.retractions += 1
        self.counters.without_effect += not done.has_effect
        self._tell(done.changes)
        self._completed()
        return done.count

    def advance(self, to: Instant) -> None:
        """Time has come to ``to``."""
        self.course.go_on()
        self.course.close(self.course.tick(to))
        self.begin()
        if self.foretelling is not None:
            self.foretelling.reach()
        self._tell(self.driver.advance(self.course.frontier, self.course.last))
        if self.foretelling is not None:
            self.foretelling.completed()
            self.foretelling.close()

    def finish(self, drain: str | int | None) -> None:
        """The input has ended."""
        self.course.go_on()
        ticks = None if drain is None else self.course.clock.scale.duration(str(drain))
        self.course.end()
        if self.foretelling is not None:
            self.begin()
            self.foretelling.close(drain=ticks != 0)
        self._tell([self.driver.finish(self.course.last, ticks)])

    def begin(self) -> None:
        """All static data are in."""
        if not self.core.begun:
            if self.foretelling is not None:
                self.driver = Driver(self.foretelling.core(self.core.program, self.core.terms))
            self._tell([self.driver.begin()])

    def encode(self, data: Statements | Rows) -> Rows:
        """The ids of triples, (n, 3), if they are none yet."""
        return (
            data if isinstance(data, np.ndarray) else encode_statements(data, self.core.terms, DATA)
        )

    def _name(self, name: str | None) -> int:
        check_type(name, str | None, "the name of an element is an IRI")
        return self.core.terms.encode(str(iri(UNNAMED if name is None else name)))

    def _tell(self, told: Iterable[Changes]) -> None:
        for changes in told:
            self.outbox.put(changes, self.core.program.labels)
