"""What a run reads when its input is a sequence of events: reads, silence, moves of the clock.

One event at a time, by the definitions: elements are complete when something completes them; what
is complete is taken in the order of keys, as soon as no source can deliver anything before it; the
clock moves time behind all that is complete, as an empty element of every source would.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from tests.oracles.rules.formulas import Instance
from tests.oracles.streams.run import (
    DefaultGraphTriple,
    Element,
    Intake,
    Scenario,
    ScenarioItem,
    named,
    window_of,
)

if TYPE_CHECKING:
    from tests.oracles.rules.formulas import Time


@dataclass(frozen=True, slots=True)
class Read:
    """A source delivers elements; what closes the last one comes with it, or does not."""

    source: int
    items: tuple[ScenarioItem, ...]
    is_closed: bool = True
    wall: int = 0


@dataclass(frozen=True, slots=True)
class Quiet:
    """Nothing more of an element came for long enough."""

    source: int
    wall: int = 0


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock moves."""

    to: int


@dataclass(frozen=True, slots=True)
class Idle:
    """A source stops to count, or counts again."""

    source: int
    is_idle: bool


@dataclass(frozen=True, slots=True)
class End:
    """A source ends."""

    source: int
    wall: int = 0


@dataclass(frozen=True, slots=True)
class Stop:
    """Nothing is read any more."""


TimedEvent = Read | Quiet | Clock | Idle | End | Stop


@dataclass(slots=True)
class _Source:
    queue: list[tuple[Time, ScenarioItem]] = field(default_factory=list)
    held: list[ScenarioItem] = field(default_factory=list)
    open: Element | None = None
    key: Time = -math.inf
    reached: Time = -math.inf
    has_ended: bool = False
    is_idle: bool = False

    @property
    def counts(self) -> bool:
        return bool(self.queue) or not (self.has_ended or self.is_idle)


def _stamp(item: ScenarioItem) -> int | None:
    """That of an element that is not bad."""
    if not isinstance(item, Element) or item.is_bad() or item.start is None:
        return None
    return math.floor(item.start)


