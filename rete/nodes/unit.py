"""The unit: what is always true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rete.arrays.delta import Rows
from rete.graph.plan import KnownColumns, Label, Plan, Shape
from rete.graph.streams import PlanNode, RowSearch


@dataclass(frozen=True)
class Unit(Plan):
    """One row without columns that always holds: the body of a rule that has no condition."""

    shape: ClassVar[Shape] = "true"

    width: int = 0
    sources: tuple[Plan, ...] = ()

    @property
    def columns(self) -> tuple[int, ...]:
        """None."""
        return ()

    @property
    def label(self) -> Label:
        """That it always holds."""
        return ("always",)

    @property
    def condition(self) -> Label:
        """Nothing to say."""
        return ()


class UnitNode(PlanNode[Unit], plan=Unit):
    """It gets its row when its network begins."""

    __slots__ = ()

    def inputs(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:  # noqa: ARG002 - those of all
        """The row, from when its stream holds."""
        rows = asked[:, -2:].copy()
        np.maximum(rows[:, 0], self.output.since, out=rows[:, 0])
        return rows[rows[:, 0] < rows[:, 1]]
