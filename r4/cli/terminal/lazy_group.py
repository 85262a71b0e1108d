"""A group of commands, each imported when it is needed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import click


class LazyGroup(click.Group):
    """A group whose commands are in modules, so that none pays for the imports of the others."""

    def __init__(
        self,
        name: str | None = None,
        *,
        modules: Mapping[str, str],
        **settings: object,
    ) -> None:
        """A group.

        Args:
            name: of the group.
            modules: command → the module whose ``command`` it is, in the order of ``--help``.
            settings: those of `click.Group`.
        """
        super().__init__(name, **settings)  # type: ignore[arg-type]
        self._modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of the commands."""
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of this name, imported."""
        if cmd_name not in self._modules:
            return None
        command = import_module(self._modules[cmd_name]).command
        assert isinstance(command, click.Command)
        return command
