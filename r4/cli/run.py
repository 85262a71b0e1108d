"""``r4 run``: rules over streams, answers as they become final."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import time_ns
from typing import Any, Final

import click

from r4.cli.common import LOST, RULES_REFUSED, not_built, read_rules, say
from r4.cli.delays import Delays
from r4.cli.imports import compiled, import_options, locations, read_closure
from r4.cli.named import check_named, say_prefixed
from r4.cli.session import Session, Wishes
from r4.compile import Program
from r4.faults import InputError
from r4.imports import Closure
from r4.meaning import background_of
from r4.rdf import Document
from r4.sinks.file import SinkFile, SinkLost, opened
from r4.streams import StreamOptions
from r4.time import DAY, BadDuration, FinerThanTick, OutOfRange, TickUnit, TimeScale
from rif.errors import NotStronglySafe

_ALL: Final = "all"
"""What ``--drain`` without a duration stands for."""


_LIMIT: Final = 100_000
"""The most facts to derive at once where rules may derive for ever."""


class _Run(click.Command):
    """Keeps the order in which documents stand on the command line, which numbers them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # --drain takes its value after "=" only, so that a stream may follow it.
        end = args.index("--") if "--" in args else len(args)
        given = [f"--drain={_ALL}" if arg == "--drain" else arg for arg in args[:end]] + args[end:]
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
                yield from ((False, path) for path in list(rest)[0 if rules_seen else 1 :])
            elif arg.startswith("-") and arg != "-":
                if name in valued:
                    value = value if equals else next(rest, "")
                    if name == "--static":
                        yield True, value
            elif rules_seen:
                yield False, arg
            else:
                rules_seen = True


@dataclass(frozen=True, slots=True)
class _Options:
    """What the command line says."""

    rules: str
    streams: tuple[str, ...]
    static: tuple[str, ...]
    window: str | None
    semantics: str
    entailment: str
    delay: tuple[str, ...]
    idle: str | None
    late: str | None
    order: str
    drain: str | None
    strict: bool
    limit: int | None
    lenient: bool
    fail_on: str | None
    output: str
    form: str
    only: tuple[str, ...]
    time_predicate: str | None
    stamp: str | None
    tick: TickUnit
    literals: str
    include_background: bool
    import_map: tuple[str, ...]
    import_root: str | None

    def check(self) -> None:
        """Refuse what is to come, and names that no answer has."""
        if self.form == "parquet":
            message = "--as parquet is not built yet"
            raise click.UsageError(message)
        if self.order == "arrival" and self.form != "jsonl":
            message = f"--order arrival undoes lines, which --as {self.form} cannot say; jsonl can"
            raise click.UsageError(message)
        check_named(self.only, self.fail_on)


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


def _same(output: str, path: str) -> bool:
    try:
        return Path(output).samefile(path)
    except OSError:
        return False


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


def _read(options: _Options, first: int, scale: TimeScale) -> tuple[Closure, Program, bool] | None:
    """The rules with what they import, compiled, and whether they may derive for ever.

    None: they are refused, and that is said.
    """
    where = locations(options.import_map, options.import_root)
    parsed = read_rules(options.rules, lenient=options.lenient)
    if parsed is None:
        return None
    closure = read_closure(parsed, options.rules, where, first, lenient=options.lenient)
    if closure is None:
        return None
    background = background_of(options.entailment, closure.profile)
    instances = options.semantics == "instances"
    by_value = options.literals == "value"
    program = compiled(closure, scale, background, instances=instances, by_value=by_value)
    if program is None:
        return None
    unbounded = any(
        isinstance(warning, NotStronglySafe)
        for warnings in (parsed.warnings, *(each.errors for each in closure.warnings))
        for warning in warnings
    )
    return closure, program.in_front() if options.include_background else program, unbounded


@click.command(cls=_Run)
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
    help=f"The most facts to derive at once.  [default: {_LIMIT:,} if rules may derive for ever]",
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
@not_built("--include-input", flag=True)
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
        scale=scale,
        time_predicate=options.time_predicate,
        arrival=_arrival(scale) if options.stamp else None,
        strict=options.strict,
    )
    delays = Delays.of(options.delay, lambda text: _ticks(text, "--delay", scale))
    idle = None if options.idle is None else _ticks(options.idle, "--idle", scale)
    inputs = [options.rules, *(path for _, path in ctx.meta["r4.documents"])]
    if inputs.count("-") > 1:
        message = "standard input can be read once"
        raise click.UsageError(message)
    for output in filter(None, (options.output, options.late)):
        if output != "-" and any(_same(output, path) for path in inputs):
            message = f"{output} is read, so it cannot be written"
            raise click.UsageError(message)
    ready = _read(options, 1 + len(ctx.meta["r4.documents"]), scale)
    if ready is None:
        return RULES_REFUSED
    closure, program, unbounded = ready
    say_prefixed((*options.only, options.fail_on or ""), closure.documents[0])
    if options.window is not None:
        program = replace(program, window=_ticks(options.window, "--window", scale))
    if program.window is None and (options.streams or closure.streams):
        say("warning: no Window: what is asserted holds for ever, so memory is not bounded")
    try:
        documents = [
            (static, Document.of(path, number))
            for number, (static, path) in enumerate(ctx.meta["r4.documents"], 1)
        ]
        documents += [
            (False, Document.of(stream.path, number))
            for number, stream in enumerate(closure.streams, closure.next_number)
        ]
    except InputError as error:
        raise click.UsageError(str(error)) from None
    streams = delays.apply(streams, [document for static, document in documents if not static])
    drain: int | None = 0
    if options.drain is not None:
        drain = None if options.drain == _ALL else _ticks(options.drain, "--drain", scale)
    to = _file(ctx, options.output)
    assert to is not None
    wishes = Wishes(
        instances=options.semantics == "instances",
        form=options.form,
        only=options.only,
        fail_on=options.fail_on,
        drain=drain,
        late=_file(ctx, options.late),
        limit=options.limit or (_LIMIT if unbounded else None),
        by_value=options.literals == "value",
        idle=None if idle is None else idle / scale.per_second,
        arrival=options.order == "arrival",
    )
    return Session(program, closure, streams, wishes).run(
        [document for static, document in documents if static],
        [document for static, document in documents if not static],
        to,
    )
