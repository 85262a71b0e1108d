"""``r4 spark``: rules over streams in shards, on Spark Structured Streaming."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

import click

from r4.checkpoint import SnapshotError
from r4.cli.options.declared_options import with_options
from r4.cli.options.durations import KeyedDurations
from r4.cli.options.report_arguments import OF_FACTS, report_of
from r4.cli.options.rule_documents import refuse_open_ranges
from r4.cli.options.run_arguments import (
    RunCommand,
    documents_of,
    end_of,
    next_number,
    paths_of,
    read_run,
    stream_options,
    warn_of_memory,
)
from r4.cli.options.spark_options import MOST_SHARDS, SparkOptions, settings_of
from r4.cli.terminal.console import LOST, USAGE, refuse, say
from r4.cli.terminal.run_errors import RUN_ERRORS, exit_code_of
from r4.extras import MissingExtra
from r4.options.option import REQUIRED, Topic, flag, option, several
from r4.options.report_options import ReportOptions
from r4.options.run_options import RunOptions
from r4.rdf.documents import Format, RdfDocument
from r4.rdf.files import STDIN
from r4.sinks.formats import FORMATS
from r4.spark.jobs.session import NoJava, SparkFailed, require, session
from r4.spark.partition.splitting import Rates
from r4.spark.streaming.checkpoint_layout import CheckpointLayout
from r4.spark.streaming.file_pieces import StreamInput
from r4.time.ticks import TimeScale
from rete.planning.strata import has_negation

if TYPE_CHECKING:
    from r4.spark.streaming.sharded_run import ShardedRun

_MEGABYTE = 1 << 20


_FORMS: Final = tuple(name for name, form in FORMATS.items() if form.of_shards)
"""The forms that shards write, a file each."""


@dataclass(frozen=True, kw_only=True)
class SparkRunOptions(RunOptions, SparkOptions, ReportOptions):
    """All options of ``r4 spark``."""

    streams: tuple[str, ...] = several(
        "A stream: a file, or a folder whose files come by name. Repeatable.",
        Topic.DATA,
        spelling="--input",
        metavar="FILE|FOLDER",
    )
    static: tuple[str, ...] = several(
        "RDF that always holds; a folder that `r4 load` has made. Repeatable.",
        Topic.DATA,
        metavar="FILE|FOLDER",
    )
    output: Path = option(
        "The folder that answers are written to.", Topic.ANSWERS, default=REQUIRED
    )
    form: str = option(
        "The form of answers.", Topic.ANSWERS, spelling="--as", choices=_FORMS, default="jsonl"
    )
    shards: int = option("How many.", Topic.SPARK, least=1, most=MOST_SHARDS, default=REQUIRED)
    checkpoint: Path = option("The folder that a run goes on from.", Topic.STATE, default=REQUIRED)
    once: bool = flag("Take what is there, and end.", Topic.SPARK)
    poll: str = option(
        "How often to look for new files.",
        Topic.SPARK,
        metavar="INTERVAL",
        shows_default=True,
        default="1 second",
    )
    batch: int = option(
        "About so much is read in a batch.",
        Topic.SPARK,
        metavar="BYTES",
        least=1,
        shows_default=True,
        default=32 * _MEGABYTE,
    )


@click.command(cls=RunCommand)
@with_options(SparkRunOptions)
@click.pass_context
def command(ctx: click.Context, options: SparkRunOptions) -> int:
    """Run RULES over streams in shards, on Spark; answers are part files in a folder.

    The lines in them are those of `r4 run`. Without --once it goes on with what comes to folders
    until it is interrupted. Begun again with the same checkpoint it goes on where it was. Without
    --input it is what follows from static data alone.
    """
    more = settings_of(options.settings)
    try:
        require()
        return _follow(_run_of(ctx, options), options, more)
    except RUN_ERRORS as error:
        return exit_code_of(error)
    except (MissingExtra, NoJava) as error:
        say(str(error))
        return USAGE
    except SnapshotError as error:
        refuse(str(error))
    except (SparkFailed, OSError) as error:
        say(str(error))
        return LOST


def _follow(run: ShardedRun, options: SparkRunOptions, more: dict[str, str]) -> int:
    from r4.spark.partition.shard_programs import shard_program
    from r4.spark.streaming.checkpoint_layout import open_checkpoint

    places = CheckpointLayout(options.checkpoint.absolute(), options.output.absolute())
    name = f"r4 spark {PurePath(options.rules).name}"
    ends = options.once or not any(each.folder for each in run.inputs)
    with (
        open_checkpoint(places, run.about()) as run_name,
        session(options.master, options.memory, {"spark.app.name": name} | more) as spark,
    ):
        from r4.spark.streaming.spark_hosts import SparkHostRunner
        from r4.spark.streaming.spark_query import run_query

        shares = [shard_program(run.partition, shard) for shard in range(options.shards)]
        run_spec = run.run_spec(run_name, places)
        batch_runner = run.batch_runner(run_spec, SparkHostRunner(spark, shares, name))
        poll = None if ends else options.poll
        try:
            ended = not run.inputs or run_query(
                *(spark, batch_runner, places, run.inputs),
                most=options.batch,
                poll=poll,
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


def _run_of(ctx: click.Context, options: SparkRunOptions) -> ShardedRun:
    """The run; `Exit`: the rules are refused, which is reported."""
    from r4.spark.partition.program_partition import partition
    from r4.spark.streaming.sharded_run import ShardedRun

    scale = TimeScale(options.tick, options.epoch, options.inclusive_dates)
    report = report_of(options, scale)
    if report is not None and options.instances:
        refuse(f"{OF_FACTS} --semantics instances")
    if STDIN in options.streams:
        refuse("--input -: standard input cannot be read again after a failure; name files")
    paths = paths_of(ctx, options.rules)
    ready = read_run(options, paths, next_number(paths), scale)
    closure, program, names = ready.closure, ready.program, ready.iri_names
    refuse_open_ranges(closure, "in shards")
    static, streams = documents_of(paths, closure, folders=True)
    warn_of_memory(program, streams)
    delays = KeyedDurations.of("--delay", options.delay, scale).resolved(streams, names)
    drain, limit = end_of(options, ready, scale)
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
        options=replace(
            delays.delaying(stream_options(options, scale, ready)),
            dated=options.zone is not None,
            most=None,  # a batch is a job, and a snapshot of each shard
        ),
        drain=drain,
        limit=limit,
        by_value=options.by_value,
        instances=options.instances,
        only=names.iris("--only", options.only),
        form=options.form,
        say=say,
        report=report,
        ops=options.ops,
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
        refuse(f"{path}: No such file or directory")
    return StreamInput(document.path, document.number, step, path.is_dir())
