"""``r4 state``: what a state holds, whether it is whole; other rules or versions take it over."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click

from r4.cli.terminal.console import NO
from r4.cli.terminal.run_errors import exit_code_of
from r4.state.errors import StateError
from r4.state.folder import StateFolder
from r4.state.summary import summarise

_DIR = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))


@click.group("state")
def command() -> None:
    """What `r4 run --state DIR` keeps."""


@command.command()
@_DIR
def show(folder: Path) -> int:
    """Print as JSON where the run is, and what is kept of it.

    A sender that has to send again what R4 did not take goes on at the byte, or the line, of
    its source.
    """
    return _locked(folder, lambda state: click.echo(json.dumps(summarise(state), indent=1)))


@command.command()
@_DIR
def verify(folder: Path) -> int:
    """Read all of it, and compare each byte with what was written."""

    def lines(state: StateFolder) -> None:
        for line in state.verify():
            click.echo(line)

    return _locked(folder, lines)


@command.command()
@_DIR
def prune(folder: Path) -> int:
    """Remove what is not needed to go on: older checkpoints, the journal before them."""

    def remove(state: StateFolder) -> None:
        state.read_checkpoint(max(state.checkpoints, default=0))
        for path in state.prune(least=1):
            click.echo(f"removed {path.name}")

    return _locked(folder, remove)


@command.command()
@_DIR
@click.option("--rules", metavar="FILE", help="The rules; else RULES of the command, as it is now.")
@click.pass_context
def migrate(ctx: click.Context, folder: Path, rules: str | None) -> int:
    """Let other rules, or this version of R4, take over the state of a run that has stopped.

    The command that DIR belongs to goes on, takes in what is recorded, reads the rules again as by
    SIGHUP, and ends before any new input. Given again, with these rules, it goes on from there.
    """
    from r4.cli.streams.replay import run_again

    try:
        code = run_again(ctx, folder, "--migrate", rules or "")
    except StateError as error:
        return exit_code_of(error)
    return 0 if code == NO else code  # what --fail-on says counts at the end of the run


def _locked(path: Path, act: Callable[[StateFolder], None]) -> int:
    """Do something with a folder that no run uses; the exit code."""
    folder = StateFolder(path)
    try:
        folder.open(create=False)
        act(folder)
    except StateError as error:
        return exit_code_of(error)
    finally:
        folder.close()
    return 0
