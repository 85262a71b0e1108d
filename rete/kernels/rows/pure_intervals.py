"""Sets of intervals in plain Python: what `rete.kernels.rows._intervals` computes, readable.

Functions that write into a store write at row ``n`` and on; the caller has made the room.
"""

from __future__ import annotations

import numpy as np

from rete.arrays.delta import Column, Rows
from rete.kernels.rows.pure_index import VACANT, Index, matrix

BEGINS_AT, ENDS_AT, COVERS = range(3)


def absorb(store: Rows, n: int, index: Index, delta: Rows) -> tuple[Rows, int]:
    """Unite ``delta`` with a store of maximal intervals; what the union gains.

    The stored rows of the same terms neither overlap nor touch; a delta row that meets some is
    merged into the oldest, so that no content moves behind rows that came later; the others
    become vacant. ``index`` is on all terms. Returns the gained pieces, disjoint from each other
    and from what was held, in the order of the delta, and the new number of rows. Costs a look-up a
    row.
    """
    k = delta.shape[1] - 2
    gains: list[list[int]] = []
    for row in delta.tolist():
        terms, lo, hi = row[:k], row[k], row[k + 1]
        positions = index.chain(row)
        met = [
            (begin, end, r)
            for r in positions
            for begin, end in [store[r, k:].tolist()]
            if begin <= hi and end >= lo
        ]
        if not met:
            store[n] = row
            positions.append(n)
            n += 1
            gains.append(row)
            continue
        met.sort()
        at = lo
        for begin, end, _ in met:
            if begin > at:
                gains.append([*terms, at, begin])
            at = max(at, end)
        if at < hi:
            gains.append([*terms, at, hi])
            at = hi
        oldest, *others = sorted(r for *_, r in met)
        store[oldest, k:] = min(lo, met[0][0]), at
        for r in others:
            index.vacate(store, r)
    index.n = n
    return matrix(gains, k), n


def united(rows: Rows) -> Rows:
    """The maximal intervals of ``rows``, in the order of the oldest of each; they, if they are it.

    Costs a look-up a row.
    """
    store = np.empty_like(rows)
    _, n = absorb(store, 0, Index(np.arange(rows.shape[1] - 2)), rows)
    if n == len(rows):
        return rows
    used = store[:n]
    living: Rows = used[used[:, -1] != VACANT]
    return living


def absorb_starts(store: Rows, n: int, index: Index, delta: Rows) -> tuple[Rows, int]:
    """Unite ``delta`` with a store of one row per (terms, start), its end the greatest.

    ``index`` is on all terms and the start. Returns the rows that were new or longer than the one
    held, and the new number of rows.
    """
    k = delta.shape[1] - 2
    gains: list[list[int]] = []
    for row in delta.tolist():
        positions = index.chain(row)
        if not positions:
            store[n] = row
            positions.append(n)
            n += 1
        elif store[positions[0], k + 1] < row[k + 1]:
            store[positions[0], k + 1] = row[k + 1]
        else:
            continue
        gains.append(row)
    index.n = n
    return matrix(gains, k), n


def remove(store: Rows, n: int, index: Index, delta: Rows) -> int:
    """Take the intervals of ``delta`` out of a store of maximal intervals.

    A row that keeps its beginning or its end shrinks where it stands; one that keeps both leaves
    its end to a new row; one that keeps neither becomes vacant. ``index`` is on all terms; there is
    room for a row more for each of ``delta`` that some row outlasts. Returns the new number of
    rows. Costs a look-up a row.
    """
    k = delta.shape[1] - 2
    for row in delta.tolist():
        lo, hi = row[k], row[k + 1]
        for r in tuple(index.of_row(row)):
            begin, end = store[r, k:].tolist()
            if begin >= hi or end <= lo:
                continue
            if begin < lo:
                store[r, k + 1] = lo
                if end > hi:
                    store[n] = [*row[:k], hi, end]
                    index.chain(row).append(n)
                    n += 1
            elif end > hi:
                store[r, k] = hi
            else:
                index.vacate(store, r)
    index.n = n
    return n


def find(queries: Rows, store: Rows, index: Index, mode: int) -> Column:
    """Per query (terms, time) a row of these terms that begins at, ends at or covers the time.

    ``queries`` is (m, k + 1); ``mode`` is `BEGINS_AT`, `ENDS_AT` or `COVERS`. Returns positions,
    -1 where there is none.
    """
    k = queries.shape[1] - 1
    found = np.full(len(queries), -1, np.int64)
    for i, query in enumerate(queries.tolist()):
        for r in index.of_row(query):
            row = store[r].tolist()
            begin, end = row[-2:]
            if begin < end and row[:k] == query[:k]:
                t = query[k]
                if (begin == t, end == t, begin <= t < end)[mode]:
                    found[i] = r
                    break
    return found
