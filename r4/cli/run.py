"""``r4 run``: rules over streams, answers as they become final."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import time_ns
from typing import TYPE_CHECKING, Any

import click

from r4.cli.common import LOST, RULES_REFUSED, same_file, say
from r4.cli.delays import Delays
from r4.cli.imports import import_options
from r4.cli.named import check_named, say_prefixed
from r4.cli.running import (
    ALL,
    MOST,
    SUBJECTS,
    Asked,
    RunCommand,
    documents_of,
    next_number,
    paths_of,
    read_program,
    ticks,
)
from r4.cli.session import Session, Wishes
from r4.compile import Program
from r4.extras import MissingExtra, version_of
from r4.including import including_input
from r4.metric import unbounded
from r4.rdf import Document
from r4.sinks.file import SinkFile, SinkLost, opened
from r4.streams import StreamOptions
from r4.time import DAY, TimeScale
from rif.errors import RuleErrors

if TYPE_CHECKING:
    from r4.possible.foreseeing import Wish

_PARQUET = "pyarrow"


@dataclass(frozen=True, slots=True)
class _Options(Asked):
    """All that the command line says."""

    semantics: str
    idle: str | None
    late: str | None
    order: str
    drain: str | None
    limit: int | None
    fail_on: str | None
    output: str
    form: str
    only: tuple[str, ...]
    stamp: str | None
    include_input: bool
    include_background: bool
    hypotheses: str | None
    expect: tuple[str, ...]
    chance: tuple[str, ...]
    most: int | None

    def wish(self, streams: StreamOptions, sources: Sequence[Document]) -> Wish | None:
        """What is asked of possible answers, if anything is.

        Raises:
            click.UsageError: a chance makes no sense where ``sources`` are read so.
        """
        if self.hypotheses is None:
            return None
        from r4.possible.chance_text import parse_chances
        from r4.possible.foreseeing import Wish
        from r4.possible.lateness import Delays as Lateness

        try:
            late = Lateness.of(streams, [document.name for document in sources])
            chances = parse_chances(self.chance, streams.scale, late) if self.chance else None
        except RuleErrors as errors:
            raise click.UsageError(errors.report()) from None
        return Wish(self.hypotheses == SUBJECTS, self.expect or None, chances, self.most)

    def check(self) -> None:
        """Refuse forms that cannot say what is asked for, and names that no answer has."""
        message = ""
        if self.order == "arrival" and self.form not in {"jsonl", "parquet"}:
            message = f"--order arrival undoes lines, which --as {self.form} cannot say; jsonl can"
        if self.form == "parquet" and self.output == "-":
            message = (
                "--as parquet is one file of columns, and no lines: name it with --output FILE"
            )
        elif self.form == "parquet" and version_of(_PARQUET) is None:
            message = str(MissingExtra("parquet", _PARQUET))
        elif self.hypotheses is not None and self.form != "jsonl":
            message = f"--hypotheses tells what is possible, which --as {self.form} cannot say"
        elif self.hypotheses is None:
            message = message or self._needing()
        if message:
            raise click.UsageError(message)
        check_named(self.only, self.fail_on, self.expect)

    def _needing(self) -> str:
        """What is wrong with options that are of hypotheses, as none are asked for."""
        of_hypotheses = (
            (self.expect, "--expect says which hypotheses there are"),
            (self.chance, "--chance says how probable hypotheses are"),
            (self.most, "--most says how many sets of hypotheses are held"),
        )
        said = (f"{what}: it needs --hypotheses" for given, what in of_hypotheses if given)
        return next(said, "")


def _arrival(scale: TimeScale) -> Callable[[], int]:
    """The clock on the wall, in ticks."""
    per_tick = 10**9 // scale.per_second
    return lambda: time_ns() // per_tick - scale.origin * DAY * scale.per_second


def _file(ctx: click.Context, path: str | None) -> SinkFile | None:
    """The file at ``path``, closed when the command ends."""
    if path is None:
        return None
    try:
        return ctx.with_resource(opened(path))
    except SinkLost as error:
        say(str(error))
        ctx.exit(LOST)
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
        raise click.UsageError(message) from None


@click.command(cls=RunCommand)
@click.argument("rules")
@click.argument("streams", nargs=-1, metavar="[STREAM]...")
@click.option("--static", multiple=True, metavar="FILE", help="RDF that always holds.")
@click.option("--window", metavar="DURATION", help="In place of the Window of the rules.")
@click.option("--semantics", type=click.Choice(["facts", "instances"]), default="facts")
@click.option("--entailment", type=click.Choice(["none", "rdfs", "owl-rl"]), default="none")
@click.option(
    "--delay",
    multiple=True,
    metavar="[FILE=|IRI=]DURATION",
    help="How late data may come: all, those of a stream, those with a predicate.",
)
@click.option("--idle", metavar="DURATION", help="How long a silent stream holds time back.")
@click.option("--late", metavar="FILE", help="Where elements go that come later than that.")
@click.option(
    "--order",
    type=click.Choice(["time", "arrival"]),
    default="time",
    help="Tell what is final, or at once what may be undone.",
)
@click.option("--drain", metavar="[DURATION]", help="Tell also what changes after the last stamp.")
@click.option("--strict", is_flag=True, help="End at the first bad datum.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    help=f"The most facts to derive at once.  [default: {MOST:,} if rules may derive for ever]",
)
@click.option("--lenient", is_flag=True, help="Accept undeclared variables and bare words.")
@click.option("--fail-on", metavar="ANSWER|error", help="Exit 1 if there is such an answer.")
@click.option(
    "--output", metavar="FILE", default="-", help="Where answers go; - is standard output."
)
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
@click.option(
    "--literals",
    type=click.Choice(["term", "value"]),
    default="term",
    help="Whether literals of equal values are one term.",
)
@click.option(
    "--hypotheses",
    type=click.Choice([SUBJECTS, "triples"]),
    metavar="[subjects|triples]",
    help="Tell also what is possible, on what evidence, waiting for what.",
)
@click.option("--expect", multiple=True, metavar="IRI", help="A predicate or class that may come.")
@click.option(
    "--chance",
    multiple=True,
    metavar="[IRI=]DELAY:P,…",
    help="How probable it is that it comes so late at most: all, a predicate, a class.",
)
@click.option(
    "--most",
    type=click.IntRange(1),
    metavar="N",
    help="Hold so many possible answers; the least probable are dropped.",
)
@click.option("--include-input", is_flag=True, help="Print what is asserted, too.")
@click.option(
    "--include-background", is_flag=True, help="Print what the entailment regime derives, too."
)
@import_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:  # noqa: ANN401 - what click has parsed
    """Run RULES over the streams; answers are written as they become final.

    With --order arrival they are written as soon as time reaches them, and undone if need be.

    A STREAM is N-Quads or TriG, one named graph an element, stamped by prov:generatedAtTime in
    the default graph. - is standard input; files may end in .gz, .bz2 or .xz.
    """
    options = _Options(**given)
    options.check()
    scale = TimeScale(options.tick)
    streams = StreamOptions(
        names=True,
        each=options.order == "arrival",
        lines=options.hypotheses is not None,
        scale=scale,
        time_predicate=options.time_predicate,
        arrival=_arrival(scale) if options.stamp else None,
        strict=options.strict,
    )
    delays = Delays.of(options.delay, lambda text: ticks(text, "--delay", scale))
    idle = None if options.idle is None else ticks(options.idle, "--idle", scale)
    paths = paths_of(ctx, options.rules)
    inputs = [options.rules, *(path for _, path in paths)]
    for output in filter(None, (options.output, options.late)):
        if output != "-" and any(same_file(output, path) for path in inputs):
            message = f"{output} is read, so it cannot be written"
            raise click.UsageError(message)
    instances = options.semantics == "instances"
    ready = read_program(options, next_number(paths), scale, instances=instances)
    if ready is None:
        return RULES_REFUSED
    closure, program, limit = ready
    if options.include_background:
        program = program.in_front()
    if options.include_input:
        program = including_input(program)
    chances = (each.rpartition("=")[0] for each in options.chance)
    named = (*options.only, *options.expect, options.fail_on or "", *chances)
    say_prefixed(named, closure.documents[0])
    if options.streams or closure.streams:
        warn_of_memory(program)
    static, sources = documents_of(paths, closure)
    streams = delays.apply(streams, sources)
    drain: int | None = 0
    if options.drain == ALL:
        drain = None
        limit = limit or (MOST if program.reach.derives_on else None)
    elif options.drain is not None:
        drain = ticks(options.drain, "--drain", scale)
    to = _file(ctx, options.output)
    assert to is not None
    wishes = Wishes(
        instances=instances,
        form=options.form,
        only=options.only,
        fail_on=options.fail_on,
        drain=drain,
        late=_file(ctx, options.late),
        limit=options.limit or limit,
        by_value=options.literals == "value",
        idle=None if idle is None else idle / scale.per_second,
        arrival=options.order == "arrival",
        hypotheses=options.wish(streams, sources),
    )
    return Session(program, closure, streams, wishes).run(static, sources, to)


def warn_of_memory(program: Program) -> None:
    """A warning if memory is not bounded."""
    why = unbounded(program.reach)
    if not program.metric and program.window is None:
        why = "no Window: what is asserted holds for ever, so memory is not bounded"
    if why:
        say(f"warning: {why}")
