"""The table of sinks: the forms in which answers are written, and the places that they go to.

A form is one file of this room and one row of `FORMATS`. Other packages add forms and places by
entry points of the group ``r4.sinks``: a name gives a `SinkFormat`, a scheme such as ``mqtt:`` a
function from a URL to a context that gives a `ByteWriter`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final, cast

from r4.extras import extension, extension_names, scheme_of
from r4.sinks.file import ByteWriter, open_file
from r4.sinks.json_lines import JsonLines
from r4.sinks.output import Sink, SinkContext
from r4.sinks.rdf import JsonLdLines, PatchLines, QuadLines, TrigBlocks

GROUP: Final = "r4.sinks"
"""The group of entry points."""


@dataclass(frozen=True, slots=True)
class SinkFormat:
    """A form in which answers are written: a row of the table.

    Attributes:
        make: a sink of this form.
        summary: what it is, in a few words.
        undoes: whether it can express that an early result proved untrue.
        tells_possible: whether possible answers can be written beside.
        needs_file: whether it is one file as a whole, and no stream of bytes.
        at_end: whether it is written when the run has ended, and says what holds then.
        tells_state: whether it can say what holds at marks of time.
        of_shards: whether the shards of a run write it, a file each.
        extra: the extra and the package that it needs, if any.
        suffixes: how files in it end.
    """

    make: Callable[[SinkContext], Sink]
    summary: str
    undoes: bool = False
    tells_possible: bool = False
    needs_file: bool = False
    at_end: bool = False
    tells_state: bool = False
    of_shards: bool = False
    extra: tuple[str, str] | None = None
    suffixes: tuple[str, ...] = ()


def _csv(context: SinkContext) -> Sink:
    if context.marks:
        from r4.sinks.csv_rows import CsvRows  # noqa: PLC0415 - few runs write it

        return CsvRows(context)
    from r4.sinks.current_state import CsvState  # noqa: PLC0415 - the same

    return CsvState(context)


def _turtle(context: SinkContext) -> Sink:
    from r4.sinks.current_state import TurtleState  # noqa: PLC0415 - few runs write it

    return TurtleState(context)


def _parquet(context: SinkContext) -> Sink:
    from r4.sinks.parquet import ParquetRows  # noqa: PLC0415 - pyarrow is an extra

    return ParquetRows(context)


FORMATS: Final[Mapping[str, SinkFormat]] = {
    "jsonl": SinkFormat(
        JsonLines,
        "a JSON object a line, for what begins and what ceases to hold",
        undoes=True,
        tells_possible=True,
        tells_state=True,
        of_shards=True,
        suffixes=(".jsonl", ".ndjson", ".json"),
    ),
    "nquads": SinkFormat(
        QuadLines,
        "N-Quads: a named graph for what begins and for what ceases to hold at an instant",
        tells_state=True,
        suffixes=(".nq",),
    ),
    "trig": SinkFormat(
        TrigBlocks, "TriG: the same, a block a graph", tells_state=True, suffixes=(".trig",)
    ),
    "ndjsonld": SinkFormat(
        JsonLdLines,
        "JSON-LD lines: the same, a document a line",
        tells_state=True,
        suffixes=(".ndjsonld",),
    ),
    "patch": SinkFormat(
        PatchLines, "RDF Patch: a transaction for each instant", suffixes=(".rdfp", ".patch")
    ),
    "parquet": SinkFormat(
        _parquet,
        "the keys of the JSON lines as columns",
        undoes=True,
        tells_state=True,
        needs_file=True,
        of_shards=True,
        extra=("parquet", "pyarrow"),
        suffixes=(".parquet",),
    ),
    "csv": SinkFormat(
        _csv,
        "CSV of the answers that hold at the end; with --every a row for each line",
        at_end=True,
        tells_state=True,
        suffixes=(".csv",),
    ),
    "turtle": SinkFormat(
        _turtle, "Turtle of the triples that hold at the end", at_end=True, suffixes=(".ttl",)
    ),
}
"""By the name that ``--as`` has, in the order of the help."""


def format_names() -> tuple[str, ...]:
    """The names of all forms, those of other packages last."""
    more = (name for name in extension_names(GROUP) if not name.endswith(":"))
    return (*FORMATS, *(name for name in more if name not in FORMATS))


def form_of(place: str) -> str | None:
    """The name of the form that the suffix of an output says; None: it says none."""
    suffix = "" if scheme_of(place) else PurePath(place).suffix.lower()
    return next((name for name, form in FORMATS.items() if suffix in form.suffixes), None)


def find_format(name: str) -> SinkFormat:
    """The form of this name.

    Raises:
        KeyError: there is none.
        TypeError: what another package gives for it is none.
    """
    if found := FORMATS.get(name):
        return found
    loaded = extension(GROUP, name)
    if loaded is None:
        raise KeyError(name)
    if not isinstance(loaded, SinkFormat):
        message = f"the entry point {name} of {GROUP} gives no SinkFormat"
        raise TypeError(message)
    return loaded


def is_foreign_place(place: str) -> bool:
    """Whether another package writes to a place."""
    scheme = scheme_of(place)
    return scheme is not None and f"{scheme}:" in extension_names(GROUP)


def open_sink(place: str) -> AbstractContextManager[ByteWriter]:
    """Where answers go: a file, made anew; ``-``, standard output; or what a URL names.

    Raises:
        OSError: it cannot be opened.
        SinkLost: it is a standard output that was closed from the start.
    """
    opener = extension(GROUP, f"{scheme_of(place)}:") if is_foreign_place(place) else None
    if opener is None:
        return open_file(place)
    return cast("Callable[[str], AbstractContextManager[ByteWriter]]", opener)(place)
