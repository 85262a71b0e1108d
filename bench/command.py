"""``r4 bench``: the options of a request, and the report that follows."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import click
from click.core import ParameterSource

from bench.benchmarks import (
    ALL_PEERS,
    BENCHMARKS,
    CLOSURE,
    GROUPS,
    LOAD,
    MTL,
    MTL_STREAM,
    MTL_UPDATE,
    NAMES,
    RETRACTION,
    SENSORS,
    SPARK,
    Request,
    listing,
    spread,
)
from bench.harness.process_usage import RunFailed
from bench.harness.tables import TextTable
from bench.report.files import write_report
from bench.report.report import BenchReport
from bench.suites.contestants import PEERS
from bench.suites.graphs.closure import CLOSERS, LEAST
from bench.suites.peer import Installation, NotInstalled, milliseconds
from bench.suites.sensor_streams import STORE, missing_file
from bench.suites.temporal.mtl_models import REASONERS
from bench.suites.temporal.slice_updates import MAINTAINERS
from bench.workloads.catalogue import TRIPLES, WORKLOADS
from bench.workloads.sizes import PAPER, SIZES
from bench.workloads.temporal.metric_programs import PUBLISHED, missing
from bench.workloads.temporal.sumo_streams import STREAMS, stream_files
from r4.extras import MissingExtra, version_of
from r4.spark.jobs.requirements import NoJava, require

ALL: Final = "all"
NONE: Final = "none"
WINDOWS: Final = ("1s", "5s", "10s")
RIGHT: Final = 0
WRONG: Final = 1


def _told(place: int) -> str:
    """What an option is by default, at each size."""
    shown = (str(size[place]).strip("(),") for size in SIZES.values())
    return f"  [default: {' | '.join(shown)}]"


class NamedPeer(NamedTuple):
    """A peer, and where the user installed it."""

    name: str
    path: Path | None


class PeerName(click.ParamType[NamedPeer]):
    """``NAME``, or ``NAME=PATH`` of a peer that the user installed."""

    name = "peer"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> NamedPeer:
        """The peer of that name; fails if there is none, or if its PATH lacks or is too much."""
        name, given, path = str(value).partition("=")
        if name not in {*ALL_PEERS, ALL, NONE}:
            names = ", ".join((*ALL_PEERS, ALL, NONE))
            self.fail(f"{name!r} is none of {names}", param, ctx)
        wants = ALL_PEERS[name].path if name in ALL_PEERS else ""
        if given and not (wants and path):
            self.fail(f"{value!r}: write {name}{wants and f'={wants}'}", param, ctx)
        if wants and not given:
            self.fail(f"where is {name}? Write {name}={wants}", param, ctx)
        return NamedPeer(name, Path(path) if given else None)


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice([*NAMES, *GROUPS, ALL]))
@click.option("--list", "listed", is_flag=True, help="Say what the names stand for, and exit.")
@click.option(
    "--size",
    type=click.Choice(list(SIZES)),
    default=PAPER,
    show_default=True,
    help="How much there is of everything, and how many rounds; the next four options change it.",
)
@click.option(
    "--triples",
    type=click.IntRange(TRIPLES),
    help=f"Length of the streams; they come in graphs of 11.{_told(0)}",
)
@click.option(
    "--graph",
    "graphs",
    type=click.IntRange(LEAST),
    multiple=True,
    help=f"Triples of the graphs that are closed; may be given several times.{_told(1)}",
)
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True),
    help="How much there is of the graphs that facts are taken back from, and of the facts of mtl "
    f"and hypotheses.{_told(2)}",
)
@click.option(
    "--repeat",
    type=click.IntRange(1),
    help=f"Rounds; in each everybody runs once, one after the other.{_told(3)}",
)
@click.option(
    "--data",
    envvar="R4_TEST_DATA",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the data lie that are not shipped: of mtl, see docs/bench-mtl.md, and the "
    "published streams, see docs/comparison.md.  [default: what R4_TEST_DATA says]",
)
@click.option(
    "--window",
    "windows",
    multiple=True,
    default=WINDOWS,
    show_default=True,
    help="Window of the rules; may be given several times.",
)
@click.option(
    "--peer",
    "peers",
    multiple=True,
    metavar="NAME[=PATH]",
    type=PeerName(),
    help="Whom to compare with, on the same file; may be given several times. PATH is where the "
    "user installed a peer that R4 does not; see --list.  [default: none, or all of them that "
    "need no PATH if no workload is named]",
)
@click.option(
    "--json",
    "report_to",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all figures to a file.",
)
@click.option(
    "--report",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a report to a folder: JSON, Markdown, HTML, and pictures.",
)
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where to keep the streams for another time.  [default: nowhere]",
)
def command(  # noqa: PLR0913, PLR0917 - the options
    names: tuple[str, ...],
    listed: bool,  # noqa: FBT001
    size: str,
    triples: int | None,
    graphs: tuple[int, ...],
    share: float | None,
    repeat: int | None,
    data: Path | None,
    windows: tuple[str, ...],
    peers: tuple[NamedPeer, ...],
    report_to: Path | None,
    report: Path | None,
    folder: Path | None,
) -> int:
    """Measure workloads, each run a process of its own, and check their answers.

    Without a NAME, or with `all`, everything is measured, which takes hours with all
    peers. The report is written again after each. Bounds that are missed are said, and
    no error. Exit 1 if an answer was wrong.
    """
    if listed:
        click.echo("\n".join(map(str, listing())), nl=False)
        return RIGHT
    everything = not names or ALL in names
    wanted = list(NAMES if everything else dict.fromkeys(spread(names)))
    chosen = SIZES[size]
    of_models = MTL in wanted or MTL_UPDATE in wanted
    models = _models(data, everything=everything) if of_models else []
    able = {MTL: bool(models), MTL_UPDATE: bool(models)}
    able |= {MTL_STREAM: MTL_STREAM in wanted and _has_streams(data, everything)}
    able |= {n: n in wanted and _has_sensors(n, data, everything) for n in SENSORS}
    able |= {n: n in wanted and _has_spark(n, everything=everything) for n in (LOAD, SPARK)}
    named = [peer.name for peer in peers] or [ALL if everything else NONE]
    installations = _installations(peers)
    rivals = _peers(named, wanted, installations)
    widths = _windows(windows)
    with _folder(folder) as place:
        request = Request(
            names=[name for name in wanted if able.get(name, True)],
            windows=widths,
            triples=triples or chosen.triples,
            sizes=graphs or chosen.graphs,
            share=share or chosen.share,
            models=models,
            data=data or place,
            peers=rivals,
            installations=installations,
            rounds=repeat or chosen.rounds,
            folder=place,
            say=_progress,
        )
        findings = [each.nothing for each in BENCHMARKS]
        for number, each in enumerate(BENCHMARKS):
            if not each.runs(request):
                continue
            try:
                findings[number] = each.run(request)
            except RunFailed as error:
                raise click.ClickException(str(error)) from error
            for table in findings[number].tables():
                _show(table)
            # After each one: of a run of hours that is stopped, what it found is not lost.
            _write(BenchReport(findings), report_to, report)
    return WRONG if BenchReport(findings).wrong else RIGHT


def _write(found: BenchReport, figures: Path | None, folder: Path | None) -> None:
    if figures is not None:
        figures.write_text(json.dumps(found.json(), indent=1) + "\n", encoding="utf-8")
    if folder is not None:
        write_report(found, _called(click.get_current_context()), folder)


def _called(context: click.Context) -> str:
    """The command, as far as it matters to others: without the places where things are."""
    words = ["r4", "bench", *context.params["names"]]
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") == ParameterSource.COMMANDLINE
        if given and option.name in {"size", "triples", "graphs", "share", "repeat", "windows"}:
            value = context.params[option.name]
            for one in value if option.multiple else (value,):
                words += option.opts[0], str(one)
    for name, path in context.params["peers"]:
        words += "--peer", name if path is None else f"{name}={ALL_PEERS[name].path}"
    return shlex.join(words)


def _installations(peers: Sequence[NamedPeer]) -> dict[str, Installation]:
    """What is there of the peers that the user installed; what is missing is shown."""
    found = {}
    for name, path in peers:
        if path is not None:
            try:
                found[name] = Installation(path, ALL_PEERS[name].version(path))
            except NotInstalled as error:
                click.echo(f"left out: {name}: {error}", err=True)
    return found


def _peers(
    named: Sequence[str], wanted: Sequence[str], installations: Collection[str]
) -> list[str]:
    """Those named; if all are, those that serve what is wanted and whose package is there."""
    if NONE in named:
        return []
    found = []
    able = [*(PEERS if any(name in WORKLOADS for name in wanted) else ())]
    able += [STORE] if not able and set(SENSORS) & set(wanted) else ()
    able += CLOSERS if {CLOSURE, RETRACTION} & set(wanted) else ()
    able += REASONERS if MTL in wanted else ()
    able += MAINTAINERS if MTL_UPDATE in wanted else ()
    for name in able if ALL in named else dict.fromkeys(named):
        package = ALL_PEERS[name].needs
        if ALL_PEERS[name].path:
            if name in installations:
                found.append(name)
            elif name not in named:
                click.echo(f"left out: {name}: see --peer {name}={ALL_PEERS[name].path}", err=True)
        elif not package or version_of(package) is not None:
            found.append(name)
        elif ALL in named:
            click.echo(f"left out: {name}: {MissingExtra('bench', package)}", err=True)
        else:
            raise click.ClickException(str(MissingExtra("bench", package)))
    return found


def _has_streams(data: Path | None, everything: bool) -> bool:  # noqa: FBT001
    """Whether the streams with metric time are there; else what is missing is shown."""
    lacking = f"{MTL_STREAM}: its streams are not shipped: name their folder, --data FOLDER"
    if data is not None:
        paths = [path for name in STREAMS for path in stream_files(name, data)]
        missing_paths = [path for path in paths if not path.exists()]
        if not missing_paths:
            return True
        lacking = f"{MTL_STREAM}: {missing_paths[0]} is not there"
    if not everything:
        raise click.ClickException(lacking)
    click.echo(f"left out: {lacking}", err=True)
    return False


def _has_sensors(name: str, data: Path | None, everything: bool) -> bool:  # noqa: FBT001
    """Whether the streams of a benchmark are there; else what is missing is shown."""
    lacking = f"{name}: its streams are not shipped: name their folder, --data FOLDER"
    if data is not None:
        path = missing_file(name, data)
        if path is None:
            return True
        lacking = f"{name}: {path} is not there"
    if not everything:
        raise click.ClickException(lacking)
    click.echo(f"left out: {lacking}", err=True)
    return False


def _models(data: Path | None, *, everything: bool) -> list[str]:
    """The programs with metric time whose files are there; the others are shown."""
    if data is None:
        there = []
        lacking = ["its programs and facts are not shipped: name their folder, --data FOLDER"]
    else:
        paths = {name: missing(name, data) for name in PUBLISHED}
        there = [name for name, path in paths.items() if path is None]
        lacking = [f"{name}: {path} is not there" for name, path in paths.items() if path]
    if not there and not everything:
        raise click.ClickException("\n".join(f"{MTL}: {what}" for what in lacking))
    for what in lacking:
        click.echo(f"left out: {MTL}: {what}", err=True)
    return there


def _has_spark(name: str, *, everything: bool) -> bool:
    """Whether there is Spark for a workload; if not, that is shown."""
    try:
        require()
    except (MissingExtra, NoJava) as error:
        if not everything:
            raise click.ClickException(str(error)) from error
        click.echo(f"left out: {name}: {error}", err=True)
        return False
    return True


def _windows(named: Sequence[str]) -> tuple[str, ...]:
    try:
        return tuple(sorted(dict.fromkeys(named), key=milliseconds))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--window") from error


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given
        return
    with TemporaryDirectory(prefix="r4-bench-") as made:
        yield Path(made)


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        click.echo(text, err=True)


def _show(table: TextTable) -> None:
    if not sys.stdout.isatty():
        click.echo(str(table))
        return
    from rich.console import Console  # noqa: PLC0415 - no terminal, no rich
    from rich.table import Table as RichTable  # noqa: PLC0415

    shown = RichTable(title=table.title, title_justify="left")
    for place, head in enumerate(table.heads):
        shown.add_column(head, justify="left" if place < table.texts else "right")
    for row in table.rows:
        shown.add_row(*row)
    Console().print(shown)
