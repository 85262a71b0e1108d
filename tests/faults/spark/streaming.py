"""Small mistakes that one can make where batches stop and go on; the cases must notice each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Final
from unittest.mock import patch

import r4.spark.streaming.front
from r4.checkpoint import archive
from r4.spark.shards.messages import FactMessage
from r4.spark.streaming.checkpoint_layout import CheckpointLayout
from r4.spark.streaming.exchange import Exchange
from r4.spark.streaming.front import coalesce_batches
from r4.spark.streaming.piece_source import PiecedSource
from r4.stream.batch import Batch
from r4.stream.elements.segmentation import NOTHING_OPEN
from r4.stream.source_buffer import SourceBuffer
from r4.stream.watermark import Frontier
from rete.arrays.state_codec import Mask, State, StateReader
from tests.faults.detection import Fault


def open_element_forgotten() -> AbstractContextManager[object]:
    """The element that a batch ends in is not gone on with."""
    right = SourceBuffer.restore

    def restore(feed: SourceBuffer, given: StateReader, alive: Mask) -> None:
        right(feed, given, alive)
        feed._carry = NOTHING_OPEN

    return patch.object(SourceBuffer, "restore", restore)


def frontier_forgotten() -> AbstractContextManager[object]:
    """Time begins anew with each driver."""

    def restore(_: Frontier, __: StateReader) -> None:
        return

    return patch.object(Frontier, "restore", restore)


def waiting_pieces_forgotten() -> AbstractContextManager[object]:
    """What has come and was not read is not gone on with."""
    right = PiecedSource.saved

    def saved(source: PiecedSource) -> State:
        return {**right(source), "taken": 0, "pieces": []}

    return patch.object(PiecedSource, "saved", saved)


def state_of_the_same_batch() -> AbstractContextManager[object]:
    """A batch that is taken again begins with the states that it left."""
    right = CheckpointLayout.shard

    def shard(places: CheckpointLayout, batch: int, number: int) -> Path:
        after = right(places, batch + 1, number)
        return after if after.exists() else right(places, batch, number)

    return patch.object(CheckpointLayout, "shard", shard)


def end_is_kept() -> AbstractContextManager[object]:
    """What was told as if the input had ended stays."""

    def withdraw(_: CheckpointLayout) -> None:
        return

    return patch.object(CheckpointLayout, "withdraw_end", withdraw)


def united_over_retractions() -> AbstractContextManager[object]:
    """What takes back comes before all that its batch asserts."""

    def all_in_one(batches: Iterable[Batch]) -> Iterator[Batch]:
        given = list(batches)
        yield from (
            replace(
                each,
                rows=each.rows[:0],
                start=each.start[:0],
                end=each.end[:0],
                names=each.names[:0],
            )
            for each in given
            if each.is_retraction
        )
        rest = (
            replace(
                each,
                retracted_names=each.retracted_names[:0],
                retracted_rows=each.retracted_rows[:0],
            )
            for each in given
        )
        yield from coalesce_batches(rest)

    return patch.object(r4.spark.streaming.front, "coalesce_batches", all_in_one)


def hosts_do_not_meet() -> AbstractContextManager[object]:
    """What is for shards of other hosts is lost."""
    right = Exchange.swap

    def swap(
        exchange: Exchange, step: int, turn: int, sent: dict[int, list[tuple[int, FactMessage]]]
    ) -> tuple[Sequence[tuple[int, FactMessage]], bool]:
        own = {host: some for host, some in sent.items() if host == exchange.host}
        return right(exchange, step, turn, own)

    return patch.object(Exchange, "swap", swap)


def stale_shards() -> AbstractContextManager[object]:
    """A shard is gone on with whatever batch it is after: here, before the first it is empty."""
    right = archive.read

    def read(path: Path) -> StateReader | None:
        return None if path.name.startswith("shard-00000") else right(path)

    return patch.object(archive, "read", read)


FAULTS: Final[tuple[Fault, ...]] = (
    open_element_forgotten,
    frontier_forgotten,
    waiting_pieces_forgotten,
    state_of_the_same_batch,
    end_is_kept,
    united_over_retractions,
    hosts_do_not_meet,
    stale_shards,
)
