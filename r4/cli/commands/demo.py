"""``r4 demo``: storms at three New York airports, from a year of real reports."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path
from time import perf_counter

import click

from r4.cli.terminal.console import LOST, USAGE, say
from r4.extras import MissingExtra

_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.option(
    "--picture",
    type=_FILE,
    default="r4-demo.svg",
    show_default=True,
    help="Where the picture of the network goes.",
)
@click.option("--save", type=_FOLDER, help="Where rules, static data and stream go, to play with.")
def command(picture: Path, save: Path | None) -> int:
    """Storms at three New York airports, from the weather reports of 2013."""
    from r4.demo.demo_run import DemoRun
    from r4.demo.report import Terminal, WindClasses, read_alarms, render_report
    from r4.demo.weather import CLASSES, RULES, rows, source

    console = Terminal(highlight=False, soft_wrap=True)
    try:
        begin = perf_counter()
        run = DemoRun(RULES, CLASSES, source())
        found = read_alarms(run.lines())
        seconds = perf_counter() - begin
        console.print(
            f"{rows():,} weather reports of 2013: "
            "Newark (EWR), Kennedy (JFK), LaGuardia (LGA)\n"
            f"{run.counters.elements:,} with wind, as {run.counters.quads:,} quads; "
            f"{found.lines:,} answers after {seconds:.1f} s"
        )
        console.print(render_report(found, WindClasses.of(CLASSES)))
        picture.write_text(run.picture("r4 demo"), "utf-8")
        console.print(f"\nThe network of the rules is drawn in {picture.absolute()}")
        if save is not None:
            _save(save, [RULES, CLASSES])
            rules, stream, static = map(save.joinpath, ("storms.rif", "reports.nq", "classes.ttl"))
            again = f"r4 run {rules} {stream} --static {static}"
            console.print(f"To do it again, other rules perhaps:\n  {again}")
    except MissingExtra as missing:
        say(str(missing))
        return USAGE
    except BrokenPipeError:
        raise
    except OSError as error:
        say(f"{error.filename2 or error.filename or '<stdout>'}: {error.strerror}")
        return LOST
    return 0


def _save(folder: Path, files: list[Path]) -> None:
    from r4.demo.weather import source

    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        shutil.copyfile(file, folder / file.name)
    stream = folder / "reports.nq"
    with closing(source()) as reports, stream.open("w", encoding="utf-8", newline="") as to:
        to.writelines(reports.text())
