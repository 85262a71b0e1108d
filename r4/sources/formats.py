"""The table of formats that a stream can be read from.

A format is one function that makes chunks of statements, and one row of `STREAM_FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np

from r4.errors import InputError
from r4.extras import MissingExtra, version_of
from r4.rdf.chunks import Chunk, ChunkReader, as_array, last_of
from r4.rdf.documents import Format, RdfDocument, read_chunks
from r4.rdf.files import STDIN, ByteSource, ReadingBounds, ReadTap
from r4.rdf.format_hints import turtle_stream_hint
from r4.rdf.json_contexts import read_contexts
from r4.rdf.nquads import LineReader
from r4.rdf.turtle import TurtleReader
from r4.stream.elements.segmentation import StampVocabulary
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary

_NOT_FROM_STDIN: Final = (
    "is read whole, so it cannot come from standard input: name a file, or <(COMMAND) in a shell"
)
_NOT_CARRIED: Final = "is read whole, so it cannot come from a source of another package"
ReaderFactory: TypeAlias = Callable[[RdfDocument, Dictionary, StampVocabulary], ChunkReader]
"""Makes what reads the statements of a document as they arrive."""


@dataclass(frozen=True, slots=True)
class StreamFormat:
    """A format as a stream: a row of the table.

    Attributes:
        reader: makes what reads its statements.
        is_live: whether it is read as it arrives; else it is read whole.
        element: what an element is, in a few words.
        needs_time: whether it cannot be a stream without ``--time-predicate``.
    """

    reader: ReaderFactory
    is_live: bool
    element: str
    needs_time: bool = False


def _quads_reader(document: RdfDocument, terms: Dictionary, stamps: StampVocabulary) -> ChunkReader:
    unnamed = document.name if document.unnamed else ""
    hint = turtle_stream_hint(is_piped=document.path == STDIN, has_time=bool(stamps.start_path))
    return LineReader(terms, document.number, triples=False, unnamed=unnamed, turtle_hint=hint)


def _trig_reader(document: RdfDocument, terms: Dictionary, _: StampVocabulary) -> ChunkReader:
    return TurtleReader(terms, document.number, document.format.parsed, document.base)


def _answer_reader(
    document: RdfDocument, terms: Dictionary, stamps: StampVocabulary
) -> ChunkReader:
    from r4.sources.answer_lines import AnswerLineReader

    return AnswerLineReader(terms, document.number, stamps)


def _line_reader(document: RdfDocument, terms: Dictionary, stamps: StampVocabulary) -> ChunkReader:
    from r4.sources.json_ld import JsonLdLineReader

    return JsonLdLineReader(terms, document.number, stamps, read_contexts(document.contexts))


def _patch_reader(document: RdfDocument, terms: Dictionary, stamps: StampVocabulary) -> ChunkReader:
    from r4.sources.rdf_patch import PatchReader

    return PatchReader(terms, document.number, stamps)


def _table_reader(document: RdfDocument, terms: Dictionary, stamps: StampVocabulary) -> ChunkReader:
    from r4.sources.tables.table_source import TableReader, mapping_for

    return TableReader(document, mapping_for(document), terms, stamps)


def _parquet_reader(
    document: RdfDocument, terms: Dictionary, stamps: StampVocabulary
) -> ChunkReader:
    from r4.sources.parquet import ParquetReader
    from r4.sources.tables.table_source import mapping_for

    mapping = None if document.mapping is None else mapping_for(document)
    return ParquetReader(document, mapping, terms, stamps)


class _SubjectReader:
    """Reads a graph whole: one chunk."""

    pending = line = 0

    def __init__(self, document: RdfDocument, terms: Dictionary, stamps: StampVocabulary) -> None:
        self._document = document
        self._terms = terms
        self._stamps = stamps
        self._is_read = False

    def chunks(self, source: ByteSource) -> Iterator[Chunk]:
        """The chunk, unless it was read before the state was saved."""
        if self._is_read:
            return
        from r4.sources.json_ld import document_elements
        from r4.sources.subject_elements import elements_by_subject

        statements = read_chunks(self._document, source, self._terms, reifies=True)
        name = self._document.name
        make = elements_by_subject
        if self._document.format is Format.JSON_LD:
            make = document_elements
        for chunk in make(statements, self._terms, self._stamps, name, source.bounds):
            self._is_read = True
            yield chunk

    def forget_pending(self) -> None:
        """Nothing: it is read whole."""

    def saved(self) -> State:
        """Whether it was read."""
        return {"read": self._is_read}

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved."""
        self._is_read = given.flag("read")


