"""Shift nodes: a column of plain numbers moved by a constant, and rows that end with it."""

from __future__ import annotations

import numpy as np

from rete.delta import Column, Rows
from rete.nodes.base import Stream
from rete.nodes.calls import Outside
from rete.plan import Shift


class ShiftNode:
    """Rows with a moved number, as far as it lies where it may; see `rete.plan.Shift`."""

    __slots__ = ("_plan", "output", "outside")

    def __init__(self, plan: Shift, output: Stream) -> None:
        self.output = output
        self.outside = Outside("")
        self._plan = plan

    def apply(self, rows: Rows) -> Rows:
        """The rows that stay, in order."""
        return self.trace(rows)[1]

    def trace(self, rows: Rows) -> tuple[Column, Rows]:
        """The same, with their positions."""
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

    def forget(self) -> None:
        """Nothing is remembered."""
