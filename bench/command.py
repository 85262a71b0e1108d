"""``r4 bench``: the options of a request, and the report that follows."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import click
from click.core import ParameterSource

from bench.benchmarks import ALL_PEERS, BENCHMARKS, GROUPS, NAMES, listing, spread
from bench.harness.benchmark import Findings, Request
from bench.harness.peer import Installation, NotInstalled
from bench.harness.process_usage import RunFailed
from bench.harness.tables import TextTable
from bench.report.files import write_report
from bench.report.report import united
from bench.suites.closure import LEAST
from bench.workloads.catalogue import TRIPLES
from bench.workloads.sizes import PAPER, SIZES
from bench.workloads.stream_terms import milliseconds
from r4.extras import MissingExtra, version_of

ALL: Final = "all"
NONE: Final = "none"
WINDOWS: Final = ("1s", "5s", "10s")
RIGHT: Final = 0
WRONG: Final = 1


def _default(place: int) -> str:
    """The value of an option by default, at each size."""
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
    help=f"Length of the streams; they come in graphs of 11.{_default(0)}",
)
@click.option(
    "--graph",
    "graphs",
    type=click.IntRange(LEAST),
    multiple=True,
    help=f"Triples of the graphs that are closed; may be given several times.{_default(1)}",
)
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True),
    help="How much there is of the graphs that facts are taken back from, and of the facts of mtl "
    f"and hypotheses.{_default(2)}",
)
@click.option(
    "--repeat",
    type=click.IntRange(1),
    help=f"Rounds; in each everybody runs once, one after the other.{_default(3)}",
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
    able = [*_able(wanted, data, everything=everything)]
    named = [peer.name for peer in peers] or [ALL if everything else NONE]
    installations = _installations(peers)
    rivals = _peers(named, wanted, installations)
    widths = _windows(windows)
    with _folder(folder) as place:
        request = Request(
            names=able,
            windows=widths,
            triples=triples or chosen.triples,
            sizes=graphs or chosen.graphs,
            share=share or chosen.share,
            data=data or place,
            peers=rivals,
            installations=installations,
            rounds=repeat or chosen.rounds,
            folder=place,
            say=_progress,
        )
        found = united(())
        for each in dict.fromkeys(NAMES[name] for name in NAMES if name in able):
            try:
                more = each.run(request)
            except RunFailed as error:
                raise click.ClickException(str(error)) from error
            for table in more.tables:
                _show(table)
            # After each one: of a run of hours that is stopped, what it found is not lost.
            found += more
            _write(found, report_to, report)
    return WRONG if found.wrong else RIGHT


def _write(found: Findings, figures: Path | None, folder: Path | None) -> None:
    if figures is not None:
        figures.write_text(json.dumps(found.figures, indent=1) + "\n", encoding="utf-8")
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
    """The peers that the user installed and that are there; others are shown as left out."""
    found = {}
    for name, path in peers:
        if path is not None:
            try:
                found[name] = Installation(path, ALL_PEERS[name].version(path))
            except NotInstalled as error:
                click.echo(f"left out: {name}: {error}", err=True)
    return found


def _able(wanted: Sequence[str], data: Path | None, *, everything: bool) -> Iterator[str]:
    """The names for which nothing is missing, or not all; what is missing is shown."""
    shown = set()
    for name in wanted:
        lack = NAMES[name].lacks(name, data)
        if lack.whole and not everything:
            raise click.ClickException("\n".join(lack.lines))
        for line in lack.lines:
            if line not in shown:
                shown.add(line)
                click.echo(f"left out: {line}", err=True)
        if not lack.whole:
            yield name


def _peers(
    named: Sequence[str], wanted: Sequence[str], installations: Mapping[str, Installation]
) -> list[str]:
    """The peers named; for all, those that serve what is wanted and whose package is there."""
    if NONE in named:
        return []
    found = []
    able = [name for each in BENCHMARKS if each.names.keys() & set(wanted) for name in each.peers]
    for name in dict.fromkeys(able if ALL in named else named):
        peer = ALL_PEERS[name]
        if peer.path:
            if name in installations:
                found.append(name)
            elif name not in named:
                click.echo(f"left out: {name}: see --peer {name}={peer.path}", err=True)
        elif not peer.needs or version_of(peer.needs) is not None:
            found.append(name)
        elif ALL in named:
            click.echo(f"left out: {name}: {MissingExtra('bench', peer.needs)}", err=True)
        else:
            raise click.ClickException(str(MissingExtra("bench", peer.needs)))
    return found


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
