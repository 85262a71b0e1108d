"""``--as``: a form of answers, of R4 or of another package."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

import click

from r4.cli.terminal.console import say
from r4.extras import scheme_of
from r4.rdf.documents import SUFFIXES
from r4.sinks.formats import FORMATS, form_of, format_names

_OTHER_SUFFIXES: Final = {*SUFFIXES, ".csv", ".tsv", ".gz", ".bz2", ".xz"}
"""How files end that answers are not written to."""


class SinkFormatChoice(click.Choice[str]):
    """A form of answers: of R4, or, if the name is none of these, of another package."""

    def __init__(self) -> None:
        super().__init__(list(FORMATS))

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name of the form, which exists."""
        if value not in FORMATS:
            self.choices = format_names()
        return super().convert(value, param, ctx)


def choose_form(asked: str | None, output: str) -> str:
    """The form of answers: what ``--as`` asked for, else what the suffix of the output says.

    Where that says something that answers are not, R4 warns and writes JSON lines.
    """
    if asked is not None:
        return asked
    if found := form_of(output):
        return found
    suffix = PurePath(output).suffix.lower()
    if scheme_of(output) is None and suffix in _OTHER_SUFFIXES:
        say(
            f"warning: {output} gets JSON lines, as no form of answers has the suffix {suffix}; "
            f"--as chooses one: {', '.join(format_names())}"
        )
    return "jsonl"
