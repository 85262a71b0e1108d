"""``r4 spark``: rules over streams in shards, on Spark Structured Streaming."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click

from r4.cli.common import INPUT_REFUSED, LIMIT, LOST, RULES_REFUSED, USAGE, say
from r4.cli.delays import Delays
from r4.cli.imports import import_options
from r4.cli.named import check_named, say_prefixed
from r4.cli.plan import MOST_SHARDS
from r4.cli.run import warn_of_memory
from r4.cli.running import (
    ALL,
    MOST,
    Asked,
    RunCommand,
    documents_of,
    next_number,
    paths_of,
    read_program,
    ticks,
)
from r4.cli.settings import settings_of
from r4.extras import MissingExtra
from r4.faults import BadData, InputError, SourceLost
from r4.files import STDIN
from r4.imports import ImportErrors
from r4.including import including_input
from r4.rdf import Document, Format
from r4.snapshot import SnapshotError
from r4.spark.loading.needs import NoJava, require
from r4.spark.loading.session import LOCAL, MEMORY, SparkFailed, session
from r4.spark.rates import Rates
from r4.spark.streaming.pieces import Input
from r4.spark.streaming.places import Places
from r4.streams import StreamOptions
from r4.time import TimeScale
from rete.agenda import LimitReached
from rete.strata import negates

if TYPE_CHECKING:
    from r4.spark.streaming.run import Run

_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class _Options(Asked):
    """All that the command line says."""

    semantics: str
    drain: str | None
    limit: int | None
    only: tuple[str, ...]
    include_input: bool
    include_background: bool
    form: str
    output: Path
    shards: int
    checkpoint: Path
    once: bool
    every: str
    batch: int
    master: str
    memory: str
    settings: tuple[str, ...]


@click.command(cls=RunCommand)
@click.argument("rules")
@click.option(
    "--input",
    "streams",
    multiple=True,
    metavar="FILE|FOLDER",
    help="A stream: a file, or a folder whose files come by name. Repeatable.",
)
@click.option(
    "--static",
    multiple=True,
    metavar="FILE|FOLDER",
    help="RDF that always holds; a folder that `r4 load` has made. Repeatable.",
)
@click.option(
    "--output",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder that answers are written to.",
)
@click.option("--shards", required=True, type=click.IntRange(1, MOST_SHARDS), help="How many.")
@click.option(
    "--checkpoint",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder that a run goes on from.",
)
@click.option("--once", is_flag=True, help="Take what is there, and end.")
@click.option(
    "--every",
    metavar="INTERVAL",
    default="1 second",
    show_default=True,
    help="How often to look for new files.",
)
@click.option(
    "--batch",
    type=click.IntRange(1),
    metavar="BYTES",
    default=32 * _MEGABYTE,
    show_default=True,
    help="About so much is read in a batch.",
)
@click.option("--window", metavar="DURATION", help="In place of the Window of the rules.")
@click.option("--semantics", type=click.Choice(["facts", "instances"]), default="facts")
@click.option("--entailment", type=click.Choice(["none", "rdfs", "owl-rl"]), default="none")
@click.option(
    "--delay",
    multiple=True,
    metavar="[FILE=|IRI=]DURATION",
    help="How late data may come: all, those of a stream, those with a predicate.",
)
@click.option("--drain", metavar="[DURATION]", help="Tell also what changes after the last stamp.")
@click.option("--strict", is_flag=True, help="End at the first bad datum.")
@click.option("--limit", type=click.IntRange(1), help="The most facts to derive at once.")
@click.option("--lenient", is_flag=True, help="Accept undeclared variables and bare words.")
@click.option("--as", "form", type=click.Choice(["jsonl", "parquet"]), default="jsonl")
@click.option("--only", multiple=True, metavar="IRI", help="Answers of this predicate or class.")
@click.option("--time-predicate", metavar="IRI", help="In place of prov:generatedAtTime.")
@click.option("--tick", type=click.Choice(["ms", "us", "ns"]), default="ms", show_default=True)
@click.option("--literals", type=click.Choice(["term", "value"]), default="term")
@click.option("--include-input", is_flag=True, help="Print what is asserted, too.")
@click.option(
    "--include-background", is_flag=True, help="Print what the entailment regime derives, too."
)
@click.option("--master", metavar="URL", default=LOCAL, show_default=True, help="Where Spark runs.")
@click.option("--memory", metavar="SIZE", default=MEMORY, show_default=True, help="Heap of Spark.")
@click.option("--conf", "settings", metavar="NAME=VALUE", multiple=True, help="A setting of Spark.")
@import_options
@click.pass_context
def command(  # noqa: PLR0911 - a way to end a line
    ctx: click.Context,
    /,
    **given: Any,  # noqa: ANN401 - what click has parsed
) -> int:
    """Run RULES over streams in shards, on Spark; answers are part files in a folder.

    The lines in them are those of `r4 run`. Without --once it goes on with what comes to folders
    until it is interrupted. Begun again with the same checkpoint it goes on where it was. Without
    --input it is what follows from static data alone.
    """
    options = _Options(**given)
    check_named(options.only, None, ())
    more = settings_of(options.settings)
    try:
        require()
        run = _run_of(ctx, options)
        if run is None:
            return RULES_REFUSED
        return _follow(run, options, more)
    except ImportErrors as errors:
        say(errors.report())
        return RULES_REFUSED
    except BadData as error:
        say(str(error))
        return INPUT_REFUSED
    except LimitReached as error:
        say(f"{error}; --limit allows more")
        return LIMIT
    except (MissingExtra, NoJava) as error:
        say(str(error))
        return USAGE
    except (InputError, SnapshotError) as error:
        raise click.UsageError(str(error)) from None
    except (SourceLost, SparkFailed, OSError) as error:
        say(str(error))
        return LOST


def _follow(run: Run, options: _Options, more: dict[str, str]) -> int:
    """Take all batches; the exit code."""
    from r4.spark.shares import share_of
    from r4.spark.streaming.about import enter

    places = Places(options.checkpoint.absolute(), options.output.absolute())
    wanted = run.asked(enter(places, run.about()), places)
    name = f"r4 spark {PurePath(options.rules).name}"
    ends = options.once or not any(each.folder for each in run.inputs)
    with session(options.master, options.memory, {"spark.app.name": name} | more) as spark:
        from r4.spark.streaming.job import OnSpark
        from r4.spark.streaming.query import follow

        shares = [share_of(run.given, shard) for shard in range(options.shards)]
        course = run.course(wanted, OnSpark(spark, shares, name))
        every = None if ends else options.every
        try:
            ended = not run.inputs or follow(
                *(spark, course, places, run.inputs), most=options.batch, every=every, name=name
            )
            if ended:
                course.end(run.drain)
            else:
                say("stopped; the same command goes on from here")
        finally:
            course.teller.samples(course.front)
            cut_short = course.teller.report(course.front)
    return LOST if cut_short else 0


def _run_of(ctx: click.Context, options: _Options) -> Run | None:
    """What is to be run; None: the rules are refused, and that is said."""
    from r4.spark.partition import partition
    from r4.spark.streaming.run import Run

    scale = TimeScale(options.tick)
    if STDIN in options.streams:
        message = "--input -: standard input cannot be read again after a failure; name files"
        raise click.UsageError(message)
    paths = paths_of(ctx, options.rules)
    instances, by_value = options.semantics == "instances", options.literals == "value"
    ready = read_program(options, next_number(paths), scale, instances=instances)
    if ready is None:
        return None
    closure, program, limit = ready
    if options.include_background:
        program = program.in_front()
    if options.include_input:
        program = including_input(program)
    say_prefixed(options.only, closure.documents[0])
    warn_of_memory(program)
    static, streams = documents_of(paths, closure, folders=True)
    delays = Delays.of(options.delay, lambda text: ticks(text, "--delay", scale))
    given = StreamOptions(
        names=True,
        scale=scale,
        time_predicate=options.time_predicate,
        strict=options.strict,
    )
    drain: int | None = 0
    if options.drain == ALL:
        drain = None
        limit = limit or (MOST if program.reach.derives_on else None)
    elif options.drain is not None:
        drain = ticks(options.drain, "--drain", scale)
    step = closure.next_number + len(closure.streams)
    lasting = not streams and not any(negates(emit.source) for emit in program.emits)
    return Run(
        closure=closure,
        given=partition(
            program, options.shards, rates=_rates(static), by_value=by_value, lasting=lasting
        ),
        static=static,
        streams=streams,
        inputs=[_input(each, step) for each in streams],
        options=delays.apply(given, streams),
        drain=drain,
        limit=options.limit or limit,
        by_value=by_value,
        instances=instances,
        only=options.only,
        form=options.form,
        say=say,
    )


def _rates(static: Sequence[Document]) -> Rates:
    """How many facts come of which predicate, as far as loaded folders say it."""
    from r4.loaded.opened import Opened

    found: Counter[str] = Counter()
    for document in static:
        if document.format == Format.LOADED:
            found.update(Opened(document.path, document.number).counts())
    return Rates(found)


def _input(document: Document, step: int) -> Input:
    path = Path(document.path)
    if not path.exists():
        message = f"{path}: No such file or directory"
        raise click.UsageError(message)
    return Input(document.path, document.number, step, path.is_dir())
