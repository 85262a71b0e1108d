"""A run from the command line: answers in a form, errors as exit codes, the end in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from r4.answers.periodic_report import PeriodicReport
from r4.cli.sessions.run_summary import summary_lines
from r4.cli.terminal.console import LOST, NO, RULES_REFUSED, say
from r4.cli.terminal.progress import Progress
from r4.cli.terminal.run_errors import RUN_ERRORS, exit_code_of
from r4.cli.terminal.signals import RunSignals, Stopped
from r4.run.inputs import RunInput
from r4.run.settings import RunSettings
from r4.run.status import StatusReporter
from r4.run.stream_run import NoRuleFollowed, RunPorts, StreamRun
from r4.sinks.file import ByteWriter, NamedFile, SinkFile, SinkLost
from r4.sinks.formats import find_format
from r4.sinks.output import Output, SinkContext
from r4.state.errors import StateError
from r4.time.ticks import wall_clock
from rete.drawing.names import Names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from r4.cli.terminal.status_files import StatusFiles
    from r4.state.run_state import RunState


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """The options of a run that only a command line has.

    Attributes:
        form: a name of `r4.sinks.formats.FORMATS`, or one of another package.
        only, fail_on: see `Output`.
        late: where late elements go; None: nowhere.
        status: where the status goes every second; None: nowhere.
        state: from where the run resumes, and where it is written down; None: nowhere.
        is_quiet: no summary follows the run.
        names: how IRIs are written.
        prefixes: the namespace of each prefix.
        of_dates: a warning that counts if the stamps are dateTimes; "" if there is none.
    """

    form: str
    only: tuple[str, ...]
    fail_on: str | None
    late: ByteWriter | None
    status: StatusFiles | None = None
    state: RunState | None = None
    is_quiet: bool = False
    names: Names = field(default_factory=Names)
    prefixes: Mapping[str, str] = field(default_factory=dict)
    of_dates: str = ""


class StreamSession:
    """One run: documents in, answers out, and lines for a person about both."""

    def __init__(self, given: RunInput, settings: RunSettings, options: SessionOptions) -> None:
        self._input = given
        self._options = options
        self._signals = RunSignals()
        self._progress = Progress()
        self._to: ByteWriter
        self._output: Output
        status = options.status
        clock = wall_clock(given.reading.scale)
        self._run = StreamRun(
            *(given, settings),
            RunPorts(
                say=say,
                stop=self._signals,
                progress=self._show,
                observers=() if status is None else (StatusReporter(status.write, clock),),
                state=options.state,
                late=options.late,
                reopen=self._reopen,
                relabels=not find_format(options.form).needs_file,
                of_dates=options.of_dates,
            ),
        )

    @property
    def is_stopped(self) -> bool:
        """Whether a signal ended the run."""
        return self._signals.is_set

    def run(self, to: ByteWriter) -> int:
        """Read, reason, write; the exit code."""
        state = self._options.state
        self._to = to
        if isinstance(to, SinkFile) and find_format(self._options.form).needs_file:
            to.may_move = False
        try:
            ended = None if state is None else state.ended
            code = self._execute() if ended is None else ended
            if ended is not None:
                say("the run has ended, and all of its output is there")
        except StateError as error:
            return exit_code_of(error)
        return self._signals.exit_code or code if code in {0, NO} else code

    def _execute(self) -> int:
        run, state = self._run, self._options.state
        try:
            with self._progress:
                run.execute(self._make_output)
        except RUN_ERRORS as error:
            return exit_code_of(error)
        except Stopped:
            say("ended within a step: of what was read or derived in it nothing is written")
            return 0  # the exit code of the signal counts
        except NoRuleFollowed:
            say("--hypotheses: no rule is followed, so nothing would be told")
            return RULES_REFUSED
        except SinkLost as error:
            say(str(error))
            return LOST
        code = LOST if run.count(self._output.sink.left_out) else NO if self._output.failed else 0
        if run.ends and not self._options.is_quiet:
            for line in summary_lines(run, self._output, self._options.names):
                say(line)
        if state is not None and run.ends:
            state.end(code)
        return code

    def _reopen(self) -> None:
        outputs: tuple[object, ...] = (self._to, self._options.late)
        for each in outputs:
            if isinstance(each, NamedFile):
                each.follow()

    def _make_output(self, run: StreamRun) -> Output:
        options, program, settings = self._options, self._input.program, run.settings
        given = run.terms, run.labels, run.clock, settings.instances, options.prefixes
        sink = find_format(options.form).make(SinkContext(*given, settings.report is not None))
        only, fail_on = options.only, options.fail_on
        self._output = output = Output(self._to, sink, run.terms, only, fail_on, program.given)
        output.ops = settings.ops
        if settings.report is not None:
            output.periodic = PeriodicReport(
                *(settings.report, run.terms, run.clock),
                stamps=lambda: run.intake,
                check=self._signals.check,
            )
        if settings.hypotheses is not None:
            from r4.possible.json_lines import PossibleJsonLines

            output.possible_sink = PossibleJsonLines(run.clock)
        return output

    def _show(self, run: StreamRun) -> None:
        self._progress.show(run.counters.quads, run.report.written, run.holding)
