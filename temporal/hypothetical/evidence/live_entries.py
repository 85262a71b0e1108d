"""Live entries: rows by the values of their variables, and by the time at which they end."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import pairwise
from typing import Final

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, columns
from rete.kernels import DEAD
from rete.storage.row_algebra import all_columns

BITS: Final = -4
"""The column of the bits, behind the values of a row."""
_SMALLEST: Final = 64


class LiveEntries:
    """Rows (values, bits, position, begin, end), of equal keys at most one is alive.

    The key is the first ``keys`` values; all, if that is None.
    A row has its own position, so that a probe gives it. Dead rows are reclaimed in bulk;
    finding, adding and ending a row cost amortised constant time.

    Attributes:
        count: rows that live.
    """

    __slots__ = ("_ends", "_heap", "_index", "_n", "_rows", "count")

    def __init__(self, width: int, keys: int | None = None) -> None:
        self._rows: Rows = np.empty((_SMALLEST, width + 4), np.int64)
        self._n = 0
        self.count = 0
        self._index = kernels.Index(columns(range(width if keys is None else keys)))
        self._index.grown = True
        self._ends: dict[int, list[Column]] = {}
        self._heap: list[int] = []

    @property
    def rows(self) -> Rows:
        """The rows that live."""
        used = self._rows[: self._n]
        living: Rows = used[used[:, -1] != DEAD]
        return living

    def at(self, positions: Column) -> Rows:
        """The rows at some positions."""
        found: Rows = self._rows[positions]
        return found

    def find(self, keys: Rows) -> Column:
        """Per distinct key, a row of ``keys``, the position of its live row, or -1."""
        width = keys.shape[1]
        queries = np.empty((len(keys), width + 3), np.int64)
        queries[:, :width] = keys
        queries[:, width] = np.arange(len(keys))
        queries[:, width + 1 :] = NEG_INF, POS_INF
        keep = columns([width, ~(self._rows.shape[1] - 3)])
        pairs = kernels.probe(queries, all_columns(width), self._rows, self._n, self._index, keep)
        positions = np.full(len(keys), -1, np.int64)
        positions[pairs[:, 0]] = pairs[:, 1]
        return positions

    def put(
        self, positions: Column, values: Rows, bits: Column, begin: Column, end: Column
    ) -> None:
        """Let rows live at their ``positions``, at new ones where that is -1."""
        new = np.flatnonzero(positions < 0)
        if len(new):
            self._make_room(len(new), positions)
            positions[new] = np.arange(self._n, self._n + len(new))
        rows = self._rows
        width = values.shape[1]
        rows[positions, :width] = values
        rows[positions, width] = bits
        rows[positions, width + 1] = positions
        rows[positions, -2] = begin
        rows[positions, -1] = end
        if len(new):
            self._n += len(new)
            self._index.extend(rows, self._n)
            self.count += len(new)
        self._note(positions, end)

    def kill(self, positions: Column) -> None:
        """End the rows at ``positions``, which live."""
        self._rows[positions, -1] = DEAD
        self.count -= len(positions)

    def due(self, frontier: int) -> Column:
        """The positions of the live rows that end at the frontier or before; each is given once."""
        parts: list[Column] = []
        while self._heap and self._heap[0] <= frontier:
            parts += self._ends.pop(heappop(self._heap))
        if not parts:
            return columns([])
        positions = np.unique(np.concatenate(parts))
        ends = self._rows[positions, -1]
        due: Column = positions[(ends <= frontier) & (ends != DEAD)]
        return due

    def _note(self, positions: Column, ends: Column) -> None:
        """Enter ends that are finite."""
        order = np.argsort(ends, kind="stable")
        order = order[: np.searchsorted(ends[order], POS_INF)]
        if not len(order):
            return
        ends, positions = ends[order], positions[order]
        starts = [0, *(np.flatnonzero(np.diff(ends)) + 1).tolist(), len(ends)]
        for begin, stop in pairwise(starts):
            end = int(ends[begin])
            parts = self._ends.get(end)
            if parts is None:
                parts = self._ends[end] = []
                heappush(self._heap, end)
            parts.append(positions[begin:stop])

    def _make_room(self, more: int, positions: Column) -> None:
        """Room for ``more`` rows; ``positions`` of others are moved along."""
        if self._n + more <= len(self._rows):
            return
        alive = np.flatnonzero(self._rows[: self._n, -1] != DEAD)
        capacity = max(_SMALLEST, 2 * (len(alive) + more))
        if capacity < len(self._rows) < 8 * capacity:
            capacity = len(self._rows)
        rows = np.empty((capacity, self._rows.shape[1]), np.int64)
        rows[: len(alive)] = self._rows[alive]
        moved = np.full(self._n + 1, -1, np.int64)
        moved[alive] = np.arange(len(alive))
        positions[:] = moved[positions]
        rows[: len(alive), -3] = np.arange(len(alive))
        self._rows, self._n = rows, len(alive)
        self._index.rebuild(rows, self._n)
        self._index.grown = True
        self._ends, self._heap = {}, []
        self._note(np.arange(self._n), rows[: self._n, -1])
