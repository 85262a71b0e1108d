"""Row matrices in plain Python: what `rete.kernels.rows._index` has, readable, for any machine.

A store is a row matrix of which the first ``n`` rows are in use, and an `Index` of it.

Dicts, not sorted runs of numpy: with batches of a hundred rows and fewer, which is what a live
stream brings, numpy's cost a call makes the runs twenty times slower, and with large ones dicts
keep level.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

import numpy as np

from rete.arrays.delta import NEG_INF, Column, Rows
from rete.arrays.state_codec import Mask

DEAD = NEG_INF - 1
"""The end of a row that is there no longer: before every begin, so nothing meets it."""
VACANT = DEAD - 1
"""The same of one that no index has, either: it was moved, removed or united with another."""


class Index:
    """A hash index from the key of a row to its positions, oldest first.

    Attributes:
        vacancies: how many rows `absorb` and `remove` have made vacant since it was set to 0.
        grown: whether the end of a row has moved since the index was made; the compiled twin, which
            leaves a chain early where only ended rows are left, then does not.
    """

    __slots__ = ("_changed", "_key", "_table", "cols", "grown", "n", "vacancies")

    def __init__(self, cols: Column) -> None:
        self.cols = cols
        self._key: list[int] = cols.tolist()
        self.n = 0
        self.grown = False
        self.vacancies = 0
        self._changed: list[int] = []
        self._table: dict[tuple[int, ...], list[int]] = {}

    def extend(self, store: Rows, stop: int) -> None:
        """Enter the rows of ``store`` from where the index ends up to ``stop``."""
        there = np.flatnonzero(store[self.n : stop, -1] != VACANT) + self.n
        enter = self._table.setdefault
        for position, key in zip(
            there.tolist(), store[there[:, None], self.cols].tolist(), strict=True
        ):
            enter(tuple(key), []).append(position)
        self.n = stop

    def notify(self, store: Rows, others: Iterable[Index]) -> None:
        """Let other indexes follow which rows became vacant since.

        In the compiled twin, too, whose ends moved.
        """
        for other in others:
            if other is not self:
                other.renew(store, self._changed)
        self._changed = []

    def renew(self, store: Rows, changed: Sequence[int]) -> None:
        """Follow what became of the rows at some positions."""
        for r in changed:
            if r < self.n:
                self._leave(store[r, self._key].tolist(), r)

    def vacate(self, store: Rows, r: int) -> None:
        """Row ``r`` is there no longer, but its terms are."""
        self._leave(store[r, self._key].tolist(), r)
        store[r, -2:] = 0, VACANT
        self.vacancies += 1
        self._changed.append(r)

    def _leave(self, key: Sequence[int], r: int) -> None:
        positions = self._table.get(tuple(key), [])
        place = bisect_left(positions, r)
        if positions[place : place + 1] == [r]:
            del positions[place]
            if not positions:
                del self._table[tuple(key)]

    def rebuild(self, store: Rows, n: int) -> None:
        """Index the first ``n`` rows of ``store``, and nothing else."""
        self._table = {}
        self.n = 0
        self.extend(store, n)

    def positions(self, row: Sequence[int], key: Sequence[int]) -> list[int]:
        """Where the rows are that agree with ``row`` at its columns ``key``."""
        return self._table.get(tuple([row[c] for c in key]), [])

    def of_row(self, row: Sequence[int]) -> list[int]:
        """Where the rows are that have the key of ``row``."""
        return self._table.get(tuple([row[c] for c in self._key]), [])

    def chain(self, row: Sequence[int]) -> list[int]:
        """Where the rows are that have the key of ``row``: the list itself, to be added to."""
        return self._table.setdefault(tuple([row[c] for c in self._key]), [])

    def close_up(self, store: Rows, begin: int, end: int, to: int, alive: Mask) -> None:
        """Follow `compact`, ahead of it."""
        if self.n < begin:
            return
        rows = store[begin : min(end, self.n), self._key].tolist()
        for r, (row, lives) in enumerate(zip(rows, alive.tolist(), strict=False), begin):
            key = tuple(row)
            positions = self._table.get(key, [])
            place = bisect_left(positions, r)
            if positions[place : place + 1] == [r]:
                positions[place : place + 1] = [to] if lives else []
                if not positions:
                    del self._table[key]
            to += lives
        if self.n <= end:  # what comes behind has not been entered
            self.n = to

    @property
    def nbytes(self) -> int:
        """Bytes of the index, roughly: a position and its key are some objects."""
        return 100 * self.n


def compact(
    store: Rows,
    indexes: Iterable[Index],
    levels: Column | None,
    begin: int,
    end: int,
    to: int,
    alive: Mask,
) -> int:
    """Move the rows from ``begin`` to ``end`` that are ``alive`` to ``to`` and on, in their order.

    The others leave the indexes, of whatever key: at constant cost each, however many rows share a
    key. Between ``to`` and ``begin`` all is vacant, and so is what is moved or dropped. ``alive``
    is (end - begin,). Returns where the rows that were moved end.
    """
    for index in indexes:
        if begin or index.n > end:
            index.close_up(store, begin, end, to, alive)
    kept = np.flatnonzero(alive) + begin
    rows = store[kept]
    store[begin:end, -2:] = 0, VACANT
    store[to : to + len(kept)] = rows
    if levels is not None:
        levels[to : to + len(kept)] = levels[kept]
    to += len(kept)
    for index in indexes:
        if not begin and index.n <= end:  # all at once: what is dropped need not be looked up
            index.rebuild(store, to if index.n else 0)
    return to


def matrix(rows: list[list[int]], width: int) -> Rows:
    """The row matrix of ``rows`` of so many terms, (n, width + 2)."""
    return np.array(rows, np.int64).reshape(len(rows), width + 2)