_GRAPH: Final = "a named graph"
_SUBJECT: Final = StreamFormat(
    _SubjectReader,
    is_live=False,
    element="a subject with `--time-predicate`",
    needs_time=True,
)
_ROW: Final = StreamFormat(_table_reader, is_live=True, element="a row")

STREAM_FORMATS: Final[Mapping[Format, StreamFormat]] = {
    Format.N_QUADS: StreamFormat(_quads_reader, is_live=True, element=_GRAPH),
    Format.TRIG: StreamFormat(_trig_reader, is_live=True, element=_GRAPH),
    Format.RDF_PATCH: StreamFormat(_patch_reader, is_live=True, element="a transaction"),
    Format.ANSWERS: StreamFormat(_answer_reader, is_live=True, element="the answers of an instant"),
    Format.CSV: _ROW,
    Format.TSV: _ROW,
    Format.NDJSON: replace(_ROW, element="a JSON object a line"),
    Format.PARQUET: StreamFormat(
        _parquet_reader, is_live=False, element="a row, or the rows of an instant"
    ),
    Format.JSON_LD_LINES: StreamFormat(
        _line_reader, is_live=True, element="a document a line, or a named graph in it"
    ),
    Format.JSON_LD: StreamFormat(
        _SubjectReader, is_live=False, element="a named graph, or a subject with a time"
    ),
    Format.N_TRIPLES: _SUBJECT,
    Format.TURTLE: _SUBJECT,
    Format.RDF_XML: _SUBJECT,
}
"""By format; what is not here is no stream."""


