"""SteM: all that a node of the network remembers [Raman03]."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rete import kernels
from rete.delta import Column, Rows, columns

Absorb: TypeAlias = Callable[[Rows, int, "kernels.Index", Rows], tuple[Rows, int]]
Spare: TypeAlias = Callable[[Rows], npt.NDArray[np.bool_]]

_SMALLEST = 64


class Stem:
    """The rows of one stream that may still meet others, with a hash index a key.

    A row is kept once for each maximal interval of its terms (``instances=False``), grown in place
    when a delta touches it, or once for each start, with the greatest end (``instances=True``).
    What a delta adds to that union is its gain, and only gains travel on: repeated facts cost
    their look-up, not their joins. Rows that ended are reclaimed in bulk when room is needed, so a
    row costs amortised constant time.

    Attributes:
        width: number of term columns.
        n: rows in use, dead ones included; ``rows[:n]`` is the content.
        before: rows that were there ahead of the last delta.
        spare: which of some ended rows must stay nevertheless; None: none.
    """

    __slots__ = (
        "_absorb",
        "_indexes",
        "_whole",
        "before",
        "instances",
        "n",
        "rows",
        "spare",
        "width",
    )

    def __init__(self, width: int, *, instances: bool) -> None:
        self.width = width
        self.instances = instances
        self.n = 0
        self.before = 0
        self.spare: Spare | None = None
        self.rows: Rows = np.empty((_SMALLEST, width + 2), np.int64)
        self._indexes: dict[tuple[int, ...], kernels.Index] = {}
        self._absorb: Absorb = kernels.absorb_starts if instances else kernels.absorb
        self._whole = self.index(tuple(range(width + 1 if instances else width)))

    def index(self, key: tuple[int, ...]) -> kernels.Index:
        """The index on the columns ``key``, made when first asked for; it stays the same object.

        Rows are entered when it is probed: what nobody asks for costs nothing.
        """
        found = self._indexes.get(key)
        if found is None:
            found = self._indexes[key] = kernels.Index(columns(key))
        return found

    def absorb(self, delta: Rows, bound: int) -> Rows:
        """Build: unite ``delta`` with the content; what it gains.

        Rows with ``hi <= bound`` may be dropped on the way.
        """
        needed = self.n + len(delta)
        if needed > len(self.rows):
            self.expire(bound)
            needed = self.n + len(delta)
            if 2 * needed > len(self.rows):
                self._resize(4 * needed)
        self.before = self.n
        gains, self.n = self._absorb(self.rows, self.n, self._whole, delta)
        grown = self._whole.grown
        for index in self._indexes.values():
            index.grown = grown
        return gains

    def expire(self, bound: int) -> None:
        """Drop the rows with ``hi <= bound`` and the dead, and give back room. Costs O(n)."""
        used = self.rows[: self.n]
        alive = used[:, -1] > bound
        if self.spare is not None:
            ended = np.flatnonzero(~alive & (used[:, -1] > used[:, -2]))
            alive[ended] = self.spare(used[ended])
        count = int(np.count_nonzero(alive))
        if count == self.n:
            return
        if 8 * count + _SMALLEST < len(self.rows):
            rows = np.empty((max(_SMALLEST, 2 * count), self.width + 2), np.int64)
            rows[:count] = used[alive]
            self.rows = rows
        else:
            self.rows[:count] = used[alive]
        self.n = count
        for index in self._indexes.values():
            index.rebuild(self.rows, count if index.n else 0)

    def probe(
        self, delta: Rows, key: Column, limit: int, index: kernels.Index, keep: Column
    ) -> Rows:
        """Pairs of ``delta`` with the first ``limit`` rows; see `rete.kernels.probe`."""
        if index.n < self.n:
            index.extend(self.rows, self.n)
        return kernels.probe(delta, key, self.rows, limit, index, keep)

    def find(self, queries: Rows, mode: int) -> Column:
        """Positions of the rows that answer ``queries`` (terms, time); see `rete.kernels.find`."""
        return kernels.find(queries, self.rows, self._whole, mode)

    def content(self) -> Rows:
        """The living rows, in no order."""
        used = self.rows[: self.n]
        return used[used[:, -1] > used[:, -2]]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return int(self.rows.nbytes) + sum(index.nbytes for index in self._indexes.values())

    def _resize(self, capacity: int) -> None:
        rows = np.empty((capacity, self.width + 2), np.int64)
        rows[: self.n] = self.rows[: self.n]
        self.rows = rows
