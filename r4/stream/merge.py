"""Items of several sources in the order in which they take their turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from r4.stream.elements import Column, Rows
from r4.stream.judged_elements import SIZE, TAKEN, WIDTH, ChunkOrigin, JudgedElements
from r4.stream.source_buffer import SourceBuffer
from r4.time.ticks import Tick


@dataclass(frozen=True, slots=True)
class MergedElements:
    """Items in order.

    Attributes:
        table, triples, taken: As in `JudgedElements`.
        source: (n,) the number of the source of each item.
        origins: By source, where its items come from.
        until: (k,) how many of the items there are when a source has ended, or is silent for too
            long; more than n if it counts to the end.
    """

    table: Rows
    triples: Rows
    taken: Rows
    source: Column
    origins: Mapping[int, ChunkOrigin]
    until: Column

    def first(self, count: int) -> MergedElements:
        """The first ``count`` items."""
        size, taken = self.table[:count, SIZE : TAKEN + 1].sum(0).tolist()
        return MergedElements(
            *(self.table[:count], self.triples[:size], self.taken[:taken]),
            *(self.source[:count], self.origins, self.until),
        )


def merge_next(feeds: Sequence[SourceBuffer], high: Tick, least: int) -> MergedElements:
    """What waits and comes before anything that source ``least`` may deliver after ``high``.

    An item comes by its key, then by its source, then by its place there. Costs a sort, or nothing
    where one source alone has anything.
    """
    taken: list[tuple[int, JudgedElements, Column]] = []
    for number, feed in enumerate(feeds):
        if feed.waiting:
            items, keys = feed.take(high, with_equal=number <= least)
            if len(items):
                taken.append((number, items, keys))
    table, triples, back, source = _merged(taken)
    until = np.full(len(feeds), len(table) + 1, np.int64)
    for number, feed in enumerate(feeds):
        if (feed.exhausted or feed.idle) and not feed.waiting:
            own = np.flatnonzero(source == number)
            until[number] = own[-1] + 1 if len(own) else 0
    origins = {number: items.origin for number, items, _ in taken}
    return MergedElements(table, triples, back, source, origins, until)


def _merged(taken: Sequence[tuple[int, JudgedElements, Column]]) -> tuple[Rows, Rows, Rows, Column]:
    if not taken:
        none = np.empty(0, np.int64)
        table, triples = np.empty((0, WIDTH), np.int64), np.empty((0, 3), np.int64)
        return table, triples, np.empty((0, 4), np.int64), none
    if len(taken) == 1:
        number, items, _ = taken[0]
        return items.table, items.triples, items.taken, np.full(len(items), number)
    table = np.concatenate([items.table for _, items, _ in taken])
    triples = np.concatenate([items.triples for _, items, _ in taken])
    source = np.repeat([number for number, _, _ in taken], [len(items) for _, items, _ in taken])
    order = np.lexsort((source, np.concatenate([keys for _, _, keys in taken])))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    back = np.concatenate([items.taken for _, items, _ in taken])
    if len(back):
        back = back[np.argsort(np.repeat(rank, table[:, TAKEN]), kind="stable")]
    triples = triples[np.argsort(np.repeat(rank, table[:, SIZE]), kind="stable")]
    return table[order], triples, back, source[order]
