"""Shifts: rows in which a number is moved by a constant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rete.arrays.delta import Column, Rows
from rete.graph.plan import KnownColumns, NonPointwise, Plan
from rete.graph.streams import RowSearch
from rete.nodes.linear import LinearNode


@dataclass(frozen=True)
class Shift(NonPointwise):
    """Rows in which a column of plain numbers, which are no ids, is moved by a constant.

    Attributes:
        least, most: between which numbers, both inclusive, a sum must lie; else there is no row.
        lasts: how many cells after the sum, as an instant, a row ends, if not before; None: its end
            is not touched.
    """

    source: Plan
    column: int
    by: int
    least: int
    most: int
    lasts: int | None = None

    @property
    def computed(self) -> tuple[int, ...]:
        """The column that is moved."""
        return (self.column,)

    @property
    def name(self) -> str:
        """``shift +1``."""
        return f"shift {self.by:+d}"


class ShiftNode(LinearNode[Shift], plan=Shift):
    """Rows with a shifted number, if that is within bounds; see `Shift`."""

    __slots__ = ()

    def apply(self, rows: Rows) -> Rows:
        """The rows that stay, with the shifted number."""
        return self.trace(rows)[1]

    def trace(self, rows: Rows) -> tuple[Column, Rows]:
        """The rows that stay, in order, with their positions."""
        plan = self._plan
        sums = rows[:, plan.column] + plan.by
        stay = (plan.least <= sums) & (sums <= plan.most)
        ends = rows[:, -1]
        if plan.lasts is not None:
            ends = np.minimum(ends, sums + plan.lasts)
            stay &= rows[:, -2] < ends
        origins = np.flatnonzero(stay)
        out = rows[origins]
        out[:, plan.column] = sums[origins]
        out[:, -1] = ends[origins]
        return origins, out

    def derived(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        """The source is asked for the numbers before they were moved."""
        asked = asked.copy()
        for place, column in enumerate(known):
            if column == self._plan.column:
                asked[:, place] -= self._plan.by
        return self.apply(search.rows(self.output.sources[0], asked, known))
