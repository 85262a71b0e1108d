"""``r4 status``: where a run with a state is."""

from __future__ import annotations

from pathlib import Path

import click

from r4.cli.commands.stream_session import state_exit_code
from r4.cli.terminal.console import say
from r4.state.errors import NoState, StateError
from r4.state.files import as_lost
from r4.state.folder import StateFolder


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def command(folder: Path) -> int:
    """Print the status that `r4 run --state DIR` wrote last, as JSON; it may be running."""
    path = StateFolder(folder).status_path
    try:
        if not path.exists():
            message = f"{folder} has no status of a run"
            raise NoState(message, "name the folder that was given to --state")
        with as_lost(path):
            click.echo(path.read_bytes(), nl=False)
    except StateError as error:
        say(str(error))
        return state_exit_code(error)
    return 0
