"""RDF documents: the format of a file, and its statements as rows of ids.

The line formats take the token path of the dictionary, Turtle and TriG are read statement by
statement, RDF/XML and JSON-LD whole. A malformed statement is left out and counted; in RDF/XML and
JSON-LD, which have no statements to resume at, an error ends the reading of that document and what
came before it counts. Nothing is ever loaded from elsewhere: a JSON-LD context that is not in the
document itself is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np
import pyoxigraph as ox

from r4.errors import BadData, Counters, Flaw, InputError
from r4.rdf.chunks import (
    NO_ROWS,
    Chunk,
    InputBytes,
    StatementFault,
    flaw_of,
    sample_of,
)
from r4.rdf.files import (
    CHUNK,
    STDIN,
    STDIN_NAME,
    UNBOUNDED,
    ByteSource,
    ReadingBounds,
    plain_suffix,
)
from r4.rdf.gates.input_limits import FREE_EXPANSION, LONGEST_WHOLE, MOST_EXPANDED
from r4.rdf.json_contexts import read_contexts
from r4.rdf.nquads import LineReader
from r4.rdf.turtle import TurtleReader
from r4.rdf.whole.document import Ending, WholeReading
from r4.rdf.whole.reader_process import LEAST, ReaderProcess
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rete.terms.nquads import read_nquads


class Format(Enum):
    """The formats that are read, by their names."""

    N_TRIPLES = "N-Triples"
    N_QUADS = "N-Quads"
    TURTLE = "Turtle"
    TRIG = "TriG"
    RDF_XML = "RDF/XML"
    JSON_LD = "JSON-LD"
    JSON_LD_LINES = "JSON-LD lines"
    RDF_PATCH = "RDF Patch"
    ANSWERS = "R4's JSON lines"
    CSV = "CSV"
    TSV = "TSV"
    NDJSON = "NDJSON"
    PARQUET = "Parquet"
    LOADED = "a loaded folder"
    EXTENSION = "a source of another package"

    @property
    def is_table(self) -> bool:
        """Whether a mapping says what its statements are."""
        return self in {Format.CSV, Format.TSV, Format.NDJSON, Format.PARQUET}

    @property
    def parsed(self) -> ox.RdfFormat:
        """What the parser calls it."""
        parsed: ox.RdfFormat = getattr(ox.RdfFormat, self.name)
        return parsed


SUFFIXES: Final[Mapping[str, Format]] = {
    ".nt": Format.N_TRIPLES,
    ".nq": Format.N_QUADS,
    ".ttl": Format.TURTLE,
    ".n3": Format.TURTLE,
    ".trig": Format.TRIG,
    ".rdf": Format.RDF_XML,
    ".owl": Format.RDF_XML,
    ".xml": Format.RDF_XML,
    ".jsonld": Format.JSON_LD,
    ".json": Format.JSON_LD,
    ".rdfp": Format.RDF_PATCH,
    ".patch": Format.RDF_PATCH,
    ".jsonl": Format.ANSWERS,
}
"""The format by the suffix beneath that of a compression; ``.n3`` must keep to Turtle."""

_TABLE: Final = "a table is an input of r4 run, and only that"
_NO_STATEMENTS: Final[Mapping[Format, str]] = {
    Format.CSV: _TABLE,
    Format.TSV: _TABLE,
    Format.NDJSON: _TABLE,
    Format.PARQUET: _TABLE,
    Format.RDF_PATCH: "RDF Patch is a stream, and only that",
    Format.JSON_LD_LINES: "JSON-LD with a document a line is a stream, and only that",
    Format.ANSWERS: "R4's JSON lines are a stream, and only that",
    Format.LOADED: "a folder is static data, and only that",
    Format.EXTENSION: "a source of another package is a stream, and only that",
}
_ROWS: Final = 1 << 18
"""Triples of static data that are handed on at once, as one statement may be millions."""
CUT_OFF: Final = "; what was read before counts"
"""The end of a message about an error that ends the reading of a document."""


@dataclass(frozen=True, slots=True)
class RdfDocument:
    """One input of a run.

    Attributes:
        path: A file name, or ``-`` for standard input.
        number: Which document of the run it is; its blank nodes are ``_:dN_LABEL``.
        format: How it is written.
        most_expanded: The most bytes that it may have when it is decompressed, if it is held whole;
            None: those of `r4.rdf.gates.input_limits`.
        mapping: The file that says what its columns mean, if it is a table.
        contexts: Of JSON-LD, pairs of the IRI of a context and the file that it is in.
        unnamed: Whether neither the user nor a suffix has named the format, but could have.
        asked: The format that the user named, if another package reads it; None: none.
        is_carried: Whether a transport of another package delivers its bytes: it is no file.
    """

    path: str
    number: int
    format: Format
    most_expanded: int | None = field(default=None, kw_only=True)
    mapping: str | None = field(default=None, kw_only=True)
    contexts: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)
    unnamed: bool = field(default=False, kw_only=True)
    asked: Format | None = field(default=None, kw_only=True)
    is_carried: bool = field(default=False, kw_only=True)

    @classmethod
    def of(cls, path: str, number: int, fallback: Format | None = None) -> RdfDocument:
        """The document at ``path``, of the format of its suffix, else of the ``fallback``.

        Without that it is N-Quads if it has no suffix.

        A folder is one that was loaded (`r4.store`), and stands for as many documents as it holds.

        Raises:
            InputError: No format has this suffix.
        """
        if path != STDIN and Path(path).is_dir():
            return cls(path, number, Format.LOADED)
        if path == STDIN or not plain_suffix(path):
            return cls(path, number, fallback or Format.N_QUADS)
        if format_ := SUFFIXES.get(plain_suffix(path)):
            return cls(path, number, format_)
        if fallback is not None:
            return cls(path, number, fallback)
        message = (
            f"{path}: no RDF format is known by its suffix; known are {' '.join(SUFFIXES)}; r4 run "
            "reads tables, too, and has --input-format for files of other names"
        )
        raise InputError(message)

    @property
    def name(self) -> str:
        """What messages call it."""
        return STDIN_NAME if self.path == STDIN else self.path

    @property
    def base(self) -> str | None:
        """The IRI that relative ones are resolved against: where the document stands."""
        is_file = self.path != STDIN and not self.is_carried
        return Path(self.path).absolute().as_uri() if is_file else None

    def open(self, chunk: int = CHUNK) -> ByteSource:
        """Its bytes, ``chunk`` of them at once; raises `InputError` if it cannot be opened."""
        return ByteSource(self.path, chunk)


def read_chunks(
    document: RdfDocument,
    source: ByteSource,
    dictionary: Dictionary,
    *,
    most: int | None = None,
    reifies: bool = False,
) -> Iterator[Chunk]:
    """The statements of ``document``, whose bytes are ``source``, as they arrive.

    With more faults than ``most`` in a chunk, if given, the rest of it need not be read. If Turtle
    or N-Triples ``reifies``, what ``r`` reifies stands in the graph r; else it is a fault, as
    elsewhere.

    Raises:
        InputError: It is a patch, which is changes, not statements, or a folder.
        SourceLost: The system stops delivering it.
    """
    if document.format in _NO_STATEMENTS:
        message = f"{document.name}: {_NO_STATEMENTS[document.format]}"
        raise InputError(message)
    match document.format:
        case Format.N_QUADS | Format.N_TRIPLES:
            triples = document.format == Format.N_TRIPLES
            unnamed = document.name if document.unnamed else ""
            reader = LineReader(dictionary, document.number, triples=triples, unnamed=unnamed)
            reader.reifies = reifies and triples
            return reader.chunks(source)
        case Format.TURTLE | Format.TRIG:
            parsed = document.format.parsed
            blocks = TurtleReader(dictionary, document.number, parsed, document.base, most)
            blocks.reifies = reifies and document.format is Format.TURTLE
            return blocks.chunks(source)
    return _whole_chunks(document, source, dictionary)


def read_static(  # noqa: PLR0913 - what is read, and what becomes of it
    document: RdfDocument,
    dictionary: Dictionary,
    counters: Counters,
    *,
    strict: bool = False,
    look: Callable[[Rows], object] | None = None,
    bounds: ReadingBounds = UNBOUNDED,
) -> Iterator[Rows]:
    """The triples (n, 3) of a document that always holds, whatever graphs they are in.

    ``look`` is called with its statements, (n, 4), before; ``bounds`` may end the reading.

    Raises:
        InputError: It cannot be opened.
        BadData: A statement is malformed, and ``strict``.
        SourceLost: The system stops delivering it.
        Exception: As ``bounds`` do.
    """
    if document.format == Format.LOADED:
        from r4.store.loaded_folder import LoadedFolder  # noqa: PLC0415 - pyarrow is an extra

        for rows in LoadedFolder(document.path, document.number).rows_in(dictionary):
            counters.quads += len(rows)
            yield rows
        return
    if document.format == Format.EXTENSION:
        message = f"{document.name}: {_NO_STATEMENTS[document.format]}"
        raise InputError(message)
    with closing(document.open()) as source:
        source.bounds = bounds
        chunks = read_chunks(document, source, dictionary)
        yield from static_rows(chunks, document.name, counters, strict=strict, look=look)


def static_rows(
    chunks: Iterable[Chunk],
    name: str,
    counters: Counters,
    *,
    strict: bool,
    look: Callable[[Rows], object] | None = None,
) -> Iterator[Rows]:
    """The triples (n, 3) of all statements of ``chunks``, whatever graphs they are in.

    ``look`` is called with the statements, (n, 4), before.

    Raises:
        BadData: A statement is malformed, and ``strict``.
    """
    for chunk in chunks:
        is_statement = chunk.rows[:, 0] > 0
        rows = chunk.rows if is_statement.all() else chunk.rows[is_statement]
        counters.quads += len(rows)
        if look is not None:
            look(rows)
        for fault in chunk.faults:
            sample = sample_of(fault, name)
            if strict:
                raise BadData(sample)
            counters.bad[fault.flaw.code] += 1
            counters.show(sample)
        for begin in range(0, max(len(rows), 1), _ROWS):
            yield np.ascontiguousarray(rows[begin : begin + _ROWS, :3])


def _whole_chunks(
    document: RdfDocument, source: ByteSource, dictionary: Dictionary
) -> Iterator[Chunk]:
    """The chunks of a document that is read whole; in a process of its own, if it is long."""
    is_json = document.format == Format.JSON_LD
    contexts = read_contexts(document.contexts) if is_json else {}
    given = {iri: context.decode() for iri, context in contexts.items()}
    how = WholeReading(document.format.name, document.path, document.base, given)
    incoming = InputBytes(source)
    parts = _whole_parts(incoming, source, document.most_expanded)
    process = ReaderProcess()
    try:
        head = _head(parts, LEAST)
        if len(head) < LEAST or not process.begin():
            quads = how.quads(b"".join([head, *parts]))
        else:
            quads = process.quads(how, chain([head], parts), source.bounds)
        ending = yield from _encoded(quads, dictionary, document.number)
    except _TooLong as error:
        ending = Ending(str(error), is_refused=True)
    finally:
        process.close()
    faults = incoming.fault(0)
    if ending.why:
        message = ending.why if ending.is_refused else f"{ending.why}{CUT_OFF}"
        faults.append(StatementFault(Flaw.CUT_SHORT, 0, ending.line, message))
    yield Chunk(NO_ROWS, faults)


def _encoded(
    quads: Generator[bytes, None, Ending], dictionary: Dictionary, number: int
) -> Generator[Chunk, None, Ending]:
    """The chunks of N-Quads."""
    while True:
        try:
            text = next(quads)
        except StopIteration as ended:
            ending: Ending = ended.value
            return ending
        found = read_nquads(dictionary, text, number, final=True)
        faults = [
            StatementFault(flaw_of(fault.message), fault.row, 0, fault.message)
            for fault in found.faults
        ]
        yield Chunk(found.rows, faults)


class _TooLong(Exception):
    """A document that is not held in memory."""


def _whole_parts(incoming: InputBytes, source: ByteSource, most: int | None) -> Iterator[bytes]:
    """All bytes, part by part; raises `_TooLong` if they are too many."""
    size = 0
    while data := incoming.read():
        size += len(data)
        if why := excess(size, source, most):
            raise _TooLong(why)
        yield data


def _head(parts: Iterator[bytes], least: int) -> bytes:
    """So many bytes of ``parts`` at least, or all of them."""
    head: list[bytes] = []
    size = 0
    while size < least and (part := next(parts, b"")):
        head.append(part)
        size += len(part)
    return b"".join(head)


def read_whole(incoming: InputBytes, source: ByteSource, most: int | None) -> tuple[bytes, str]:
    """All bytes; or none, and why the document is not read."""
    try:
        return b"".join(_whole_parts(incoming, source, most)), ""
    except _TooLong as error:
        return b"", str(error)


def excess(size: int, source: ByteSource, most: int | None) -> str:
    """Why no more than ``size`` bytes of a document are held in memory; "": more may be.

    ``most``: the most bytes of a compressed one; None: as many as its size allows.
    """
    if size > LONGEST_WHOLE:
        return f"a document of more than {LONGEST_WHOLE} bytes, as it is held in memory"
    if not source.is_compressed:
        return ""
    if most is not None and size > most:
        return f"a compressed document of more than {most} bytes; --max-expanded allows more"
    if most is None and size > max(FREE_EXPANSION, MOST_EXPANDED * source.position):
        reason = f"a document of more than {MOST_EXPANDED} times its compressed size"
        return f"{reason}; --max-expanded allows more"
    return ""
