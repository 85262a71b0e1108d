"""Explicit data: an interval set for each atom, of which parts go and to which others come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import lcm
from typing import Final, TypeAlias

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Rows, empty
from rete.storage.base_table import BaseTable
from rete.storage.row_algebra import (
    all_columns,
    append_term,
    coalesce,
    join_rows,
    probed_columns,
    project,
    subtract,
    unite,
)
from rete.storage.stem import Stem
from rete.terms.relations import Relation
from temporal.errors import OutOfBounds
from temporal.facts.bulk_loader import Dataset
from temporal.intervals.interval import MAX_CELL, rescale_rows
from temporal.maintenance.end_points import EndPoints
from temporal.mtl.ast import PredicateKey
from temporal.mtl.lowering import relation_named

FactRows: TypeAlias = Mapping[PredicateKey, Rows]
"""Rows of each predicate, (n, arity + 2), in any order; they may overlap."""

_WIDER: Final = np.array([-1, 1])
"""A cell more on each side, so that what touches overlaps; beyond infinity there is nothing."""
_UNNAMED = 0
"""The name under which the base table has all explicit facts: they are one set."""


@dataclass(slots=True)
class ExplicitChange:
    """The pieces that the explicit data have lost and gained, as sets, by predicate.

    ``without_effect`` counts the facts to delete that were not explicit at any time of theirs.
    """

    lost: dict[PredicateKey, Rows] = field(default_factory=dict)
    gained: dict[PredicateKey, Rows] = field(default_factory=dict)
    without_effect: int = 0

    def undone(self, rows: FactRows) -> dict[PredicateKey, Rows]:
        """The explicit data before, from those after it. O(n)."""
        found = dict(rows)
        for key in {**self.lost, **self.gained}:
            none = empty(key[1])
            now = subtract(found.get(key, none), self.gained.get(key, none))
            found[key] = coalesce(np.concatenate([now, self.lost.get(key, none)]))
        return {key: each for key, each in found.items() if len(each)}


class ExplicitData:
    """The explicit facts of a model, in its base table, with their end points."""

    __slots__ = ("_keys", "ends", "table")

    def __init__(self, table: BaseTable, ends: EndPoints) -> None:
        self.table = table
        self._keys: dict[PredicateKey, Relation] = {}
        self.ends = ends

    def fill(self, data: FactRows) -> None:
        """Begin with the united rows ``data``, some of which the table may have."""
        for key, rows in data.items():
            relation = self._relation(key)
            if self.table.stem(relation) is None:
                self.table.add(relation, rows, None, NEG_INF)
            self.ends.add(rows)
        self.table.index()

    def change(self, delete: FactRows, insert: FactRows) -> ExplicitChange:
        """Delete facts, or parts of them, then insert others. O(m) in the given ones."""
        found = ExplicitChange()
        cuts: list[Rows] = []
        for key, facts in delete.items():
            if len(facts):
                lost = self._delete(key, facts, cuts)
                found.without_effect += len(facts) - _number_met(facts, lost)
                _note(found.lost, key, lost)
        gone: list[Rows] = []
        come: list[Rows] = []
        for key, facts in insert.items():
            if len(facts):
                gained, before, after = self._insert(key, coalesce(facts))
                gone.append(before)
                come.append(after)
                lost = found.lost.pop(key, facts[:0])
                _note(found.lost, key, subtract(lost, gained))
                _note(found.gained, key, subtract(gained, lost))
        self.ends.change(cuts, gone, come)
        return found

    def _delete(self, key: PredicateKey, facts: Rows, cuts: list[Rows]) -> Rows:
        """Delete facts of a predicate; which pieces of them were explicit.

        ``cuts`` get the times of the rows that they were in, and their own.
        """
        stem = self.table.stem(self._relation(key))
        if stem is None:
            return facts[:0]
        found = _met(stem, append_term(coalesce(facts), _UNNAMED))
        if len(found):
            stem.remove(project(found, range(stem.width)), NEG_INF)
            cuts.append(found[:, -4:])
        return project(found, range(key[1]))

    def _insert(self, key: PredicateKey, facts: Rows) -> tuple[Rows, Rows, Rows]:
        """Insert facts of a predicate, maximal; which pieces of them were not explicit.

        With the rows that touched them before, and what became of these.
        """
        relation = self._relation(key)
        before = _touched(self.table.stem(relation), facts)
        return self.table.extend(relation, facts, _UNNAMED), before, unite([before, facts])

    @property
    def count(self) -> int:
        """About how many intervals they are."""
        stems = (self.table.stem(relation) for relation in self._keys.values())
        return sum(stem.n for stem in stems if stem is not None)

    def rows(self) -> dict[PredicateKey, Rows]:
        """All of them, maximal, by predicate. O(n)."""
        found = {}
        for key, relation in self._keys.items():
            stem = self.table.stem(relation)
            if stem is not None and len(rows := stem.content()):
                found[key] = project(rows, range(key[1]))
        return found

    def of_atoms(self, key: PredicateKey, asked: Rows) -> Rows:
        """What of the rows ``asked`` is explicit."""
        if key not in self._keys:
            return empty(key[1])
        return self.table.matching(self._keys[key], asked, tuple(range(key[1])))

    def not_explicit(self, key: PredicateKey, rows: Rows) -> Rows:
        """The pieces of ``rows`` that are not explicit."""
        return self.table.not_asserted(self._relation(key), rows) if len(rows) else rows

    def _relation(self, key: PredicateKey) -> Relation:
        found = self._keys.get(key)
        if found is None:
            found = self._keys[key] = relation_named(*key)
        return found


def updated_data(data: Dataset, delete: Dataset, insert: Dataset) -> Dataset:
    """The data without what is deleted, with what is inserted, as intervals. O(n)."""
    scale = lcm(data.scale, delete.scale, insert.scale)
    rows, gone, come = (
        rescale_facts(each.rows, scale // each.scale) for each in (data, delete, insert)
    )
    for key, found in gone.items():
        if key in rows:
            rows[key] = subtract(rows[key], found)
    for key, found in come.items():
        rows[key] = np.concatenate([rows[key], found]) if key in rows else found
    return replace(data, scale=scale, rows=rows)


def rescale_facts(facts: FactRows, factor: int) -> dict[PredicateKey, Rows]:
    """Facts in ticks so many times as short; `OutOfBounds`, if one is too far from 0 then."""
    if factor == 1:
        return dict(facts)
    found = {}
    for key, rows in facts.items():
        ends = rows[:, -2:]
        finite = ends[(ends > NEG_INF) & (ends < POS_INF)]
        if (np.abs(finite) > MAX_CELL // factor).any():
            message = f"with ticks of so short a time, a fact of {key[0]} is beyond 2^61"
            raise OutOfBounds(message)
        found[key] = rescale_rows(rows, factor)
    return found


def _note(changed: dict[PredicateKey, Rows], key: PredicateKey, rows: Rows) -> None:
    if len(rows):
        changed[key] = rows


def _number_met(rows: Rows, removed: Rows) -> int:
    """How many of ``rows`` have something of ``removed``, all of which is in them."""
    if not len(subtract(rows, removed)):
        return len(rows)
    arity = rows.shape[1] - 2
    asked = append_term(rows, np.arange(len(rows)))
    met = join_rows(asked, range(arity), removed, range(arity), [arity])
    return len(set(met[:, 0].tolist()))


def _touched(stem: Stem | None, facts: Rows) -> Rows:
    """The whole of the explicit rows that overlap ``facts``, or touch them."""
    if stem is None:
        return facts[:0]
    asked = append_term(facts, _UNNAMED)
    asked[:, -2:] += _WIDER
    rows = np.ascontiguousarray(_met(stem, asked)[:, :-2])
    return project(coalesce(rows), range(facts.shape[1] - 2))


def _met(stem: Stem, asked: Rows) -> Rows:
    """The pieces of explicit rows that are in ``asked``: terms, the time of the row, their own."""
    key, keep = stem.index(tuple(range(stem.width))), probed_columns(stem.width + 2)
    return stem.probe(asked, all_columns(stem.width), stem.end, key, keep)