class TimedIntake:
    """The input of a run, event by event.

    Attributes:
        intake: what was read.
        frontier: instants before it are closed.
        has_begun: whether an element came, or the clock moved.
        ahead: how many stamps were ahead of their time.
        wall: whether the clock moves time.
    """

    def __init__(self, scenario: Scenario, *, ahead: int | None = None, wall: bool = True) -> None:
        self._scenario = scenario
        self._sources = [_Source() for _ in scenario.sources]
        self._ahead = ahead
        self.wall = wall
        self.intake = Intake()
        self.frontier: Time = -math.inf
        self.has_begun = False
        self.ahead = 0
        statics = len(scenario.statics)
        first_static = 1 + (len(self._sources) if scenario.streams_first else 0)
        self._first_stream = 1 + (0 if scenario.streams_first else statics)
        for number, triples in enumerate(scenario.statics, first_static):
            for triple in triples:
                fact = named(triple, number)
                self.intake.assertions.append(Instance(fact, -math.inf, math.inf))

    def can_read(self, source: int) -> bool:
        """Whether nothing of a source waits for others."""
        given = self._sources[source]
        return not (given.queue or given.has_ended or given.is_idle)

    def is_idle(self, source: int) -> bool:
        return self._sources[source].is_idle

    def has_open(self, source: int) -> bool:
        return self._sources[source].open is not None

    @property
    def has_ended(self) -> bool:
        return all(source.has_ended for source in self._sources)

    def happen(self, event: TimedEvent) -> None:
        match event:
            case Read():
                self._read(event)
            case Quiet(number, wall):
                self._close(self._sources[number])
                self._release(self._sources[number], wall)
            case Idle(number, is_idle):
                self._sources[number].is_idle = is_idle
            case End(number, wall):
                self._close(self._sources[number])
                self._sources[number].has_ended = True
                self._release(self._sources[number], wall)
            case Stop():
                for source in self._sources:
                    source.open, source.has_ended = None, True
                    self._release(source, 0)
            case Clock(to):
                self._move_clock(to)
        self._move()
        self._take()

    def _read(self, event: Read) -> None:
        source = self._sources[event.source]
        for item in event.items:
            if isinstance(item, Element):
                self._close(source)
                source.open = item
            else:
                source.held.append(item)
        if event.is_closed:
            self._close(source)
        self._release(source, event.wall)

    def _move_clock(self, to: int) -> None:
        self._take_all()
        for source in self._sources:
            source.key = max(source.key, to)
            source.reached = max(source.reached, to)
        # Whatever counts, idle sources or not.
        self.frontier = max(self.frontier, to - self._scenario.delay)
        self.has_begun = True
        self.intake.first = min(self.intake.first, to)
        self.intake.last = max(self.intake.last, to)

    def _close(self, source: _Source) -> None:
        """The open element is complete."""
        if source.open is not None:
            source.held.append(source.open)
        source.open = None

    def _release(self, source: _Source, wall: int) -> None:
        """What has arrived is judged: a stamp that is ahead of its time is bad data."""
        begin = self._begin(source)
        if begin is None:
            return
        for item in source.held:
            key, start = source.key, _stamp(item)
            now = wall if self.wall else max(key, begin) - self._scenario.delay
            if start is None:
                source.queue.append((key, item))
            elif self._ahead is not None and now > -math.inf and start > now + self._ahead:
                assert isinstance(item, Element)
                self.ahead += 1
                source.queue.append((key, replace(item, start=None)))
            else:
                source.key = max(key, start)
                source.queue.append((source.key, item))
        source.held = []

    def _begin(self, source: _Source) -> Time | None:
        """The smaller of the first two stamps that agree; None: more has to come."""
        if self.wall or self._ahead is None or source.key > -math.inf:
            return -math.inf
        stamps = [stamp for item in source.held if (stamp := _stamp(item)) is not None]
        for one, other in pairwise(stamps):
            if abs(one - other) <= self._ahead - self._scenario.delay:
                return min(one, other)
        return None if stamps and not source.has_ended else -math.inf

    def _take(self) -> None:
        """Take what no source can deliver anything before."""
        while waiting := self._heads():
            key, number = min(waiting)
            bounds = [
                (source.key, other)
                for other, source in enumerate(self._sources)
                if not (source.queue or source.has_ended or source.is_idle)
            ]
            if any((key, number) > bound for bound in bounds):
                return
            self._take_next(number)

    def _take_all(self) -> None:
        while waiting := self._heads():
            self._take_next(min(waiting)[1])

    def _heads(self) -> list[tuple[Time, int]]:
        return [
            (source.queue[0][0], number)
            for number, source in enumerate(self._sources)
            if source.queue
        ]

    def _take_next(self, number: int) -> None:
        source, intake = self._sources[number], self.intake
        _, item = source.queue[0]
        document = self._first_stream + number
        if isinstance(item, DefaultGraphTriple):
            since = self.frontier if self.frontier > -math.inf else intake.first
            since = since if self.has_begun else -math.inf
            since = int(since) if math.isfinite(since) else since
            intake.assertions.append(Instance(named(item.triple, document), since, math.inf))
        elif item.is_bad() or item.start is None:
            intake.bad += 1
        else:
            start = math.floor(item.start)
            is_late = start < self.frontier
            source.reached = max(source.reached, start)
            intake.first, intake.last = min(intake.first, start), max(intake.last, start)
            self._move()
            if is_late:
                intake.late += 1
            else:
                self.has_begun = True
                end = (
                    start + window_of(self._scenario) if item.end is None else math.floor(item.end)
                )
                intake.assertions += [
                    Instance(named(triple, document), start, end)
                    for triple in item.triples
                    if start < end
                ]
        source.queue.pop(0)
        self._move()

    def _move(self) -> None:
        """The frontier follows the sources that count."""
        reached = [source.reached for source in self._sources if source.counts]
        if reached:
            self.frontier = max(self.frontier, min(reached) - self._scenario.delay)
