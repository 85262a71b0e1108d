"""A run from the command line: read, reason, write, and say what is to be said."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from r4.cli.terminal.console import LOST, NO, RULES_REFUSED, say
from r4.cli.terminal.progress import Progress
from r4.cli.terminal.run_errors import RUN_ERRORS, exit_code_of
from r4.engine.core import Core
from r4.errors import Counters, InputError
from r4.imports import Closure
from r4.possible.tracking.json_lines import PossibleJsonLines
from r4.program.program import Program
from r4.rdf.documents import RdfDocument
from r4.run.driver import Driver
from r4.run.report import RunReport
from r4.run.static_data import StaticData
from r4.run.stream_run import RunOutput, StreamRun
from r4.sinks.file import ByteWriter, SinkLost
from r4.sinks.formats import SinkContext, find_format
from r4.sinks.late_elements import LateElements
from r4.sinks.output import Output
from r4.sources.formats import open_sources
from r4.stream.idleness import IdleTimeout
from r4.stream.intake import Intake
from r4.stream.source import StreamOptions
from r4.time.ticks import Kind, StampFormat
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary

if TYPE_CHECKING:
    from r4.possible.rewriting.program_rewriting import HypothesisOptions
    from r4.possible.tracking.reporting import StampReports
    from r4.possible.tracking.tracker import PossibleAnswerTracker


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """What a run is asked for beside its rules and streams.

    Attributes:
        instances: answers are instances, not facts.
        form: ``jsonl``, ``nquads``, ``trig``, ``patch`` or ``parquet``.
        only, fail_on: see `Output`.
        drain: ticks after the last stamp up to which changes are told; None: all.
        late: where elements go that are late, if anywhere.
        limit: the most facts that may be derived at once; None: any number.
        by_value: literals of equal values are one term.
        idle: seconds after which a silent source does not count; None: never.
        arrival: changes are told as soon as time reaches them.
        hypotheses: possible answers that are told too; None: none.
    """

    instances: bool
    form: str
    only: tuple[str, ...]
    fail_on: str | None
    drain: int | None
    late: ByteWriter | None
    limit: int | None
    by_value: bool
    idle: float | None = None
    arrival: bool = False
    hypotheses: HypothesisOptions | None = None


class NoRuleFollowed(Exception):
    """No rule has possible answers, as was said of each."""


class StreamSession:
    """One run: documents in, answers out, and what is to be said about both."""

    def __init__(
        self, program: Program, closure: Closure, streams: StreamOptions, wishes: SessionOptions
    ) -> None:
        self._closure = closure
        self._streams = streams
        self._wishes = wishes
        self._terms = Dictionary(by_value=wishes.by_value)
        self._clock = StampFormat(streams.scale)
        self._counters = Counters()
        self._program = program
        self._report = RunReport(say)

    def run(
        self, static: Sequence[RdfDocument], streams: Sequence[RdfDocument], to: ByteWriter
    ) -> int:
        """Read, reason, write; the exit code."""
        given = StaticData(
            *(self._closure, static, self._terms, self._counters),
            strict=self._streams.strict,
            say=say,
        )
        try:  # before any term is entered, by a sink too
            given.map_folder(self._program if self._wishes.hypotheses is None else None)
        except InputError as error:
            raise click.UsageError(str(error)) from None
        output = self._output(to)
        try:
            try:
                run = self._reason(given, streams, output)
            finally:  # what was emitted before an error is written
                output.finish()
        except RUN_ERRORS as error:
            return exit_code_of(error)
        except NoRuleFollowed:
            say("--hypotheses: no rule is followed, so nothing would be told")
            return RULES_REFUSED
        except SinkLost as error:
            say(str(error))
            return LOST
        if self._count(run, output):
            return LOST
        return NO if output.failed else 0

    def _output(self, to: ByteWriter) -> Output:
        wishes, program = self._wishes, self._program
        context = SinkContext(self._terms, program.labels, self._clock, wishes.instances)
        sink = find_format(wishes.form).make(context)
        possible = PossibleJsonLines(self._clock)
        return Output(to, sink, self._terms, wishes.only, wishes.fail_on, program.given, possible)

    def _reason(
        self, given: StaticData, streams: Sequence[RdfDocument], output: Output
    ) -> StreamRun:
        with Progress() as progress:
            driver, reports = self._begin(given, streams, progress)
            self._report.samples(self._counters)
            run = StreamRun(driver, self._intake(streams), self._clock, reports)
            self._follow(run, output, progress)
        return run

    def _begin(
        self, given: StaticData, streams: Sequence[RdfDocument], progress: Progress
    ) -> tuple[Driver, StampReports | None]:
        """A core that has all static data, and what tells possible answers."""
        if self._wishes.hypotheses is not None:
            core, reports = self._track(self._wishes.hypotheses, list(given.rows()), streams)
            return Driver(core), reports
        driver = Driver(self._core_of(self._program))
        for rows in given.rows():
            driver.assert_static(rows)
            progress.show(self._counters.quads, 0)
        return driver, None

    def _core_of(self, program: Program, observer: PossibleAnswerTracker | None = None) -> Core:
        wishes = self._wishes
        return Core(
            *(program, self._terms),
            instances=wishes.instances,
            limit=wishes.limit,
            arrival=wishes.arrival,
            observer=observer,
        )

    def _track(
        self, wish: HypothesisOptions, always: Sequence[Rows], streams: Sequence[RdfDocument]
    ) -> tuple[Core, StampReports]:
        """A core with the rules of what is possible, which hang on what always holds.

        Raises:
            NoRuleFollowed: there are none.
        """
        from r4.possible.arrival_chances import UnitLateness
        from r4.possible.rewriting.expected_input import static_vocabulary
        from r4.possible.rewriting.program_rewriting import rewrite_for_hypotheses
        from r4.possible.tracking.reporting import start_tracking

        closure, options = self._closure, self._streams
        for rows in always:
            self._terms.pin(rows.ravel())
        foreseen = rewrite_for_hypotheses(
            *(closure.documents, options.scale, wish),
            *static_vocabulary(always, self._terms),
            instances=self._wishes.instances,
        )
        for each in foreseen.unfollowed:
            say(closure.sources[each.document].notes([each.error]).report())
        unmet = (one for each in foreseen.shapes.values() for one in each.unmet)
        for name in wish.chances.idle(unmet) if wish.chances else ():
            say(f"warning: --chance {name}: no rule waits for it")
        if foreseen.rules and not foreseen.followed:
            raise NoRuleFollowed
        delays = UnitLateness.of(options, [document.name for document in streams])
        return start_tracking(
            *(foreseen, self._program, wish, delays, always, self._terms, self._core_of)
        )

    def _intake(self, documents: Sequence[RdfDocument]) -> Intake:
        options, file, idle = self._streams, self._wishes.late, self._wishes.idle
        return Intake(
            *(open_sources(documents, options), self._terms, options),
            counters=self._counters,
            late=None if file is None else LateElements(file, self._terms, options),
            idle_timeout=None if idle is None else IdleTimeout(idle, _silent),
        )

    def _follow(self, run: StreamRun, output: Output, progress: Progress) -> None:
        intake = run.intake
        with closing(intake):
            try:
                for each in run.outputs():
                    _write(output, each)
                    self._report.samples(self._counters)
                    progress.show(self._counters.quads, output.written, intake.holding)
            finally:
                self._report.samples(self._counters)
        if behind := intake.furthest_behind:
            say(self._held_back(*behind))
        for each in run.finish(self._wishes.drain):
            _write(output, each)

    def _held_back(self, name: str, ticks: int) -> str:
        """Which source the others had to wait for."""
        scale = self._streams.scale
        timed = self._clock.kind is Kind.DATE_TIME
        span = f"{ticks / scale.per_second:.10g} s" if timed else f"{ticks} tick(s)"
        return f"time was held back most by {name}: up to {span} behind"

    def _count(self, run: StreamRun, output: Output) -> bool:
        """Say the counts; whether an input was cut short."""
        dropped = None
        if run.reports is not None and self._wishes.hypotheses is not None:
            dropped = run.reports.dropped, self._wishes.hypotheses.most or 0
        return self._report.counts(
            self._counters, run.driver.core, dropped=dropped, left_out=output.sink.left_out
        )


def _write(output: Output, given: RunOutput) -> None:
    output.foretell(given.reports)
    for changes in given.changes:
        output.write(changes)


def _silent(name: str, idle: bool) -> None:  # noqa: FBT001 (called by the intake)
    if idle:
        say(f"{name}: silent for longer than --idle, so it does not hold time back until it speaks")
    else:
        say(f"{name}: speaks again")
