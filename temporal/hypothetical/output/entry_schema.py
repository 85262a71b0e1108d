"""Schemas of entries: from the values of an entry to its answer and its atoms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Final, TypeAlias

from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary, constant
from rif.syntax.terms import Literal, Variable
from temporal.hypothetical.evidence.confidence import ArrivalProspects, EntryConfidences
from temporal.hypothetical.evidence.entry_table import EntryTable
from temporal.hypothetical.output.line_templates import (
    LineTemplate,
    TemplateSlot,
    atom_template,
    fill_template,
    query_bindings,
)
from temporal.hypothetical.syntax.ast import (
    ObjectTerm,
    SchematicAnswer,
    SortedVariable,
    TemporalAtom,
    TimeTerm,
)
from temporal.hypothetical.syntax.term_text import TermTexts

AnswerValues: TypeAlias = tuple[int | str, ...]
"""Per variable of the query the id of an object, a number, or a free variable as it is written."""


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
        shape: per variable of the query how it is written if it is free; None: it is bound.
        least: of the times that are not bound the least numbers that they may be, by name.
    """

    __slots__ = (
        "_atoms",
        "_confidences",
        "_table",
        "_texts",
        "_times",
        "_values",
        "least",
        "shape",
    )

    def __init__(
        self,
        query: TemporalAtom,
        schematic: SchematicAnswer,
        table: EntryTable,
        term_texts: TermTexts,
        prospects: ArrivalProspects,
    ) -> None:
        names, terms = table.names, table.terms
        self._confidences = EntryConfidences(schematic.hypotheses, names, prospects, terms)
        self._table, self._texts = table, term_texts
        self._values = [
            _value(value, names, terms) for _, value in query_bindings(query, schematic.answer)
        ]
        self.shape = tuple(value if isinstance(value, str) else None for value in self._values)
        self.least = tuple(each for each in schematic.least if (True, each[0]) not in names)
        self._atoms = [LineTemplate.of(atom_template(atom, names)) for atom in schematic.hypotheses]
        self._times = [_value(atom.time, names, terms) for atom in schematic.hypotheses]

    def answers(self, values: Rows) -> Iterator[AnswerValues]:
        """The answer of each entry."""
        columns = [_column(each, values) for each in self._values]
        return zip(*columns, strict=True) if columns else repeat((), len(values))

    def atoms(self, values: Rows) -> Iterator[tuple[HypothesisRecord, ...]]:
        """The hypotheses of the schematic answer, with the values of each entry."""
        deadlines = self._table.deadlines.of(values).T.tolist()
        prospects = self._confidences.numbers(values).T.tolist()
        columns = [
            zip(
                repeat(isinstance(time, str), len(values)),
                repeat(0, len(values)) if isinstance(time, str) else _column(time, values),
                fill_template(template, values, self._texts),
                until,
                numbers,
                strict=True,
            )
            for template, time, until, numbers in zip(
                self._atoms, self._times, deadlines, prospects, strict=True
            )
        ]
        return zip(*columns, strict=True)

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        self._confidences.forget()


def _column(value: TemplateSlot | int | str, values: Rows) -> Sequence[int | str]:
    if not isinstance(value, TemplateSlot):
        return [value] * len(values)
    column: list[int] = (values[:, value.column] + value.offset).tolist()
    return column


def _value(
    value: ObjectTerm | TimeTerm, names: Sequence[SortedVariable], terms: Dictionary
) -> TemplateSlot | int | str:
    """The slot of a term or time; its constant; or its text if it is free."""
    if isinstance(value, Literal):
        return constant(str(value), terms)
    if isinstance(value, Variable):
        name = (False, value.name)
        return TemplateSlot(names.index(name), time=False) if name in names else f"?{value.name}"
    if value.variable is None:
        return value.offset
    name = (True, value.variable)
    return (
        TemplateSlot(names.index(name), time=True, offset=value.offset)
        if name in names
        else f"?{value}"
    )
