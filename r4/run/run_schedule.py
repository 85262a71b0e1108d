"""The schedule of a run by the clocks of the system, as its settings say."""

from __future__ import annotations

from collections.abc import Callable

from r4.run.settings import RunSettings
from r4.stream.readiness import SystemReadiness
from r4.stream.schedule import PERIOD, ClockSteps, Control, Schedule, TimedSchedule, Timers
from r4.stream.source import StreamOptions
from r4.time.ticks import Tick, wall_clock


def schedule_of(  # noqa: PLR0913 - what decides
    reading: StreamOptions,
    settings: RunSettings,
    control: Control,
    *,
    beat: float | None,
    flush: Callable[[], None] | None,
    wakes: int | None,
    report_idle: Callable[[str, bool], None],
    report_step: Callable[[Tick, Tick], None],
) -> Schedule:
    """The schedule by the clocks of the system.

    Args:
        reading: how streams are read.
        settings: those of the run.
        control: decides between two events.
        beat: as of `Timers`.
        flush: is called if nothing can be read at once; None: nothing is.
        wakes: a descriptor; once it can be read nobody waits any more. None: there is none.
        report_idle: as of `Timers`.
        report_step: as of `ClockSteps`.
    """
    period = PERIOD if reading.wall else None
    steps = None
    if reading.wall and reading.ahead is not None:
        steps = ClockSteps(reading.ahead, reading.scale.per_second, reading.arrival, report_step)
    timers = Timers(settings.idle, settings.quiet, period, beat, report_idle, steps)
    clock = wall_clock(reading.scale) if reading.wall or reading.arrival else None
    return TimedSchedule(timers, clock, SystemReadiness(wakes, flush), control)


def behind(schedule: Schedule, moved_to: Tick) -> Schedule:
    """The schedule ``schedule``, behind where another one has moved time."""
    if isinstance(schedule, TimedSchedule):
        schedule.go_on(moved_to)
    return schedule
