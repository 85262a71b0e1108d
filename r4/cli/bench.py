"""``r4 bench``: workloads and comparisons."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from r4.bench.contest import PEERS, entries, milliseconds
from r4.bench.growth import TIMES, grow
from r4.bench.measure import RunFailed
from r4.bench.pace import measure_alone
from r4.bench.ratios import ratios
from r4.bench.report import Report, Table
from r4.bench.session import hold
from r4.bench.workloads import TRIPLES, WORKLOADS, Files
from r4.extras import MissingExtra, version_of

ENGINE: Final = "engine"
MEMORY: Final = "memory"
ALL: Final = "all"
NONE: Final = "none"
NAMES: Final = (*WORKLOADS, ENGINE, MEMORY)
WINDOWS: Final = ("1s", "5s", "10s")
FULL: Final = 1_100_000
RIGHT: Final = 0
WRONG: Final = 1


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice([*NAMES, ALL]))
@click.option("--list", "listed", is_flag=True, help="Say what the names stand for, and exit.")
@click.option(
    "--triples",
    type=click.IntRange(TRIPLES),
    default=FULL,
    show_default=True,
    help="Length of the streams; they come in graphs of 11.",
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
    type=click.Choice([*PEERS, ALL, NONE]),
    help="Whom to compare with, on the same file; may be given several times.  [default: none, "
    "or all of them if no workload is named]",
)
@click.option(
    "--repeat",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Rounds; in each everybody runs once, one after the other.",
)
@click.option(
    "--json",
    "report_to",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all figures to a file.",
)
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where to keep the streams for another time.  [default: nowhere]",
)
def command(  # noqa: PLR0913, PLR0917 - the options
    names: tuple[str, ...],
    listed: bool,  # noqa: FBT001
    triples: int,
    windows: tuple[str, ...],
    peers: tuple[str, ...],
    repeat: int,
    report_to: Path | None,
    folder: Path | None,
) -> int:
    """Measure workloads, each run a process of its own, and check their answers.

    Without a NAME, or with `all`, everything is measured, which takes a quarter of an hour. Bounds
    that are missed are said, and no error. Exit 1 if an answer was wrong.
    """
    if listed:
        click.echo("\n".join(_lists()), nl=False)
        return RIGHT
    everything = not names or ALL in names
    asked = NAMES if everything else tuple(dict.fromkeys(names))
    rivals = _peers(peers or ((ALL,) if everything else (NONE,)))
    widths = _windows(windows)
    with _folder(folder) as place:
        try:
            report = _measure(asked, widths, triples, rivals, repeat, place)
        except RunFailed as error:
            raise click.ClickException(str(error)) from error
    for table in report.tables():
        _show(table)
    if report_to is not None:
        report_to.write_text(json.dumps(report.json(), indent=1) + "\n", encoding="utf-8")
    return WRONG if report.wrong else RIGHT


def _measure(  # noqa: PLR0913, PLR0917 - the options
    names: Sequence[str],
    windows: Sequence[str],
    triples: int,
    peers: Sequence[str],
    repeat: int,
    folder: Path,
) -> Report:
    workloads = [name for name in names if name in WORKLOADS]
    results = hold(
        entries(workloads, windows, triples, peers, Files(folder)), repeat, folder, _progress
    )
    longest = max(windows, key=milliseconds)
    growths = list(grow((longest,), triples, folder, _progress)) if MEMORY in names else []
    paces = list(measure_alone(triples, folder, _progress)) if ENGINE in names else []
    return Report(results, list(ratios(results)), growths, paces)


def _peers(named: Sequence[str]) -> list[str]:
    """Those named; of all, those whose package is there."""
    if NONE in named:
        return []
    found = []
    for name in PEERS if ALL in named else dict.fromkeys(named):
        package = PEERS[name].needs
        if not package or version_of(package) is not None:
            found.append(name)
        elif ALL in named:
            click.echo(f"left out: {name}: {MissingExtra('bench', package)}", err=True)
        else:
            raise click.ClickException(str(MissingExtra("bench", package)))
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


def _show(table: Table) -> None:
    if not sys.stdout.isatty():
        click.echo(str(table))
        return
    from rich.console import Console
    from rich.table import Table as RichTable

    shown = RichTable(title=table.title, title_justify="left")
    for place, head in enumerate(table.heads):
        shown.add_column(head, justify="left" if place < table.texts else "right")
    for row in table.rows:
        shown.add_row(*row)
    Console().print(shown)


def _lists() -> Iterator[str]:
    rows = [(name, workload.says) for name, workload in WORKLOADS.items()]
    rows.append((ENGINE, "the engine alone, at several batch sizes, on each kernel back end"))
    rows.append((MEMORY, f"peak memory of q1, and on a stream {TIMES} times as long"))
    yield str(Table("Workloads:", ("", ""), tuple(rows), texts=2))
    peers = tuple((name, peer.says) for name, peer in PEERS.items())
    yield str(Table("Peers:", ("", ""), peers, texts=2))
