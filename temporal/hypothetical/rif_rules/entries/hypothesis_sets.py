"""Sets of hypotheses without evidence: which rows of evidence they make needless.

The set of a derivation of which nothing has arrived has no rows: its variables and the time of its
head are free. So whether it is a part of the set of a row follows from the values of that row, and
from what must hold besides at a tick for which all its units may come. That is asked for the rows
of facts that are compared, and again when a fact of it comes or goes, or an element would be late.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, columns, concat
from rete.graph.streams import FactTable
from rete.network.layers import Layers
from rete.storage.row_algebra import always, join_rows
from rete.terms.relations import Relation
from temporal.hypothetical.live_entries import LiveEntries
from temporal.hypothetical.rif_rules.entries.embeddings import (
    Conjunction,
    Evaluation,
    HypothesisForm,
    conjunctions,
)
from temporal.hypothetical.rif_rules.entries.evidence_reader import (
    EvidenceReader,
    Mask,
    ShapeColumns,
    tick_ends,
)
from temporal.hypothetical.rif_rules.entries.evidence_store import EvidenceStore


class HypothesisSets:
    """The sets without evidence, and what must hold for them.

    Attributes:
        changed: facts of which other rows may be needless than at the last report.
    """

    def __init__(self, readers: Sequence[EvidenceReader], store: EvidenceStore) -> None:
        """Begin, with the readers of derivations of which nothing has arrived."""
        self._readers, self._store = readers, store
        self._tests = Evaluation(readers, store.terms)
        self._bounds = len(store.late_bounds)
        self._shapes = ShapeColumns(readers, self._bounds)
        self._forms = [HypothesisForm(each, point=True, names_fact=True) for each in readers]
        required = (each.relation for reader in readers for each in reader.shape.required)
        self._tables: dict[Relation, list[FactTable]] = {each: [] for each in required}
        self._touched: dict[Relation, list[Rows]] = {}
        self._parts = cache(self._parts_of)
        width = store.facts.width
        self._ends = LiveEntries(width + self._bounds, ends=range(width, width + self._bounds))
        self.changed: list[Rows] = []

    def attach(self, layers: Layers) -> None:
        """Ask the tables of ``layers`` what holds."""
        for each in layers.tables:
            if each.relation in self._tables:
                self._tables[each.relation].append(each)

    def reads(self, relation: Relation) -> bool:
        """Do its facts say what must hold?"""
        return relation in self._tables

    def note(self, relation: Relation, rows: Rows) -> None:
        """A table of what must hold gained or lost ``rows``, which wait for `settle`."""
        self._touched.setdefault(relation, []).append(rows[:, :-2])

    def settle(self) -> None:
        """Note the facts of rows that what came and went, or is late by now, is about."""
        due = self._ends.due(*self._store.late_bounds.tolist())
        if len(due):
            self.changed.append(self._ends.at(due)[:, : self._store.facts.width].copy())
            self._ends.kill(due)
        if self._touched:
            self._note_rows(self._store.live.rows)
            self._touched.clear()

    def complete(self, rows: Rows, alive: Mask) -> Mask:
        """The live rows of evidence of which a set without evidence that may come is a part."""
        found = np.zeros(len(rows), np.bool_)
        if not self._readers:
            return found
        kinds, values, last = self._store.kinds(rows), self._store.values(rows), None
        for kind in {*kinds.tolist()}:
            for number, part in self._parts(kind):
                some = np.flatnonzero((kinds == kind) & alive)
                some = some[self._agree(number, part, values[some])]
                if part.shift is None and not self._readers[number].shape.required:
                    found[some] = True
                    continue
                last = self._store.last(rows) if last is None else last
                when = self._when(part, last[some])
                held, ends = self._held(number, part, values[some], when)
                found[some[held]] = True
                self._note_ends(self._store.facts_of(rows[some[held]]), ends)
        return found

    def forget(self) -> None:
        """Drop what nobody needs once changes are reported."""
        self.changed.clear()

    @property
    def object_ids(self) -> Column:
        """The ids of what is held."""
        width = self._store.facts.width
        facts = [self._ends.rows[:, :width], *self.changed]
        touched = (np.ravel(rows) for some in self._touched.values() for rows in some)
        return np.concatenate([*map(self._store.facts.ids, facts), *touched])

    def _parts_of(self, kind: int) -> list[tuple[int, Conjunction]]:
        """With which equalities sets without evidence are parts of those of a kind of rows."""
        reader = self._store.readers[kind >> 1]
        form = HypothesisForm(reader, point=bool(kind & 1), names_fact=True)
        found = ((number, conjunctions(one, form)) for number, one in enumerate(self._forms))
        return [(number, each) for number, some in found for each in some]

    def _agree(self, number: int, part: Conjunction, values: Rows) -> Mask:
        """Which rows have the equalities of ``part``, and pass its tests."""
        tail = columns(self._readers[number].tail)
        found = np.ones(len(values), np.bool_)
        for p, q in part.inner:
            found &= values[:, p] == values[:, q]
        for p, q in part.cross:
            found &= values[:, q] == tail[p]
        for call in part.tests:
            some = found.nonzero()[0]
            ones = np.broadcast_to(tail, (len(some), len(tail)))
            found[some] = self._tests.passes(call, ones, values[some])
        return found

    @staticmethod
    def _when(part: Conjunction, last: Column) -> Rows:
        """The cells, (n, 2), at which heads may hold, where rows hold last at some cells."""
        when = np.empty((len(last), 2), np.int64)
        when[:] = NEG_INF, POS_INF
        if part.least is not None:
            when[:, 0] = last + part.least
        if part.shift is not None:
            when[:, 0] = np.maximum(when[:, 0], last + part.shift)
            when[:, 1] = last + part.shift + 1
        return when

    def _held(
        self, number: int, part: Conjunction, values: Rows, when: Rows
    ) -> tuple[Column, Rows]:
        """The places of rows for which all that must hold does, and when that ends.

        The second are per late bound the cells at which units can come no more.
        """
        rows = np.column_stack([np.arange(len(values)), when])
        rows = rows[when[:, 0] < when[:, 1]]
        for relation, places in self._required(number, part):
            keys = np.column_stack([values[rows[:, 0]][:, places], rows])
            rows = self._holding(relation, keys)
        last = tick_ends(rows)[1]
        ends = self._shapes.ends(np.full(len(rows), number), last)
        some = (last > NEG_INF) & (ends > self._store.late_bounds).all(axis=1)
        return rows[some, 0], ends[some]

    def _required(self, number: int, part: Conjunction) -> Iterator[tuple[Relation, list[int]]]:
        """The relations of what must hold, and where rows have the terms of their facts."""
        reader, terms = self._readers[number], dict(part.terms)
        for each in reader.shape.required:
            yield each.relation, [terms[reader.tail[place]] for place in each.args]

    def _holding(self, relation: Relation, keys: Rows) -> Rows:
        """The pieces (number, begin, end) of rows (fact, number, begin, end) whose facts hold."""
        on = range(relation.arity)
        queried = always(keys[:, : relation.arity])
        queried = queried[self._store.terms.distinct(queried)[0]]
        facts = concat([table.facts.meet(queried, NEG_INF) for table in self._tables[relation]])
        return join_rows(keys, on, facts, on, (relation.arity,))

    def _note_ends(self, facts: Rows, ends: Rows) -> None:
        """Ask again about ``facts`` when units can come no more."""
        rows = np.column_stack([facts, ends])
        rows = rows[(ends < POS_INF).any(axis=1)]
        if len(rows):
            rows = rows[self._store.terms.distinct(rows)[0]]
            rows = rows[self._ends.find(rows) < 0]
            self._ends.put(np.full(len(rows), -1), rows, 0, 0, 1)

    def _note_rows(self, rows: Rows) -> None:
        """Note the facts of those ``rows`` of evidence about which something came or went."""
        kinds, values = self._store.kinds(rows), self._store.values(rows)
        for kind in {*kinds.tolist()}:
            some = np.flatnonzero(kinds == kind)
            for number, part in self._parts(kind):
                for relation, places in self._required(number, part):
                    if relation in self._touched:
                        touched, on = always(concat(self._touched[relation])), range(len(places))
                        mine = always(values[some][:, places], some)
                        pairs = join_rows(mine, on, touched, on, (len(places),))
                        self.changed.append(self._store.facts_of(rows[np.unique(pairs[:, 0])]))
