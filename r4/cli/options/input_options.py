"""The options that say how inputs are read where their names do not say it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from r4.cli.terminal.console import say
from r4.extras import scheme_of
from r4.rdf.documents import Format
from r4.rdf.files import STDIN
from r4.sources.input_formats import INPUT_FORMATS, InputFormats, format_by_name

CONFIGURED: Final = "r4.configured"
"""Under what the meta of a context has the options from a file or the environment, long names."""

input_format = click.option(
    "-i",
    "--input-format",
    multiple=True,
    metavar="FORMAT[=FILE]",
    help=f"Where the suffix does not say it: {', '.join(INPUT_FORMATS)}; or of one input.",
)
mapping = click.option(
    "--mapping",
    multiple=True,
    metavar="FILE[=TABLE]",
    help="What the columns of CSV, TSV and NDJSON mean: of all tables, or of one.",
)
context = click.option(
    "--context",
    multiple=True,
    metavar="IRI=FILE",
    help="Where a context of JSON-LD is: nothing is loaded from elsewhere.",
)


def warn_of_unused_format(
    ctx: click.Context, formats: InputFormats, paths: Sequence[tuple[bool, str]]
) -> None:
    """Warn that a bare ``-i`` has no effect, as each input says itself what format it has.

    A file says it by its suffix; folders and URLs of other packages have one. One of the
    configuration is for all runs, whatever their inputs are, so nothing is said of it.
    """
    if "input-format" in ctx.meta.get(CONFIGURED, ()):
        return
    name = next((name for name, each in INPUT_FORMATS.items() if each is formats.default), None)
    found = [(path, format_by_name(path, formats)) for _, path in paths]
    if name is None or any(each in {None, formats.default} for _, each in found):
        return
    say(f"warning: -i {name} has no effect, as {_reason(name, formats, found)}")


def _reason(name: str, formats: InputFormats, found: Sequence[tuple[str, Format | None]]) -> str:
    """Why a format has no effect on inputs, with their own formats, and what has one."""
    if not found:
        return f"no input is named; {STDIN} is standard input"
    files = [path for path, each in found if each is not Format.LOADED and not scheme_of(path)]
    if not files:
        return "no input is a file; a folder or URL has a format of its own"
    kind = "input" if len(files) == len(found) else "file"
    fixes = [f"-i {name}={path}" for path in files if path not in formats.by_place][:2]
    hint = f": {' or '.join(fixes)} names the format of one" if fixes else ""
    return f"the suffix of each {kind} says another format{hint}"
