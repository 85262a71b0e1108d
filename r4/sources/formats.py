"""The table of sources: what a stream can be read from, by format and by scheme.

A format is one function that makes chunks of statements, and one row of `STREAM_FORMATS`. Other
packages add sources by entry points of the group ``r4.sources``: a scheme such as ``mqtt:`` or a
suffix such as ``.log`` gives a function from a `SourceRequest` to a `r4.stream.source.Source`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from r4.errors import InputError
from r4.extras import extension, extension_names, scheme_of
from r4.rdf.chunks import Chunk
from r4.rdf.documents import SUFFIXES, Format, RdfDocument, read_chunks
from r4.rdf.files import CHUNK, STDIN, ByteSource, plain_suffix
from r4.sources.rdf_patch import PatchReader
from r4.sources.subject_elements import STAMPS, elements_by_subject
from r4.stream.elements import StampVocabulary
from r4.stream.source import Source, StreamOptions
from rete.terms.dictionary import Dictionary

GROUP: Final = "r4.sources"
"""The group of entry points."""

ChunkReader: TypeAlias = Callable[
    [RdfDocument, ByteSource, Dictionary, StampVocabulary], Iterator[Chunk]
]
"""Reads the statements of a document, whose bytes are given, as they arrive."""


@dataclass(frozen=True, slots=True)
class StreamFormat:
    """A format as a stream: a row of the table.

    Attributes:
        read: makes chunks of its statements.
        is_live: whether it is read as it arrives, as it has named graphs or transactions; else it
            is read whole, one element per subject that has the time predicate.
        element: what an element is, in a few words.
    """

    read: ChunkReader
    is_live: bool
    element: str


def _read_statements(
    document: RdfDocument, source: ByteSource, terms: Dictionary, _: StampVocabulary
) -> Iterator[Chunk]:
    return read_chunks(document, source, terms)


def _read_patch(
    document: RdfDocument, source: ByteSource, terms: Dictionary, stamps: StampVocabulary
) -> Iterator[Chunk]:
    return PatchReader(terms, document.number, stamps).chunks(source)


def _read_subjects(
    document: RdfDocument, source: ByteSource, terms: Dictionary, stamps: StampVocabulary
) -> Iterator[Chunk]:
    return elements_by_subject(read_chunks(document, source, terms), terms, stamps, document.name)


_GRAPH: Final = "a named graph"
_SUBJECT: Final = "a subject with `--time-predicate`"

STREAM_FORMATS: Final[Mapping[Format, StreamFormat]] = {
    Format.N_QUADS: StreamFormat(_read_statements, is_live=True, element=_GRAPH),
    Format.TRIG: StreamFormat(_read_statements, is_live=True, element=_GRAPH),
    Format.RDF_PATCH: StreamFormat(_read_patch, is_live=True, element="a transaction"),
    Format.N_TRIPLES: StreamFormat(_read_subjects, is_live=False, element=_SUBJECT),
    Format.TURTLE: StreamFormat(_read_subjects, is_live=False, element=_SUBJECT),
    Format.RDF_XML: StreamFormat(_read_subjects, is_live=False, element=_SUBJECT),
}
"""By format; what is not here is no stream."""


class RdfSource:
    """A document as a stream."""

    __slots__ = ("_document", "_format", "_source", "name")

    def __init__(
        self, document: RdfDocument, *, time_predicate: str | None = None, chunk: int = CHUNK
    ) -> None:
        """Open it.

        Args:
            document: What to read.
            time_predicate: That of the run; a graph cannot be a stream without one.
            chunk: Bytes to read at once. A merge holds a chunk of every source, so where there
                are very many they should be smaller.

        Raises:
            InputError: It cannot be opened, or not be read as a stream.
        """
        self.name = document.name
        self._format = find_stream_format(document, time_predicate)
        self._document = document
        self._source = document.open(chunk)

    def stamps(self, asked: StampVocabulary) -> StampVocabulary:
        """The predicates of stamps in its chunks."""
        return asked if self._format.is_live else STAMPS

    def chunks(self, dictionary: Dictionary, vocabulary: StampVocabulary) -> Iterator[Chunk]:
        """Its statements, as they arrive; called once."""
        return self._format.read(self._document, self._source, dictionary, vocabulary)

    @property
    def descriptor(self) -> int | None:
        """The file descriptor that can be waited for; None: all can be read at once."""
        return self._source.descriptor

    def close(self) -> None:
        """Close the file."""
        self._source.close()


def find_stream_format(document: RdfDocument, time_predicate: str | None) -> StreamFormat:
    """How a document is read as a stream.

    Raises:
        InputError: it cannot be a stream.
    """
    found = STREAM_FORMATS.get(document.format)
    written = document.format.value
    if found is None:
        message = f"{document.name}: {written} is no stream format; N-Quads and TriG are"
    elif found.is_live:
        return found
    elif document.path == STDIN:
        message = f"{written} is read whole, so it cannot come from standard input"
    elif time_predicate is None:
        message = f"{document.name}: {written} as a stream needs --time-predicate"
    else:
        return found
    raise InputError(message)


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """The request to a source of another package.

    Attributes:
        place: the URL, or the name of the file.
        number: which document of the run it is; its blank nodes are ``_:dN_LABEL``.
        options: how streams are read.
    """

    place: str
    number: int
    options: StreamOptions


SourceFactory: TypeAlias = Callable[[SourceRequest], Source]
"""What an entry point gives."""


def find_document(place: str, number: int) -> RdfDocument:
    """The stream or static document that a user names: a file, or what an extension can read.

    Raises:
        InputError: no format has its suffix, and no extension its scheme.
    """
    key = _extension_key(place)
    if key is not None and key in extension_names(GROUP):
        return RdfDocument(place, number, Format.EXTENSION)
    return RdfDocument.of(place, number)


def open_sources(documents: Iterable[RdfDocument], options: StreamOptions) -> Sequence[Source]:
    """Streams, opened in their order.

    Raises:
        InputError: one cannot be opened, or not be read as a stream.
    """
    return [_open_source(document, options) for document in documents]


def _open_source(document: RdfDocument, options: StreamOptions) -> Source:
    if document.format != Format.EXTENSION:
        return RdfSource(document, time_predicate=options.time_predicate)
    key = _extension_key(document.path)
    make = None if key is None else extension(GROUP, key)
    assert make is not None
    request = SourceRequest(document.path, document.number, options)
    return cast("SourceFactory", make)(request)


def _extension_key(place: str) -> str | None:
    """The name of the entry point for a place; None: only what R4 has can read it."""
    if scheme := scheme_of(place):
        return f"{scheme}:"
    suffix = plain_suffix(place) if place != STDIN else ""
    return suffix if suffix and suffix not in SUFFIXES else None
