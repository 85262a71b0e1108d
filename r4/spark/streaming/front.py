"""The front: it reads the pieces of a batch, judges what is late or bad, and deals out the rest.

It is the one process that reads in order, as ``r4 run`` does: the same intake, in ids of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256

import numpy as np

from r4.spark.partition.program_partition import Partition
from r4.spark.shards.dispatch import Dispatcher, ShardStep
from r4.spark.streaming.file_pieces import FilePiece
from r4.spark.streaming.piece_source import NoPieceYet, PiecedSource
from r4.stream.batch import Batch
from r4.stream.intake import Intake
from r4.stream.source import StreamOptions
from r4.time.ticks import NEG_INF, POS_INF
from rete.arrays.delta import Rows
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary


class Front:
    """Pieces in, steps of shards out.

    Attributes:
        terms: its dictionary.
        intake: the streams.
    """

    def __init__(
        self,
        given: Partition,
        sources: Sequence[PiecedSource],
        options: StreamOptions,
        *,
        by_value: bool,
    ) -> None:
        """Begin, before anything is read."""
        self.terms = Dictionary(by_value=by_value)
        self._sources = sources
        self._dispatcher = Dispatcher(given, self.terms)
        self.intake = Intake(sources, self.terms, options)
        self._made = self._known()

    def always(self, rows: Iterable[Rows]) -> Iterator[ShardStep]:
        """Triples that always hold, before anything else."""
        for some in rows:
            yield from self._dispatcher.always(some)

    def take(self, pieces: Iterable[FilePiece]) -> Iterator[ShardStep]:
        """The next pieces.

        Raises:
            BadData: one is bad, in strict mode; what came before it was dealt out.
            InputError: a file cannot be read.
            SourceLost: the system stops delivering one.
        """
        for piece in pieces:
            self._sources[piece.source].add(piece)
        for batch in coalesce_batches(self._batches()):
            yield from self._dispatcher.deal(batch)
        if self.terms.due:
            self.terms.sweep(POS_INF, self.intake.needed_ids)

    def finish(self, drain: int | None) -> Iterator[ShardStep]:
        """All input has ended; as of a `Core`."""
        for source in self._sources:
            source.ends = True
        yield from self.take(())
        yield from self._dispatcher.finish(self.intake.last, drain)

    def _known(self) -> str:
        """The terms that it knows before it reads, whose ids are held all over it."""
        texts = self.terms.decode_many(np.arange(1, len(self.terms) + 1))
        return sha256("\n".join(texts).encode()).hexdigest()

    def _batches(self) -> Iterator[Batch]:
        with suppress(NoPieceYet):
            yield from self.intake

    def saved(self) -> State:
        """What it goes on from, between two batches."""
        return {
            "made": self._made,
            "terms": self.terms.saved(),
            "intake": self.intake.saved(),
            "dealer": self._dispatcher.saved(),
            "sources": [source.saved() for source in self._sources],
        }

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved of a front of the same run.

        Raises:
            ValueError: no front was ever in such a state.
        """
        if given.text("made") != self._made:
            given.refuse("made", "is of other rules, or of another R4")
        alive = self.terms.restore(given.part("terms"))
        self.intake.restore(given.part("intake"), alive)
        self._dispatcher.restore(given.part("dealer"))
        parts = given.parts("sources", len(self._sources))
        for source, part in zip(self._sources, parts, strict=True):
            source.restore(part)


def coalesce_batches(batches: Iterable[Batch]) -> Iterator[Batch]:
    """The same stream in as few batches as can be. Linear in the rows."""
    waiting: list[Batch] = []
    for batch in batches:
        static = len(batch.rows) > 0 and batch.start[0] == NEG_INF
        if static or batch.is_retraction:
            yield from _one(waiting)
            waiting = []
            yield batch
        else:
            waiting.append(batch)
    yield from _one(waiting)


def _one(batches: Sequence[Batch]) -> Iterator[Batch]:
    if not batches:
        return
    last = batches[-1]
    yield Batch(
        np.concatenate([each.rows for each in batches]),
        np.concatenate([each.start for each in batches]),
        np.concatenate([each.end for each in batches]),
        last.frontier,
        last.last,
        last.needed_ids,
        np.concatenate([each.names for each in batches]),
    )
