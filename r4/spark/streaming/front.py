"""The front: the process that reads the pieces of a batch and makes the steps of shards.

It reads in order as ``r4 run`` does, by the same intake, with a dictionary of its own; so late and
bad elements are decided in one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import groupby

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
    """Pieces in, steps of shards out."""

    def __init__(
        self,
        partition: Partition,
        sources: Sequence[PiecedSource],
        options: StreamOptions,
        *,
        by_value: bool,
    ) -> None:
        """Start; nothing is read yet."""
        self.terms = Dictionary(by_value=by_value)
        self._sources = sources
        self._dispatcher = Dispatcher(partition, self.terms)
        self.intake = Intake(sources, self.terms, options)
        self._initial_terms = self._digest()

    def take_static(self, rows: Iterable[Rows]) -> Iterator[ShardStep]:
        """The steps that assert triples that always hold; before any other."""
        for some in rows:
            yield from self._dispatcher.always(some)

    def take(self, pieces: Iterable[FilePiece]) -> Iterator[ShardStep]:
        """The steps of the next pieces.

        Raises:
            BadData: one is bad, in strict mode; the steps before it were given.
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
        """The steps at the end of all input; ``drain`` as of `r4.run.driver.Driver.finish`."""
        for source in self._sources:
            source.ends = True
        yield from self.take(())
        yield from self._dispatcher.finish(self.intake.last, drain)

    def _digest(self) -> str:
        """A digest of the terms that it has before it reads; its parts keep their ids."""
        texts = self.terms.decode_many(np.arange(1, len(self.terms) + 1))
        return sha256("\n".join(texts).encode()).hexdigest()

    def _batches(self) -> Iterator[Batch]:
        with suppress(NoPieceYet):
            yield from self.intake

    def saved(self) -> State:
        """Its state between two batches."""
        return {
            "made": self._initial_terms,
            "terms": self.terms.saved(),
            "intake": self.intake.saved(),
            "dealer": self._dispatcher.saved(),
            "sources": [source.saved() for source in self._sources],
        }

    def restore(self, saved: StateReader) -> None:
        """Go on from the saved state of a front of the same run.

        Raises:
            ValueError: the state is none that a front can have.
        """
        if saved.text("made") != self._initial_terms:
            saved.refuse("made", "is of other rules, or of another R4")
        alive = self.terms.restore(saved.part("terms"))
        self.intake.restore(saved.part("intake"), alive)
        self._dispatcher.restore(saved.part("dealer"))
        parts = saved.parts("sources", len(self._sources))
        for source, part in zip(self._sources, parts, strict=True):
            source.restore(part)


def coalesce_batches(batches: Iterable[Batch]) -> Iterator[Batch]:
    """The same stream in as few batches as can be. Linear in the rows."""
    for stands_alone, some in groupby(batches, _stands_alone):
        if stands_alone:
            yield from some
        else:
            yield _united(list(some))


def _stands_alone(batch: Batch) -> bool:
    is_static = len(batch.rows) > 0 and batch.start[0] == NEG_INF
    return is_static or batch.is_retraction


def _united(batches: Sequence[Batch]) -> Batch:
    last = batches[-1]
    return Batch(
        np.concatenate([each.rows for each in batches]),
        np.concatenate([each.start for each in batches]),
        np.concatenate([each.end for each in batches]),
        last.frontier,
        last.last,
        last.needed_ids,
        np.concatenate([each.names for each in batches]),
        first=last.first,
    )
