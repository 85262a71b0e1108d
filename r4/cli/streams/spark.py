"""``r4 spark``: rules over streams in shards, on Spark Structured Streaming."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

import click

from r4.checkpoint import SnapshotError
from r4.cli.options import shared_options
from r4.cli.options.rule_documents import import_options
from r4.cli.options.run_arguments import (
    RunCommand,
    documents_of,
    end_of,
    next_number,
    paths_of,
    read_run,
    warn_of_memory,
)
from r4.cli.options.run_options import RunOptions
from r4.cli.options.spark_options import MOST_SHARDS, master_option, settings_of
from r4.cli.terminal.console import LOST, RULES_REFUSED, USAGE, say
from r4.cli.terminal.run_errors import RUN_ERRORS, exit_code_of
from r4.extras import MissingExtra
from r4.rdf.documents import Format, RdfDocument
from r4.rdf.files import STDIN
from r4.sinks.formats import FORMATS
from r4.spark.jobs.requirements import NoJava, require
from r4.spark.jobs.session import MEMORY, SparkFailed, session
from r4.spark.partition.rates import Rates
from r4.spark.streaming.checkpoint_layout import CheckpointLayout
from r4.spark.streaming.file_pieces import StreamInput
from r4.time.ticks import TimeScale
from rete.planning.strata import has_negation

if TYPE_CHECKING:
    from r4.spark.streaming.sharded_run import ShardedRun

_MEGABYTE = 1 << 20


_FORMS: Final = [name for name, form in FORMATS.items() if form.of_shards]
"""The forms that shards write, a file each."""


@dataclass(frozen=True, slots=True)
class _SparkOptions(RunOptions):
    """The values of all options."""

    form: str
    output: Path
    shards: int
    checkpoint: Path
    once: bool
    limit: int | None
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
@shared_options.window
@shared_options.semantics
@shared_options.entailment
@shared_options.delay
@shared_options.drain
@shared_options.strict
@click.option("--limit", type=click.IntRange(1), help="The most facts to derive at once.")
@shared_options.lenient
@click.option("--as", "form", type=click.Choice(_FORMS), default="jsonl")
@shared_options.only
@shared_options.time_predicate
@shared_options.tick
@click.option("--literals", type=click.Choice(["term", "value"]), default="term")
@shared_options.include_input
@shared_options.include_background
@master_option
@click.option("--memory", metavar="SIZE", default=MEMORY, show_default=True, help="Heap of Spark.")
@click.option("--conf", "settings", metavar="NAME=VALUE", multiple=True, help="A setting of Spark.")
@import_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:  # noqa: ANN401 - what click has parsed
    """Run RULES over streams in shards, on Spark; answers are part files in a folder.

    The lines in them are those of `r4 run`. Without --once it goes on with what comes to folders
    until it is interrupted. Begun again with the same checkpoint it goes on where it was. Without
    --input it is what follows from static data alone.
    """
    options = _SparkOptions(**given)
    more = settings_of(options.settings)
    try:
        require()
        run = _run_of(ctx, options)
        if run is None:
            return RULES_REFUSED
        return _follow(run, options, more)
    except RUN_ERRORS as error:
        return exit_code_of(error)
    except (MissingExtra, NoJava) as error:
        say(str(error))
        return USAGE
    except SnapshotError as error:
        raise click.UsageError(str(error)) from None
    except (SparkFailed, OSError) as error:
        say(str(error))
        return LOST


def _follow(run: ShardedRun, options: _SparkOptions, more: dict[str, str]) -> int:
    """Take all batches; the exit code."""
    from r4.spark.partition.shard_programs import shard_program
    from r4.spark.streaming.manifest import open_checkpoint

    places = CheckpointLayout(options.checkpoint.absolute(), options.output.absolute())
    name = f"r4 spark {PurePath(options.rules).name}"
    ends = options.once or not any(each.folder for each in run.inputs)
    with (
        open_checkpoint(places, run.about()) as run_name,
        session(options.master, options.memory, {"spark.app.name": name} | more) as spark,
    ):
        from r4.spark.streaming.structured_streaming.spark_hosts import SparkHostRunner
        from r4.spark.streaming.structured_streaming.spark_query import run_query

        shares = [shard_program(run.partition, shard) for shard in range(options.shards)]
        run_spec = run.run_spec(run_name, places)
        batch_runner = run.batch_runner(run_spec, SparkHostRunner(spark, shares, name))
        every = None if ends else options.every
        try:
            ended = not run.inputs or run_query(
                *(spark, batch_runner, places, run.inputs),
                most=options.batch,
                every=every,
                name=name,
            )
            if ended:
                batch_runner.end(run.drain)
            else:
                say("stopped; the same command goes on from here")
        finally:
            counters = batch_runner.front.intake.counters
            batch_runner.report.samples(counters)
            cut_short = batch_runner.report.counts(counters)
    return LOST if cut_short else 0


def _run_of(ctx: click.Context, options: _SparkOptions) -> ShardedRun | None:
    """The run; None: the rules are refused, which is reported."""
    from r4.spark.partition.program_partition import partition
    from r4.spark.streaming.sharded_run import ShardedRun

    scale = TimeScale(options.tick)
    if STDIN in options.streams:
        message = "--input -: standard input cannot be read again after a failure; name files"
        raise click.UsageError(message)
    paths = paths_of(ctx, options.rules)
    ready = read_run(options, next_number(paths), scale)
    if ready is None:
        return None
    closure, program, names = ready.closure, ready.program, ready.iri_names
    static, streams = documents_of(paths, closure, folders=True)
    if streams:
        warn_of_memory(program)
    delays = options.delays(scale)
    drain, limit = end_of(options, options.limit, ready, scale)
    step = closure.next_number + len(closure.streams)
    lasting = not streams and not any(has_negation(emit.source) for emit in program.emits)
    return ShardedRun(
        closure=closure,
        partition=partition(
            program,
            options.shards,
            rates=_rates(static),
            by_value=options.by_value,
            lasting=lasting,
        ),
        static=static,
        streams=streams,
        inputs=[_input(each, step) for each in streams],
        options=delays.apply(options.reading(scale, names), streams, names),
        drain=drain,
        limit=limit,
        by_value=options.by_value,
        instances=options.instances,
        only=names.iris("--only", options.only),
        form=options.form,
        say=say,
    )


def _rates(static: Sequence[RdfDocument]) -> Rates:
    """How many facts of each predicate come, as far as loaded folders know it."""
    from r4.store.loaded_folder import LoadedFolder

    found: Counter[str] = Counter()
    for document in static:
        if document.format == Format.LOADED:
            found.update(LoadedFolder(document.path, document.number).counts())
    return Rates(found)


def _input(document: RdfDocument, step: int) -> StreamInput:
    path = Path(document.path)
    if not path.exists():
        message = f"{path}: No such file or directory"
        raise click.UsageError(message)
    return StreamInput(document.path, document.number, step, path.is_dir())
