"""Schemas of entries: from the values of an entry to its answer and its atoms, as texts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Final, TypeAlias

from rete.arrays.delta import Rows
from temporal.hypothetical.evidence.confidence import ArrivalProspects, EntryConfidences
from temporal.hypothetical.evidence.entry_table import EntryTable
from temporal.hypothetical.output.line_templates import (
    LineTemplate,
    answer_pieces,
    atom_template,
    fill_template,
)
from temporal.hypothetical.syntax.ast import TemporalAtom
from temporal.hypothetical.syntax.term_text import TermTexts

AnswerValues: TypeAlias = tuple[str, ...]
"""Per variable of the query its value as JSON; ``?X`` or ``?T+1`` if it is free."""


HypothesisRecord: TypeAlias = tuple[bool, int, str, int, int]
"""An atom of an entry, in an order of lines: whether its time is free, the time if it is not, the
text, the deadline, which is `POS_INF` where none is known, and the number of its prospect."""
FREE: Final = 0
TIME: Final = 1
TEXT: Final = 2
DEADLINE: Final = 3
PROSPECT: Final = 4


class EntrySchema:
    """Makes the answers and atoms of the entries of a table.

    Attributes:
        table: the table.
        shape: per variable of the query how it is written if it is free; None: it is bound.
        least: of the times that are not bound the least numbers that they may be, by name.
    """

    __slots__ = ("_atoms", "_lookups", "_texts", "_values", "least", "shape", "table")

    def __init__(
        self,
        query: TemporalAtom,
        table: EntryTable,
        term_texts: TermTexts,
        prospects: ArrivalProspects,
    ) -> None:
        names, schematic = table.names, table.schematic
        self._lookups = EntryConfidences(table, prospects).lookups
        self.table, self._texts = table, term_texts
        pieces = answer_pieces(query, schematic.answer, names).values()
        self.shape = tuple(e if isinstance(e, str) and is_free(e) else None for e in pieces)
        self.least = tuple(each for each in schematic.least if (True, each[0]) not in names)
        self._values = [LineTemplate.of([piece]) for piece in pieces]
        self._atoms = [LineTemplate.of(atom_template(atom, names)) for atom in schematic.hypotheses]

    def answers(self, values: Rows) -> Iterator[AnswerValues]:
        """The answer of each entry."""
        columns = [fill_template(each, values, self._texts) for each in self._values]
        return zip(*columns, strict=True) if columns else repeat((), len(values))

    def atoms(self, values: Rows) -> Iterator[tuple[HypothesisRecord, ...]]:
        """The hypotheses of the schematic answer, with the values of each entry."""
        deadlines = self.table.deadlines.of(values).T.tolist()
        columns = []
        for template, lookup, until in zip(self._atoms, self._lookups, deadlines, strict=True):
            times = lookup.times(values)
            parts = (
                repeat(times is None),
                repeat(0) if times is None else times.tolist(),
                fill_template(template, values, self._texts),
                until,
                lookup.of(values).tolist(),
            )
            columns.append(zip(*parts, strict=False))
        return zip(*columns, strict=True)

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        for lookup in self._lookups:
            lookup.forget()


def is_free(value: str) -> bool:
    """Whether a value of an answer is a free variable."""
    return value.startswith("?")
