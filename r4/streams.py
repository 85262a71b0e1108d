"""What stands between a stream and the engine: sources on one side, batches on the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol

from r4.chunks import Chunk
from r4.elements import Column, Rows, Vocabulary
from r4.faults import InputError
from r4.files import CHUNK, STDIN
from r4.items import NO_END
from r4.rdf import Document, Format, read_chunks
from r4.subjects import STAMPS, by_subject
from r4.time import Tick, TimeScale
from rete.dictionary import Dictionary

__all__ = ["NO_END", "Batch", "RdfSource", "Source", "StreamOptions"]

PROV: Final = "http://www.w3.org/ns/prov#"
START_PREDICATE: Final = PROV + "generatedAtTime"
END_PREDICATE: Final = PROV + "invalidatedAtTime"
RETRACTS: Final = "urn:r4:retracts"


@dataclass(frozen=True, slots=True)
class Batch:
    """What arrived, encoded: either static triples alone, or timed ones alone.

    Attributes:
        rows: (n, 3) int64: s, p, o.
        start: (n,) ticks; `NEG_INF` in a batch of static triples, which precede all others.
        end: (n,) ticks, exclusive; `NO_END` where the element gave none, `POS_INF` for ever.
        frontier: Largest tick that no later element in time can lie before; `NEG_INF` while there
            is none.
        last: Largest stamp read so far; `NEG_INF` before the first.
        held: Ids that the intake holds and no row mentions yet, in arrays of any shape: a sweep of
            the dictionary must keep them.
    """

    rows: Rows
    start: Column
    end: Column
    frontier: Tick
    last: Tick
    held: tuple[Rows | Column, ...] = ()


class Source(Protocol):
    """Where a stream comes from."""

    @property
    def name(self) -> str:
        """What messages call it."""

    def stamps(self, asked: Vocabulary) -> Vocabulary:
        """The predicates of stamps in its chunks, where ``asked`` is what the run is to use."""

    def chunks(self, dictionary: Dictionary, vocabulary: Vocabulary) -> Iterator[Chunk]:
        """Its statements, as they arrive; called once."""

    def close(self) -> None:
        """Let go of what it reads from."""


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """How streams are read.

    Attributes:
        scale: What a tick is.
        delay: Ticks by which the frontier stays behind the largest stamp.
        time_predicate: IRI of the predicate of start stamps; None: ``prov:generatedAtTime``,
            about the graph alone.
        arrival: The clock, in ticks of dateTimes, that stamps elements without a stamp; None:
            such elements are bad data.
        strict: Whether the first bad datum ends the run.
    """

    scale: TimeScale = field(default_factory=TimeScale)
    delay: Tick = 0
    time_predicate: str | None = None
    arrival: Callable[[], Tick] | None = None
    strict: bool = False

    def vocabulary(self, dictionary: Dictionary) -> Vocabulary:
        """The predicates of stamps as ids, which are never forgotten."""
        iris = (self.time_predicate or START_PREDICATE, END_PREDICATE, RETRACTS)
        ids = dictionary.encode_many([f"<{iri}>" for iri in iris])
        dictionary.pin(ids)
        start, end, retracts = ids.tolist()
        return Vocabulary(start, end, retracts, inside=self.time_predicate is not None)


class RdfSource:
    """A document as a stream.

    N-Quads and TriG are read as they arrive. N-Triples, Turtle and RDF/XML are read whole, one
    element per subject that has the time predicate.
    """

    __slots__ = ("_document", "_source", "_whole", "name")

    def __init__(
        self, document: Document, *, time_predicate: str | None = None, chunk: int = CHUNK
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
        self._whole = document.format not in {Format.N_QUADS, Format.TRIG}
        if self._whole:
            _check_graph(document, time_predicate)
        self._document = document
        self._source = document.open(chunk)

    def stamps(self, asked: Vocabulary) -> Vocabulary:
        """The predicates of stamps in its chunks."""
        return STAMPS if self._whole else asked

    def chunks(self, dictionary: Dictionary, vocabulary: Vocabulary) -> Iterator[Chunk]:
        """Its statements, as they arrive; called once."""
        chunks = read_chunks(self._document, self._source, dictionary)
        return by_subject(chunks, dictionary, vocabulary) if self._whole else chunks

    def close(self) -> None:
        """Close the file."""
        self._source.close()


def _check_graph(document: Document, time_predicate: str | None) -> None:
    """Whether a document without named graphs can be a stream."""
    written = document.format.value
    if document.format == Format.JSON_LD:
        message = f"{document.name}: {written} is no stream format; N-Quads and TriG are"
    elif document.path == STDIN:
        message = f"{written} is read whole, so it cannot come from standard input"
    elif time_predicate is None:
        message = f"{document.name}: {written} as a stream needs --time-predicate"
    else:
        return
    raise InputError(message)
