"""Sets of hypotheses without evidence: they make others needless, though they are no entries.

If hypotheses alone are enough for an answer, those of an entry of which they are a part need no
evidence, or are more than is needed [CruzFilipe22, Definition 2]. So the entry is no supported
answer. Nothing has to be known of when the smaller set may arrive: what it needs, the entry needs
as well. So it follows from the row of the entry, and from what that awaits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from rete.terms.dictionary import Dictionary
from temporal.containment import StepBudget, TooManySteps
from temporal.hypothetical.evidence.entry_table import EntryTable
from temporal.hypothetical.output.embeddings import (
    MOST_STEPS,
    Embedding,
    SetForm,
    embeddings,
)
from temporal.hypothetical.output.rival_states import Mask, RivalStates
from temporal.hypothetical.syntax.ast import SchematicAnswer


class SchematicHypotheses:
    """The hypotheses of all schematic answers, of which nothing has arrived."""

    def __init__(self, tables: Sequence[EntryTable], terms: Dictionary) -> None:
        self._tables, self._terms = tables, terms
        self._schematics = [*dict.fromkeys(table.schematic for table in tables)]
        self._embeddings = cache(self._embeddings_in)

    def are_parts(self, states: RivalStates) -> Mask:
        """Of which states such a set is a part of their hypotheses."""
        found = np.zeros(len(states.at), np.bool_)
        for number in {*states.entries[:, 0].tolist()}:
            known = self._embeddings(number)
            if known == []:
                continue
            some = np.flatnonzero(states.entries[:, 0] == number)
            rows, awaited = states.entries[some], ~states.bits[some]
            if known is None:
                found[some] = [*map(self._is_part_of, rows.tolist(), awaited.tolist())]
                continue
            for each in known:
                found[some] |= (awaited & each.atoms == each.atoms) & each.holds(rows)
        return found

    def _embeddings_in(self, number: int) -> list[Embedding] | None:
        """With what any of them is a part of the set of a row; None: that takes too long."""
        table = self._tables[number]
        form = SetForm.of_columns(table.schematic, table.names, 1, self._terms)
        try:
            return [*self._found(table, form, StepBudget(MOST_STEPS))]
        except TooManySteps:
            return None

    def _is_part_of(self, row: Sequence[int], awaited: int) -> bool:
        table = self._tables[row[0]]
        found = self._found(table, SetForm.of_row(table, row[1:], self._terms), StepBudget())
        return any(awaited & each.atoms == each.atoms for each in found)

    def _found(self, table: EntryTable, form: SetForm, budget: StepBudget) -> Iterator[Embedding]:
        predicates = _predicates(table.schematic)
        for each in self._schematics:
            if _predicates(each) <= predicates:
                yield from embeddings(SetForm(each, {}, self._terms), form, budget)


def _predicates(schematic: SchematicAnswer) -> frozenset[tuple[str, int]]:
    return frozenset((atom.predicate, atom.arity) for atom in schematic.hypotheses)
