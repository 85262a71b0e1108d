"""Schedules: which input event comes next.

A schedule is asked when nothing that was read is left to be handed over. It is the only part of
the intake that looks at clocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol, TypeAlias

from r4.stream.input_events import (
    ChangeReferences,
    CompleteElement,
    EndInput,
    InputEvent,
    MarkIdle,
    MoveClock,
    ReadSource,
)
from r4.stream.readiness import Readiness, SystemReadiness
from r4.stream.source_buffer import SourceBuffer
from r4.time.ticks import NEG_INF, Tick

WallClock: TypeAlias = Callable[[], Tick]
"""The time of day, in ticks of dateTimes."""

PERIOD: Final = 0.04
"""Seconds from one move of the clock to the next: what is due is told so much later at most."""


class Schedule(Protocol):
    """Which input event comes next."""

    def next_event(self, sources: Sequence[SourceBuffer], least: int) -> InputEvent:
        """The next event.

        Args:
            sources: Those of the run; not all are exhausted.
            least: The one that everything waits for by the stamps, and that has nothing buffered;
                -1: all that are not exhausted are idle.
        """


@dataclass(frozen=True, slots=True)
class SourceOrder:
    """A schedule by stamps alone: always reads the source that everything waits for.

    Attributes:
        clock: What stamps elements that have none; None: nothing does.
    """

    clock: WallClock | None = None

    def next_event(self, sources: Sequence[SourceBuffer], least: int) -> InputEvent:
        """Read on."""
        del sources
        return ReadSource(least, None if self.clock is None else self.clock())


@dataclass(frozen=True, slots=True)
class ClockSteps:
    """What becomes of a clock that steps, as one does that is set.

    Attributes:
        most: By so many ticks it may step forward. What it shows after a longer step counts once
            an element has a stamp that is later than it was by more than that.
        second: Ticks in a second.
        stamps: Whether elements get its time as a stamp, which then confirms no step.
        report: Called with where time has come to and what the clock shows, once for each longer
            step, forward or back.
    """

    most: Tick
    second: Tick
    stamps: bool
    report: Callable[[Tick, Tick], None]


@dataclass(frozen=True, slots=True)
class Timers:
    """What real time decides, in seconds; None: nothing.

    Attributes:
        idle: A source that delivers nothing for so long stops to count.
        quiet: An element is complete if nothing more of it comes for so long.
        period: The clock moves time so often.
        beat: So long is waited at most before the run decides anew; None: as long as it takes.
        report_idle: Called with the name of a source, and whether it has become idle; else it
            counts again.
        steps: What becomes of a clock that steps; None: it is followed wherever it goes.
    """

    idle: float | None = None
    quiet: float | None = None
    period: float | None = None
    beat: float | None = None
    report_idle: Callable[[str, bool], None] = lambda _name, _idle: None
    steps: ClockSteps | None = None


class Stoppable(Protocol):
    """Whether a run is to end: an attribute, as it is looked at often."""

    @property
    def is_set(self) -> bool:
        """Whether nothing is to be read any more."""


class Decision(NamedTuple):
    """What a run decides between two events.

    Attributes:
        may_read: Whether anything may be read now. Where no clock moves time the run raises an
            error in place of saying no, as that would be so for ever.
        change: How static documents and rules have changed; None: they have not.
    """

    may_read: bool = True
    change: ChangeReferences | None = None


GO_ON: Final = Decision()
"""Anything may be read, and nothing has changed."""


@dataclass(slots=True)
class Control:
    """A run, as its schedule sees it.

    Attributes:
        stop: Whether the run is to end; None: nobody ends it.
        decide: Called between two events; with whether changes may be told, as the clock does not
            move time just now.
    """

    stop: Stoppable | None = None
    decide: Callable[[bool], Decision] = lambda _: GO_ON

    @property
    def is_stopped(self) -> bool:
        """Whether nothing is to be read any more."""
        return self.stop is not None and self.stop.is_set


class TimedSchedule:
    """A schedule by stamps and by real time.

    What has arrived when the clock shows a time is read before time moves there. A source that
    never keeps its reader waiting, such as a file, has arrived whole.
    """

    def __init__(
        self,
        timers: Timers,
        clock: WallClock | None = None,
        readiness: Readiness | None = None,
        control: Control | None = None,
    ) -> None:
        """Begin; all sources have just been active.

        ``clock`` stamps elements that have none, and moves time if there is a period.
        """
        self._timers = timers
        self._clock = clock
        self._readiness = SystemReadiness() if readiness is None else readiness
        self._control = Control() if control is None else control
        now = self._readiness.now()
        self._began = now
        self._active_at: dict[int, float] = {}
        self._quiet_since: dict[int, float] = {}
        self._shown: Tick = NEG_INF
        self._moved_to: Tick = NEG_INF
        self._followed: tuple[Tick, float] | None = None  # what the clock showed last, and when
        self._stepped: Tick | None = None  # what it shows after a step that does not count yet
        self._is_behind = False
        self._next_move = now if timers.period is None else now + timers.period
        self._to_read: list[int] | None = None

    def go_on(self, moved_to: Tick) -> None:
        """Go on, before the first event, where another schedule has moved time to ``moved_to``."""
        self._shown = self._moved_to = moved_to

    def next_event(self, sources: Sequence[SourceBuffer], least: int) -> InputEvent:
        """The next event; waits until there is one."""
        while not self._control.is_stopped:
            if (event := self._event(sources, least)) is not None:
                return event
        return EndInput()

    def _event(self, sources: Sequence[SourceBuffer], least: int) -> InputEvent | None:
        """The event that comes next; None: it was waited in vain."""
        if (steps := self._timers.steps) is not None and self._stepped is not None:
            self._confirm(sources, steps)
        decision = self._control.decide(self._to_read is None)
        readable = self._readable(sources, least) if decision.may_read else []
        if self._to_read is not None:
            return self._before_move(readable)
        if decision.change is not None or self._control.is_stopped:  # of which no poll may know
            return decision.change
        return self._polled(sources, readable)

    def _polled(
        self, sources: Sequence[SourceBuffer], readable: Sequence[int]
    ) -> InputEvent | None:
        """What has come, or the silence means; None: neither, or the run was stopped meanwhile."""
        idle: list[int] = []
        if self._timers.idle is not None:
            idle = [n for n, each in enumerate(sources) if each.idle and not each.exhausted]
        now = self._readiness.now()
        moves = self._moves(now)
        polled = [*readable, *idle]
        seconds = 0 if moves else self._left(sources, readable, now)
        found = self._readiness.poll([sources[n].source for n in polled], seconds)
        if self._control.is_stopped:  # whoever stops the run may end its pipes, too
            return None
        ready = [number for number, is_ready in zip(polled, found, strict=True) if is_ready]
        for number in idle:
            if number in ready:
                self._active_at[number] = self._readiness.now()
                self._timers.report_idle(sources[number].source.name, False)  # noqa: FBT003
                return MarkIdle(number, idle=False)
        if moves:
            self._to_read = ready
            return self._before_move(readable)
        if ready:
            return self._read(ready[0])
        for number in readable:
            self._quiet_since.setdefault(number, now)
        return self._silence(sources, readable)

    def _readable(self, sources: Sequence[SourceBuffer], least: int) -> list[int]:
        """Those that may be read, the one first that everything waits for.

        Where the clock moves time nothing waits for a source, so all are read as they arrive.
        """
        found = [] if least < 0 else [least]
        if self._timers.period is not None:
            found += [
                number
                for number, each in enumerate(sources)
                if number != least and not (each.exhausted or each.idle or each.waiting)
            ]
        return found

    def _moves(self, now: float) -> bool:
        """Whether the clock is to move time now; a clock that is set back stands still."""
        if self._timers.period is None or now < self._next_move:
            return False
        if self._show() > self._moved_to:
            return True
        self._next_move = now + self._timers.period
        return False

    def _before_move(self, readable: Sequence[int]) -> InputEvent:
        """What had arrived is read, then the clock moves time."""
        assert self._to_read is not None
        assert self._timers.period is not None
        while self._to_read:
            if (number := self._to_read.pop(0)) in readable:
                return self._read(number)
        self._to_read = None
        self._next_move = self._readiness.now() + self._timers.period
        self._moved_to = self._shown
        return MoveClock(self._moved_to)

    def _read(self, number: int) -> ReadSource:
        self._active_at[number] = self._readiness.now()
        self._quiet_since.pop(number, None)
        return ReadSource(number, self._at())

    def _at(self) -> Tick | None:
        """What the clock shows; while it is about to move time, where it moves to.

        After a step that does not count yet it is what the step led to, so that a stamp can confirm
        it, unless elements get it as a stamp.
        """
        if self._clock is None:
            return None
        at = self._shown if self._to_read is not None else self._show()
        steps = self._timers.steps
        return at if self._stepped is None or steps is None or steps.stamps else self._stepped

    def _show(self) -> Tick:
        """What the clock shows; never less than before."""
        assert self._clock is not None
        shown, steps = self._clock(), self._timers.steps
        self._shown = max(self._shown, shown if steps is None else self._trusted(shown, steps))
        return self._shown

    def _trusted(self, shown: Tick, steps: ClockSteps) -> Tick:
        """What the clock would show without a step that does not count yet."""
        now = self._readiness.now()
        before, since = (shown, now) if self._followed is None else self._followed
        expected = before + int((now - since) * steps.second)
        reached = max(expected, self._shown)
        is_behind = self._shown - shown > steps.most
        is_ahead = shown - reached > steps.most
        if (is_behind and not self._is_behind) or (is_ahead and self._stepped is None):
            steps.report(reached, shown)
        self._is_behind, self._stepped = is_behind, shown if is_ahead else None
        if is_ahead:
            return expected
        self._followed = shown, now
        return shown

    def _confirm(self, sources: Sequence[SourceBuffer], steps: ClockSteps) -> None:
        """Let a step count from now on, if an element has a stamp of behind it."""
        if any(each.high > self._shown + steps.most for each in sources):
            self._followed = self._stepped = None

    def _left(
        self, sources: Sequence[SourceBuffer], readable: Sequence[int], now: float
    ) -> float | None:
        """How many seconds may be waited; None: for as long as it takes."""
        timers = self._timers
        ends = [self._next_move] if timers.period is not None else []
        ends += [] if timers.beat is None else [now + timers.beat]
        if timers.idle is not None:
            ends += [self._active_since(number) + timers.idle for number in readable]
        if timers.quiet is not None:
            ends += [
                self._quiet_since.get(number, now) + timers.quiet
                for number in readable
                if sources[number].has_open_element
            ]
        return max(min(ends) - now, 0.0) if ends else None

    def _silence(
        self, sources: Sequence[SourceBuffer], readable: Sequence[int]
    ) -> InputEvent | None:
        """What the silence of a source means, if it lasts for long enough."""
        now, timers = self._readiness.now(), self._timers
        for number in readable:
            since = self._quiet_since[number]
            is_open = timers.quiet is not None and sources[number].has_open_element
            if is_open and now >= since + (timers.quiet or 0):
                return CompleteElement(number, self._at())
        for number in readable:
            if timers.idle is not None and now >= self._active_since(number) + timers.idle:
                self._quiet_since.pop(number)
                timers.report_idle(sources[number].source.name, True)  # noqa: FBT003
                return MarkIdle(number, idle=True)
        return None

    def _active_since(self, number: int) -> float:
        return self._active_at.get(number, self._began)
