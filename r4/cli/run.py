"""``r4 run``: rules over streams, answers as they become final."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import time_ns
from typing import Any, BinaryIO, Final, TypeAlias

import click
import numpy as np
import numpy.typing as npt

from r4.changes import INCONSISTENT, Changes
from r4.cli.common import INPUT_REFUSED, LOST, NO, RULES_REFUSED, not_built, read_rules, say
from r4.clock import Clock
from r4.compile import Program, compile_document
from r4.engine import Core
from r4.faults import BadData, Counters, InputError, SourceLost
from r4.intake import Intake
from r4.rdf import Document, read_static
from r4.sinks.jsonl import JsonLines
from r4.sinks.rdf import PatchLines, QuadLines
from r4.streams import RdfSource, StreamOptions
from r4.time import DAY, BadDuration, FinerThanTick, OutOfRange, TickUnit, TimeScale
from rete.dictionary import Dictionary
from rif.errors import RuleErrors
from rif.terms import RDF_TYPE, IRI

Sink: TypeAlias = JsonLines | QuadLines | PatchLines

_ALL: Final = "all"
"""What ``--drain`` without a duration stands for."""


class _Run(click.Command):
    """Keeps the order in which documents stand on the command line, which numbers them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # --drain takes its value after "=" only, so that a stream may follow it.
        given = [f"--drain={_ALL}" if arg == "--drain" else arg for arg in args]
        ctx.meta["r4.documents"] = list(self._documents(given))
        return super().parse_args(ctx, given)

    def _documents(self, args: Sequence[str]) -> Iterator[tuple[bool, str]]:
        """(is static, path) of each document of data, in order."""
        valued = {
            name
            for param in self.params
            if isinstance(param, click.Option) and not param.is_flag
            for name in param.opts
        }
        rest = iter(args)
        rules_seen = False
        for arg in rest:
            name, equals, value = arg.partition("=")
            if arg == "--":
                yield from ((False, path) for path in rest)
            elif arg.startswith("-") and arg != "-":
                if name in valued:
                    value = value if equals else next(rest, "")
                    if name == "--static":
                        yield True, value
            elif rules_seen:
                yield False, arg
            else:
                rules_seen = True


