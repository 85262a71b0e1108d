"""Outlets: what changed in a table since the last step, for the shards that have a copy of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rete import kernels
from rete.arrays.delta import Rows, concat, empty
from rete.arrays.state_codec import Mask, State, StateReader
from rete.graph.streams import FactTable
from rete.storage.row_algebra import coalesce_starts, subtract, unite


class TableChange(NamedTuple):
    """What to remove, and then to add; both (n, arity + 2)."""

    gone: Rows
    held: Rows


class TableOutlet:
    """Collects what a table gains and loses, and gives the change that is left.

    In a step facts may be lost and found again, more than once. Only the result counts: of each
    piece of time that was touched, whether the fact holds there now.
    """

    __slots__ = ("_gained", "_lost", "_table")

    def __init__(self, table: FactTable) -> None:
        self._table = table
        self._gained: list[Rows] = []
        self._lost: list[Rows] = []

    def gain(self, rows: Rows) -> None:
        """The table gained ``rows``."""
        self._gained.append(rows.copy())

    def lose(self, rows: Rows) -> None:
        """The table lost ``rows``."""
        self._lost.append(rows.copy())

    def take(self, bound: int) -> TableChange:
        """The change since the last call; what ended before ``bound`` is not removed."""
        none = empty(self._table.relation.arity)
        gained, lost = self._gained, self._lost
        self._gained, self._lost = [], []
        if not lost:
            return TableChange(none, concat([none, *gained]))
        instances = self._table.facts.instances
        if instances:
            touched = coalesce_starts(concat([*gained, *lost]))
            return TableChange(coalesce_starts(concat(lost)), self._now(touched))
        touched = unite([*gained, *lost])
        held = self._table.facts.meet(touched, bound)
        gone = subtract(touched, held)
        return TableChange(gone[gone[:, -1] > bound - self._table.facts.retention], held)

    def saved(self) -> State:
        """Its state: what was collected and not given."""
        none = empty(self._table.relation.arity)
        return {"gained": concat([none, *self._gained]), "lost": concat([none, *self._lost])}

    def restore(self, saved: StateReader, alive: Mask) -> None:
        """Go on from a saved state."""
        arity = self._table.relation.arity
        gained, lost = (saved.rows(name, arity, alive) for name in ("gained", "lost"))
        self._gained = [gained] if len(gained) else []
        self._lost = [lost] if len(lost) else []

    def _now(self, touched: Rows) -> Rows:
        """Instances that begin as those ``touched``, as they are now."""
        facts = self._table.facts
        found = facts.find(np.ascontiguousarray(touched[:, :-1]), kernels.BEGINS_AT)
        held: Rows = facts.rows[found[found >= 0]]
        return held[held[:, -1] > held[:, -2]]
