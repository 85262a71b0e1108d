"""``r4 status``: where a run with a state is."""

from __future__ import annotations

import json
from pathlib import Path

import click

from r4.cli.terminal.console import LOST, say
from r4.cli.terminal.run_errors import exit_code_of
from r4.state.errors import NoState, StateError
from r4.state.files import as_lost
from r4.state.folder import StateFolder


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def command(folder: Path) -> int:
    """Print the status that `r4 run --state DIR` wrote last, as JSON, and whether it is running.

    "ended" is true once the process that wrote it came to its end: of the input, or by a signal,
    after which the same command goes on. "checkpoint" is when that process last wrote one, null
    before its first. "running" is null where the file system has no locks.
    """
    state = StateFolder(folder)
    path = state.status_path
    try:
        if not path.exists():
            message = f"{folder} has no status of a run"
            raise NoState(message, "name the folder that was given to --state")
        with as_lost(path):
            status = json.loads(path.read_bytes())
        click.echo(json.dumps({"running": state.is_in_use, **status}, indent=1))
    except (ValueError, TypeError, RecursionError):
        say(f"{path} is no status of a run")
        return LOST
    except StateError as error:
        return exit_code_of(error)
    return 0
