"""A run over streams: documents in, answers to a report, until the input or the run ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from r4.errors import Counters
from r4.run.findings.pattern_coverage import PatternCoverage
from r4.run.inputs import RunInput
from r4.run.notes import RunNotes
from r4.run.ports import NEVER, ReplayEnded, RunStopped, Say, Stop, StreamReport
from r4.run.reference_reader import ReferenceUpdates
from r4.run.run import Run
from r4.run.run_bounds import MemoryFull
from r4.run.run_schedule import behind, schedule_of
from r4.run.settings import RunSettings
from r4.run.static_data import StaticData
from r4.sinks.file import ByteWriter
from r4.stream.input_events import ChangeReferences
from r4.stream.intake import Intake
from r4.stream.schedule import Control, Decision, Schedule
from r4.time.ticks import Kind, StampFormat, Tick
from rete.arrays.state_codec import Mask
from rete.terms.dictionary import Dictionary

if TYPE_CHECKING:
    from r4.possible.tracking import PossibleTracking

END_WAIT: Final = 0.1
"""Seconds for which the end of a pipe waits for a stop: who ends a run ends its sender, too."""


_BEAT: Final = 1.0
"""Seconds from one look at a run that waits to the next."""


class NoRuleFollowed(Exception):
    """Possible answers are requested, and no rule has any, as was said of each."""


class Observer(Protocol):
    """Looks at a run from time to time: a status, rates."""

    def look(self, run: StreamRun, *, ended: bool = False) -> None:
        """Look: after each step, every second while nothing comes, and when the run has ended."""


class StateKeeper(Protocol):
    """Keeps the state of a run over streams, so that the run resumes after any end."""

    @property
    def checkpoint(self) -> str | None:
        """When the last checkpoint was written, as text; None: none was."""

    def restore_terms(self, terms: Dictionary) -> Mask | None:
        """Fill an empty dictionary with the terms of the checkpoint; None: there is none."""

    def begin(
        self,
        run: StreamRun,
        alive: Mask | None,
        live: Callable[[Tick], Schedule],
        stops: Callable[[], bool],
    ) -> Schedule:
        """The schedule of a run, whose state is restored; ``live`` makes that of new events.

        Args:
            run: a run without steps; with a checkpoint it has the terms of that.
            alive: which ids are terms; None without a checkpoint.
            live: makes the schedule of new events, from where the clock has moved time.
            stops: says at the end of a pipe whether the run is to end, which may end its sender.
        """

    def between(self) -> None:
        """Nothing comes: write what is due."""

    def flush(self) -> None:
        """Write what is held back, as the run waits for input, or ends."""

    def stop(self) -> None:
        """Save the run; the same command resumes it."""


@dataclass(frozen=True, slots=True)
class RunPorts:
    """The ports of a run over streams.

    Attributes:
        say: takes lines for a person.
        stop: says whether the run is to end.
        progress: is called after each part of static data, and after each step.
        observers: look at it, while nothing comes, too.
        state: keeps its state; None: it cannot be resumed.
        late: where late elements go; None: they are counted alone.
        reopen: opens outputs again whose files were moved away.
        relabels: whether the report has the names of rules that join, so that rules may.
        of_dates: a line that counts if stamps are dateTimes; "": there is none.
    """

    say: Say = lambda _: None
    stop: Stop = NEVER
    progress: Callable[[StreamRun], object] = lambda _: None
    observers: Sequence[Observer] = ()
    state: StateKeeper | None = None
    late: ByteWriter | None = None
    reopen: Callable[[], object] = lambda: None
    relabels: bool = True
    of_dates: str = ""


class StreamRun:
    """One run over streams; `execute` reads them to their end.

    Attributes:
        input: its documents.
        settings: its settings.
        terms: the dictionary of all ids.
        clock: how stamps are written; the kind of the first one settles it.
        counters: what was read, and what was wrong with it.
        labels: the names of the rules, those that join included.
        notes: says what was wrong with the data.
        report: where answers go.
        run: the program and its driver; from the begin of the streams on it has all static data.
        intake: the streams.
        references: static data and rules, as they were read last; None: they are never read again.
        ends: whether the input was read to its end, or stopped there.
    """

    report: StreamReport
    run: Run
    intake: Intake

    def __init__(self, given: RunInput, settings: RunSettings, ports: RunPorts) -> None:
        """Begin; nothing is read."""
        self.input = given
        self.settings = settings
        self.terms = Dictionary(by_value=settings.by_value, longest_computed=settings.max_term)
        self.clock = StampFormat(given.reading.scale)
        self.terms.clock = self.clock
        self.counters = Counters()
        self.labels = list(given.program.labels)
        self.notes = RunNotes(ports.say)
        self.references: ReferenceUpdates | None = None
        self.ends = True
        self._ports = ports
        self._alive: Mask | None = None
        self._of_dates = ports.of_dates
        self._is_open = False

    @property
    def holding(self) -> str | None:
        """The source that holds time back; None: none does, or no stream is read yet."""
        return self.intake.holding if self._is_open else None

    @property
    def late(self) -> ByteWriter | None:
        """Where late elements go; None: nowhere."""
        return self._ports.late

    @property
    def state(self) -> StateKeeper | None:
        """The keeper of its state; None: there is none."""
        return self._ports.state

    def execute(self, make_report: Callable[[StreamRun], StreamReport]) -> None:
        """Read static data, then the streams; ``make_report`` is called before static data.

        Raises:
            InputError: a document cannot be read.
            ImportErrors: an imported graph cannot be used.
            BadData: at the first bad datum, in strict mode.
            SourceLost: the system stops delivering a source.
            LimitReached, MemoryExhausted, MemoryFull: rules derive too much, or too much is held.
            NoRuleFollowed: no rule has possible answers.
            StateError: the state is refused, or lost.
        """
        given = self.input
        static = given.static_data(self.terms, self.counters, self.notes)
        if self.state is not None:  # before any term is entered
            self._alive = self.state.restore_terms(self.terms)
        # Before any term is entered, by a report too.
        static.map_folder(given.program if self.settings.hypotheses is None else None)
        self.report = make_report(self)
        try:
            self._begin(static)
            self._read()
        finally:  # what was derived before an error is written
            self.report.finish()
            if self.state is not None:
                self.state.flush()

    def _begin(self, static: StaticData) -> None:
        """Make a run that has all static data."""
        tracking = self._tracking()
        self.run = Run(
            *(self.input.program, self.terms, self.settings, self.report),
            tracking=tracking,
            stop=self._ports.stop,
            resumes=self._alive is not None,
        )
        static.bounds = self.run.bounds
        if tracking is not None:
            for rows in list(static.rows()):
                self.run.assert_static(rows)
            self._track(tracking)
            return
        self.references = references = ReferenceUpdates(
            *(self.run.core, self.input, self.settings, self.labels, self._ports.say),
            relabels=self._ports.relabels,
            resumes=self._alive is not None,
            bounds=self.run.bounds,
        )
        self.run.references = references.data
        if self._alive is not None:
            return
        if self.settings.covers:
            awaited = tuple(self.input.reading.predicate_delays)
            self.run.coverage = PatternCoverage(self.run.core, awaited)
        for document, rows in static.parts():
            self.run.assert_static(rows)
            references.note(document, rows)
            if self.run.coverage is not None:
                self.run.coverage.note(rows)
            self._ports.progress(self)

    def _tracking(self) -> PossibleTracking | None:
        """The tracking of possible answers; None: they are not requested."""
        hypotheses = self.settings.hypotheses
        if hypotheses is None:
            return None
        from r4.possible.tracking import PossibleTracking  # noqa: PLC0415 - few runs have these
        from temporal.hypothetical.rif_rules.arrival_chances import UnitLateness  # noqa: PLC0415

        reading = self.input.reading
        own = reading.delays_of([document.name for document in self.input.streams])
        return PossibleTracking(
            *(self.input.closure.documents, hypotheses),
            UnitLateness.of(own, reading.predicate_delays),
            reading.scale.per_second,
            instances=self.settings.instances,
        )

    def _track(self, tracking: PossibleTracking) -> None:
        """Follow possible answers, and say which rules are not followed.

        Raises:
            NoRuleFollowed: there are none.
        """
        self.run.track()
        for document, error in tracking.unfollowed:
            self._ports.say(self.input.closure.sources[document].notes([error]).report())
        for name in tracking.idle_chances:
            self._ports.say(f"warning: --chance {name}: no rule waits for it")
        if tracking.follows_none:
            raise NoRuleFollowed

    def _read(self) -> None:
        self.notes.samples(self.counters)
        ports = self._ports
        self.intake = self.input.open(self.terms, self.counters, ports.late, self.run.bounds)
        with ports.stop, closing(self.intake):  # before that nothing could be complete
            schedule = self._schedule()
            if ports.state is not None:
                stops = lambda: ports.stop.comes_within(END_WAIT)  # noqa: E731
                schedule = ports.state.begin(self, self._alive, self._schedule_behind, stops)
            self.intake.follow(schedule)
            self._is_open = True
            self._follow()
            if ports.state is not None:  # what was read last is acknowledged
                ports.state.flush()

    def _follow(self) -> None:
        intake = self.intake
        try:
            for batch in intake:
                self.clock.kind = intake.kind
                self.run.take(batch)
                self._say_samples()
                self._ports.progress(self)
                self._look()
        except MemoryFull:
            if self.state is not None:
                self.state.stop()
                self._ports.say(
                    "the state is saved; with more --memory the same command goes on from here"
                )
            raise
        except RunStopped:
            assert self.state is not None
            self.state.stop()
            self._ports.say("the state is saved; the same command goes on from here")
            self.ends = False
        except ReplayEnded:
            self.ends = False
        finally:
            self._say_samples()
        if self.ends:
            if intake.left_open:
                self._ports.say(f"left out: {intake.left_open} element(s) that were not complete")
            if behind := intake.furthest_behind:
                self._ports.say(_wait_line(*behind, self.clock))
            self.run.finish(intake.last, self.settings.drain)
        self._look(ended=True)

    def _schedule(self) -> Schedule:
        """The schedule of new events."""
        ports, updates = self._ports, self.references
        waits = bool(ports.observers) or ports.state is not None
        waits = waits or (updates is not None and updates.watches)
        return schedule_of(
            *(self.input.reading, self.settings),
            Control(ports.stop, self._decide),
            beat=_BEAT if waits else None,
            flush=None if ports.state is None else ports.state.flush,
            wakes=ports.stop.descriptor,
            report_idle=self._report_idle,
            report_step=self._report_step,
        )

    def _schedule_behind(self, moved_to: Tick) -> Schedule:
        """The schedule of what is not recorded, behind where the clock has moved time."""
        return behind(self._schedule(), moved_to)

    def _report_idle(self, name: str, idle: bool) -> None:  # noqa: FBT001 (called by the intake)
        if idle:
            self._ports.say(
                f"{name}: silent for longer than --idle, so it does not hold time back until it"
                " speaks"
            )
        else:
            self._ports.say(f"{name}: speaks again")

    def _report_step(self, reached: Tick, shown: Tick) -> None:
        text = self.input.reading.scale.text
        what = (
            "time goes on from there until a stamp of after the step comes"
            if shown > reached
            else "time stands still until it shows that, and what is stamped before is late"
        )
        self._ports.say(
            f"warning: time has come to {text(reached)}, but the system's clock shows"
            f" {text(shown)}: {what}"
        )

    def _decide(self, may_change: bool) -> Decision:  # noqa: FBT001 (called by the schedule)
        """Decide what comes next, between two events, and do first what is due while nothing comes.

        Raises:
            MemoryFull: there is no memory for more input.
        """
        self._between()
        self._say_samples()
        may_read = self.run.bounds.may_read(self._forget, waits=self.input.reading.wall)
        change = self._changed_references() if may_change else None
        return Decision(may_read, change)

    def check_bounds(self) -> None:
        """Look whether the run may go on, between two recorded events that happen again.

        Raises:
            RunStopped: it is to end.
            MemoryFull: there is no memory for more.
        """
        if self._ports.stop.is_set:
            raise RunStopped
        self.run.bounds.may_read(self._forget, waits=self.input.reading.wall)

    def _forget(self) -> None:
        """Forget all that may be forgotten between two events."""
        if self._is_open:
            self.run.core.forget(self.intake.needed_ids)

    def _between(self) -> None:
        """Do what is due while nothing comes."""
        self._look()
        if self._ports.stop.take_reopening():
            self._ports.reopen()
        if self._ports.state is not None:
            self._ports.state.between()

    def _changed_references(self) -> ChangeReferences | None:
        """How static data and rules differ, if they are to be read again; None: they do not."""
        is_asked = self._ports.stop.take_reading()
        if self.references is not None:
            return self.references.changed(is_asked=is_asked)
        if is_asked:
            self._ports.say("SIGHUP: with --hypotheses nothing is read again")
        return None

    def count(self, left_out: int) -> bool:
        """Say the counts, once the run has ended; whether an input was cut short.

        ``left_out`` answers could not be written.
        """
        tracking, dropped, core = self.run.tracking, None, self.run.core
        if tracking is not None and tracking.reports is not None:
            dropped = tracking.reports.dropped, tracking.options.most or 0
            if early := tracking.early(core):
                self._ports.say(self.input.closure.sources[0].notes(early).report())
        return self.notes.counts(
            *(self.counters, core),
            dropped=dropped,
            left_out=left_out,
            late_advice=self.input.late_advice(self.intake),
        )

    def _look(self, *, ended: bool = False) -> None:
        for observer in self._ports.observers:
            observer.look(self, ended=ended)

    def _say_samples(self) -> None:
        """Say samples of bad data, and once what counts if stamps are dateTimes."""
        self.notes.samples(self.counters)
        if self._of_dates and self.clock.kind is Kind.DATE_TIME:
            self._ports.say(self._of_dates)
            self._of_dates = ""


def _wait_line(name: str, ticks: Tick, clock: StampFormat) -> str:
    """The line about the source that the others had to wait for."""
    is_timed = clock.kind is Kind.DATE_TIME
    span = f"{ticks / clock.scale.per_second:.10g} s" if is_timed else f"{ticks} tick(s)"
    return f"time was held back most by {name}: up to {span} behind"
