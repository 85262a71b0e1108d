"""``r4 mtl``: rules with metric time (DatalogMTL) over facts with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Final

import click

COMMANDS: Final[Mapping[str, str]] = {
    "materialise": "r4.cli.mtl.materialise",
    "entails": "r4.cli.mtl.entails",
    "check": "r4.cli.mtl.check",
}
"""Command → the module whose ``command`` it is."""

TO_COME: Final = ("update", "stream")
"""Commands that are not built yet: asking for one is wrong usage."""


class _MtlCommands(click.Group):
    """The commands of `COMMANDS`, each imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name in TO_COME:
            message = f"r4 mtl {cmd_name} is not built yet"
            raise click.UsageError(message)
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name]).command
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_MtlCommands)
def command() -> None:
    """Rules with metric time over facts with intervals.

    \b
      Alarm(X) :- Boxminus[0,5]Hot(X), Diamondminus[0,1]Loud(X)      a rule
      Hot(a)@[0,10)                                                  a fact
      Diamondminus[a,b]A     A held at some distance from a to b ago
      Boxminus[a,b]A         A held at every such distance ago
      A Since[a,b] B         B held at one of them, and A ever since
      Diamondplus, Boxplus, Until                      the same ahead
    """  # noqa: D301 - \b keeps click from filling the example
