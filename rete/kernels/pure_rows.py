"""Row kernels in plain Python: what `rete.kernels._rows` computes, readable, for any machine.

A store is a row matrix of which the first ``n`` rows are in use, and an `Index` of it. Functions
that write into a store write at row ``n`` and on; the caller has made the room.

Dicts, not sorted runs of numpy: with batches of a hundred rows and fewer, which is what a live
stream brings, numpy's cost a call makes the runs twenty times slower, and with large ones dicts
keep level.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rete.delta import NEG_INF, Column, Rows

VERSION = 3

DEAD = NEG_INF - 1
"""The end of a row that another took in: before every begin, so nothing meets it."""

BEGINS_AT, ENDS_AT, COVERS = range(3)


class Index:
    """A hash index from the key of a row to its positions, oldest first.

    Attributes:
        grown: whether the end of a row has moved since the index was made; the compiled twin, which
            leaves a chain early where only ended rows are left, then does not.
    """

    __slots__ = ("_key", "_table", "cols", "grown", "n")

    def __init__(self, cols: Column) -> None:
        self.cols = cols
        self._key: list[int] = cols.tolist()
        self.n = 0
        self.grown = False
        self._table: dict[tuple[int, ...], list[int]] = {}

    def extend(self, store: Rows, stop: int) -> None:
        """Enter the rows of ``store`` from where the index ends up to ``stop``."""
        for position, key in enumerate(store[self.n : stop, self.cols].tolist(), self.n):
            self._table.setdefault(tuple(key), []).append(position)
        self.n = stop

    def rebuild(self, store: Rows, n: int) -> None:
        """Index the first ``n`` rows of ``store``, and nothing else."""
        self._table = {}
        self.n = 0
        self.extend(store, n)

    def positions(self, row: Sequence[int], key: Sequence[int]) -> list[int]:
        """Where the rows are that agree with ``row`` at its columns ``key``."""
        return self._table.get(tuple([row[c] for c in key]), [])

    def of_row(self, row: Sequence[int]) -> list[int]:
        """Where the rows are that have the key of ``row``; the list itself, to be added to."""
        return self._table.setdefault(tuple([row[c] for c in self._key]), [])

    @property
    def nbytes(self) -> int:
        """Bytes of the index, roughly: a position and its key are some objects."""
        return 100 * self.n


def absorb(store: Rows, n: int, index: Index, delta: Rows) -> tuple[Rows, int]:
    """Unite ``delta`` with a store of maximal intervals; what the union gains.

    The stored rows of the same terms neither overlap nor touch; a delta row that meets some is
    merged into the oldest, so that no content moves behind rows that came later; the others die
    where they stand. ``index`` is on all
    terms. Returns the gained pieces, disjoint from each other and from what was held, in the order
    of the delta, and the new number of rows. Costs a look-up a row.
    """
    k = delta.shape[1] - 2
    gains: list[list[int]] = []
    for row in delta.tolist():
        terms, lo, hi = row[:k], row[k], row[k + 1]
        positions = index.of_row(row)
        met = sorted(
            (begin, end, r)
            for r in positions
            for begin, end in [store[r, k:].tolist()]
            if begin <= hi and end >= lo
        )
        if not met:
            store[n] = row
            positions.append(n)
            n += 1
            gains.append(row)
            continue
        at = lo
        for begin, end, r in met:
            if begin > at:
                gains.append([*terms, at, begin])
            at = max(at, end)
            store[r, k:] = 0, DEAD
        if at < hi:
            gains.append([*terms, at, hi])
            at = hi
        store[min(r for *_, r in met), k:] = min(lo, met[0][0]), at
    index.n = n
    return _matrix(gains, k), n


def absorb_starts(store: Rows, n: int, index: Index, delta: Rows) -> tuple[Rows, int]:
    """Unite ``delta`` with a store of one row per (terms, start), its end the greatest.

    ``index`` is on all terms and the start. Returns the rows that were new or longer than the one
    held, and the new number of rows.
    """
    k = delta.shape[1] - 2
    gains: list[list[int]] = []
    for row in delta.tolist():
        positions = index.of_row(row)
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
    return _matrix(gains, k), n


def remove(store: Rows, n: int, index: Index, delta: Rows) -> int:
    """Take the intervals of ``delta`` out of a store of maximal intervals.

    A row that keeps its beginning or its end shrinks where it stands; one that keeps both leaves
    its end to a new row. ``index`` is on all terms; there is room for a row more for each of
    ``delta``. Returns the new number of rows. Costs a look-up a row.
    """
    k = delta.shape[1] - 2
    for row in delta.tolist():
        lo, hi = row[k], row[k + 1]
        positions = index.of_row(row)
        for r in tuple(positions):
            begin, end = store[r, k:].tolist()
            if begin >= hi or end <= lo:
                continue
            if begin < lo:
                store[r, k + 1] = lo
                if end > hi:
                    store[n] = [*row[:k], hi, end]
                    positions.append(n)
                    n += 1
            elif end > hi:
                store[r, k] = hi
            else:
                store[r, k:] = 0, DEAD
    index.n = n
    return n


def uncovered(delta: Rows, delta_key: Column, store: Rows, limit: int, index: Index) -> Rows:
    """The pieces of ``delta`` that none of the first ``limit`` stored rows covers.

    Rows agree as in `probe`; stored rows may overlap. Pieces come in the order of the delta.
    """
    k = delta.shape[1] - 2
    key = delta_key.tolist()
    out: list[list[int]] = []
    for row in delta.tolist():
        at, hi = row[k], row[k + 1]
        agreeing = [r for r in index.positions(row, key) if r < limit]
        for begin, end in sorted(store[agreeing, -2:].tolist()):
            if begin >= hi:
                break
            if begin > at:
                out.append([*row[:k], at, begin])
            at = max(at, end)
        if at < hi:
            out.append([*row[:k], at, hi])
    return _matrix(out, k)


def probe(
    delta: Rows, delta_key: Column, store: Rows, limit: int, index: Index, keep: Column
) -> Rows:
    """Pairs of a delta row and one of the first ``limit`` stored rows that agree and overlap.

    They agree when the columns ``delta_key`` of the one equal the indexed columns of the other; an
    empty key pairs all. The valid time of a pair is the intersection. ``keep`` names the columns of
    the result: c of the delta row, ~c of the stored one.
    """
    k = delta.shape[1] - 2
    sk = store.shape[1] - 2
    key, kept_columns = delta_key.tolist(), keep.tolist()
    out: list[list[int]] = []
    for row in delta.tolist():
        for r in index.positions(row, key):
            if r >= limit:
                break
            kept = store[r].tolist()
            lo, hi = max(row[k], kept[sk]), min(row[k + 1], kept[sk + 1])
            if lo < hi:
                out.append([*(row[c] if c >= 0 else kept[~c] for c in kept_columns), lo, hi])
    return _matrix(out, len(kept_columns))


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


def route(
    rows: Rows, first: int, second: int, table: Rows, masks: int, counts: Column
) -> tuple[Column, Column, Column]:
    """The classes that rows belong to: touched classes, where each begins, and the rows of each.

    A class is a pair of constants for the columns ``first`` and ``second``, 0 standing for any;
    ``masks`` has bit 1·(first is given) + 2·(second is given) set for the kinds of class there are.
    ``table`` comes from `route_table`; ``counts`` is scratch, one 0 a class, and left so. The cost
    is that of the rows, however many classes there are.
    """
    del counts
    classes = {(a, b): cls for a, b, cls in table.tolist()}
    hits: dict[int, list[int]] = {}
    for i, row in enumerate(rows.tolist()):
        for c in range(4):
            if masks >> c & 1:
                cls = classes.get((row[first] if c & 1 else 0, row[second] if c & 2 else 0))
                if cls is not None:
                    hits.setdefault(cls, []).append(i)
    starts = np.cumsum([0, *map(len, hits.values())], dtype=np.int64)
    order = [i for members in hits.values() for i in members]
    return np.array(list(hits), np.int64), starts, np.array(order, np.int64)


def route_table(keys: Rows) -> Rows:
    """The table of `route` for the classes ``keys`` (n, 2): rows (first, second, class)."""
    return np.column_stack((keys, np.arange(len(keys), dtype=np.int64)))


def select(
    rows: Rows,
    order: Column,
    start: int,
    stop: int,
    constants: Rows,
    equal: Rows,
    keep: Column,
) -> Rows:
    """Rows ``order[start:stop]`` that have the constants and equal columns, projected.

    ``constants`` is (c, 2): position and id; ``equal`` (e, 2): two positions; ``keep`` the columns
    of the result, to which the valid time is added.
    """
    chosen = rows[order[start:stop]]
    for position, term in constants.tolist():
        chosen = chosen[chosen[:, position] == term]
    for a, b in equal.tolist():
        chosen = chosen[chosen[:, a] == chosen[:, b]]
    width = rows.shape[1]
    return np.ascontiguousarray(chosen[:, [*keep.tolist(), width - 2, width - 1]])


def _matrix(rows: list[list[int]], width: int) -> Rows:
    return np.array(rows, np.int64).reshape(len(rows), width + 2)
