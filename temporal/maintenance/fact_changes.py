"""Fact changes: what a model gained and lost, explicit and derived facts together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rete.arrays.delta import NEG_INF, Cells, Rows, empty
from rete.graph.streams import FactTable
from rete.kernels import clip, concatenate, reaches_beyond
from rete.storage.row_algebra import coalesce, subtract, unite
from temporal.maintenance.explicit_data import ExplicitChange, ExplicitData
from temporal.maintenance.net_change import NetChange
from temporal.model.materialisation import Materialisation
from temporal.mtl.ast import PredicateKey
from temporal.mtl.lowering import relation_named


class ChangedRows(NamedTuple):
    """The rows that a predicate, ``key``, gained and lost: disjoint; they may touch."""

    key: PredicateKey
    gained: Rows
    lost: Rows

    def undone(self, facts: Mapping[PredicateKey, Rows]) -> Rows:
        """All rows of the predicate before, from those after."""
        rows = facts.get(self.key)
        return self.lost if rows is None else unite([subtract(rows, self.gained), self.lost])


class AtomRows(NamedTuple):
    """The rows of some atoms of a predicate before and after a change."""

    before: Rows
    after: Rows


class ChangedFacts:
    """Observes the tables of a network, and compares them with the explicit data."""

    __slots__ = ("_by_table", "_explicit", "_keys", "_tables")

    def __init__(self, made: Materialisation, explicit: ExplicitData) -> None:
        self._explicit = explicit
        self._by_table: dict[FactTable, NetChange] = {}
        self._tables: dict[PredicateKey, list[FactTable]] = {}
        self._keys = {relation_named(*key): key for key in made.arities.items()}
        for table in made.inference.network.tables:
            change = NetChange(table.relation.arity)
            table.observer = self._by_table[table] = change
            self._tables.setdefault(self._keys[table.relation], []).append(table)

    def clear(self) -> None:
        """Begin anew: nothing has changed."""
        for change in self._by_table.values():
            if change.is_any:
                change.clear()

    @property
    def rows_gained(self) -> int:
        """How many rows the tables have gained since."""
        return sum([change.rows_gained for change in self._by_table.values()])

    @property
    def rows_lost(self) -> int:
        """How many rows the tables have lost since."""
        return sum([change.rows_lost for change in self._by_table.values()])

    def of_model(self, explicit: ExplicitChange, within: Cells | None = None) -> list[ChangedRows]:
        """What the model gained and lost, by predicate, where anything did.

        Given the cells ``within``, what came or went there may be amiss: only others are asked for.
        """
        derived = self._derived(within)
        wanted: dict[PredicateKey, None] = dict.fromkeys(derived)
        for facts in (explicit.lost, explicit.gained):
            for key, rows in facts.items():
                if within is None or reaches_beyond(rows, *within):
                    wanted[key] = None
        found = []
        for key in wanted:
            none = empty(key[1])
            gains, losses = explicit.gained.get(key, none), explicit.lost.get(key, none)
            if key not in derived:
                gained, lost = self._not_derived(key, gains), self._not_derived(key, losses)
            elif len(gains) or len(losses):
                gained, lost = self._of_both(key, *derived[key], gains, losses)
            else:
                gained, lost = derived[key]
                gained = self._explicit.not_explicit(key, gained)
                lost = self._explicit.not_explicit(key, lost)
            if len(gained) or len(lost):
                found.append(ChangedRows(key, gained, lost))
        return found

    def _derived(self, within: Cells | None) -> dict[PredicateKey, tuple[Rows, Rows]]:
        """What the tables of a predicate gained and lost; no two of them have the same facts."""
        found: dict[PredicateKey, tuple[Rows, Rows]] = {}
        for table, change in self._by_table.items():
            if change.is_any and (net := change.found(within)) is not None:
                key = self._keys[table.relation]
                if key in found:
                    gained, lost = (
                        concatenate([*pair]) for pair in zip(found[key], net, strict=True)
                    )
                    net = gained, lost
                found[key] = net
        return found

    def _of_both(
        self,
        key: PredicateKey,
        derived_gain: Rows,
        derived_loss: Rows,
        explicit_gain: Rows,
        explicit_loss: Rows,
    ) -> tuple[Rows, Rows]:
        """What is derived or explicit now, and was neither before; what was, and is neither now."""
        # What is explicit now but was not before does not say that a fact held before.
        old_explicit = subtract(derived_gain, self._explicit.not_explicit(key, derived_gain))
        old_explicit = subtract(old_explicit, explicit_gain)
        derived = subtract(subtract(derived_gain, old_explicit), explicit_loss)
        old_derived = subtract(explicit_gain, self._not_derived(key, explicit_gain))
        old_derived = subtract(old_derived, derived_gain)
        given = subtract(subtract(explicit_gain, old_derived), derived_loss)
        not_explicit = self._explicit.not_explicit(key, derived_loss)
        lost = unite([not_explicit, self._not_derived(key, explicit_loss)])
        return unite([derived, given]), lost

    def _not_derived(self, key: PredicateKey, rows: Rows) -> Rows:
        for table in self._tables.get(key, ()):
            if len(rows):
                rows = table.facts.missing(rows)
        return rows

    def atoms(self, changed: Sequence[ChangedRows], cells: Cells) -> dict[PredicateKey, AtomRows]:
        """All rows in some cells of the atoms that changed there, by predicate, where any did."""
        found = {}
        for each in changed:
            gained, lost = clip(each.gained, *cells), clip(each.lost, *cells)
            if not (len(gained) or len(lost)):
                continue
            asked = concatenate([gained, lost]).copy()
            asked[:, -2:] = cells
            asked = coalesce(asked)
            parts = [self._explicit.of_atoms(each.key, asked)]
            parts += [table.facts.meet(asked, NEG_INF) for table in self._tables.get(each.key, ())]
            after = unite(parts)
            found[each.key] = AtomRows(unite([subtract(after, gained), lost]), after)
        return found
