"""Entries of all tables in columns: what their answers and their atoms are, and in which order.

An atom is its predicate, its arguments and its time; terms are ids, free variables are -1, -2 … and
a time that is bound is its number. So equal atoms are equal rows, whatever table they are of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import repeat
from json.encoder import encode_basestring as quote_json
from typing import Final, TypeAlias

import numpy as np

from rete.arrays.delta import POS_INF, Column, Rows, columns
from rete.terms.dictionary import Dictionary, constant
from rif.syntax.terms import Literal, Variable
from temporal.hypothetical.arrival.lateness import ArrivalProspects
from temporal.hypothetical.evidence.entry_table import EntryStates, EntryTable
from temporal.hypothetical.evidence.instance_lookup import InstanceLookup
from temporal.hypothetical.live_entries import text_ranks
from temporal.hypothetical.output.line_templates import (
    LineTemplate,
    answer_terms,
    atom_template,
    fill_template,
)
from temporal.hypothetical.ranking.arrival_probability import AwaitedArrivals
from temporal.hypothetical.syntax.ast import SortedVariable, TemporalAtom, TimeTerm, variables_of
from temporal.hypothetical.syntax.atom_parser import TermTexts, TextForm

NO_ATOM: Final = 0
"""The rank where a row has no further atom; less than all others."""
AtomRecord: TypeAlias = tuple[int, str]
"""The time of an atom, `POS_INF` if it is free, and its text."""


class EntryColumns:
    """Reads rows of entries.

    Attributes:
        width: the width of a row of an entry.
        most_atoms: how many hypotheses a row has at most.
        shapes: of the answers with free variables, each once: these where they stand, else 0.
        has_least: per pair of tables, whether the free times of the second are bound as in the
            first, or more.
    """

    def __init__(
        self,
        query: TemporalAtom,
        tables: Sequence[EntryTable],
        terms: Dictionary,
        prospects: ArrivalProspects,
    ) -> None:
        self.tables, self.terms, self.texts = tables, terms, TermTexts(terms)
        self.prospects = prospects
        self._lookups = [
            [
                InstanceLookup(atom, each.names, prospects, terms)
                for atom in each.schematic.hypotheses
            ]
            for each in tables
        ]
        self.width = 2 + max((len(table.names) for table in tables), default=0)
        self._free: list[str] = []
        answers = [
            [(self.width - 1, 0), *(self._place(term, table.names) for term in terms_of.values())]
            for table in tables
            for terms_of in [answer_terms(query, table.schematic.answer)]
        ]
        self.has_time = query.time.variable is not None
        self.answer_width = 1 + len(variables_of(query))
        shape = len(tables), self.answer_width, 2
        self._answers = np.array(answers, np.int64).reshape(shape)
        numbers: dict[tuple[str, int], int] = {}
        listed = [table.schematic.hypotheses for table in tables]
        self.most_atoms = max(map(len, listed), default=0)
        arity = max((atom.arity for atoms in listed for atom in atoms), default=0)
        self._atoms = np.zeros((len(tables), self.most_atoms, arity + 2, 2), np.int64)
        self._atoms[..., 0] = self.width - 1
        for table, rows in zip(tables, self._atoms, strict=True):
            for atom, row in zip(table.schematic.hypotheses, rows, strict=False):
                row[0, 1] = 1 + numbers.setdefault((atom.predicate, atom.arity), len(numbers))
                row[1 : 1 + atom.arity] = [self._place(arg, table.names) for arg in atom.args] or 0
                row[-1] = self._place(atom.time, table.names)
        self._forms = [
            [LineTemplate.of(atom_template(atom, table.names)) for atom in atoms]
            for table, atoms in zip(tables, listed, strict=True)
        ]
        shapes = np.where(self._answers[..., 0] == self.width - 1, self._answers[..., 1], 0).clip(
            max=0
        )
        self.shapes = [shape for shape in dict.fromkeys(map(tuple, shapes.tolist())) if any(shape)]
        bounds = [
            dict(each for each in table.schematic.least if (True, each[0]) not in table.names)
            for table in tables
        ]
        fits = [all(n <= b.get(v, 0) for v, n in a.items()) for a in bounds for b in bounds]
        self.has_least = np.array(fits, np.bool_).reshape(len(tables), len(tables))
        order = sorted({tuple(each.items()) for each in bounds})
        self.least = columns(order.index(tuple(each.items())) for each in bounds)

    def _place(self, term: object, names: Sequence[SortedVariable]) -> tuple[int, int]:
        """The column of a term in rows, the last one if it has none; and what is added to that."""
        if isinstance(term, Literal):
            return self.width - 1, constant(str(term), self.terms)
        if isinstance(term, Variable):
            name, offset, text = (False, term.name), 0, f"?{term.name}"
        else:
            assert isinstance(term, TimeTerm)
            if term.variable is None:
                return self.width - 1, term.offset
            name, offset, text = (True, term.variable), term.offset, f"?{term}"
        if name in names:
            return 1 + names.index(name), offset
        if text not in self._free:
            self._free.append(text)
        return self.width - 1, -1 - self._free.index(text)

    def rows(self, states: Iterable[EntryStates]) -> EntryStates:
        """The states of all tables, in their order, as rows."""
        parts = []
        for number, (values, bits, at) in enumerate(states):
            entries = np.zeros((len(bits), self.width), np.int64)
            entries[:, 0], entries[:, 1 : 1 + values.shape[1]] = number, values
            parts.append(EntryStates(entries, bits, at))
        return EntryStates.joined(parts or [self.rows_of([])])

    def rows_of(self, entries: Sequence[Sequence[int]]) -> EntryStates:
        """Listed entries as rows, without moments."""
        rows = np.array(entries, np.int64).reshape(-1, self.width)
        return EntryStates(rows, rows[:, 0] * 0, rows[:, 0] * 0)

    def values(self, entries: Rows, number: int) -> Rows:
        """The values of entries of one table."""
        return entries[:, 1 : 1 + len(self.tables[number].names)]

    def answers(self, entries: Rows) -> Rows:
        """The answers: 0, then per variable of the query its value."""
        return self._at(entries, self._answers)

    def _at(self, entries: Rows, places: Rows) -> Rows:
        if len(places) == 1:
            only: Rows = entries.take(places[0, ..., 0], axis=1) + places[0, ..., 1]
            return only
        of = places[entries[:, 0]]
        rows = np.arange(len(entries)).reshape(-1, *(1,) * (of.ndim - 2))
        found: Rows = entries[rows, of[..., 0]] + of[..., 1]
        return found

    def ranks(self, entries: Rows) -> tuple[Rows, list[AtomRecord]]:
        """Per hypothesis the rank of its atom, in the order of lines; and per rank the atom."""
        flat = self._at(entries, self._atoms).reshape(-1, self._atoms.shape[2])
        firsts, which = self.terms.distinct(flat)
        rows, position = np.divmod(firsts, self.most_atoms)
        times = np.where(flat[firsts, -1] < 0, POS_INF, flat[firsts, -1])
        times[flat[firsts, 0] == NO_ATOM] = -1
        texts = np.full(len(firsts), "", object)
        kinds = entries[rows, 0] * self.most_atoms + position
        for kind in {*kinds.tolist()}:
            number, place = divmod(kind, self.most_atoms)
            if place < len(self._forms[number]):
                some = (kinds == kind).nonzero()[0]
                values = entries[rows[some], 1:]
                texts[some] = [*fill_template(self._forms[number][place], values, self.texts)]
        order = np.lexsort((text_ranks(texts.tolist()), times))
        ranks = np.empty(len(order), np.int64)
        first = int(len(order) == 0 or times[order[0]] >= 0)
        ranks[order] = np.arange(first, first + len(order))
        atoms = [*zip(times[order].tolist(), texts[order].tolist(), strict=True)]
        return ranks[which].reshape(len(entries), self.most_atoms), [(-1, "")] * first + atoms

    def answer_keys(self, answers: Rows) -> list[Column]:
        """The order of answers by their texts, a key for each variable, the last one first.

        No value is the beginning of another, with the quote or bracket behind it; so texts are in
        the order of their values, from left to right.
        """
        last = answers.shape[1] - 1
        return [
            self._rank(answers[:, column], is_time=self.has_time and column == last)
            for column in range(last, 0, -1)
        ]

    def _rank(self, column: Column, *, is_time: bool) -> Column:
        distinct, which = np.unique(column, return_inverse=True)
        return text_ranks(self._values(distinct, is_time=is_time))[which]

    def answer_texts(self, answers: Rows) -> list[str]:
        """The texts of answers, in the same order."""
        found = []
        for column in range(1, self.answer_width):
            values, is_time = answers[:, column], self.has_time and column == self.answer_width - 1
            if values.min(initial=0) >= 0:
                found.append(self._values(values, is_time=is_time))
                continue
            distinct, which = np.unique(values, return_inverse=True)
            texts = self._values(distinct, is_time=is_time)
            found.append([texts[place] for place in which.tolist()])
        return [*map(",".join, zip(*found, strict=True))] if found else [""] * len(answers)

    def _values(self, distinct: Column, *, is_time: bool) -> list[str]:
        """The texts of ascending values, or of those of which none is free."""
        start = int(np.searchsorted(distinct, 0))
        texts = [quote_json(self._free[-1 - code]) for code in distinct[:start].tolist()]
        if is_time:
            texts += [f"{number}}}" for number in distinct[start:].tolist()]
        else:
            texts += self.texts.column(distinct[start:], TextForm.APART)
        return texts

    def confidences(self, rows: EntryStates) -> list[Fraction]:
        """How probable it is, at its moment, that all arrives that each row awaits."""
        pairs = zip(self.awaited(rows), rows.at.tolist(), strict=True)
        return [1 - self.prospects.grade(each, at)[0] for each, at in pairs]

    def awaited(self, rows: EntryStates) -> list[AwaitedArrivals]:
        """The arrivals that each row awaits."""
        out: list[AwaitedArrivals] = [()] * len(rows.at)
        for number in {*rows.entries[:, 0].tolist()}:
            some = np.flatnonzero(rows.entries[:, 0] == number)
            values = self.values(rows.entries[some], number)
            parts: list[Iterable[tuple[int, int | None]]] = []
            for lookup in self._lookups[number]:
                times = lookup.times(values)
                listed = repeat(None) if times is None else times.tolist()
                parts.append(zip(lookup.of(values).tolist(), listed, strict=False))
            listed = zip(some.tolist(), rows.bits[some].tolist(), *parts, strict=True)
            for row, bits, *each in listed:
                out[row] = [one for place, one in enumerate(each) if not bits >> place & 1]
        return out

    def ids(self, entries: Rows) -> Column:
        """The ids in entries."""
        objects = [[not each[0] for each in table.names] for table in self.tables]
        is_id = np.zeros((len(objects), self.width), np.bool_)
        for row, some in zip(is_id, objects, strict=True):
            row[1 : 1 + len(some)] = some
        found: Column = entries[is_id[entries[:, 0]]]
        return found

    def answer_ids(self, answers: Rows) -> Column:
        """The ids in answers."""
        values = answers[:, 1 : answers.shape[1] - self.has_time]
        found: Column = values[values > 0]
        return found
