"""``r4 completion``, and what its scripts ask for: commands, options, values, names of files."""

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


class _Bash(_WithFiles, BashComplete): ...


class _Zsh(_WithFiles, ZshComplete): ...


class _Fish(_WithFiles, FishComplete): ...


SHELLS: Final[dict[str, type[ShellComplete]]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


def completions(group: click.Command, asked: str) -> str | None:
    """What the script of a shell asks for; None: no such script asks."""
    shell, _, what = asked.partition("_")
    if shell not in SHELLS or what != "complete" or not os.environ.keys() >= _LINE:
        return None
    return SHELLS[shell](group, {}, PROGRAM, VARIABLE).complete()


@click.command()
@click.argument("shell", type=click.Choice([*SHELLS]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    """Print the script that makes a shell complete commands, options and files of r4.

    \b
      bash 4.4   echo 'eval "$(r4 completion bash)"' >>~/.bashrc
      zsh        echo 'eval "$(r4 completion zsh)"' >>~/.zshrc     after compinit
      fish       r4 completion fish >~/.config/fish/completions/r4.fish
    """  # noqa: D301 - \b keeps click from filling the table
    script = SHELLS[shell](ctx.find_root().command, {}, PROGRAM, VARIABLE).source()
    click.echo(script, nl=False)
    return 0
