"""What completes a line: commands, options and their values, else names of files."""

from __future__ import annotations

import os
import re
from typing import Final

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
)

PROGRAM: Final = "r4"
_LINE: Final = {"COMP_WORDS", "COMP_CWORD"}
VARIABLE: Final = "_R4_COMPLETE"
"""The variable with which the script of a shell asks for completions."""


class _WithFiles(ShellComplete):
    """Gives names of files where nothing else is known: most arguments of R4 are files."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """The completions of ``incomplete`` behind ``args``."""
        found = super().get_completions(args, incomplete)
        kind = "" if found or incomplete.startswith("-") else self._kind(args)
        return [CompletionItem(incomplete, type=kind)] if kind else found

    def _kind(self, args: list[str]) -> str:
        """``file`` or ``dir``, which comes next; "" if it is no path."""
        command: click.Command = self.cli
        context = click.Context(command)
        for arg in args:
            if isinstance(command, click.Group):
                command = command.get_command(context, arg) or command
        if isinstance(command, click.Group):
            return ""
        options = (each for each in command.params if isinstance(each, click.Option))
        last = next((each for each in options if args[-1] in each.opts and not each.is_flag), None)
        if last is None:
            return "file"
        if last.metavar == "DIR":
            return "dir"
        return "file" if re.search("FILE|DIR|TABLE", last.metavar or "") else ""

    def source(self) -> str:
        """The script; which version the shell has is not asked, as no program is started."""
        return self.source_template % self.source_vars()


class _Bash(_WithFiles, BashComplete):
    """As of click."""


class _Zsh(_WithFiles, ZshComplete):
    """As of click."""


class _Fish(_WithFiles, FishComplete):
    """As of click."""


SHELLS: Final[dict[str, type[ShellComplete]]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}
"""By the name of the shell."""


def script(group: click.Command, shell: str) -> str:
    """The script that makes a shell complete ``r4``."""
    return SHELLS[shell](group, {}, PROGRAM, VARIABLE).source()


def completions(group: click.Command, asked: str) -> str | None:
    """What the script of a shell asks for; None: no such script asks."""
    shell, _, what = asked.partition("_")
    if shell not in SHELLS or what != "complete" or not os.environ.keys() >= _LINE:
        return None
    return SHELLS[shell](group, {}, PROGRAM, VARIABLE).complete()
