"""A source that is read piece by piece, as pieces come."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import closing
from functools import partial

from r4.rdf.chunks import EMPTY_LINE, Chunk
from r4.rdf.documents import RdfDocument
from r4.rdf.nquads import LineReader
from r4.sources.formats import RdfSource, find_stream_format
from r4.sources.subject_elements import STAMPS
from r4.spark.jobs.file_slices import SlicedBytes
from r4.spark.streaming.file_pieces import WHOLE, FilePiece, StreamInput
from r4.stream.elements.segmentation import StampVocabulary
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary


class NoPieceYet(Exception):
    """All pieces that have come are read, and more may come."""


class PiecedSource:
    """A file or folder as a stream; it ``ends`` if nothing comes after what has come."""

    def __init__(
        self, stream: StreamInput, document: RdfDocument, time_predicate: str | None
    ) -> None:
        """Start; ``document`` is the first. Raises `InputError` if it is no stream."""
        self._input = stream
        self.ends = False
        self._time_predicate = time_predicate
        self._whole = not stream.folder and not find_stream_format(document, time_predicate).is_live
        self._pieces: deque[FilePiece] = deque()
        self._reading: Iterator[Chunk] = iter(())
        self._current: FilePiece | None = None
        self._taken = 0
        self._skips = 0
        self._line = 1

    @property
    def name(self) -> str:
        """Its name in messages: while a file of a folder is read, that file."""
        current = self._current
        return self._input.path if current is None else current.path

    def add(self, piece: FilePiece) -> None:
        """Add a piece that has come."""
        self._pieces.append(piece)

    def stamps(self, asked: StampVocabulary) -> StampVocabulary:
        """The predicates of stamps in its chunks."""
        return STAMPS if self._whole else asked

    def chunks(self, dictionary: Dictionary, vocabulary: StampVocabulary) -> Iterator[Chunk]:
        """Its statements; raises `NoPieceYet` after those that have come, and can go on later.

        No generator, as that would end where it raises something.
        """
        return iter(partial(self._next, dictionary, vocabulary), None)

    def close(self) -> None:
        """Nothing: each piece is closed once it is read."""

    def saved(self) -> State:
        """Its state: the pieces that are not read, and how many chunks of the first were read."""
        current = [] if self._current is None else [self._current]
        return {
            "ends": self.ends,
            "line": self._line,
            "taken": self._taken,
            "pieces": [piece._asdict() for piece in (*current, *self._pieces)],
        }

    def restore(self, saved: StateReader) -> None:
        """Go on from a saved state."""
        self.ends = saved.flag("ends")
        self._line = saved.integer("line", 1)
        self._skips = saved.integer("taken", 0)
        self._pieces = deque(
            FilePiece(
                *(each.integer("source", 0), each.text("path"), each.integer("number", 0)),
                *(each.integer("begin", 0), each.integer("end", WHOLE), each.flag("last")),
            )
            for each in saved.parts("pieces")
        )

    def _next(self, dictionary: Dictionary, vocabulary: StampVocabulary) -> Chunk | None:
        """The next chunk of all pieces; None: that was the last."""
        while (chunk := next(self._reading, None)) is None:
            if not self._pieces:
                if self.ends:
                    return None
                raise NoPieceYet
            self._reading = self._read(self._pieces.popleft(), dictionary, vocabulary)
        return chunk

    def _read(
        self, piece: FilePiece, dictionary: Dictionary, vocabulary: StampVocabulary
    ) -> Iterator[Chunk]:
        """The chunks of a piece, but for those that were read before the state was saved."""
        self._current, self._taken = piece, 0
        skips, self._skips = self._skips, 0
        for chunk in self._chunks_of(piece, dictionary, vocabulary):
            self._taken += 1
            if self._taken > skips:
                yield chunk
        self._current, self._taken = None, 0
        self.ends = self.ends or (piece.last and not self._input.folder)

    def _chunks_of(
        self, piece: FilePiece, dictionary: Dictionary, vocabulary: StampVocabulary
    ) -> Iterator[Chunk]:
        document = RdfDocument.of(piece.path, piece.number)
        if piece.end == WHOLE:
            with closing(RdfSource(document, time_predicate=self._time_predicate)) as whole:
                yield from whole.chunks(dictionary, vocabulary)
        else:
            if piece.begin == 0:
                self._line = 1
            reader = LineReader(dictionary, piece.number, triples=False, line=self._line)
            with closing(SlicedBytes(piece.path, piece.begin, piece.end)) as source:
                yield from reader.chunks(source)
            self._line = reader.line
        if piece.last and self._input.folder:
            yield EMPTY_LINE  # it completes what is open
