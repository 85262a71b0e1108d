"""A group of commands, each imported when it is needed."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

import click

from r4.loading import Loading

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class LazyCommand(NamedTuple):
    """A command that is not imported yet.

    Attributes:
        module: its ``command`` is the command.
        summary: what it does, in a line of the help of the group.
    """

    module: str
    summary: str


class LazyGroup(click.Group):
    """A group whose commands are in modules, so that none pays for the imports of the others."""

    def __init__(
        self,
        name: str | None = None,
        *,
        rows: Mapping[str, LazyCommand],
        **settings: object,
    ) -> None:
        """A group with the commands ``rows``, in the order of ``--help``."""
        super().__init__(name, **settings)  # type: ignore[arg-type]
        self._rows = rows

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of the commands."""
        return list(self._rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of this name, imported."""
        if cmd_name not in self._rows:
            return None
        from rif.syntax.garbage_collection import collector_paused

        module = self._rows[cmd_name].module
        is_new = module not in sys.modules
        # Modules are a tree that only grows, and stays: a fifth of a short command.
        with Loading(), collector_paused():
            command = import_module(module).command
            if is_new:
                gc.freeze()
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with their summaries: none is imported."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, row.summary) for name, row in self._rows.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of the first argument."""
        name = args[0]
        if name not in self._rows and not name.startswith("-") and not ctx.resilient_parsing:
            from rif.errors.nearest import nearest_words

            near = nearest_words(name, self._rows, 3)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f"No such command '{name}'.{hint}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The commands that begin so, with their summaries: none is imported."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        from click.shell_completion import CompletionItem

        return [
            CompletionItem(name, help=row.summary)
            for name, row in self._rows.items()
            if name.startswith(incomplete)
        ]
