"""Row matrices in plain Python: what `rete.kernels._rows_index` has, readable, for any machine.

A store is a row matrix of which the first ``n`` rows are in use, and an `Index` of it.

Dicts, not sorted runs of numpy: with batches of a hundred rows and fewer, which is what a live
stream brings, numpy's cost a call makes the runs twenty times slower, and with large ones dicts
keep level.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rete.arrays.delta import Column, Rows

VERSION = 10


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


def matrix(rows: list[list[int]], width: int) -> Rows:
    """The row matrix of ``rows`` of so many terms, (n, width + 2)."""
    return np.array(rows, np.int64).reshape(len(rows), width + 2)
