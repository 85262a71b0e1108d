"""``r4 map``: proposes what the columns of a table mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import click

from r4.cli.options.declared_options import with_options
from r4.cli.terminal.console import LOST, refuse, say
from r4.errors import InputError, SourceLost
from r4.extras import MissingExtra, version_of
from r4.options.option import Topic, argument, option
from r4.rdf.documents import Format, RdfDocument
from r4.rdf.files import STDIN, plain_suffix
from r4.sources.input_formats import INPUT_FORMATS, INPUT_SUFFIXES
from r4.sources.proposal.mapping_text import proposed_mapping
from r4.sources.proposal.table_head import read_head

_ROWS: Final = 1000


@dataclass(frozen=True, kw_only=True)
class MapOptions:
    """All options of ``r4 map``."""

    table: str = argument("FILE")
    input_format: Literal["csv", "tsv", "ndjson", "parquet"] | None = option(
        "What FILE is.",
        Topic.DATA,
        spelling="-i --input-format",
        otherwise="by its suffix",
    )
    rows: int = option(
        "How many rows to look at; at most those of the first megabyte.",
        Topic.COMMAND,
        default=_ROWS,
        least=1,
        shows_default=True,
    )


@click.command()
@with_options(MapOptions)
def command(options: MapOptions) -> int:
    """Propose a mapping of FILE, a table, from its first rows, as --mapping takes it.

    FILE is CSV, TSV, NDJSON or Parquet; - is standard input. Each guess has its reason as a
    comment: read them, as rows further below may be different.
    """
    document = RdfDocument(options.table, 1, _format(options))
    try:
        text = proposed_mapping(read_head(document, options.rows))
    except InputError as error:
        refuse(str(error))
    except SourceLost as error:
        say(str(error))
        return LOST
    click.echo(text.encode(), nl=False)
    return 0


def _format(options: MapOptions) -> Format:
    path = options.table
    suffix = plain_suffix(path)
    format_ = INPUT_SUFFIXES.get(suffix)
    if options.input_format is not None:
        format_ = INPUT_FORMATS[options.input_format]
    elif suffix in {".json", ".jsonl"}:
        format_ = Format.NDJSON
    if format_ is None or not format_.is_table:
        refuse(f"{path}: no table is known by its suffix: -i csv, tsv, ndjson or parquet says it")
    if format_ is Format.PARQUET and version_of("pyarrow") is None:
        refuse(f"{path}: {MissingExtra('parquet', 'pyarrow')}")
    if format_ is Format.PARQUET and path == STDIN:
        refuse("Parquet is read whole, so it cannot come from standard input")
    return format_
