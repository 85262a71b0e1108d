"""A run from the command line: read, reason, write, and say what is to be said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from r4.cli.terminal.console import LOST, NO, RULES_REFUSED, say
from r4.cli.terminal.progress import Progress
from r4.cli.terminal.run_errors import RUN_ERRORS, exit_code_of
from r4.engine.core import Core
from r4.engine.domain_errors import domain_error_lines
from r4.errors import Counters, Flaw, InputError
from r4.imports import Closure, load_graphs
from r4.possible.tracking.json_lines import PossibleJsonLines
from r4.program.program import Program
from r4.rdf.documents import Format, RdfDocument, read_static
from r4.sinks.file import SinkFile, SinkLost
from r4.sinks.json_lines import JsonLines
from r4.sinks.late_elements import LateElements
from r4.sinks.output import Output, Sink
from r4.sinks.rdf import PatchLines, QuadLines
from r4.sources.rdf_source import RdfSource
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
    late: SinkFile | None
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
        self._moments: StampReports | None = None
        self._shown: Counter[str] = Counter()
        self._base: dict[RdfDocument, list[Rows]] = {}

    def run(
        self, static: Sequence[RdfDocument], streams: Sequence[RdfDocument], to: SinkFile
    ) -> int:
        """Read, reason, write; the exit code."""
        wishes, given = self._wishes, self._program.given
        possible = PossibleJsonLines(self._clock)
        self._base = self._opened(static)  # before any term is entered, by a sink too
        output = Output(to, self._sink(), self._terms, wishes.only, wishes.fail_on, given, possible)
        try:
            try:
                self._reason(static, streams, output)
            finally:  # what was told before an error is told
                output.finish()
        except RUN_ERRORS as error:
            return exit_code_of(error)
        except NoRuleFollowed:
            say("--hypotheses: no rule is followed, so nothing would be told")
            return RULES_REFUSED
        except SinkLost as error:
            say(str(error))
            return LOST
        self._report(output)
        if self._counters.bad[Flaw.CUT_SHORT.code]:
            return LOST
        return NO if output.failed else 0

    def _reason(
        self, static: Sequence[RdfDocument], streams: Sequence[RdfDocument], output: Output
    ) -> None:
        with Progress() as progress:
            always = self._always(static, progress)
            if self._wishes.hypotheses is None:
                self._core = self._core_of(self._program)
                for rows in always:
                    self._core.assert_static(rows)
            else:
                self._foresee(self._wishes.hypotheses, list(always), streams)
            self._tell()
            self._follow(streams, output, progress)

    def _always(self, static: Sequence[RdfDocument], progress: Progress) -> Iterator[Rows]:
        """The graphs that the rules import, and static data."""
        loaded = load_graphs(self._closure, self._terms, self._counters)
        for warning in loaded.warnings:
            say(warning.report())
        yield loaded.rows
        for document in static:
            if document in self._base:
                waiting = self._base.pop(document)
                while waiting:  # what the engine has taken in is held no longer
                    self._counters.quads += len(waiting[0])
                    yield waiting.pop(0)
                continue
            for rows in read_static(
                document, self._terms, self._counters, strict=self._streams.strict
            ):
                yield rows
                progress.show(self._counters.quads, 0)

    def _opened(self, static: Sequence[RdfDocument]) -> dict[RdfDocument, list[Rows]]:
        """The first loaded folder: terms begin with its own, and only what is asked for is read.

        Terms by value, and those of further folders, have to be looked up one by one.

        Raises:
            click.UsageError: it is damaged.
        """
        first = next((each for each in static if each.format == Format.LOADED), None)
        if first is None or self._wishes.by_value:
            return {}
        from r4.program.triple_selection import selected_by
        from r4.store.loaded_folder import LoadedFolder

        asked = selected_by(self._program) if self._wishes.hypotheses is None else None
        try:
            return {first: LoadedFolder(first.path, first.number).rows_on(self._terms, asked)}
        except InputError as error:
            raise click.UsageError(str(error)) from None

    def _core_of(self, program: Program, foresight: PossibleAnswerTracker | None = None) -> Core:
        wishes = self._wishes
        return Core(
            *(program, self._terms),
            instances=wishes.instances,
            limit=wishes.limit,
            arrival=wishes.arrival,
            foresight=foresight,
        )

    def _foresee(
        self, wish: HypothesisOptions, always: Sequence[Rows], streams: Sequence[RdfDocument]
    ) -> None:
        """Add the rules of what is possible, which hang on what always holds.

        Raises:
            NothingFollowed: there are none.
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
        asked = (one for each in foreseen.shapes.values() for one in each.asked)
        for name in wish.chances.idle(asked) if wish.chances else ():
            say(f"warning: --chance {name}: no rule waits for it")
        if foreseen.rules and not foreseen.followed:
            raise NoRuleFollowed
        delays = UnitLateness.of(options, [document.name for document in streams])
        self._core, self._moments = start_tracking(
            *(foreseen, self._program, wish, delays, always, self._terms, self._core_of)
        )

    def _follow(self, documents: Sequence[RdfDocument], output: Output, progress: Progress) -> None:
        options = self._streams
        sources = [
            RdfSource(document, time_predicate=options.time_predicate) for document in documents
        ]
        file = self._wishes.late
        late = None if file is None else LateElements(file, self._terms, options)
        idle = self._wishes.idle
        silence = None if idle is None else IdleTimeout(idle, _silent)
        intake = Intake(
            *(sources, self._terms, options),
            counters=self._counters,
            late=late,
            silence=silence,
        )
        with closing(intake):
            try:
                for batch in intake:
                    self._clock.kind = intake.kind
                    if self._moments is not None:
                        output.foretell(self._moments.reach(batch.last, batch.before))
                    for changes in self._core.step(batch):
                        output.write(changes)
                    if self._moments is not None and batch.completes:
                        self._moments.completed(batch.lines)
                    self._tell()
                    progress.show(self._counters.quads, output.written, intake.holding)
            finally:
                self._tell()
        if behind := intake.furthest_behind:
            say(self._held_back(*behind))
        if self._moments is not None:
            output.foretell(self._moments.close())
            if self._wishes.drain != 0:
                output.foretell(self._moments.drain())
        output.write(self._core.finish(intake.last, self._wishes.drain))

    def _held_back(self, name: str, ticks: int) -> str:
        """Which source the others had to wait for."""
        scale = self._streams.scale
        timed = self._clock.kind is Kind.DATE_TIME
        span = f"{ticks / scale.per_second:.10g} s" if timed else f"{ticks} tick(s)"
        return f"time was held back most by {name}: up to {span} behind"

    def _sink(self) -> Sink:
        form = self._wishes.form
        if form in {"nquads", "trig"}:
            return QuadLines(self._terms, self._clock, blocks=form == "trig")
        if form == "patch":
            return PatchLines(self._terms, self._clock)
        labels = self._program.labels
        if form == "parquet":
            from r4.sinks.parquet import ParquetRows

            return ParquetRows(self._terms, labels, self._clock, instances=self._wishes.instances)
        return JsonLines(self._terms, labels, self._clock, instances=self._wishes.instances)

    def _tell(self) -> None:
        """Samples of what is wrong with the data that have not been said yet."""
        for code, samples in self._counters.samples.items():
            for sample in samples[self._shown[code] :]:
                say(str(sample))
            self._shown[code] = len(samples)

    def _report(self, output: Output) -> None:
        """Nothing is lost without a count."""
        counters = self._counters
        parts = [f"{count} × {code}" for code, count in sorted(counters.bad.items())]
        if parts:
            say(f"left out: {', '.join(parts)}")
        if counters.late:
            say(f"late: {counters.late} element(s) came more than the delay behind")
        if count := self._core.without_effect:
            say(f"without effect: {count} retraction(s) of what is not there, or ended")
        for line in domain_error_lines(self._core.outside()):
            say(line)
        if counters.rounded:
            say(f"rounded down to the tick: {counters.rounded} stamp(s)")
        if self._moments is not None and (dropped := self._moments.dropped):
            assert self._wishes.hypotheses is not None
            most = self._wishes.hypotheses.most
            say(f"dropped: {dropped} possible answers, as more than {most} were open")
        if output.sink.left_out:
            say(f"no RDF: {output.sink.left_out} answer(s) that only jsonl can say")


def _silent(name: str, idle: bool) -> None:  # noqa: FBT001 (called by the intake)
    if idle:
        say(f"{name}: silent for longer than --idle, so it does not hold time back until it speaks")
    else:
        say(f"{name}: speaks again")
