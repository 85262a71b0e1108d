"""A run from the command line: it reads, reasons, writes answers, and reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Final

import click

from r4.cli.sessions.evidence_rules import NoRuleFollowed, evidence_rules
from r4.cli.sessions.reference_updates import ReferenceUpdates
from r4.cli.sessions.run_summary import summary_lines, wait_line
from r4.cli.sessions.session_options import SessionOptions
from r4.cli.terminal.console import LOST, NO, RULES_REFUSED, say
from r4.cli.terminal.progress import Progress
from r4.cli.terminal.run_errors import RUN_ERRORS, exit_code_of, state_exit_code
from r4.cli.terminal.signals import RunSignals, Stopped
from r4.engine.core import Core
from r4.errors import Counters, InputError
from r4.imports import Closure
from r4.program.program import Program
from r4.rdf.documents import RdfDocument
from r4.run.driver import Driver
from r4.run.pattern_coverage import PatternCoverage
from r4.run.report import RunReport, advise_late
from r4.run.run_bounds import MemoryFull, RunBounds
from r4.run.static_data import StaticData
from r4.run.status import StatusReporter
from r4.run.stream_run import RunOutput, StreamRun
from r4.sinks.file import ByteWriter, SinkLost
from r4.sinks.formats import SinkContext, find_format
from r4.sinks.late_elements import LateElements
from r4.sinks.output import Output
from r4.sources.formats import is_unsorted_table, open_sources
from r4.state.errors import ReplayEnded, RunStopped, StateError
from r4.stream.input_events import ChangeReferences
from r4.stream.intake import Intake
from r4.stream.readiness import SystemReadiness
from r4.stream.schedule import PERIOD, Control, Schedule, TimedSchedule, Timers
from r4.stream.source import Source, StreamOptions
from r4.time.ticks import Kind, StampFormat, Tick
from r4.time.wall_clock import wall_clock
from rete.arrays.delta import Rows
from rete.arrays.state_codec import Mask
from rete.memory_limit import MemoryLimit
from rete.terms.dictionary import Dictionary

if TYPE_CHECKING:
    from r4.possible.stamp_reports import StampReports
    from temporal.hypothetical.rif_rules.rewriting.program_rewriting import HypothesisOptions
    from temporal.hypothetical.rif_rules.tracker import PossibleAnswerTracker


END_WAIT: Final = 0.1
"""Seconds for which the end of a pipe waits for a signal: who ends a run ends its sender, too."""


class StreamSession:
    """One run: documents in, answers out, and reports about both."""

    def __init__(
        self, program: Program, closure: Closure, streams: StreamOptions, options: SessionOptions
    ) -> None:
        self._closure = closure
        self._streams = streams
        self._options = options
        self._terms = Dictionary(by_value=options.by_value, longest_computed=options.max_term)
        self._clock = StampFormat(streams.scale)
        self._counters = Counters()
        self._program = program
        self._report = RunReport(say)
        self._inputs: Sequence[RdfDocument] = ()
        self._signals = RunSignals()
        self._bounds = RunBounds(MemoryLimit(options.memory), self._signals.check)
        self._status: StatusReporter | None = None
        if options.status is not None:
            self._status = StatusReporter(options.status.write, wall_clock(streams.scale))
        self._alive: Mask | None = None
        self._ends = True
        self._progress: tuple[StreamRun, Output] | None = None
        self._unmatched: PatternCoverage | None = None
        self._labels = list(program.labels)
        self._of_dates = options.of_dates
        self._references: ReferenceUpdates | None = None

    @property
    def is_stopped(self) -> bool:
        """Whether a signal ended the run."""
        return self._signals.is_set

    def run(
        self, static: Sequence[RdfDocument], streams: Sequence[RdfDocument], to: ByteWriter
    ) -> int:
        """Read, reason, write; the exit code."""
        state = self._options.state
        try:
            ended = None if state is None else state.ended
            code = self._run(static, streams, to) if ended is None else ended
            if ended is not None:
                say("the run has ended, and all of its output is there")
        except StateError as error:
            say(str(error))
            return state_exit_code(error)
        return self._signals.exit_code or code if code in {0, NO} else code

    def _run(
        self, static: Sequence[RdfDocument], streams: Sequence[RdfDocument], to: ByteWriter
    ) -> int:
        static_data = StaticData(
            *(self._closure, static, self._terms, self._counters),
            strict=self._streams.strict,
            say=say,
            time_predicate=self._streams.time_predicate,
            report=self._report.samples,
        )
        state = self._options.state
        if state is not None:  # before any term is entered
            self._alive = state.restore_terms(self._terms)
        try:  # before any term is entered, by a sink too
            static_data.map_folder(self._program if self._options.hypotheses is None else None)
        except InputError as error:
            raise click.UsageError(str(error)) from None
        output = self._output(to)
        try:
            try:
                run = self._reason(static_data, static, streams, output)
            finally:  # what was emitted before an error is written
                output.finish()
                if state is not None:
                    state.flush()
        except RUN_ERRORS as error:
            return exit_code_of(error)
        except Stopped:
            say("ended while rules derived: of that nothing is written")
            return 0  # the exit code of the signal counts
        except NoRuleFollowed:
            say("--hypotheses: no rule is followed, so nothing would be told")
            return RULES_REFUSED
        except SinkLost as error:
            say(str(error))
            return LOST
        code = LOST if self._count(run, output) else NO if output.failed else 0
        if self._ends and not self._options.is_quiet:
            self._say_summary(run, output)
        if state is not None and self._ends:
            state.end(code)
        return code

    def _output(self, to: ByteWriter) -> Output:
        options, program = self._options, self._program
        given = self._terms, self._labels, self._clock, options.instances, options.prefixes
        context = SinkContext(*given)
        sink = find_format(options.form).make(context)
        output = Output(to, sink, self._terms, options.only, options.fail_on, program.given)
        if options.hypotheses is not None:
            from r4.possible.json_lines import PossibleJsonLines

            output.possible = PossibleJsonLines(self._clock)
        return output

    def _reason(
        self,
        static_data: StaticData,
        static: Sequence[RdfDocument],
        streams: Sequence[RdfDocument],
        output: Output,
    ) -> StreamRun:
        with Progress() as progress:
            driver, reports = self._begin(static_data, static, streams, progress)
            self._report.samples(self._counters)
            self._inputs = streams
            sources = open_sources(streams, self._streams)
            intake = self._intake(sources)
            run = StreamRun(driver, intake, self._clock, reports)
            run.unmatched = self._unmatched
            if self._references is not None:
                run.references = self._references.data
            with self._signals, closing(intake):  # before that nothing could be complete
                intake.follow(self._schedule_of(run, sources, output))
                self._follow(run, output, progress)
        return run

    def _begin(
        self,
        static_data: StaticData,
        static: Sequence[RdfDocument],
        streams: Sequence[RdfDocument],
        progress: Progress,
    ) -> tuple[Driver, StampReports | None]:
        """A driver whose core has all static data, and the reports of possible answers."""
        if self._options.hypotheses is not None:
            core, reports = self._track(self._options.hypotheses, list(static_data.rows()), streams)
            return Driver(core), reports
        driver = Driver(self._core_of(self._program))
        self._references = references = ReferenceUpdates(
            *(driver.core, static, self._closure, self._options),
            scale=self._streams.scale,
            labels=self._labels,
            resumes=self._alive is not None,
        )
        if self._alive is not None:
            return driver, None
        if not self._options.is_quiet:
            awaited = tuple(self._streams.predicate_delays)
            self._unmatched = PatternCoverage(driver.core, awaited)
        for document, rows in static_data.parts():
            driver.assert_static(rows)
            references.note(document, rows)
            if self._unmatched is not None:
                self._unmatched.note(rows)
            progress.show(self._counters.quads, 0)
        return driver, None

    def _changed_references(self) -> ChangeReferences | None:
        """How static data and rules differ, if they are to be read again; None: they do not."""
        is_asked = self._signals.take_reading()
        if self._references is not None:
            return self._references.changed(is_asked=is_asked)
        if is_asked:
            say("SIGHUP: with --hypotheses nothing is read again")
        return None

    def _core_of(self, program: Program, observer: PossibleAnswerTracker | None = None) -> Core:
        options = self._options
        core = Core(
            *(program, self._terms),
            instances=options.instances,
            limit=options.limit,
            keep=options.lookback is not None,
            lookback=options.lookback,
            arrival=options.arrival,
            observer=observer,
            resumes=self._alive is not None,
        )
        core.watch(self._bounds.check)
        return core

    def _track(
        self, hypotheses: HypothesisOptions, static: Sequence[Rows], streams: Sequence[RdfDocument]
    ) -> tuple[Core, StampReports]:
        """A core with the added rules of possible answers, which depend on static data.

        Raises:
            NoRuleFollowed: there are none.
        """
        from r4.possible.stamp_reports import start_tracking
        from temporal.hypothetical.rif_rules.arrival_chances import UnitLateness

        options = self._streams
        for rows in static:
            self._terms.pin(rows.ravel())
        rules = evidence_rules(
            *(self._closure, hypotheses, static, self._terms),
            per_second=options.scale.per_second,
            instances=self._options.instances,
        )
        own = options.delays_of([document.name for document in streams])
        delays = UnitLateness.of(own, options.predicate_delays)
        return start_tracking(
            *(rules, self._program, hypotheses, delays, static, self._terms, self._core_of)
        )

    def _intake(self, sources: Sequence[Source]) -> Intake:
        options, file = self._streams, self._options.late
        return Intake(
            *(sources, self._terms, options),
            counters=self._counters,
            late=None if file is None else LateElements(file, self._terms, options),
        )

    @property
    def _schedule(self) -> Schedule:
        """What decides when sources are read, and how the clock moves time."""
        waits = self._status is not None or self._options.state is not None
        waits = waits or (self._references is not None and self._references.watches)
        before_wait = self._before_wait if waits else None
        signals = self._signals
        control = Control(lambda: signals.is_set, self._may_read, self._changed_references)
        state = self._options.state
        flush = None if state is None else state.flush
        readiness = SystemReadiness(signals.descriptor, flush)
        return schedule_of(self._streams, self._options, readiness, before_wait, control)

    def _may_read(self) -> bool:
        """Whether there is memory for more input; first, what is wrong with the last is reported.

        Raises:
            MemoryFull: there is none.
        """
        self._report_so_far()
        return self._bounds.may_read(self._forget, waits=self._streams.wall)

    def _forget(self) -> None:
        """Forget all that may be forgotten between two events."""
        if self._progress is not None:
            run, _ = self._progress
            run.driver.core.forget(run.intake.needed_ids)

    def _before_wait(self) -> None:
        """What is due while nothing comes."""
        self._show_status()
        if self._options.state is not None:
            self._options.state.between()

    def _schedule_of(self, run: StreamRun, sources: Sequence[Source], output: Output) -> Schedule:
        """The schedule of a run; with a state, what is restored is in its parts then.

        Raises:
            StateError: the state is none of this run.
        """
        state, to, late = self._options.state, output.to, self._options.late
        if state is None:
            return self._schedule
        from r4.state.output_commit import CommittedFile, NumberedLines, ReplayedLines
        from r4.state.run_checkpoint import RunParts, resumable_sources

        assert isinstance(to, CommittedFile | NumberedLines | ReplayedLines)
        assert late is None or isinstance(late, CommittedFile)
        core, resumable = run.driver.core, resumable_sources(sources)
        assert self._references is not None
        parts = RunParts(
            core, run.intake, resumable, self._clock, output, to, late, self._references.data
        )
        stops = lambda: self._signals.comes_within(END_WAIT)  # noqa: E731
        return state.begin(parts, self._alive, self._schedule_behind, stops)

    def _schedule_behind(self, moved_to: Tick) -> Schedule:
        """The schedule of what is not recorded, behind where the clock has moved time."""
        schedule = self._schedule
        if isinstance(schedule, TimedSchedule):
            schedule.go_on(moved_to)
        return schedule

    def _follow(self, run: StreamRun, output: Output, progress: Progress) -> None:
        intake = run.intake
        self._progress = run, output
        try:
            for each in run.outputs():
                _write(output, each)
                self._report_so_far()
                progress.show(self._counters.quads, output.written, intake.holding)
                self._show_status()
        except MemoryFull:
            if self._options.state is not None:
                self._options.state.stop()
                say("the state is saved; with more --memory the same command goes on from here")
            raise
        except RunStopped:
            assert self._options.state is not None
            self._options.state.stop()
            say("the state is saved; the same command goes on from here")
            self._ends = False
        except ReplayEnded:
            self._ends = False
        finally:
            self._report_so_far()
        if not self._ends:
            self._show_status(ended=True)
            return
        if intake.left_open:
            say(f"left out: {intake.left_open} element(s) that were not complete")
        if behind := intake.furthest_behind:
            say(wait_line(*behind, self._clock))
        for each in run.finish(self._options.drain):
            _write(output, each)
        self._show_status(ended=True)

    def _report_so_far(self) -> None:
        """Report samples of bad data, and once what counts if stamps are dateTimes."""
        self._report.samples(self._counters)
        if self._of_dates and self._clock.kind is Kind.DATE_TIME:
            say(self._of_dates)
            self._of_dates = ""

    def _show_status(self, *, ended: bool = False) -> None:
        """Report the status, if it is due or the last one."""
        if self._status is not None and self._progress is not None:
            run, output = self._progress
            if ended or self._status.is_due:
                core = run.driver.core
                state = self._options.state
                checkpoint = None if state is None else state.checkpoint
                self._status.take(
                    *(core, run.intake, run.clock, output.written),
                    ended=ended,
                    checkpoint=checkpoint,
                )

    def _count(self, run: StreamRun, output: Output) -> bool:
        """Report the counts; whether an input was cut short."""
        dropped = None
        if run.reports is not None and self._options.hypotheses is not None:
            dropped = run.reports.dropped, self._options.hypotheses.most or 0
            if count := run.driver.core.retracted_early:
                from temporal.hypothetical.rif_rules.errors import RetractedEarly

                say(self._closure.sources[0].notes([RetractedEarly.of(count)]).report())
        intake = run.intake
        shifts = intake.late_shifts
        return self._report.counts(
            *(self._counters, run.driver.core),
            dropped=dropped,
            left_out=output.sink.left_out,
            late_advice=advise_late(
                shift=max(shifts) if len(shifts) == 1 else 0,
                is_empty=bool(intake.stamp_places.apart) and not intake.has_triples,
                is_table=any(is_unsorted_table(self._inputs[n]) for n in intake.late_sources),
            ),
        )

    def _say_summary(self, run: StreamRun, output: Output) -> None:
        """Report what the run did."""
        given = self._counters, self._closure, self._streams, self._options.names
        for line in summary_lines(run, output, *given):
            say(line)


def schedule_of(
    streams: StreamOptions,
    options: SessionOptions,
    readiness: SystemReadiness,
    before_wait: Callable[[], None] | None,
    control: Control,
) -> Schedule:
    """What decides when sources are read, and how the clock moves time."""
    period = PERIOD if streams.wall else None
    timers = Timers(options.idle, options.quiet, period, before_wait, _report_idle)
    looks = streams.wall or streams.arrival
    return TimedSchedule(
        timers,
        wall_clock(streams.scale) if looks else None,
        readiness,
        control,
    )


def _write(output: Output, step: RunOutput) -> None:
    if step.reports is not None:
        output.write_possible(step.reports)
    for changes in step.changes:
        output.write(changes, step.before)


def _report_idle(name: str, idle: bool) -> None:  # noqa: FBT001 (called by the intake)
    if idle:
        say(f"{name}: silent for longer than --idle, so it does not hold time back until it speaks")
    else:
        say(f"{name}: speaks again")
