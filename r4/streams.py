"""What stands between a stream and the engine: sources on one side, batches on the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from r4.chunks import NO_ROWS, Chunk
from r4.elements import Column, Rows, Vocabulary
from r4.faults import InputError
from r4.files import CHUNK, STDIN
from r4.items import NO_END
from r4.patch import PatchReader
from r4.rdf import Document, Format, read_chunks
from r4.subjects import STAMPS, by_subject
from r4.time import Tick, TimeScale
from rete.dictionary import Dictionary

__all__ = ["NO_END", "Batch", "RdfSource", "Source", "StreamOptions"]

PROV: Final = "http://www.w3.org/ns/prov#"
START_PREDICATE: Final = PROV + "generatedAtTime"
END_PREDICATE: Final = PROV + "invalidatedAtTime"
RETRACTS: Final = "urn:r4:retracts"
LIVE: Final = frozenset({Format.N_QUADS, Format.TRIG, Format.RDF_PATCH})
"""Formats that are read as they arrive."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What arrived, encoded: either static triples alone, or timed ones alone.

    Where something is taken back, time moves to ``frontier`` first; then that is taken back, from
    there on; then the rows are asserted. So an element that takes back stands alone in its batch;
    only such without triples share one, if they have the same frontier.

    Attributes:
        rows: (n, 3) int64: s, p, o.
        start: (n,) ticks; `NEG_INF` in a batch of static triples, which precede all others.
        end: (n,) ticks, exclusive; `NO_END` where the element gave none, `POS_INF` for ever.
        frontier: Largest tick that no later element in time can lie before; `NEG_INF` while there
            is none.
        last: Largest stamp read so far; `NEG_INF` before the first.
        held: Ids that the intake holds and no row mentions yet, in arrays of any shape: a sweep of
            the dictionary must keep them.
        names: (n,) the name of the element of each row, 0 for none; (0,) unless asked for.
        retracts: (r,) names of which all elements of earlier batches are taken back.
        taken: (t, 4) s, p, o and name: of the elements of that name in earlier batches this one
            triple is taken back.
        completes: Whether an element ends with it; what else there is belongs to the next one.
        before, lines: If asked for, the ticks that elements are late below, by the delays of their
            predicates, ascending: the longest last, whose line is the frontier; see `r4.delays`.
            Before the first element of the batch, and after the last.
    """

    rows: Rows
    start: Column
    end: Column
    frontier: Tick
    last: Tick
    held: tuple[Rows | Column, ...] = ()
    names: Column = field(default_factory=lambda: NO_ROWS[:, 0])
    retracts: Column = field(default_factory=lambda: NO_ROWS[:, 0])
    taken: Rows = field(default_factory=lambda: NO_ROWS)
    completes: bool = True
    before: tuple[Tick, ...] = ()
    lines: tuple[Tick, ...] = ()

    @property
    def takes_back(self) -> bool:
        """Whether it takes anything back."""
        return len(self.retracts) > 0 or len(self.taken) > 0


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
        delays: By the name of a source, its own in place of that.
        predicate_delays: By the IRI of a predicate, ticks by which elements that have it may be
            late, see `r4.delays`.
        time_predicate: IRI of the predicate of start stamps; None: ``prov:generatedAtTime``,
            about the graph alone.
        arrival: The clock, in ticks of dateTimes, that stamps elements without a stamp; None:
            such elements are bad data.
        strict: Whether the first bad datum ends the run.
        names: Whether batches tell the names of elements.
        each: Whether every completed element ends a batch.
        lines: Whether the largest stamp grows only where a batch begins, and batches tell the
            lines that elements are late below.
    """

    scale: TimeScale = field(default_factory=TimeScale)
    delay: Tick = 0
    delays: Mapping[str, Tick] = field(default_factory=dict)
    predicate_delays: Mapping[str, Tick] = field(default_factory=dict)
    time_predicate: str | None = None
    arrival: Callable[[], Tick] | None = None
    strict: bool = False
    names: bool = False
    each: bool = False
    lines: bool = False

    def vocabulary(self, dictionary: Dictionary) -> Vocabulary:
        """The predicates of stamps as ids, which are never forgotten."""
        iris = (self.time_predicate or START_PREDICATE, END_PREDICATE, RETRACTS)
        ids = dictionary.encode_many([f"<{iri}>" for iri in iris])
        dictionary.pin(ids)
        start, end, retracts = ids.tolist()
        return Vocabulary(start, end, retracts, inside=self.time_predicate is not None)


class RdfSource:
    """A document as a stream.

    N-Quads, TriG and RDF Patch are read as they arrive. N-Triples, Turtle and RDF/XML are read
    whole, one element per subject that has the time predicate.
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
        self._whole = check_stream(document, time_predicate)
        self._document = document
        self._source = document.open(chunk)

    def stamps(self, asked: Vocabulary) -> Vocabulary:
        """The predicates of stamps in its chunks."""
        return STAMPS if self._whole else asked

    def chunks(self, dictionary: Dictionary, vocabulary: Vocabulary) -> Iterator[Chunk]:
        """Its statements, as they arrive; called once."""
        if self._document.format == Format.RDF_PATCH:
            reader = PatchReader(dictionary, self._document.number, vocabulary)
            return reader.chunks(self._source)
        chunks = read_chunks(self._document, self._source, dictionary)
        return by_subject(chunks, dictionary, vocabulary) if self._whole else chunks

    @property
    def descriptor(self) -> int | None:
        """What tells whether it has something to read; None: nothing needs to."""
        return self._source.descriptor

    def close(self) -> None:
        """Close the file."""
        self._source.close()


def check_stream(document: Document, time_predicate: str | None) -> bool:
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
