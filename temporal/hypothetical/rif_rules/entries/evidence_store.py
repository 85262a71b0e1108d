"""The rows of evidence of a run: they come, go and expire, each for an entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, columns, concat
from rete.graph.streams import FactTable
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation
from temporal.hypothetical.live_entries import BITS, LiveEntries
from temporal.hypothetical.rif_rules.arrival_chances import UnitLateness
from temporal.hypothetical.rif_rules.entries.evidence_reader import (
    EvidenceReader,
    Mask,
    ShapeColumns,
    at_places,
    tick_ends,
)

HELD: Final = 1
"""The bit of rows whose entry was reported as supported, and is held."""
MINIMAL: Final = 2
"""The bit of rows whose entry was minimal when last reported."""
NEW: Final = 4
"""The bit of rows that came since then."""
ENTRY: Final = -2
"""The column of the number of the entry; 0: none yet."""


class FactRows:
    """Facts of several relations as rows of one ``width``: the number of the relation, arguments.

    Free variables are the numbers -1, -2 … in the order of arguments; behind these stands 0.
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
        out = np.zeros((len(args), self.width), np.int64)
        out[:, 0] = number
        out[:, 1 : 1 + args.shape[1]] = args
        return out

    def args(self, number: int, facts: Rows) -> Rows:
        """The arguments of facts of a relation."""
        return np.ascontiguousarray(facts[:, 1 : 1 + self.relations[number].arity])

    @staticmethod
    def ids(facts: Rows) -> Column:
        """The ids in facts."""
        found: Column = facts[:, 1:][facts[:, 1:] > 0]
        return found


class FactEvidence(NamedTuple):
    """The live rows of facts.

    Attributes:
        facts: (n, width), all different.
        fact, positions: (m,) per row the place of its fact, and where it is.
    """

    facts: Rows
    fact: Column
    positions: Column

    def only(self, some: Mask) -> FactEvidence:
        """The evidence of some facts, among them all that have a row."""
        places = some.cumsum() - 1
        return FactEvidence(self.facts.compress(some, axis=0), places[self.fact], self.positions)


