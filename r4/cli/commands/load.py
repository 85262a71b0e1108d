"""``r4 load``: files of RDF into a folder of Parquet, on Spark."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from r4.cli.options.declared_options import with_options
from r4.cli.options.spark_options import SparkOptions, settings_of
from r4.cli.terminal.console import INPUT_REFUSED, LOST, USAGE, refuse, say
from r4.errors import Flaw, InputError, SourceLost
from r4.extras import MissingExtra
from r4.options.option import REQUIRED, Topic, argument, flag, option
from r4.spark.jobs.session import NoJava, SparkFailed, require, session
from r4.spark.loading.inputs import NamedInputs, find_inputs

if TYPE_CHECKING:
    from r4.spark.loading.loader import LoadReport
    from r4.spark.loading.stages import UnitRunner


@dataclass(frozen=True, kw_only=True)
class LoadOptions(SparkOptions):
    """All options of ``r4 load``."""

    files: tuple[str, ...] = argument("FILES...", repeats=True, is_required=True)
    into: Path = option("The folder to make, or to make anew.", Topic.DATA, default=REQUIRED)
    strict: bool = flag("Make nothing if something must be left out.", Topic.DATA)


@click.command()
@with_options(LoadOptions)
def command(options: LoadOptions) -> int:
    """Load FILES into a folder: Parquet with ids, and the same for `r4 run --static FOLDER`.

    FILES are files, folders and patterns, in any RDF format, told by their suffix, and perhaps
    .gz, .bz2 or .xz. N-Triples and N-Quads are read in parts, side by side; others file by file.
    What is malformed is left out, counted, and listed in FOLDER/rejected.
    """
    began = perf_counter()
    more = settings_of(options.settings)
    try:
        require()
        found = find_inputs(options.files)
        for path in found.passed:
            say(f"{path}: passed over: no RDF format is known by its suffix")
        with session(options.master, options.memory, more) as spark:
            from r4.spark.loading.stages import SparkUnitRunner

            report = _load(found, options.into, SparkUnitRunner(spark), strict=options.strict)
    except InputError as error:
        refuse(str(error))
    except (MissingExtra, NoJava) as error:
        say(str(error))
        return USAGE
    except (SourceLost, SparkFailed) as error:
        say(str(error))
        return LOST
    return (
        INPUT_REFUSED if report is None else _report(report, options.into, perf_counter() - began)
    )


def _load(found: NamedInputs, into: Path, runner: UnitRunner, *, strict: bool) -> LoadReport | None:
    """The report of the load; None: ``strict``, and something is left out, which is reported."""
    from r4.spark.loading.loader import BulkLoad

    load = BulkLoad(into, runner)
    try:
        read = load.read(found)
        for sample in read.samples:
            say(str(sample))
        if strict and read.bad:
            return None
        return load.finish(read)
    finally:
        load.abandon()


def _report(report: LoadReport, into: Path, seconds: float) -> int:
    bad = report.bad
    if bad:
        parts = ", ".join(f"{count} × {code}" for code, count in sorted(bad.items()))
        say(f"left out: {parts}; see {into / 'rejected'}")
    say(
        f"loaded: {report.triples:,} triples with {report.predicates:,} predicates and "
        f"{report.terms:,} terms, of {report.files:,} file(s), in {seconds:.1f} s; "
        f"workers: {report.cpu:.1f} s of processor time"
    )
    return LOST if bad.get(Flaw.CUT_SHORT.code) else 0
