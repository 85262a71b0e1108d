"""Sets of intervals in plain Python: what `rete.kernels.rows._intervals` computes, readable."""

from __future__ import annotations

import numpy as np

from rete.arrays.delta import Column, Rows
from rete.kernels.rows.pure_matrix import matrix
from rete.kernels.rows.pure_store import FactStore, Index

BEGINS_AT, ENDS_AT, COVERS = range(3)


def absorb(index: Index, delta: Rows) -> Rows:
    """Unite ``delta`` with a store of maximal intervals; what the union gains.

    The stored rows of the same terms neither overlap nor touch; a delta row that meets some is
    merged into the oldest, so that no content moves behind rows that came later; the others
    become vacant. ``index`` is on all terms. Returns the gained pieces, disjoint from each other
    and from what was held, in the order of the delta; it itself, if that is all of it. Costs a
    look-up a row.
    """
    store, k = index.store, delta.shape[1] - 2
    _refuse(index, delta)
    gains: list[list[int]] = []
    for row in delta.tolist():
        terms, lo, hi = row[:k], row[k], row[k + 1]
        met = [
            (begin, end, r)
            for r in index.of_row(row)
            for begin, end in [store.rows_held[r, k:].tolist()]
            if begin <= hi and end >= lo
        ]
        if not met:
            index.add(row)
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
        store.rows_held[oldest, k:] = min(lo, met[0][0]), at
        for r in others:
            store.vacate(r)
    return delta if gains == delta.tolist() else matrix(gains, k)


def _refuse(index: Index, rows: Rows) -> None:
    if rows.shape[1] != index.store.width + 2:
        message = f"rows of {rows.shape[1]} columns, not of {index.store.width + 2}"
        raise ValueError(message)
    index.store.refuse_wide(rows)


def united(rows: Rows) -> Rows:
    """The maximal intervals of ``rows``, in the order of the oldest of each; they, if they are it.

    Costs a look-up a row.
    """
    store = FactStore(rows.shape[1] - 2)
    absorb(store.index(np.arange(store.width)), rows)
    return rows if store.end == len(rows) else store.rows(0, store.end, living=True)


def absorb_starts(index: Index, delta: Rows) -> Rows:
    """Unite ``delta`` with a store of one row per (terms, start), its end the greatest.

    ``index`` is on all terms and the start. Returns the rows that were new or longer than the one
    held.
    """
    store, k = index.store, delta.shape[1] - 2
    _refuse(index, delta)
    gains: list[list[int]] = []
    for row in delta.tolist():
        positions = index.of_row(row)
        if not positions:
            index.add(row)
        elif store.rows_held[positions[0], k + 1] < row[k + 1]:
            store.rows_held[positions[0], k + 1] = row[k + 1]
        else:
            continue
        gains.append(row)
    return matrix(gains, k)


def remove(index: Index, delta: Rows) -> None:
    """Take the intervals of ``delta`` out of a store of maximal intervals.

    A row that keeps its beginning or its end shrinks where it stands; one that keeps both leaves
    its end to a new row; one that keeps neither becomes vacant. ``index`` is on all terms. Costs a
    look-up a row.
    """
    store, k = index.store, delta.shape[1] - 2
    _refuse(index, delta)
    for row in delta.tolist():
        lo, hi = row[k], row[k + 1]
        for r in tuple(index.of_row(row)):
            begin, end = store.rows_held[r, k:].tolist()
            if begin >= hi or end <= lo:
                continue
            if begin < lo:
                store.rows_held[r, k + 1] = lo
                if end > hi:
                    index.add([*row[:k], hi, end])
            elif end > hi:
                store.rows_held[r, k] = hi
            else:
                store.vacate(r)


def find(queries: Rows, index: Index, mode: int) -> Column:
    """Per query (terms, time) a row of these terms that begins at, ends at or covers the time.

    ``queries`` is (m, k + 1); ``mode`` is `BEGINS_AT`, `ENDS_AT` or `COVERS`. ``index`` is on all
    terms, and the start or not. Returns positions, -1 where there is none.
    """
    k = queries.shape[1] - 1
    found = np.full(len(queries), -1, np.int64)
    for i, query in enumerate(queries.tolist()):
        for r in index.of_row(query):
            row = index.store.rows_held[r].tolist()
            begin, end = row[-2:]
            if begin < end and row[:k] == query[:k]:
                t = query[k]
                if (begin == t, end == t, begin <= t < end)[mode]:
                    found[i] = r
                    break
    return found
