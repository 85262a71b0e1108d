"""The judged elements of several sources in one order, and where sources end in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from r4.stream.elements.judged_elements import NO_ELEMENTS, RETRACTED, SIZE, SOURCE, JudgedElements
from r4.stream.source_buffer import SourceBuffer
from r4.time.ticks import Tick
from rete.arrays.delta import Column


def merge_next(buffers: Sequence[SourceBuffer], high: Tick, least: int) -> JudgedElements:
    """What is buffered and comes before anything that source ``least`` may deliver after ``high``.

    The order is by merge key, then by source, then by place in the source. Costs a sort, or nothing
    where one source alone has anything.
    """
    parts: list[tuple[JudgedElements, Column]] = []
    for number, buffer in enumerate(buffers):
        if buffer.waiting:
            elements, keys = buffer.take(high, with_equal=number <= least)
            if len(elements):
                parts.append((elements, keys))
    if not parts:
        return NO_ELEMENTS
    return parts[0][0] if len(parts) == 1 else _in_order(parts)


def source_ends(buffers: Sequence[SourceBuffer], merged: JudgedElements) -> Column:
    """(k,) how many of ``merged`` there are when each source ends, or is idle from there on.

    More than n for a source that counts to the end. To be asked before the buffers are read again.
    """
    ends = np.full(len(buffers), len(merged) + 1, np.int64)
    for number, buffer in enumerate(buffers):
        if (buffer.exhausted or buffer.idle) and not buffer.waiting:
            own = np.flatnonzero(merged.table[:, SOURCE] == number)
            ends[number] = own[-1] + 1 if len(own) else 0
    return ends


def _in_order(parts: Sequence[tuple[JudgedElements, Column]]) -> JudgedElements:
    table = np.concatenate([elements.table for elements, _ in parts])
    triples = np.concatenate([elements.triples for elements, _ in parts])
    order = np.lexsort((table[:, SOURCE], np.concatenate([keys for _, keys in parts])))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    retracted = np.concatenate([elements.retracted for elements, _ in parts])
    if len(retracted):
        retracted = retracted[np.argsort(np.repeat(rank, table[:, RETRACTED]), kind="stable")]
    triples = triples[np.argsort(np.repeat(rank, table[:, SIZE]), kind="stable")]
    return JudgedElements(table[order], triples, retracted)
