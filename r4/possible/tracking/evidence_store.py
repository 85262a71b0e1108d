"""Holding: rows of evidence as they come, go and run out, and the entries that they belong to."""

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
from rete.nodes.graph import FactTable
from rete.planning.plan import Relation


class EvidenceStore:
    """The evidence that is of use, by the entries that it supports.

    Attributes:
        lines: (k,) in cells, below which elements are late, the frontier last.
        groups: the entries, by their facts.
        schematic: of these the groups of facts with free variables, by relation.
        changed: the groups whose evidence, or whose certainty, has changed.
        complete: derivations that came of facts that are held, or instances of such.
    """

    def __init__(self, readers: Sequence[EvidenceReader], lines: int) -> None:
        """Begin, with the readers of all shapes; there are so many ``lines``."""
        self._readers = {reader.shape.relation: reader for reader in readers}
        self._gains: dict[FactTable, list[Rows]] = {}
        self._losses: dict[FactTable, list[Rows]] = {}
        self._of_row: dict[EvidenceRow, tuple[EntryGroup, LiveEntry]] = {}
        self._expiries: list[SortedDict[int, list[EvidenceRow]]] = [
            SortedDict() for _ in range(lines)
        ]
        self.lines = np.full(lines, NEG_INF, np.int64)
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

    def settle(self, lines: Sequence[Tick]) -> None:
        """Take in what came and went; elements are late below ``lines``, in ticks."""
        self.lines = np.array([2 * line if line > NEG_INF else NEG_INF for line in lines])
        for table, parts in self._gains.items():
            if table not in self._losses:
                self._add(self._readers[table.relation], concat(parts))
        for table, parts in self._losses.items():
            self._renew(table, concat([*self._gains.get(table, ()), *parts]))
        self._gains.clear()
        self._losses.clear()
        self._expire()

    def forget(self) -> None:
        """What changed is told: drop what nobody asks for any more."""
        for group in self.changed:
            group.forget()
            if group.entries or group.is_open:
                continue
            del self.groups[group.fact]
            if group.fact.fixed:
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
        gone = (row for group in groups for entry in group.distinct() for row in entry.gone)
        rows = chain(self._of_row, (each.row for each in gone), *self.complete.values())
        values = chain((row[1] for row in rows), (group.fact.args for group in groups))
        known = np.fromiter(chain.from_iterable(values), np.int64)
        waiting = chain(*self._gains.values(), *self._losses.values())
        return np.concatenate([known, *(rows[:, :-2].ravel() for rows in waiting)])

    def _renew(self, table: FactTable, touched: Rows) -> None:
        """Rows came and went: what is left of them."""
        reader = self._readers[table.relation]
        asked = np.unique(touched[:, :-2], axis=0)
        whole = np.empty((len(asked), asked.shape[1] + 2), np.int64)
        whole[:, :-2], whole[:, -2], whole[:, -1] = asked, NEG_INF, POS_INF
        held = table.facts.meet(whole, NEG_INF)
        left: dict[Values, int] = {}
        for ids, last in zip(map(tuple, held[:, :-2].tolist()), last_ticks(held), strict=True):
            left[ids] = max(left.get(ids, NEG_INF), int(last))
        for ids in map(tuple, asked.tolist()):
            row = reader, ids
            known = self._of_row.get(row)
            if known is not None and known[1].rows[row] != left.get(ids):
                self._remove(row)
        self._add(reader, held)

    def _add(self, reader: EvidenceReader, rows: Rows) -> None:
        if not reader.wanted:
            self._note(reader, rows)
            return
        last = last_ticks(rows)
        some = np.flatnonzero(reader.open(last, self.lines))
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
                for line, cell in reader.expiries(until):
                    self._expiries[line].setdefault(cell, []).append(row)

    def _note(self, reader: EvidenceReader, rows: Rows) -> None:
        """Derivations came: of what is held, they are the evidence by which it is confirmed."""
        if not self.groups:
            return
        for ids in rows[rows[:, -1] > self.lines[-1], :-2].tolist():
            row = reader, tuple(ids)
            fact = SchematicFact(*reader.fact(row[1]))
            if fact in self.groups or fact.relation in self.schematic:
                self.complete.setdefault(fact, []).append(row)

    def _group(self, fact: SchematicFact) -> EntryGroup:
        found = self.groups.get(fact)
        if found is None:
            found = self.groups[fact] = EntryGroup(fact)
            if fact.fixed:
                self.schematic.setdefault(fact.relation, {})[found] = None
        return found

    def _remove(self, row: EvidenceRow) -> None:
        group, entry = self._of_row.pop(row)
        entry.gone.append(LostRow(row, entry.rows.pop(row)))
        self.changed[group] = None

    def _expire(self) -> None:
        """Remove what waits for what can come no more."""
        for expiries, line in zip(self._expiries, self.lines.tolist(), strict=True):
            while expiries and expiries.peekitem(0)[0] < line:
                for row in expiries.popitem(0)[1]:
                    known = self._of_row.get(row)
                    if known is not None:
                        last = np.array([known[1].rows[row]])
                        if not row[0].open(last, self.lines)[0]:
                            self._remove(row)
