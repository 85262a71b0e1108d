"""Fact changes: what a model gained and lost, explicit and derived facts together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from rete.arrays.delta import NEG_INF, Rows, concat
from rete.graph.streams import FactTable
from rete.storage.row_algebra import coalesce, subtract
from temporal.maintenance.explicit_data import ExplicitChange, ExplicitData
from temporal.maintenance.net_change import NetChange
from temporal.model.materialisation import Materialisation, relation_named
from temporal.mtl.ast import PredicateKey
from temporal.periods.period_search import Cells
from temporal.periods.unfolding import clip


@dataclass(frozen=True, slots=True)
class ChangedRows:
    """What a predicate gained and lost.

    Attributes:
        key: the predicate.
        gained, lost: (n, arity + 2) maximal rows, disjoint.
    """

    key: PredicateKey
    gained: Rows
    lost: Rows

    def undone(self, facts: Mapping[PredicateKey, Rows]) -> Rows:
        """All rows of the predicate before, from those after."""
        rows = facts.get(self.key)
        return self.lost if rows is None else unite([subtract(rows, self.gained), self.lost])


@dataclass(frozen=True, slots=True)
class AtomRows:
    """The rows of some atoms of a predicate before and after a change."""

    before: Rows
    after: Rows


class ChangedFacts:
    """Observes the tables of a network, and compares them with the explicit data."""

    __slots__ = ("_by_table", "_explicit", "_tables")

    def __init__(self, made: Materialisation, explicit: ExplicitData) -> None:
        self._explicit = explicit
        self._by_table: dict[FactTable, NetChange] = {}
        self._tables: dict[PredicateKey, list[FactTable]] = {}
        keys = {relation_named(*key): key for key in made.arities.items()}
        for table in made.network.tables:
            change = NetChange(table.relation.arity)
            table.observer = self._by_table[table] = change
            self._tables.setdefault(keys[table.relation], []).append(table)

    def clear(self) -> None:
        """Begin anew: nothing has changed."""
        for change in self._by_table.values():
            change.clear()

    @property
    def rows_gained(self) -> int:
        """How many rows the tables have gained since."""
        return sum(change.rows_gained for change in self._by_table.values())

    @property
    def rows_lost(self) -> int:
        """How many rows the tables have lost since."""
        return sum(change.rows_lost for change in self._by_table.values())

    def of_model(self, explicit: ExplicitChange) -> Iterator[ChangedRows]:
        """What the model gained and lost, by predicate, where anything did."""
        for key in {**self._tables, **explicit.lost, **explicit.gained}:
            parts = [self._by_table[table] for table in self._tables.get(key, ())]
            is_explicit = key in explicit.gained or key in explicit.lost
            if not is_explicit and not any(each.rows_gained or each.rows_lost for each in parts):
                continue
            none = np.empty((0, key[1] + 2), np.int64)
            derived_gain = unite([none, *(part.gained for part in parts)])
            derived_loss = unite([none, *(part.lost for part in parts)])
            explicit_gain = explicit.gained.get(key, none)
            explicit_loss = explicit.lost.get(key, none)
            gained = self._new(key, derived_gain, derived_loss, explicit_gain, explicit_loss)
            lost = unite(
                [
                    self._explicit.not_explicit(key, derived_loss),
                    self._not_derived(key, explicit_loss),
                ]
            )
            if len(gained) or len(lost):
                yield ChangedRows(key, gained, lost)

    def _new(
        self,
        key: PredicateKey,
        derived_gain: Rows,
        derived_loss: Rows,
        explicit_gain: Rows,
        explicit_loss: Rows,
    ) -> Rows:
        """What is derived or explicit now, and was neither before."""
        # What is explicit now but was not before does not say that a fact held before.
        old_explicit = subtract(derived_gain, self._explicit.not_explicit(key, derived_gain))
        old_explicit = subtract(old_explicit, explicit_gain)
        derived = subtract(subtract(derived_gain, old_explicit), explicit_loss)
        old_derived = subtract(explicit_gain, self._not_derived(key, explicit_gain))
        old_derived = subtract(old_derived, derived_gain)
        given = subtract(subtract(explicit_gain, old_derived), derived_loss)
        return unite([derived, given])

    def _not_derived(self, key: PredicateKey, rows: Rows) -> Rows:
        for table in self._tables.get(key, ()):
            if len(rows):
                rows = table.facts.missing(rows)
        return rows

    def atoms(self, changed: ChangedRows, cells: Cells) -> AtomRows | None:
        """All rows in some cells of the atoms that changed there; None: none did."""
        gained, lost = clip(changed.gained, *cells), clip(changed.lost, *cells)
        if not (len(gained) or len(lost)):
            return None
        asked = np.concatenate([gained, lost])
        asked[:, -2:] = cells
        asked = coalesce(asked)
        parts = [self._explicit.of_atoms(changed.key, asked)]
        parts += [table.facts.meet(asked, NEG_INF) for table in self._tables.get(changed.key, ())]
        after = unite(parts)
        return AtomRows(unite([subtract(after, gained), lost]), after)


def unite(parts: list[Rows]) -> Rows:
    """The union of rows, maximal."""
    return coalesce(concat(parts))
