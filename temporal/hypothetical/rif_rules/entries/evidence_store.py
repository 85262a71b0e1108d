"""The rows of evidence of a run: they come, go and expire, each for an entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, columns, concat
from rete.graph.streams import FactTable
from rete.storage.row_algebra import always
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation
from temporal.hypothetical.live_entries import BITS, LiveEntries
from temporal.hypothetical.rif_rules.arrival_chances import UnitLateness
from temporal.hypothetical.rif_rules.entries.evidence_reader import EvidenceReader, Mask, tick_ends

HELD: Final = 1
"""The bit of rows whose entry was reported as supported, and is held."""
MINIMAL: Final = 2
"""The bit of rows whose entry was minimal when last reported."""
NEW: Final = 4
"""The bit of rows that came since then."""
ENTRY: Final = -2
"""The column of the number of the entry; 0: none yet."""
_NONE: Final = NEG_INF
"""What stands in columns that a row does not have."""


class FactRows:
    """Facts of several relations as rows of one width: the number of the relation, arguments.

    Free variables are the numbers -1, -2 … in the order of arguments.

    Attributes:
        relations: by number.
        width: of a row.
    """

    def __init__(self, relations: Iterable[Relation]) -> None:
        self.relations = tuple(dict.fromkeys(relations))
        self.width = 1 + max((each.arity for each in self.relations), default=0)
        self._numbers = {each: number for number, each in enumerate(self.relations)}

    def number(self, relation: Relation) -> int | None:
        """The number of a relation; None: no fact of it is possible."""
        return self._numbers.get(relation)

    def rows(self, number: int, args: Rows) -> Rows:
        """The rows of facts of a relation with these arguments, (n, arity)."""
        out = np.full((len(args), self.width), _NONE, np.int64)
        out[:, 0] = number
        out[:, 1 : 1 + args.shape[1]] = args
        return out

    def args(self, number: int, facts: Rows) -> Rows:
        """The arguments of facts of a relation."""
        return np.ascontiguousarray(facts[:, 1 : 1 + self.relations[number].arity])

    @staticmethod
    def free(facts: Rows) -> Mask:
        """Where facts have free variables, (n, width)."""
        found: Mask = (facts < 0) & (facts > _NONE)
        return found

    @staticmethod
    def ids(facts: Rows) -> Column:
        """The ids in facts."""
        found: Column = facts[:, 1:][facts[:, 1:] > 0]
        return found


class EvidenceStore:
    """The evidence that is of use, in one table.

    A row is the number of its reader, ids, the last tick in cells, whether that is the only one,
    the fact, and per late bound the end of its use; behind these the columns of `LiveEntries`.

    Attributes:
        readers: by number.
        facts: how facts are rows.
        late_bounds: (k,) in cells; elements are late below them; the frontier last.
        changed: facts whose evidence has changed since the last report.
        lost: rows that went since then.
        complete: rows of derivations that came since then, in which nothing is missing.
    """

    def __init__(
        self, readers: Sequence[EvidenceReader], delays: UnitLateness, terms: Dictionary
    ) -> None:
        """Begin, with the readers of all shapes."""
        self.readers = readers
        self.facts = FactRows(reader.shape.head for reader in readers)
        self._by_relation = {reader.shape.relation: reader for reader in readers}
        self._terms = terms
        self._touched: dict[FactTable, list[Rows]] = {}
        ids = max((reader.width for reader in readers), default=0)
        self._last = 1 + ids
        self._fact = slice(self._last + 2, self._last + 2 + self.facts.width)
        self._longest = columns(delays.longest)
        self._width = self._fact.stop + len(self._longest)
        self._entries = LiveEntries(
            self._width,
            self._last,
            group=range(self._fact.start, self._fact.stop),
            ends=range(self._fact.stop, self._width),
        )
        self.late_bounds = np.full(len(self._longest), NEG_INF, np.int64)
        self.changed: list[Rows] = []
        self.lost: list[Rows] = []
        self.complete: list[Rows] = []

    def reads(self, relation: Relation) -> bool:
        """Are its facts rows of evidence?"""
        return relation in self._by_relation

    def note(self, table: FactTable, rows: Rows) -> None:
        """A table of evidence gained or lost ``rows``, which wait for `settle`."""
        self._touched.setdefault(table, []).append(rows)

    def settle(self, late_bounds: Sequence[int]) -> None:
        """Apply gains and losses; elements are late below ``late_bounds``, in ticks."""
        self.late_bounds = columns(
            2 * bound if bound > NEG_INF else NEG_INF for bound in late_bounds
        )
        for table, parts in self._touched.items():
            self._renew(table, concat(parts))
        self._touched.clear()
        self._remove(self._entries.due(*self.late_bounds.tolist()))

    def of_facts(self, facts: Rows) -> tuple[Column, Column, Rows]:
        """The live rows of distinct facts: the number of the fact, the position, the row."""
        numbers, positions = self._entries.matches(facts, group=True)
        return numbers, positions, self._entries.at(positions)

    @property
    def rows(self) -> Rows:
        """All live rows."""
        return self._entries.rows

    def mark(self, positions: Column, bits: Column, entries: Column) -> None:
        """Give live rows bits, and the numbers of their entries."""
        self._entries.mark(positions, bits, entries)

    def forget(self) -> None:
        """Drop what nobody needs once changes are reported."""
        self.changed.clear()
        self.lost.clear()
        self.complete.clear()

    @property
    def object_ids(self) -> Column:
        """The ids of what is held."""
        parts = [self.ids(rows).ravel() for rows in (self.rows, *self.lost, *self.complete)]
        parts += (rows[:, :-2].ravel() for some in self._touched.values() for rows in some)
        parts += map(self.facts.ids, self.changed)
        found = np.concatenate(parts)
        return found[found > 0]

    def ids(self, rows: Rows) -> Rows:
        """The ids of rows, (n, ids)."""
        return rows[:, 1 : self._last]

    def last(self, rows: Rows) -> Column:
        """The last ticks of rows, in cells."""
        found: Column = rows[:, self._last]
        return found

    def kinds(self, rows: Rows) -> Column:
        """Of rows twice the number of the reader, and 1 more if they hold at one tick."""
        return 2 * rows[:, 0] + rows[:, self._last + 1]

    def deadlines(self, rows: Rows) -> Column:
        """The largest stamps, in cells, by which what rows lack can still come."""
        ends = rows[:, self._fact.stop : self._width]
        latest = np.where(ends >= POS_INF, POS_INF, ends - 1 + 2 * self._longest)
        found: Column = latest.min(axis=1)
        return found

    def facts_of(self, rows: Rows) -> Rows:
        """The facts of rows."""
        return np.ascontiguousarray(rows[:, self._fact])

    def _renew(self, table: FactTable, touched: Rows) -> None:
        """Replace the rows of a table that gained and lost by what it has of them now."""
        reader = self._by_relation[table.relation]
        ids = np.ascontiguousarray(touched[:, :-2])
        ids = ids[self._terms.distinct(ids)[0]]
        held = table.facts.meet(always(ids), NEG_INF)
        if not reader.awaited:
            held = held[held[:, -1] > self.late_bounds[-1]]
            self.complete += [self._rows(reader, held)] if len(held) else []
            return
        rows = self._rows(reader, held)
        ends = rows[:, self._fact.stop : self._width]
        rows = rows[(self.last(rows) > NEG_INF) & (ends > self.late_bounds).all(axis=1)]
        keys = np.full((len(ids), self._last), _NONE, np.int64)
        keys[:, 0], keys[:, 1 : 1 + reader.width] = reader.number, ids
        positions = self._entries.matches(keys)[1]
        if len(positions):
            old = self._entries.at(positions)[:, : self._last + 2]
            new = rows[:, : self._last + 2]
            firsts, which = self._terms.distinct(np.concatenate([old, new]))
            counts = np.bincount(which, minlength=len(firsts))[which]
            self._remove(positions[counts[: len(old)] == 1])
            rows = rows[counts[len(old) :] == 1]
        if not len(rows):
            return
        none = np.full(len(rows), -1)
        zeros = np.zeros(len(rows), np.int64)
        self._entries.put(none, rows[:, : self._width], zeros + NEW, zeros, zeros + POS_INF)
        self.changed.append(self.facts_of(rows))

    def _rows(self, reader: EvidenceReader, held: Rows) -> Rows:
        if not len(held):
            return np.empty((0, self._width + 4), np.int64)
        first, last = tick_ends(held)
        out = np.full((len(held), self._width + 4), _NONE, np.int64)
        out[:, 0] = reader.number
        out[:, 1 : 1 + reader.width] = held[:, :-2]
        out[:, self._last] = last
        out[:, self._last + 1] = first == last
        number = self.facts.number(reader.shape.head)
        assert number is not None
        args = reader.values(held)[:, list(reader.shape.fact)]
        out[:, self._fact] = self.facts.rows(number, args)
        out[:, self._fact.stop : self._width] = reader.ends(last, len(self._longest))
        out[:, BITS] = 0
        return out

    def _remove(self, positions: Column) -> None:
        if len(positions):
            rows = self._entries.at(positions)
            self.lost.append(rows)
            self.changed.append(self.facts_of(rows))
            self._entries.kill(positions)