class EvidenceStore:
    """The evidence that is of use, in one table.

    A row is the number of its reader, its values, the last tick in cells, whether that is the only
    one, the fact, and per late bound the end of its use; behind these the columns of `LiveEntries`.

    Attributes:
        readers: by number.
        shapes: what they read, in columns.
        nothing: (1, ...) the row of reader -1.
        live: the rows; their `ENTRY` is the column of what begins.
        late_bounds: (k,) in cells; elements are late below them; the frontier last.
        changed: facts whose evidence has changed since the last report.
        lost: rows that went since then, of entries that were minimal.
        complete: rows of derivations that came since then, in which nothing is missing.
    """

    def __init__(
        self, readers: Sequence[EvidenceReader], delays: UnitLateness, terms: Dictionary
    ) -> None:
        """Begin, with the readers of all shapes."""
        self.readers = readers
        self.facts = FactRows(reader.shape.head for reader in readers)
        self.shapes = ShapeColumns(readers, len(delays.longest))
        self._numbers = {reader.shape.relation: reader.number for reader in readers}
        self.terms = terms
        self._touched: dict[FactTable, list[Rows]] = {}
        self._is_whole = np.array([not reader.awaited for reader in readers], np.bool_)
        self._last = 1 + self.shapes.width
        self._fact = slice(self._last + 2, self._last + 2 + self.facts.width)
        self._longest = columns(delays.longest)
        self._width = self._fact.stop + len(self._longest)
        self.live = LiveEntries(
            self._width,
            1 + self.shapes.ids,
            group=range(self._fact.start, self._fact.stop),
            ends=range(self._fact.stop, self._width),
        )
        heads = [self.facts.relations.index(reader.shape.head) for reader in readers]
        self._templates = np.zeros((len(readers) + 1, self._width + 4), np.int64)
        self._templates[:, 0] = [*range(len(readers)), -1]
        self._templates[:, 1 : self._last] = self.shapes.tails
        self._templates[:, self._fact.start] = [*heads, 0]
        self._templates[:, self._fact.start + 1 : self._fact.stop] = self.shapes.free
        self._templates[:, self._fact.stop : self._width] = POS_INF
        self.nothing = self._templates[-1:]
        self.late_bounds = np.full(len(self._longest), NEG_INF, np.int64)
        self.changed: list[Rows] = []
        self.lost: list[Rows] = []
        self.complete: list[Rows] = []

    def reads(self, relation: Relation) -> bool:
        """Are its facts rows of evidence?"""
        return relation in self._numbers

    def note(self, table: FactTable, rows: Rows) -> None:
        """A table of evidence gained or lost ``rows``, which wait for `settle`."""
        self._touched.setdefault(table, []).append(rows)

    def settle(self, late_bounds: Sequence[int]) -> None:
        """Apply gains and losses; elements are late below ``late_bounds``, in ticks."""
        self.late_bounds = columns(
            2 * bound if bound > NEG_INF else NEG_INF for bound in late_bounds
        )
        if self._touched:
            self._renew()
            self._touched.clear()
        self._remove(self.live.due(*self.late_bounds.tolist()))

    def of_facts(self, facts: Rows) -> FactEvidence:
        """The live rows of distinct facts."""
        return FactEvidence(facts, *self.live.matches(facts, group=True))

    def forget(self) -> None:
        """Drop what nobody needs once changes are reported."""
        self.changed.clear()
        self.lost.clear()
        self.complete.clear()

    @property
    def object_ids(self) -> Column:
        """The ids of what is held."""
        parts = [self.values(rows).ravel() for rows in (self.live.rows, *self.lost, *self.complete)]
        parts += (rows[:, :-2].ravel() for some in self._touched.values() for rows in some)
        parts += map(self.facts.ids, self.changed)
        found = np.concatenate(parts)
        return found[found > 0]

    def values(self, rows: Rows) -> Rows:
        """The values of rows, as `ShapeColumns` has them."""
        return rows[:, 1 : self._last]

    def last(self, rows: Rows) -> Column:
        """The last ticks of rows, in cells."""
        found: Column = rows[:, self._last]
        return found

    def kinds(self, rows: Rows) -> Column:
        """Kinds of rows: twice the number of the reader, and 1 more if they hold at one tick."""
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

    def _renew(self) -> None:
        """Replace the rows of tables that gained and lost by what these have of them now."""
        asked: list[tuple[int, Rows]] = []
        held: list[tuple[int, Rows]] = []
        for table, parts in self._touched.items():
            queried = concat([*parts, parts[0][:0]])
            queried[:, -2:] = NEG_INF, POS_INF
            if len(queried) > 1:
                queried = queried.take(self.terms.distinct(queried)[0], axis=0)
            number = self._numbers[table.relation]
            asked.append((number, queried))
            if len(rows := table.facts.meet(queried, NEG_INF)):
                held.append((number, rows))
        keys = self._of_tables(asked, self._templates[:, : 1 + self.shapes.ids])
        rows = self._of_tables(held, self._templates)
        if held:
            rows[:, -2:] = concat([facts[:, -2:] for _, facts in held])
            self._complete(rows)
        numbers, last = rows[:, 0], self.last(rows)
        is_whole = self._is_whole[numbers]
        if np.count_nonzero(is_whole):
            whole = rows.compress(is_whole & (rows[:, -1] > self.late_bounds[-1]), axis=0)
            self.complete += [whole] if len(whole) else []
        ends = rows[:, self._fact.stop : self._width]
        lasts = ~is_whole & (last > NEG_INF) & (ends > self.late_bounds).all(axis=1)
        if np.count_nonzero(lasts) < len(lasts):
            rows = rows.compress(lasts, axis=0)
        positions = self.live.matches(keys)[1]
        if len(positions):
            old = self.live.at(positions)[:, : self._last + 2]
            new = rows[:, : self._last + 2]
            firsts, which = self.terms.distinct(np.concatenate([old, new]))
            counts = np.bincount(which, minlength=len(firsts))[which]
            self._remove(positions[counts[: len(old)] == 1])
            rows = rows.compress(counts[len(old) :] == 1, axis=0)
        if len(rows):
            none = np.full(len(rows), -1)
            self.live.put(none, rows[:, : self._width], NEW, 0, POS_INF)
            self.changed.append(self.facts_of(rows))

    @staticmethod
    def _of_tables(parts: Sequence[tuple[int, Rows]], templates: Rows) -> Rows:
        """Rows of facts, without their times, behind the numbers of readers."""
        out = np.empty((sum(len(facts) for _, facts in parts), templates.shape[1]), np.int64)
        start = 0
        for number, facts in parts:
            width = facts.shape[1] - 2
            rows = out[start : start + len(facts)]
            rows[:] = templates[number]
            rows[:, 1 : 1 + width] = facts[:, :-2]
            start += len(facts)
        return out

    def _complete(self, rows: Rows) -> None:
        """Give ``rows`` their last ticks, facts and ends."""
        first, last = tick_ends(rows)
        rows[:, self._last] = last
        rows[:, self._last + 1] = first == last
        numbers = rows[:, 0]
        places, free = self.shapes.facts.take(numbers, axis=0), rows[:, self._fact]
        args = at_places(self.values(rows), places)
        np.copyto(free[:, 1:], args, where=args >= 0)
        rows[:, self._fact.stop : self._width] = self.shapes.ends(numbers, last)
        rows[:, BITS] = 0

    def _remove(self, positions: Column) -> None:
        if len(positions):
            rows = self.live.at(positions)
            lost = rows.compress(rows[:, BITS] & MINIMAL > 0, axis=0)
            if len(lost):
                self.lost.append(lost)
                self.changed.append(self.facts_of(lost))
            self.live.kill(positions)
