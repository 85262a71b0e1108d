"""Semijoins with small relations: which of many rows have a partner [Bernstein81]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows

_SAMPLE: Final = 256
"""Of so many rows it is seen whether a column has few terms."""
MOST_KEYS: Final = 128
"""A column with more terms than that has many."""


class Semijoin:
    """Rows, by the term that they have in a column.

    Of the readers of a scan many ask for few terms: a rule on `rdfs:domain` for the properties that
    have one. Each row need not be looked up for each of them if the rows have few terms there.
    """

    __slots__ = ("_by", "rows")

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self._by: dict[int, tuple[Rows, Column] | None] = {}

    def keys(self, column: int) -> Rows | None:
        """The first row with each term in a column, as if it always held; None: too many have.

        Costs O(rows) at the first call.
        """
        if column not in self._by:
            self._by[column] = self._group(column)
        found = self._by[column]
        return None if found is None else found[0]

    def select(self, column: int, terms: Sequence[int]) -> Rows:
        """The rows with one of ``terms`` in a column, of which there are `keys`."""
        found = self._by[column]
        assert found is not None
        keys, which = found
        few = set(terms)  # of so few numpy's own look-up takes ten times as long
        chosen = np.array([term in few for term in keys[:, column].tolist()])
        return self.rows if chosen.all() else self.rows[chosen.take(which)]

    def _group(self, column: int) -> tuple[Rows, Column] | None:
        terms = self.rows[:, column : column + 1]
        firsts, _ = kernels.distinct(np.ascontiguousarray(terms[:_SAMPLE]))
        if len(firsts) > _SAMPLE // 2:
            return None
        firsts, which = kernels.distinct(np.ascontiguousarray(terms))
        if len(firsts) > MOST_KEYS:
            return None
        keys = self.rows[firsts]
        keys[:, -2:] = NEG_INF, POS_INF
        return keys, which
