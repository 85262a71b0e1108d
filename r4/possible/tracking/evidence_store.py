"""The rows of evidence of a run: they come, go and expire, each for an entry."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from sortedcontainers import SortedDict

from r4.possible.tracking.evidence_reader import EvidenceReader, last_ticks
from r4.possible.tracking.live_entries import (
    EntryGroup,
    EvidenceRow,
    LiveEntry,
    LostRow,
    SchematicFact,
)
from r4.possible.tracking.subsumption import Values
from r4.time.ticks import Tick
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, concat
from rete.graph.streams import FactTable
from rete.terms.relations import Relation


class EvidenceStore:
    """The evidence that is of use, by the entries that it supports.

    Attributes:
        late_bounds: (k,) in cells; elements are late below them; the frontier last.
        groups: the entries, by their facts.
        schematic: of these the groups of facts with free variables, by relation.
        changed: the groups whose evidence, or whose certainty, has changed.
        complete: derivations that came of facts that are held, or instances of such.
    """

    def __init__(self, readers: Sequence[EvidenceReader], late_bounds: int) -> None:
        """Begin, with the readers of all shapes; there are so many ``late_bounds``."""
        self._readers = {reader.shape.relation: reader for reader in readers}
        self._gains: dict[FactTable, list[Rows]] = {}
        self._losses: dict[FactTable, list[Rows]] = {}
        self._of_row: dict[EvidenceRow, tuple[EntryGroup, LiveEntry]] = {}
        self._expiries: list[SortedDict[int, list[EvidenceRow]]] = [
            SortedDict() for _ in range(late_bounds)
        ]
        self.late_bounds = np.full(late_bounds, NEG_INF, np.int64)
        self.groups: dict[SchematicFact, EntryGroup] = {}
        self.schematic: dict[Relation, dict[EntryGroup, None]] = {}
        self.changed: dict[EntryGroup, None] = {}
        self.complete: dict[SchematicFact, list[EvidenceRow]] = {}

    def reads(self, relation: Relation) -> bool:
        """Are its facts rows of evidence?"""
        return relation in self._readers

    def gain(self, table: FactTable, rows: Rows) -> None:
        """A table of evidence gained ``rows``, which wait for `settle`."""
        self._gains.setdefault(table, []).append(rows)

    def lose(self, table: FactTable, rows: Rows) -> None:
        """A table of evidence lost ``rows``, which wait for `settle`."""
        self._losses.setdefault(table, []).append(rows)

    def settle(self, late_bounds: Sequence[Tick]) -> None:
        """Apply gains and losses; elements are late below ``late_bounds``, in ticks."""
        self.late_bounds = np.array(
            [2 * bound if bound > NEG_INF else NEG_INF for bound in late_bounds]
        )
        for table, parts in self._gains.items():
            if table not in self._losses:
                self._add(self._readers[table.relation], concat(parts))
        for table, parts in self._losses.items():
            self._renew(table, concat([*self._gains.get(table, ()), *parts]))
        self._gains.clear()
        self._losses.clear()
        self._expire()

    def forget(self) -> None:
        """Drop what nobody needs once changes are reported."""
        for group in self.changed:
            group.forget()
            if group.entries or group.is_open:
                continue
            del self.groups[group.fact]
            if group.fact.free_count:
                relation = group.fact.relation
                del self.schematic[relation][group]
                if not self.schematic[relation]:
                    del self.schematic[relation]
        self.changed.clear()
        self.complete.clear()

    @property
    def held(self) -> Column:
        """The ids of what is held."""
        groups = self.groups.values()
        lost = (row for group in groups for entry in group.distinct() for row in entry.lost)
        rows = chain(self._of_row, (each.row for each in lost), *self.complete.values())
        values = chain((row[1] for row in rows), (group.fact.args for group in groups))
        known = np.fromiter(chain.from_iterable(values), np.int64)
        waiting = chain(*self._gains.values(), *self._losses.values())
        return np.concatenate([known, *(rows[:, :-2].ravel() for rows in waiting)])

    def _renew(self, table: FactTable, touched: Rows) -> None:
        """Replace rows of a table that gained and lost by what is left of them."""
        reader = self._readers[table.relation]
        queried = np.unique(touched[:, :-2], axis=0)
        whole = np.empty((len(queried), queried.shape[1] + 2), np.int64)
        whole[:, :-2], whole[:, -2], whole[:, -1] = queried, NEG_INF, POS_INF
        held = table.facts.meet(whole, NEG_INF)
        left: dict[Values, int] = {}
        for ids, last in zip(map(tuple, held[:, :-2].tolist()), last_ticks(held), strict=True):
            left[ids] = max(left.get(ids, NEG_INF), int(last))
        for ids in map(tuple, queried.tolist()):
            row = reader, ids
            known = self._of_row.get(row)
            if known is not None and known[1].rows[row] != left.get(ids):
                self._remove(row)
        self._add(reader, held)

    def _add(self, reader: EvidenceReader, rows: Rows) -> None:
        if not reader.awaited:
            self._note(reader, rows)
            return
        last = last_ticks(rows)
        some = np.flatnonzero(reader.open(last, self.late_bounds))
        for ids, until in zip(rows[some, :-2].tolist(), last[some].tolist(), strict=True):
            row = reader, tuple(ids)
            known = self._of_row.get(row)
            if known is None:
                group = self._group(SchematicFact(*reader.fact(row[1])))
                known = self._of_row[row] = group, group.entry(reader.hypotheses(row[1]))
            group, entry = known
            if entry.rows.get(row, NEG_INF) < until:
                entry.rows[row] = until
                self.changed[group] = None
                for bound, cell in reader.expiries(until):
                    self._expiries[bound].setdefault(cell, []).append(row)

    def _note(self, reader: EvidenceReader, rows: Rows) -> None:
        """Note complete derivations: of facts that are held, as the evidence that confirms them."""
        if not self.groups:
            return
        for ids in rows[rows[:, -1] > self.late_bounds[-1], :-2].tolist():
            row = reader, tuple(ids)
            fact = SchematicFact(*reader.fact(row[1]))
            if fact in self.groups or fact.relation in self.schematic:
                self.complete.setdefault(fact, []).append(row)

    def _group(self, fact: SchematicFact) -> EntryGroup:
        found = self.groups.get(fact)
        if found is None:
            found = self.groups[fact] = EntryGroup(fact)
            if fact.free_count:
                self.schematic.setdefault(fact.relation, {})[found] = None
        return found

    def _remove(self, row: EvidenceRow) -> None:
        group, entry = self._of_row.pop(row)
        entry.lost.append(LostRow(row, entry.rows.pop(row)))
        self.changed[group] = None

    def _expire(self) -> None:
        """Remove rows that wait for units that can come no more."""
        for expiries, bound in zip(self._expiries, self.late_bounds.tolist(), strict=True):
            while expiries and expiries.peekitem(0)[0] < bound:
                for row in expiries.popitem(0)[1]:
                    known = self._of_row.get(row)
                    if known is not None:
                        last = np.array([known[1].rows[row]])
                        if not row[0].open(last, self.late_bounds)[0]:
                            self._remove(row)