@dataclass(slots=True)
class _Output:
    """Where answers are written, and what is noticed on the way.

    Attributes:
        only: ids of the IRIs that ``--only`` names; None: everything.
        fail_on: ids of the IRIs whose answers make the run fail, or None.
        written: number of answers written.
        failed: whether an answer of ``--fail-on`` was among them.
    """

    to: BinaryIO
    sink: Sink
    terms: Dictionary
    only: tuple[str, ...]
    fail_on: str | None
    written: int = 0
    failed: bool = False
    _type: int = field(init=False)

    def __post_init__(self) -> None:
        self._type = self.terms.encode(str(IRI(RDF_TYPE)))
        self.terms.pin(np.array([self._type]))

    def write(self, changes: Changes) -> None:
        """Write what is asked for, at once."""
        if self.fail_on is not None and not self.failed:
            self.failed = bool(self._fails(changes))
        if self.only:
            changes = changes.take(np.flatnonzero(self._about(changes, self.only)))
        if len(changes):
            self.written += len(changes)
            self.to.write(self.sink.render(changes))
            self.to.flush()

    def _fails(self, changes: Changes) -> bool:
        if self.fail_on == "error":
            return bool((changes.kind == INCONSISTENT).any())
        if self.fail_on in {"answer", "any"}:
            return len(changes) > 0
        assert self.fail_on is not None
        about = self._about(changes, (self.fail_on,))
        return bool((about & (changes.kind != INCONSISTENT)).any())

    def _about(self, changes: Changes, iris: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Whose predicate, or object of rdf:type, is one of ``iris``; errors always."""
        ids = np.array([self.terms.lookup(f"<{iri.strip('<>')}>") or -1 for iri in iris], np.int64)
        triples = changes.triples
        typed = (triples[:, 1] == self._type) & np.isin(triples[:, 2], ids)
        about = np.isin(triples[:, 1], ids) | typed | (changes.kind == INCONSISTENT)
        if changes.atoms:
            heads = tuple(f"<{iri.strip('<>')}>(" for iri in iris)
            about |= np.array([atom.startswith(heads) for atom in changes.atoms], np.bool_)
        return about


@dataclass(frozen=True, slots=True)
class _Options:
    """What the command line says."""

    rules: str
    streams: tuple[str, ...]
    static: tuple[str, ...]
    window: str | None
    semantics: str
    entailment: str
    delay: str
    late: str | None
    order: str
    drain: str | None
    strict: bool
    lenient: bool
    fail_on: str | None
    output: str
    form: str
    only: tuple[str, ...]
    time_predicate: str | None
    stamp: str | None
    tick: TickUnit
    literals: str

    def check(self) -> None:
        """Refuse what is to come."""
        plain = {
            "--entailment": (self.entailment, "none"),
            "--order": (self.order, "time"),
            "--literals": (self.literals, "term"),
        }
        for name, (value, built) in plain.items():
            if value != built:
                message = f"{name} {value} is not built yet"
                raise click.UsageError(message)
        if self.form == "parquet":
            message = "--as parquet is not built yet"
            raise click.UsageError(message)


def _arrival(scale: TimeScale) -> Callable[[], int]:
    """The clock on the wall, in ticks."""
    per_tick = 10**9 // scale.per_second
    return lambda: time_ns() // per_tick - scale.origin * DAY * scale.per_second


def _ticks(text: str, option: str, scale: TimeScale) -> int:
    try:
        return scale.duration(text)
    except FinerThanTick as error:
        message = f"{option}: {error}; choose a finer --tick"
        raise click.UsageError(message) from None
    except (BadDuration, OutOfRange) as error:
        message = f"{option}: {error}"
        raise click.UsageError(message) from None


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    if path == "-":
        yield sys.stdout.buffer
        return
    try:
        file = Path(path).open("wb")
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
        raise click.UsageError(message) from None
    with file:
        yield file


class _Session:
    """One run."""

    def __init__(self, options: _Options, program: Program, scale: TimeScale) -> None:
        self._options = options
        self._terms = Dictionary()
        self._clock = Clock(scale)
        self._counters = Counters()
        self._core = Core(program, self._terms, instances=options.semantics == "instances")
        self._shown: Counter[str] = Counter()
        self._drain: int | None = 0
        if options.drain == _ALL:
            self._drain = None
        elif options.drain is not None:
            self._drain = _ticks(options.drain, "--drain", scale)

    def run(self, documents: Sequence[tuple[bool, Document]], streams: StreamOptions, to: BinaryIO) -> int:
        """Read, reason, write; the exit code."""
        output = _Output(to, self._sink(), self._terms, self._options.only, self._options.fail_on)
        try:
            for static, document in documents:
                if static:
                    for rows in read_static(
                        document, self._terms, self._counters, strict=streams.strict
                    ):
                        self._core.assert_static(rows)
            self._follow([document for static, document in documents if not static], streams, output)
        except BadData as error:
            say(f"{error}")
            return INPUT_REFUSED
        except InputError as error:
            raise click.UsageError(str(error)) from None
        except SourceLost as error:
            say(f"{error}")
            return LOST
        self._report(output)
        return NO if output.failed else 0

    def _follow(
        self, documents: Sequence[Document], options: StreamOptions, output: _Output
    ) -> None:
        sources = [
            RdfSource(document, time_predicate=options.time_predicate) for document in documents
        ]
        intake = Intake(sources, self._terms, options, counters=self._counters)
        with closing(intake):
            try:
                for batch in intake:
                    self._clock.kind = intake.kind
                    for changes in self._core.step(batch):
                        output.write(changes)
                    self._tell()
            finally:
                self._tell()
        output.write(self._core.finish(intake.last, self._drain))

    def _sink(self) -> Sink:
        instances = self._options.semantics == "instances"
        match self._options.form:
            case "nquads" | "trig":
                return QuadLines(self._terms, self._clock, blocks=self._options.form == "trig")
            case "patch":
                return PatchLines(self._terms, self._clock)
        labels = self._core.program.labels
        return JsonLines(self._terms, labels, self._clock, instances=instances)

    def _tell(self) -> None:
        """Samples of what is wrong with the data that have not been said yet."""
        for code, samples in self._counters.samples.items():
            for sample in samples[self._shown[code] :]:
                say(str(sample))
            self._shown[code] = len(samples)

    def _report(self, output: _Output) -> None:
        """Nothing is lost without a count."""
        counters = self._counters
        parts = [f"{count} × {code}" for code, count in sorted(counters.bad.items())]
        if parts:
            say(f"left out: {', '.join(parts)}")
        if counters.late:
            say(f"late: {counters.late} element(s) came more than the delay behind")
        if counters.rounded:
            say(f"rounded down to the tick: {counters.rounded} element(s)")
        if not isinstance(output.sink, JsonLines) and output.sink.left_out:
            say(f"no RDF: {output.sink.left_out} answer(s) that only jsonl can say")


@click.command(cls=_Run)
@click.argument("rules")
@click.argument("streams", nargs=-1, metavar="[STREAM]...")
@click.option("--static", multiple=True, metavar="FILE", help="RDF that always holds.")
@click.option("--window", metavar="DURATION", help="In place of the Window of the rules.")
@click.option("--semantics", type=click.Choice(["facts", "instances"]), default="facts")
@click.option("--entailment", type=click.Choice(["none", "rdfs", "owl-rl"]), default="none")
@click.option("--delay", metavar="DURATION", default="0", help="How late data may come.")
@click.option("--late", metavar="FILE", help="Where elements go that come later than that.")
@click.option("--order", type=click.Choice(["time", "arrival"]), default="time")
@click.option("--drain", metavar="[DURATION]", help="Tell also what changes after the last stamp.")
@click.option("--strict", is_flag=True, help="End at the first bad datum.")
@click.option("--lenient", is_flag=True, help="Accept undeclared variables and bare words.")
@click.option("--fail-on", metavar="ANSWER|error", help="Exit 1 if there is such an answer.")
@click.option("--output", metavar="FILE", default="-", help="Where answers go; - is standard output.")
@click.option(
    "--as",
    "form",
    type=click.Choice(["jsonl", "nquads", "trig", "patch", "parquet"]),
    default="jsonl",
)
@click.option("--only", multiple=True, metavar="IRI", help="Answers of this predicate or class.")
@click.option("--time-predicate", metavar="IRI", help="In place of prov:generatedAtTime.")
@click.option("--stamp", type=click.Choice(["arrival"]), help="Stamp elements that have no time.")
@click.option("--tick", type=click.Choice(["ms", "us", "ns"]), default="ms", show_default=True)
@click.option("--literals", type=click.Choice(["term", "value"]), default="term")
@not_built("--idle")
@not_built("--include-input", is_flag=True, flag_value=True)
@not_built("--include-background", is_flag=True, flag_value=True)
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:  # noqa: ANN401 - what click has parsed
    """Run RULES over the streams; answers are written as they become final.

    A STREAM is N-Quads or TriG, one named graph an element, stamped by prov:generatedAtTime in
    the default graph. - is standard input; files may end in .gz, .bz2 or .xz.
    """
    options = _Options(**given)
    options.check()
    scale = TimeScale(options.tick)
    streams = StreamOptions(
        scale=scale,
        delay=_ticks(options.delay, "--delay", scale),
        time_predicate=options.time_predicate,
        arrival=_arrival(scale) if options.stamp else None,
        strict=options.strict,
    )
    parsed = read_rules(options.rules, lenient=options.lenient)
    if parsed is None:
        return RULES_REFUSED
    try:
        program = compile_document(parsed.document, scale)
    except RuleErrors as errors:
        say(errors.report(options.rules))
        return RULES_REFUSED
    if options.window is not None:
        program = replace(program, window=_ticks(options.window, "--window", scale))
    if program.window is None and options.streams:
        say("warning: no Window: what is asserted holds for ever, so memory is not bounded")
    try:
        documents = [
            (static, Document.of(path, number))
            for number, (static, path) in enumerate(ctx.meta["r4.documents"], 1)
        ]
    except InputError as error:
        raise click.UsageError(str(error)) from None
    with _opened(options.output) as to:
        return _Session(options, program, scale).run(documents, streams, to)
