"""RDF documents as streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from r4.errors import InputError
from r4.rdf.chunks import Chunk
from r4.rdf.documents import Format, RdfDocument, read_chunks
from r4.rdf.files import CHUNK, STDIN
from r4.sources.rdf_patch import PatchReader
from r4.sources.subject_elements import STAMPS, elements_by_subject
from r4.stream.elements import StampVocabulary
from rete.terms.dictionary import Dictionary

LIVE: Final = frozenset({Format.N_QUADS, Format.TRIG, Format.RDF_PATCH})
"""Formats that are read as they arrive."""


class RdfSource:
    """A document as a stream.

    N-Quads, TriG and RDF Patch are read as they arrive. N-Triples, Turtle and RDF/XML are read
    whole, one element per subject that has the time predicate.
    """

    __slots__ = ("_document", "_source", "_whole", "name")

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
        self._whole = check_stream(document, time_predicate)
        self._document = document
        self._source = document.open(chunk)

    def stamps(self, asked: StampVocabulary) -> StampVocabulary:
        """The predicates of stamps in its chunks."""
        return STAMPS if self._whole else asked

    def chunks(self, dictionary: Dictionary, vocabulary: StampVocabulary) -> Iterator[Chunk]:
        """Its statements, as they arrive; called once."""
        if self._document.format == Format.RDF_PATCH:
            reader = PatchReader(dictionary, self._document.number, vocabulary)
            return reader.chunks(self._source)
        chunks = read_chunks(self._document, self._source, dictionary)
        return elements_by_subject(chunks, dictionary, vocabulary) if self._whole else chunks

    @property
    def descriptor(self) -> int | None:
        """What tells whether it has something to read; None: nothing needs to."""
        return self._source.descriptor

    def close(self) -> None:
        """Close the file."""
        self._source.close()


def check_stream(document: RdfDocument, time_predicate: str | None) -> bool:
    """Whether a document is to be read whole, as it has no named graphs.

    Raises:
        InputError: it cannot be a stream.
    """
    if document.format in LIVE:
        return False
    written = document.format.value
    if document.format == Format.JSON_LD:
        message = f"{document.name}: {written} is no stream format; N-Quads and TriG are"
    elif document.path == STDIN:
        message = f"{written} is read whole, so it cannot come from standard input"
    elif time_predicate is None:
        message = f"{document.name}: {written} as a stream needs --time-predicate"
    else:
        return True
    raise InputError(message)
