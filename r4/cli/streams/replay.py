"""``r4 replay``: a recorded run happens again."""

from __future__ import annotations

from pathlib import Path

import click

from r4.cli.streams.run import command as run
from r4.cli.terminal.console import say
from r4.cli.terminal.run_errors import state_exit_code
from r4.state.errors import NoState, StateError
from r4.state.folder import StateFolder


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--output", metavar="FILE", default="-", help="Where answers go; - is standard output."
)
@click.pass_context
def command(ctx: click.Context, folder: Path, output: str) -> int:
    """Let the run of `r4 run --state DIR` happen again, from what was recorded.

    It begins where the journal begins: with the run, if that has --keep-journal, else with an
    earlier checkpoint. Streams that are files are read again. Nothing in DIR is changed.
    """
    state = StateFolder(folder)
    try:
        manifest = state.manifest() if folder.is_dir() else None
        if manifest is None:
            message = f"{folder} has nothing recorded"
            raise NoState(message, "name the folder that was given to --state")
        manifest.check_is_run()
    except StateError as error:
        say(str(error))
        return state_exit_code(error)
    more = ["--state", str(folder), "--output", output, "--replay"]
    given = list(manifest.command.arguments)
    end = given.index("--") if "--" in given else len(given)
    given[end:end] = more
    with run.make_context("run", given, parent=ctx) as context:
        return int(run.invoke(context))
