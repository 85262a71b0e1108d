"""A library run: elements are asserted and retracted, event time moves, changes come out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from logging import getLogger
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from r4.answers.output_order import Changes
from r4.answers.periodic_report import PeriodicReport
from r4.api.run.engine_lock import EngineLock
from r4.api.run.rulebook import check_type
from r4.api.values.change import ChangeQueue
from r4.api.values.event_clock import Admission, EventClock, Instant, Refused
from r4.api.values.graph_terms import Triples, read_ntriples
from r4.api.values.possible_answers import Possible, ProspectQueue
from r4.api.values.term_texts import iri
from r4.engine.core import Core
from r4.errors import Counters, Flaw
from r4.explain.question.assertion_journal import AssertionJournal
from r4.program.program import BACKGROUND, Program
from r4.run.run import Run
from r4.run.run_bounds import MemoryFull
from r4.run.settings import RunSettings
from r4.run.status import RunStatus, StatusMeter
from r4.sinks.output import NO_IDS
from r4.stream.batch import Batch
from r4.stream.windows import PredicateWindows
from r4.time.ticks import NO_END, Tick, wall_clock
from rete.arrays.delta import NEG_INF, Column, Rows
from rete.kernels.single.interface import ElementData
from rete.memory_limit import MemoryBound
from rete.terms.dictionary import Dictionary

if TYPE_CHECKING:
    from rdflib import Graph

    from r4.possible.tracking import PossibleTracking
    from temporal.hypothetical.rif_rules.reports.status_reports import StatusReports

Texts: TypeAlias = list[str]
"""The canonical texts of the terms of triples, three for each."""
LOG: Final = getLogger("r4")
"""The logger of the library; nothing is shown unless the user sets it up."""
UNNAMED = "urn:r4:unnamed"
"""The name of elements that have none."""


class AwaitedGraph:
    """A graph that was followed, and is still to be attached again.

    Its triples are texts, in an order; it is static if it is reference data.
    """

    __slots__ = ("is_static", "triples")

    def __init__(self, texts: Texts, *, is_static: bool) -> None:
        self.is_static = is_static
        self.triples = dict.fromkeys(_triples(texts))

    @property
    def texts(self) -> Texts:
        """The texts of its triples, three for each."""
        return [text for triple in self.triples for text in triple]

    def add(self, texts: Texts) -> None:
        """It had these triples, too."""
        self.triples.update(dict.fromkeys(_triples(texts)))

    def remove(self, texts: Texts) -> None:
        """It did not have these triples any more."""
        for triple in _triples(texts):
            self.triples.pop(triple, None)


def _triples(texts: Texts) -> Iterable[tuple[str, ...]]:
    return zip(*[iter(texts)] * 3, strict=True)


@dataclass(frozen=True, slots=True)
class _Queues:
    """The report of a run whose user takes changes out; ``labels`` gives the names of rules."""

    change_queue: ChangeQueue
    prospects: ProspectQueue
    labels: Callable[[], Sequence[str | int]]
    periodic: PeriodicReport | None

    def changes(self, changes: Changes, _: Tick | None = None) -> None:
        """Queue changes, or the reports at marks before them."""
        some = [changes] if self.periodic is None else self.periodic.changes(changes)
        self._put(some)

    def _put(self, some: Iterable[Changes]) -> None:
        for changes in some:
            self.change_queue.put(changes, self.labels())

    def possible(self, reports: StatusReports) -> None:
        self.prospects.put(reports)

    def advance(self, frontier: Tick, _: Tick | None = None) -> None:
        """Queue the reports at marks that time has passed; changes have their own times."""
        if self.periodic is not None:
            self._put(self.periodic.advance(frontier))

    @property
    def needed_ids(self) -> Column:
        """The ids that the periodic report needs."""
        return NO_IDS if self.periodic is None else self.periodic.needed_ids


class EngineRun:
    """A run that is fed with statements and points in time of the user.

    Attributes:
        run: takes the steps.
        event_clock: how far event time has come.
        journal: the last triples that ended; None: there is no journal.
        change_queue: the changes that the user has not taken out.
        periodic: makes reports at marks of time of them; None: there are none.
        prospects: the changes of status of possible facts that the user has not taken out.
        counters: what was added, and what came too late.
        followed_graphs: the graphs that are followed.
        static_graphs: those of them that are reference data.
        awaited_graphs: of graphs that were followed when the state it resumes was saved, whether
            they were static, and texts of their triples; they will be attached again in that order.
        tracking: follows possible answers; None: they are not followed.
        lock: is held by whoever calls a method.
    """

    def __init__(  # noqa: PLR0913 - what it depends on
        self,
        program: Program,
        terms: Dictionary,
        settings: RunSettings,
        event_clock: EventClock,
        *,
        tracking: PossibleTracking | None,
        journal: int,
        resumes: bool,
    ) -> None:
        """Begin; nothing is asserted but the facts of ``program``.

        ``journal`` triples are kept after they ended, for explanations; if the run ``resumes``, a
        saved state is restored next.
        """
        self.tracking = tracking
        instances, ops = settings.instances, settings.ops
        self.change_queue = ChangeQueue(terms, event_clock, instances=instances, ops=ops)
        self.prospects = ProspectQueue(event_clock)
        self.periodic = None
        if settings.report is not None:
            given = settings.report, terms, event_clock.clock
            self.periodic = PeriodicReport(*given, lambda: event_clock)
        labels = lambda: self.core.program.labels  # noqa: E731
        report = _Queues(self.change_queue, self.prospects, labels, self.periodic)
        self.run = Run(program, terms, settings, report, tracking=tracking, resumes=resumes)
        self.event_clock = event_clock
        terms.clock = event_clock.clock
        # Without a window, what metric rules read holds at an instant alone.
        lasts = 1 if program.window is None and program.metric else program.window
        within = settings.retract_within
        self.journal = AssertionJournal(journal, lasts, within) if journal else None
        self._windows = PredicateWindows(program.windows, terms)
        self._takes_batches = (
            settings.memory is not None
            or self.journal is not None
            or self.periodic is not None
            or tracking is not None
        )
        self._unnamed = self._sweeps = 0
        self.counters = Counters()
        self._meter = StatusMeter(wall_clock(event_clock.clock.scale))
        self.followed_graphs: list[Graph] = []
        self.static_graphs: list[Graph] = []
        self.awaited_graphs: list[AwaitedGraph] = []
        self.lock = EngineLock()

    @property
    def core(self) -> Core:
        """The core of the run."""
        return self.run.core

    def assert_static(self, rows: Rows) -> None:
        """Assert triples (n, 3) that always hold; before time begins."""
        self.run.assert_static(rows)
        if self.journal is not None:
            self.journal.extend_static(rows, NEG_INF)

    def add_static(self, data: Triples) -> None:
        """Assert triples that always hold, or from the frontier on; they are counted."""
        self.event_clock.check_open()
        rows, clock = self.encode(data), self.event_clock
        self.core.check_range_ends(rows)
        self.counters.static += len(rows)
        if not self.core.begun:
            self.assert_static(rows)
            return
        if self.journal is not None:
            self.journal.extend_static(rows, clock.frontier)
        needed = () if self.journal is None else (self.journal.ids,)
        self.run.extend_static(rows, clock.frontier, clock.last, needed)

    def remove_static(self, data: Triples) -> int:
        """Let static triples hold up to the frontier, and no longer; how many were there."""
        self.event_clock.check_open()
        rows, clock = self.encode(data), self.event_clock
        ended = self.run.end_static(rows, clock.frontier, clock.last)
        if self.journal is not None:
            self.journal.end_static(rows, clock.frontier)
        self.counters.without_effect += not ended.has_effect
        return ended.count

    def next_awaited(self, *, is_static: bool) -> AwaitedGraph | None:
        """What the graph that is attached again had; None: it is a new one.

        Raises:
            ValueError: it was attached in another way.
        """
        if not self.awaited_graphs:
            return None
        awaited = self.awaited_graphs[0]
        if awaited.is_static != is_static:
            kind = "static" if awaited.is_static else "not static"
            message = f"the graph that was attached in this place was {kind}"
            raise ValueError(message)
        del self.awaited_graphs[0]
        return awaited

    def close_ranges(self) -> None:
        """Close static data, if the ends of ranges hang on them, before rules are changed."""
        if self.core.program.open_ends is not None:
            self.run.begin()

    def join(self, program: Program) -> None:
        """Add rules to those that run."""
        if self.journal is not None:
            self.journal.join(self.event_clock.frontier, facts=bool(program.facts))
        self.run.driver.join(program)

    def drop(self, rule: str | int) -> int:
        """Drop the rules of this label or number; how many they were."""
        self.event_clock.check_open()
        core = self.core
        clauses = zip(core.program.labels, core.program.places, strict=True)
        rules = {
            number
            for number, (label, place) in enumerate(clauses, 1)
            if rule in {label, number} and place.document != BACKGROUND
        }
        self.run.drop(rules, self.event_clock.frontier)
        if self.journal is not None:
            self.journal.since = max(self.journal.since, self.event_clock.frontier)
        return len(rules)

    def add(
        self, data: Triples | str | Rows, at: Instant, until: Instant | None, name: str | None
    ) -> Admission:
        """Assert an element; whether it counts."""
        if not isinstance(data, np.ndarray):
            added = self.add_rows(data, at, until, name)
            if added is not None:
                return added
        event_clock = self.event_clock
        event_clock.check_open()
        begin = event_clock.stamp(at)
        stop = None if until is None else event_clock.stamp(until, begin.kind)
        if stop is not None and (stop.tick, stop.rest) <= (begin.tick, begin.rest):
            message = f"an element ends after it starts: {at} to {until}"
            raise ValueError(message)
        self.counters.rounded += bool(begin.rest) + (stop is not None and bool(stop.rest))
        if begin.tick < event_clock.frontier:
            return self._late(at, "element")
        if event_clock.is_ahead(begin.tick):
            return self._ahead(at, "element")
        self._make_room()
        rows, element = self.encode(data), self._name(name)
        event_clock.reach(begin)
        self.counters.elements += 1
        self.counters.quads += len(rows)
        self._assert(rows, begin.tick, NO_END if stop is None else stop.tick, element)
        return True

    @property
    def takes_rows(self) -> bool:
        """Whether `add_rows` may take in elements now."""
        return not self._takes_batches and self.run.driver.single.may_read

    def add_rows(
        self, data: ElementData, at: Instant, until: Instant | None, name: str | None
    ) -> Admission | None:
        """`add` an element row by row, where that is quicker; None: it has to be a batch."""
        if self._takes_batches:
            return None
        clock, single = self.event_clock, self.run.driver.single
        clock.check_open()
        end, rounded, tick = NO_END, 0, clock.plain_tick(at)
        if tick is None or until is not None:
            begin = clock.stamp(at)
            tick, rounded = begin.tick, int(bool(begin.rest))
            if until is not None:
                stop = clock.stamp(until, begin.kind)
                end, rounded = stop.tick, rounded + bool(stop.rest)
                if (end, stop.rest) <= (tick, begin.rest):
                    return None
        if tick < clock.frontier or clock.is_ahead(tick) or not single.read(data):
            return None
        element = self._name_of_none() if name is None else self._name(name)
        counters = self.counters
        counters.rounded += rounded
        counters.elements += 1
        counters.quads += single.triples
        clock.reach_tick(tick)
        answers = single.take(tick, end, element, clock)
        if answers is None:
            self.run.report_final()
        elif answers:
            self.change_queue.put_rows(answers, self.core.program.labels)
        return True

    def _late(self, at: Instant, what: str) -> Refused:
        """Count and log that what came ``at`` a time was late."""
        self.counters.late += 1
        refused = Refused("late", at, self.event_clock.instant(self.event_clock.frontier), what)
        LOG.warning("%s", refused)
        return refused

    def _ahead(self, at: Instant, what: str) -> Refused:
        """Count and log that what came ``at`` a time was too far ahead."""
        self.counters.bad[Flaw.AHEAD.code] += 1
        refused = Refused("ahead", at, self.event_clock.instant(self.event_clock.farthest), what)
        LOG.warning("%s", refused)
        return refused

    def _make_room(self) -> None:
        """Forget what may be forgotten, if memory is short."""
        self.run.bounds.may_read(self._forget, waits=False)

    def _forget(self) -> None:
        if self.core.begun:
            self.core.forget(() if self.journal is None else (self.journal.ids,))

    def _assert(self, rows: Rows, start: int, end: int, name: int) -> None:
        starts, ends, names = np.empty((3, len(rows)), np.int64)
        starts[:], ends[:], names[:] = start, end, name
        ends = self._windows.ends(rows, starts, ends)
        journal, frontier = self.journal, self.event_clock.frontier
        needed_ids = (rows, names) if journal is None else (rows, names, journal.ids)
        batch = Batch(
            *(rows, starts, ends, frontier, self.event_clock.last, needed_ids, names),
            late_before=self.run.late_bounds,
            late_after=(frontier,),
            first=self.event_clock.first,
        )
        if journal is not None:
            journal.note(batch, frontier)
        if self.tracking is not None:
            self.run.begin()
        self.run.take(batch)

    def retract(
        self,
        data: Triples | Rows | None,
        name: str | None,
        at: Instant | None,
        *,
        late: bool = False,
    ) -> int:
        """Retract the elements of a name, or some of their triples; how many facts they were.

        What is late, or too far ahead, has no effect; but with ``late`` it counts from the frontier
        on.
        """
        event_clock = self.event_clock
        event_clock.check_open()
        if data is None and name is None:
            message = "say what is to be taken back: triples, or the name of an element"
            raise ValueError(message)
        element = self._name(name)
        rows = None if data is None else np.insert(self.encode(data), 3, element, axis=1)
        if at is not None:
            stamp = event_clock.stamp(at)
            if event_clock.is_ahead(stamp.tick):
                self._ahead(at, "stamp of the retraction" if late else "retraction")
                if not late:
                    return 0
            elif stamp.tick >= event_clock.frontier:
                event_clock.reach(stamp)
            elif not late:
                self._late(at, "retraction")
                return 0
        names = np.array([element])
        self.core.progress.first = event_clock.first
        retraction = self.run.retract(names, rows, event_clock.frontier, event_clock.last)
        if self.journal is not None:
            self.journal.cut(names if rows is None else rows, event_clock.frontier)
        self.counters.retractions += 1
        self.counters.without_effect += not retraction.has_effect
        return retraction.count

    def advance(self, to: Instant) -> None:
        """Move event time to ``to``."""
        self.event_clock.check_open()
        self.event_clock.close(self.event_clock.tick(to))
        self._moved()
        self.run.close_stamp()

    def heartbeat(self, at: Instant, *, by_clock: bool = False) -> None:
        """Let event time come to ``at``, as by an element; ``by_clock``: however far it is."""
        self.event_clock.check_open()
        stamp = self.event_clock.stamp(at)
        if not by_clock and self.event_clock.is_ahead(stamp.tick):
            self._ahead(at, "heartbeat")
        elif stamp.tick > self.event_clock.last:
            self.event_clock.reach(stamp)
            self._moved()

    def _moved(self) -> None:
        """Close what the frontier has passed."""
        self.core.progress.first = self.event_clock.first
        self.run.advance(self.event_clock.frontier, self.event_clock.last)

    def finish(self, drain: str | int | None) -> None:
        """End the input; ``drain`` as of `r4.api.Engine.finish`."""
        self.event_clock.check_open()
        ticks = None if drain is None else self.event_clock.clock.scale.duration(str(drain))
        self.event_clock.end()
        if self.tracking is not None:
            self.run.begin()
        self.run.finish(self.event_clock.last, ticks)

    def status(self) -> RunStatus:
        """Where the run is."""
        clock = self.event_clock
        return self._meter.measure(
            *(self.core, clock, clock.clock, self.counters, self.change_queue.added),
            ended=not clock.is_open,
        )

    def possible_answers(self) -> list[Possible]:
        """The answers that are possible now."""
        reports = None if self.tracking is None else self.tracking.reports
        answers = [] if reports is None else reports.possible()
        return [self.prospects.possible(each) for each in answers]

    @property
    def dropped(self) -> int:
        """How many sets of hypotheses were dropped, as there were too many."""
        reports = None if self.tracking is None else self.tracking.reports
        return 0 if reports is None else reports.dropped

    def encode(self, data: Triples | str | Rows) -> Rows:
        """The ids of triples, (n, 3); rows are ids already, a text is N-Triples."""
        if isinstance(data, np.ndarray):
            return data
        if isinstance(data, str):
            data = data.encode()
        if isinstance(data, bytes):
            try:
                return read_ntriples(data, self.core.terms, self.run.bounds.check)
            except MemoryBound as error:
                raise MemoryFull(str(error)) from None
        return self.core.terms.encode_many(data).reshape(-1, 3)

    def _name_of_none(self) -> int:
        """The id of the name of elements that have none."""
        terms = self.core.terms
        if not self._unnamed or self._sweeps != terms.sweeps:
            self._unnamed, self._sweeps = self._name(None), terms.sweeps
        return self._unnamed

    def _name(self, name: str | None) -> int:
        check_type(name, str | None, "the name of an element is an IRI")
        return self.core.terms.encode(str(iri(UNNAMED if name is None else name)))
