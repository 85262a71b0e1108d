"""``r4 replay``: a recorded run happens again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from r4.cli.options.declared_options import with_options
from r4.cli.streams.run import command as run
from r4.cli.terminal.run_errors import exit_code_of
from r4.options.option import argument
from r4.options.run_options import OutputOptions
from r4.state.errors import NoState, StateError
from r4.state.folder import StateFolder


@dataclass(frozen=True, kw_only=True)
class ReplayOptions(OutputOptions):
    """All options of ``r4 replay``."""

    folder: Path = argument("DIR")


@click.command()
@with_options(ReplayOptions)
@click.pass_context
def command(ctx: click.Context, options: ReplayOptions) -> int:
    """Let the run of `r4 run --state DIR` happen again, from what was recorded.

    It begins where the journal begins: with the run, if that has --keep-journal, else with an
    earlier checkpoint. Streams that are files are read again. Nothing in DIR is changed.
    """
    try:
        return run_again(ctx, options.folder, "--output", options.output, "--replay")
    except StateError as error:
        return exit_code_of(error)


def run_again(ctx: click.Context, folder: Path, *more: str) -> int:
    """Give the command of a state again, with ``more`` options; its exit code.

    Raises:
        StateError: there is none.
    """
    manifest = StateFolder(folder).manifest() if folder.is_dir() else None
    if manifest is None:
        message = f"{folder} has nothing recorded"
        raise NoState(message, "name the folder that was given to --state")
    manifest.check_is_run()
    given = list(manifest.command.arguments)
    end = given.index("--") if "--" in given else len(given)
    given[end:end] = ["--state", str(folder), *more]
    with run.make_context("run", given, parent=ctx) as context:
        return int(run.invoke(context))
