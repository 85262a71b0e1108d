"""``r4 lsp``: the language server for editors."""

from __future__ import annotations

import click

from r4.cli.terminal.console import refuse
from r4.extras import MissingExtra, version_of


@click.command()
@click.option("--stdio", is_flag=True, help="As it is anyway; editors add it.")
def command(stdio: bool) -> int:  # noqa: ARG001, FBT001
    """Serve an editor on standard input and output, by the Language Server Protocol.

    Faults as r4 check finds them in the text, built-ins and keywords under the cursor, completion,
    rules of a predicate, layout as by r4 fmt. docs/editors.md shows how editors start it.
    """
    if version_of("pygls") is None:
        refuse(str(MissingExtra("lsp", "pygls")))
    from r4.language_server.server import serve

    serve()
    return 0
