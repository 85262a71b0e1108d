"""Suspects: facts overdeleted until rederived, and facts that wait while others are settled."""

from __future__ import annotations

import numpy as np

from rete.arrays.delta import NEG_INF, Column, Rows, concat, concat_or_empty
from rete.graph.streams import FactTable
from rete.retraction.suspect_flow import RowsByTable
from rete.storage.stem import Stem


class LevelQueue:
    """Facts that wait until their level is reached, which is their last term, (n, arity + 3)."""

    def __init__(self) -> None:
        self.parts: RowsByTable = {}

    def put(self, table: FactTable, rows: Rows) -> None:
        """Add ``rows`` of ``table``."""
        if len(rows):
            self.parts.setdefault(table, []).append(rows)

    def take(self, end: int) -> RowsByTable:
        """Remove and return all below the level ``end``."""
        taken: RowsByTable = {}
        parts, self.parts = self.parts, {}
        for table, each in parts.items():
            rows = concat(each)
            below = rows[:, -3] < end
            count = int(np.count_nonzero(below))
            if count:
                taken[table] = [rows if count == len(rows) else rows[below]]
            if count < len(rows):
                self.put(table, rows[~below] if count else rows)
        return taken

    def levels(self) -> list[Column]:
        """The levels of all that wait."""
        return [rows[:, -3] for each in self.parts.values() for rows in each]


class SuspectSet:
    """The suspects of a table; no two rows of a fact overlap.

    They are indexed only when one is looked up: never, if all that depends on them is lost.
    """

    def __init__(self, arity: int) -> None:
        self._arity = arity
        self._parts: list[Rows] = []
        self._stem: Stem | None = None

    def add(self, rows: Rows) -> None:
        """Add ``rows``."""
        if self._stem is None:
            self._parts.append(rows)
        else:
            self._stem.absorb(rows, NEG_INF)

    def all(self) -> Rows:
        """All of them, (n, arity + 2)."""
        if self._stem is not None:
            return self._stem.living()
        self._parts = [concat_or_empty(self._parts, self._arity)]
        return self._parts[0]

    def meet(self, rows: Rows, bound: int) -> Rows:
        """Which pieces of ``rows`` are suspects."""
        return self._indexed().meet(rows, bound)

    def remove(self, rows: Rows, bound: int) -> None:
        """Remove ``rows``."""
        self._indexed().remove(rows, bound)

    def _indexed(self) -> Stem:
        if self._stem is None:
            rows, self._parts = self.all(), []
            self._stem = Stem(self._arity, instances=False)
            self._stem.absorb(rows, NEG_INF)
        return self._stem
