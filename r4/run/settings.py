"""The settings of a run, beside its rules and the way its streams are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from r4.answers.output_order import Ops
from r4.answers.periodic_report import ReportSettings
from r4.stream.readiness import SystemReadiness
from r4.stream.schedule import PERIOD, ClockSteps, Control, Schedule, TimedSchedule, Timers
from r4.stream.source import StreamOptions
from r4.time.ticks import Tick, wall_clock
from rete.terms.dictionary import LONGEST_COMPUTED

if TYPE_CHECKING:
    from temporal.hypothetical.rif_rules.rewriting.program_rewriting import HypothesisOptions


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run.

    Attributes:
        instances: answers are instances, not facts.
        by_value: literals of equal values are one term.
        arrival: changes are reported as soon as time reaches them, and undone if need be.
        keep: rules that join later see what was asserted before.
        lookback: ticks for which that is kept after it ended; None: for ever.
        retract_within: ticks after which an element cannot be retracted any more; None: it always
            can.
        hypotheses: the options of possible answers; None: they are not followed.
        limit: the most facts that may be derived at once; None: any number.
        memory: the most bytes that may be in use; None: any number.
        max_term: characters of the longest term that a built-in computes.
        idle: seconds after which a silent source does not count; None: never.
        quiet: seconds of silence after which an element is complete; None: never.
        drain: ticks after the last stamp up to which changes are reported; None: all.
        lenient: rules that are against the letter of the standard are read.
        watch: rules and static files are read again when they change.
        covers: the run finds out which patterns no fact matched.
        report: when there are reports, and of what; None: changes are reported as they come.
        ops: which changes are reported.
    """

    instances: bool = False
    by_value: bool = False
    arrival: bool = False
    keep: bool = False
    lookback: Tick | None = None
    retract_within: Tick | None = None
    hypotheses: HypothesisOptions | None = None
    limit: int | None = None
    memory: int | None = None
    max_term: int = LONGEST_COMPUTED
    idle: float | None = None
    quiet: float | None = None
    drain: Tick | None = 0
    lenient: bool = False
    watch: bool = False
    covers: bool = False
    report: ReportSettings | None = None
    ops: Ops = "both"


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
