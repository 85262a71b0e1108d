"""``r4 completion``: the script with which a shell completes commands, options and files."""

from __future__ import annotations

import click

from r4.cli.completion.shells import SHELLS, script


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
    click.echo(script(ctx.find_root().command, shell), nl=False)
    return 0
