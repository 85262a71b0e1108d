"""Live entries: rows by the values of their variables, by the times at which they end; in order."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, Final

import numpy as np

from rete import kernels
from rete.arrays.delta import POS_INF, Column, Rows, columns, concat, distinct
from rete.kernels import DEAD
from rete.storage.row_algebra import all_columns, always

BITS: Final = -4
"""The column of the bits, behind the values of a row."""
_SMALLEST: Final = 64
_NONE: Final = columns([])


class LiveEntries:
    """Rows (values, bits, position, begin, end), found by the first ``keys`` values.

    A row has its own position, so that a probe gives it. Dead rows are reclaimed in bulk;
    finding, adding and ending a row cost amortised constant time.
    """

    __slots__ = ("_columns", "_indexes", "_n", "_queues", "_rows", "_store")

    def __init__(
        self,
        width: int,
        keys: int | None = None,
        *,
        group: Sequence[int] = (),
        ends: Sequence[int] = (-1,),
    ) -> None:
        """Rows of ``width`` values, of which the first ``keys`` are the key; None: all.

        ``group`` are the columns of a second key, ``ends`` those of the times at which a row ends.
        """
        self._rows: Rows = np.empty((_SMALLEST, width + 4), np.int64)
        self._n = 0
        keyed = [[*range(width if keys is None else keys)], *([[*group]] if group else [])]
        self._columns = sorted({column for each in keyed for column in each})
        # Of these columns the store has the halves, as its terms have 32 bits, and no more.
        self._store = kernels.FactStore(2 * len(self._columns) + 1)
        places = [[self._columns.index(column) for column in each] for each in keyed]
        self._indexes = [
            self._store.index(columns(half for at in each for half in (2 * at, 2 * at + 1)))
            for each in places
        ]
        self._queues = [(column, EndQueue()) for column in ends]

    @property
    def rows(self) -> Rows:
        """The rows that live."""
        used = self._rows[: self._n]
        living: Rows = used.compress(used[:, -1] != DEAD, axis=0)
        return living

    def at(self, positions: Column) -> Rows:
        """The rows at some positions."""
        found: Rows = self._rows.take(positions, axis=0)
        return found

    def column(self, column: int, positions: Column) -> Column:
        """One column of the rows at some positions."""
        found: Column = self._rows[positions, column]
        return found

    def find(self, keys: Rows) -> Column:
        """Per distinct key, of which at most one row lives, the position of that, or -1."""
        positions = np.full(len(keys), -1, np.int64)
        numbers, found = self.matches(keys)
        positions[numbers] = found
        return positions

    def matches(self, keys: Rows, *, group: bool = False) -> tuple[Column, Column]:
        """The live rows of keys, by a ``group`` key or not: number of the key, position."""
        if not len(keys):
            return columns([]), columns([])
        index, queries = self._indexes[group], always(_halves(keys), np.arange(len(keys)))
        width = queries.shape[1] - 3
        keep = columns([width, ~(self._store.width - 1)])
        pairs, _ = kernels.probe(queries, all_columns(width), index, self._store.end, keep)
        return pairs[:, 0], pairs[:, 1]

    def put(
        self,
        positions: Column,
        values: Rows,
        bits: Column | int,
        begin: Column | int,
        end: Column | int,
    ) -> None:
        """Let rows live at their ``positions``, at new ones where that is -1."""
        new = np.flatnonzero(positions < 0)
        if len(new):
            self._make_room(len(new), positions)
            positions[new] = np.arange(self._n, self._n + len(new))
        rows = self._rows
        width = values.shape[1]
        only_new = len(new) == len(positions)
        places = slice(self._n, self._n + len(new)) if only_new else positions
        rows[places, :width] = values
        rows[places, width] = bits
        rows[places, width + 1] = positions
        rows[places, -2] = begin
        rows[places, -1] = end
        if len(new):
            self._enter(self._n, self._n + len(new))
            self._n += len(new)
        self._note(positions)

    def mark(self, positions: Column, bits: Column | int, begin: Column | int) -> None:
        """Give live rows other ``bits``, and another ``begin``."""
        self._rows[positions, BITS] = bits
        self._rows[positions, -2] = begin

    def kill(self, positions: Column) -> None:
        """End the rows at ``positions``, which live."""
        self._rows[positions, -1] = DEAD
        self._store.set_ends(self._store.first + positions, np.full(len(positions), DEAD))

    def due(self, *frontiers: int) -> Column:
        """The positions of the live rows one of whose ends is at its frontier, or before it."""
        found = [_NONE]
        for (column, queue), frontier in zip(self._queues, frontiers, strict=True):
            if queue.first <= frontier:
                positions = queue.due(frontier)
                alive = self._rows[positions, -1] != DEAD
                found.append(positions[alive & (self._rows[positions, column] <= frontier)])
        return distinct(concat(found[1:] or found))

    def _enter(self, begin: int, end: int) -> None:
        """Let the rows from ``begin`` to ``end`` be found."""
        keys = self._rows[begin:end].take(self._columns, axis=1)
        self._store.fill(always(_halves(keys), np.arange(begin, end)))

    def _note(self, positions: Column) -> None:
        for column, queue in self._queues:
            queue.note(positions, self._rows[positions, column])

    def _make_room(self, more: int, positions: Column) -> None:
        """Room for ``more`` rows; ``positions`` of others are moved along."""
        if self._n + more <= len(self._rows):
            return
        alive = np.flatnonzero(self._rows[: self._n, -1] != DEAD)
        capacity = max(_SMALLEST, 2 * (len(alive) + more))
        if capacity < len(self._rows) < 8 * capacity:
            capacity = len(self._rows)
        rows = np.empty((capacity, self._rows.shape[1]), np.int64)
        self._rows.take(alive, axis=0, out=rows[: len(alive)], mode="clip")
        moved = np.full(self._n + 1, -1, np.int64)
        moved[alive] = np.arange(len(alive))
        positions[:] = moved[positions]
        rows[: len(alive), -3] = np.arange(len(alive))
        self._rows, self._n = rows, len(alive)
        self._store.keep(np.zeros(self._store.count, np.bool_))
        self._enter(0, self._n)
        self._queues = [(column, EndQueue()) for column, _ in self._queues]
        self._note(np.arange(self._n))


def _halves(values: Rows) -> Rows:
    """The two halves of each of ``values``, (n, k), as numbers of 32 bits: (n, 2 * k)."""
    return np.ascontiguousarray(values).view(np.int32).astype(np.int64)


class EndQueue:
    """Positions by the time at which their rows end: buckets of equal ends."""

    __slots__ = ("_buckets", "_heap")

    def __init__(self) -> None:
        self._buckets: dict[int, list[Column]] = {}
        self._heap: list[int] = []

    def note(self, positions: Column, ends: Column) -> None:
        """Enter positions whose ends are finite."""
        starts = [0, len(ends)]
        if len(ends) > 1:
            order = ends.argsort(kind="stable")
            ends, positions = ends[order], positions[order]
            starts[1:1] = ((ends[1:] != ends[:-1]).nonzero()[0] + 1).tolist()
        for begin, stop in pairwise(starts):
            end = int(ends[begin]) if stop else POS_INF
            if end >= POS_INF:
                return
            parts = self._buckets.get(end)
            if parts is None:
                parts = self._buckets[end] = []
                heappush(self._heap, end)
            parts.append(positions[begin:stop])

    @property
    def first(self) -> int:
        """The first end."""
        return self._heap[0] if self._heap else POS_INF

    def due(self, frontier: int) -> Column:
        """Take out what is to end at ``frontier`` or before; some twice, where ends have moved."""
        parts = [_NONE]
        while self.first <= frontier:
            parts += self._buckets.pop(heappop(self._heap))
        return concat(parts[1:] or parts)


def ranks_of(keys: Sequence[Any], *, descending: bool = False) -> Column:
    """The places of keys in their order, equal ones alike."""
    places = {key: place for place, key in enumerate(sorted({*keys}, reverse=descending))}
    return columns(places[key] for key in keys)


def text_ranks(texts: Sequence[str]) -> Column:
    """The position of each of some distinct texts in their order."""
    ranks = np.empty(len(texts), np.int64)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks


def first_rows(groups: Column, keys: Sequence[Column] | Rows) -> Column:
    """The place of the first row of each group by ``keys``, in the order of the groups."""
    if len(groups) <= 1:
        return np.arange(len(groups))
    order = np.lexsort((*reversed(keys), groups))
    ordered = groups[order]
    begins = np.ones(len(order), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    found: Column = order[begins]
    return found
