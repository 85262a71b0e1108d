"""Write docs/formats.md, or another file: the formats of streams and answers, from their tables."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from r4.rdf.documents import SUFFIXES
from r4.sinks.formats import FORMATS
from r4.sources.formats import STREAM_FORMATS
from r4.sources.input_formats import INPUT_FORMATS, INPUT_SUFFIXES

TARGET = Path(__file__).parents[1] / "docs" / "formats.md"

INTRODUCTION = """\
# Formats of streams and of answers

`make reference` writes this page from `r4/sources/formats.py` and `r4/sinks/formats.py`.

## Streams in

The suffix tells the format of a file; without one, and on standard input, it is N-Quads. A further
suffix `.gz`, `.bz2` or `.xz` is that of a compression. `-i NAME` names the format of standard input
and of files whose suffix does not say it, static ones too; `-i NAME=FILE` that of one input,
whatever its suffix is. A warning says so if a bare `-i NAME` has no effect, as the suffix of each
file says another format, or no input is a file.

A document whose format neither a suffix nor `-i` says is refused, with exit 2, if its first lines
look like another format: `<stdin>: this looks like TriG: give -i trig`. It looks like Turtle, which
cannot come from standard input as a stream, if no graph begins in what has come. So name what
another run writes:

    r4 run a.rif s.nq --as trig | r4 run b.rif -i trig -"""

ANSWERS = """\
R4's JSON lines are what `r4 run` writes. `r4 run a.rif s.nq | r4 run b.rif -i jsonl -` derives what
both documents together would; so do N-Quads, TriG, JSON-LD lines, RDF Patch and Parquet that
`--as` writes: see [semantics.md](semantics.md#answers-as-a-stream). An answer that always
held, from before the first stamp, is never withdrawn there: of JSON lines its `-` is bad data
(`DAT209`), in the others it is not written. `-i jsonl=FILE` reads JSON
lines from a file `.json` or `.ndjson`, suffixes of other formats here."""

TABLES = """\
CSV, TSV and NDJSON need `--mapping FILE`, which says what their columns mean: see
[tables.md](tables.md). Without a time in it they are static data. Parquet has triples
with times, or is a table with a mapping, too."""

SUFFIX_OF_OUTPUT = """\
Without `--as` the suffix of `--output FILE` says the form; answers are JSON lines if it says
none. If it is that of something else, such as `.tsv` or `.gz`, a warning says so."""

EXTENSION = """\
## From other packages

An installed package adds sources, forms of answers and places for them, by entry points:
`r4 run rules.rif mqtt://broker/topic` then reads from a broker. [connectors.md](connectors.md)
shows a whole package."""


def page() -> str:
    """All of it."""
    return "\n\n".join(
        [
            INTRODUCTION,
            "\n".join(_sources()),
            ANSWERS,
            TABLES,
            "## Answers out",
            "\n".join(_sinks()),
            SUFFIX_OF_OUTPUT,
            EXTENSION,
        ]
    )


def _sources() -> Iterator[str]:
    names = {format_: name for name, format_ in INPUT_FORMATS.items()}
    known = {**SUFFIXES, **INPUT_SUFFIXES}
    yield "| format | `-i` | suffixes | an element is | read |"
    yield "|---|---|---|---|---|"
    for format_, row in STREAM_FORMATS.items():
        suffixes = " ".join(f"`{suffix}`" for suffix, of in known.items() if of == format_)
        how = "as it arrives" if row.is_live else "whole"
        name = names[format_]
        yield f"| {format_.value} | `{name}` | {suffixes} | {row.element} | {how} |"


def _sinks() -> Iterator[str]:
    columns = "with `--order arrival` | with `--hypotheses` | from shards"
    yield f"| `--as` | what it is | suffixes | {columns} |"
    yield "|---|---|---|---|---|---|"
    for name, row in FORMATS.items():
        can = (row.undoes, row.tells_possible, row.of_shards)
        marks = " | ".join("yes" if each else "no" for each in can)
        suffixes = " ".join(f"`{suffix}`" for suffix in row.suffixes)
        yield f"| `{name}` | {row.summary} | {suffixes} | {marks} |"


if __name__ == "__main__":
    Path(sys.argv[1] if len(sys.argv) > 1 else TARGET).write_text(page() + "\n", encoding="utf-8")