class RdfSource:
    """A document as a stream."""

    __slots__ = ("_document", "_format", "_reader", "_source", "name")

    def __init__(
        self,
        document: RdfDocument,
        *,
        time_predicate: str | None = None,
        source: ByteSource | None = None,
    ) -> None:
        """Open it, or read ``source``; a graph cannot be a stream without a time predicate.

        Raises:
            InputError: It cannot be opened, or not be read as a stream.
        """
        self.name = document.name
        self._format = find_stream_format(document, time_predicate)
        self._document = document
        self._source = document.open() if source is None else source
        self._reader: ChunkReader | None = None

    def stamps(self, asked: StampVocabulary) -> StampVocabulary:
        """The predicates of stamps in its chunks."""
        if self._document.format.is_table or self._document.format is Format.ANSWERS:
            return asked.about_names
        if self._format.is_live:
            return asked
        from r4.sources.subject_elements import STAMPS

        return STAMPS

    def chunks(self, dictionary: Dictionary, vocabulary: StampVocabulary) -> Iterator[Chunk]:
        """Its statements, as they arrive; called once."""
        self._reader = self._format.reader(self._document, dictionary, vocabulary)
        return self._chunks_of(self._reader)

    def _chunks_of(self, reader: ChunkReader) -> Iterator[Chunk]:
        if self._source.ended:  # the last one was given before it was saved
            return
        chunks = reader.chunks(self._source)
        for chunk in chunks:
            if self._format.is_live and self._source.is_short:
                yield last_of([chunk, *chunks])
            else:
                yield chunk

    @property
    def is_rereadable(self) -> bool:
        """Whether its bytes can be read again: a file, and no pipe."""
        return not self._source.live

    @property
    def ended(self) -> bool:
        """Whether its end was read."""
        return self._source.ended

    @property
    def can_resume(self) -> bool:
        """Whether a later run can read on where this one stopped."""
        return True

    @property
    def is_sent_again(self) -> bool:
        """Whether what comes after a resumption begins with a whole statement: of a pipe."""
        return not (self.is_rereadable or self.ended)

    @property
    def is_unacknowledged(self) -> bool:
        """Whether `acknowledge` has anything to say to whoever sends it."""
        return False

    @property
    def line(self) -> int:
        """The line of the statement that comes next, from 1; 0: it is read whole."""
        return 0 if self._reader is None else self._reader.line

    def listen(self, tap: ReadTap) -> None:
        """From now on ``tap`` notes what is read; of what is read whole it is told nothing."""
        if self._format.is_live:
            self._source.tap = tap

    def heed(self, bounds: ReadingBounds) -> None:
        """From now on ``bounds`` may end the reading."""
        self._source.bounds = bounds

    def go_live(self) -> None:
        """All that was recorded is read: what is read from now on is new."""

    def acknowledge(self) -> None:
        """All that was read is on the disk."""

    def forget_pending(self) -> None:
        """Leave out what has come of a statement, which comes again."""
        assert self._reader is not None
        self._source.handed -= self._reader.pending  # it is read again
        self._reader.forget_pending()

    def saved(self) -> State:
        """How far it was read; after `chunks` was called."""
        assert self._reader is not None
        return {
            "handed": self._source.handed,
            "ended": self._source.ended,
            "tail": as_array(self._source.tail),
            "reader": self._reader.saved(),
        }

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved, after `chunks` was called and before the first chunk.

        Raises:
            InputError: The document is not the one that was read.
        """
        assert self._reader is not None
        self._reader.restore(given.part("reader"))
        if self._format.is_live:
            handed, ended = given.integer("handed", 0), given.flag("ended")
            tail = given.array("tail", np.uint8, None).tobytes()
            self._source.go_on(handed, tail, ended=ended)

    @property
    def descriptor(self) -> int | None:
        """The file descriptor that can be waited for; None: all can be read at once."""
        return self._source.descriptor

    def close(self) -> None:
        """Close the file."""
        self._source.close()


def find_stream_format(document: RdfDocument, time_predicate: str | None) -> StreamFormat:
    """How a document is read as a stream; raises `InputError` if it cannot be one."""
    found = STREAM_FORMATS.get(document.format)
    written = document.format.value
    if found is None:
        message = f"{document.name}: {written} is no stream format; N-Quads and TriG are"
    elif document.format is Format.PARQUET and version_of("pyarrow") is None:
        message = f"{document.name}: {MissingExtra('parquet', 'pyarrow')}"
    elif not found.is_live and document.is_carried:
        message = f"{document.name}: {written} {_NOT_CARRIED}"
    elif not found.is_live and document.path == STDIN:
        lines = "; -i ndjsonld reads a document a line" if document.format is Format.JSON_LD else ""
        message = f"{written} {_NOT_FROM_STDIN}{lines}"
    elif found.needs_time and time_predicate is None:
        from r4.sources.missing_times import time_hint

        hint = time_hint(document)
        message = f"{document.name}: {written} as a stream needs --time-predicate{hint}"
    elif document.format.is_table:
        return _sorted_by_time(document, found)
    else:
        return found
    raise InputError(message)


def _sorted_by_time(document: RdfDocument, found: StreamFormat) -> StreamFormat:
    """How a table is read: whole, if its mapping says that it is to be sorted."""
    if document.format is Format.PARQUET and document.mapping is None:
        return found
    from r4.sources.tables.table_source import mapping_for

    mapping = mapping_for(document)
    if mapping.time is None:
        message = f"{document.name}: {document.mapping} has no time, so it is of --static data"
    elif mapping.order == "file":
        return found
    elif document.is_carried:
        message = f'{document.mapping}: with order = "time" {document.name} {_NOT_CARRIED}'
    elif document.path == STDIN:
        message = (
            f'{document.mapping}: order = "time" reads a table whole, so it cannot come from '
            "standard input; leave it out, and --delay says how late rows may be"
        )
    else:
        return replace(found, is_live=False)
    raise InputError(message)


def is_unsorted_table(document: RdfDocument) -> bool:
    """Whether a document is a file of a table whose mapping could sort it by time, and does not."""
    if not document.format.is_table or document.mapping is None or document.path == STDIN:
        return False
    from r4.sources.tables.table_source import mapping_for

    return mapping_for(document).order == "file"
