"""The options that say how inputs are read where their names do not say it."""

from __future__ import annotations

import click

from r4.sources.formats import INPUT_FORMATS

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
