"""Lines about answers that have one entry at a time, made in columns.

This is so if there is one schematic answer, all its hypotheses have the same variables, and the
answer has them too. Then an entry is an answer, each of its states has hypotheses that no other
has, and the changes of the table are what is to be reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import Column, Rows, columns
from temporal.hypothetical.evidence.confidence import ArrivalProspects, EntryConfidences
from temporal.hypothetical.evidence.entry_table import EntryStates, EntryTable, TableChanges
from temporal.hypothetical.output.line_templates import (
    CONFIDENCE,
    DECIDED,
    TAU,
    AnswerStatus,
    LineTemplate,
    TemplateSlot,
    answer_pieces,
    atom_template,
    fill_template,
    quote_pieces,
    write_answer,
    write_line,
)
from temporal.hypothetical.output.single_top_k import SingleTopK
from temporal.hypothetical.ranking.arrival_probability import format_confidence
from temporal.hypothetical.ranking.top_k import END_OF_INPUT, dropped_reason
from temporal.hypothetical.syntax.ast import SchematicAnswer, TemporalAtom, variables_of
from temporal.hypothetical.syntax.term_text import TermTexts, TextForm, quote_json, text_ranks

NO_REASON: Final = -1
TOO_MANY: Final = -2


def has_single_entries(answers: Sequence[SchematicAnswer]) -> bool:
    """Whether each answer has one entry at a time, whose atoms have an order that is known."""
    if len(answers) != 1:
        return False
    hypotheses = answers[0].hypotheses
    names = variables_of(answers[0].answer)
    if any(variables_of(atom) != names for atom in hypotheses):
        return False
    positions = {(atom.time.offset, atom.predicate) for atom in hypotheses}
    clocks = {atom.time.variable for atom in hypotheses}
    return len(positions) == len(hypotheses) and len(clocks) == 1


class SingleEntries:
    """Makes lines from the changes of the one table of entries."""

    __slots__ = (
        "_answer",
        "_atoms",
        "_confidences",
        "_order",
        "_reasons",
        "_table",
        "_templates",
        "_term_texts",
        "_top_k",
        "_with_confidence",
    )

    def __init__(
        self,
        query: TemporalAtom,
        table: EntryTable,
        prospects: ArrivalProspects,
        most: int | None,
    ) -> None:
        self._table = table
        names = table.names
        self._term_texts = TermTexts(table.terms)
        hypotheses = table.schematic.hypotheses
        self._order = sorted(
            range(len(hypotheses)),
            key=lambda i: (hypotheses[i].time.offset, f"{hypotheses[i].predicate}("),
        )
        self._atoms = [
            LineTemplate.of(quote_pieces(atom_template(atom, names))) for atom in hypotheses
        ]
        pieces = answer_pieces(query, table.schematic.answer, names)
        parts = {name: LineTemplate.of([piece]) for name, piece in pieces.items()}
        form = write_answer({name: part.form for name, part in parts.items()})
        self._answer = LineTemplate(form, tuple(chain(*(part.slots for part in parts.values()))))
        self._templates: dict[tuple[AnswerStatus, int], LineTemplate] = {}
        self._confidences = EntryConfidences(table, prospects)
        self._with_confidence = prospects.has_chances
        self._top_k = None if most is None else SingleTopK(most, prospects)
        self._reasons = {NO_REASON: END_OF_INPUT, TOO_MANY: dropped_reason(most or 0)}

    def report(self, changes: Sequence[TableChanges], frontier: int) -> list[str]:  # noqa: ARG002
        """The lines of what happened until the frontier, in order."""
        ((table, table_changes),) = changes
        dropped = table_changes.begun.only(columns([]))
        if self._top_k is not None:
            table_changes, dropped = self._top_k.cut(
                table_changes,
                list(fill_template(self._answer, table_changes.begun.values, self._term_texts)),
                self._confidences.awaited(table_changes.begun),
            )
        begun, ended = table_changes
        status = np.where(begun.bits == table.all_bits, AnswerStatus.ANSWER, AnswerStatus.SUPPORTED)
        withdrawn = np.full(len(ended.at) + len(dropped.at), AnswerStatus.WITHDRAWN)
        reasons = self._impossible(ended), np.full(len(dropped.at), TOO_MANY)
        return self._lines(
            np.concatenate([ended.values, dropped.values, begun.values]),
            np.concatenate([ended.at, dropped.at, begun.at]),
            np.concatenate([withdrawn, status]),
            np.concatenate([*reasons, begun.bits]),
        )

    def drain(self, tau: int) -> list[str]:
        """The lines of what is still open at the end of input."""
        open_ = self._kept(tau)
        count = len(open_.bits)
        return self._lines(
            open_.values,
            open_.at,
            np.full(count, AnswerStatus.WITHDRAWN),
            np.full(count, NO_REASON),
        )

    def ranked(self, tau: int) -> list[tuple[Fraction, str]]:
        """What is kept at a moment: the confidence of each entry, the best first, and its line."""
        held = self._kept(tau)
        held = held.only(self._best(held))
        found, which = self._confidences.of(held)
        supported = np.full(len(held.at), AnswerStatus.SUPPORTED)
        return [
            (found[number], line)
            for number, line in zip(
                which.tolist(),
                self._texts(held.values, held.at, supported, held.bits),
                strict=True,
            )
        ]

    @property
    def held(self) -> int:
        """How many entries wait for something, and are not dropped."""
        return self._table.waiting_count if self._top_k is None else len(self._top_k.best)

    @property
    def dropped(self) -> int:
        """How many entries were dropped."""
        return 0 if self._top_k is None else self._top_k.best.dropped

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        self._term_texts.forget()
        self._confidences.forget()

    def _kept(self, tau: int) -> EntryStates:
        """The entries that are kept at a moment."""
        found = self._table.waiting()
        found = found._replace(at=np.full(len(found.at), tau))
        return found if self._top_k is None else self._top_k.only_kept(found)

    def _impossible(self, ended: EntryStates) -> Column:
        """Per entry that ended the first hypothesis that is no longer possible."""
        found = np.full(len(ended.at), NO_REASON)
        deadlines = self._table.deadlines.of(ended.values)
        for position in reversed(self._order):
            missed = (deadlines[:, position] <= ended.at) & (ended.bits >> position & 1 == 0)
            found[missed] = position
        return found

    def _lines(self, values: Rows, at: Column, status: Column, detail: Column) -> list[str]:
        """Lines in order; ``detail`` is a reason for what is withdrawn, else the bits."""
        order = np.lexsort((*self._ranks(values), status, at))
        return self._texts(values[order], at[order], status[order], detail[order])

    def _texts(self, values: Rows, at: Column, status: Column, detail: Column) -> list[str]:
        """A line for each row."""
        out = np.empty(len(at), object)
        confidences = self._confidence_texts(values, at, status, detail)
        for kind in AnswerStatus:
            rows = np.flatnonzero(status == kind)
            details, which = np.unique(detail[rows], return_inverse=True)
            for number, each in enumerate(details.tolist()):
                chosen = rows[which == number]
                template = self._template(kind, each)
                some, when = values[chosen], at[chosen]
                out[chosen] = list(
                    fill_template(template, some, self._term_texts, when, confidences[chosen])
                )
        found: list[str] = out.tolist()
        return found

    def _confidence_texts(
        self, values: Rows, at: Column, status: Column, detail: Column
    ) -> npt.NDArray[np.object_]:
        """The confidence of each row that is supported, if lines have it."""
        out = np.empty(len(at), object)
        if self._with_confidence:
            rows = np.flatnonzero(status == AnswerStatus.SUPPORTED)
            found, which = self._confidences.of(EntryStates(values[rows], detail[rows], at[rows]))
            out[rows] = np.array(list(map(format_confidence, found)), object)[which]
        return out

    def _best(self, entries: EntryStates) -> Column:
        """The positions of entries, the most probable first, those of equal ones by text."""
        _, confidence = self._confidences.of(entries)
        best: Column = np.lexsort((*self._ranks(entries.values), -confidence))
        return best

    def _ranks(self, values: Rows) -> list[Column]:
        """The order of answers by text: a key for each variable, the last one first."""
        return [self._rank(slot, values[:, slot.column]) for slot in reversed(self._answer.slots)]

    def _rank(self, slot: TemplateSlot, column: Column) -> Column:
        """The order of values in texts of answers.

        No value is the beginning of another, with the quote or bracket behind it; so texts are in
        the order of their values, from left to right.
        """
        distinct, which = np.unique(column, return_inverse=True)
        if slot.time:
            texts = [f"{number + slot.offset}}}" for number in distinct.tolist()]
        else:
            texts = self._term_texts.column(distinct, TextForm.APART)
        return text_ranks(texts)[which]

    def _template(self, status: AnswerStatus, detail: int) -> LineTemplate:
        found = self._templates.get((status, detail))
        if found is None:
            found = self._templates[status, detail] = self._made(status, detail)
        return found

    def _made(self, status: AnswerStatus, detail: int) -> LineTemplate:
        """The template of the lines of a status, for a reason or for the bits."""
        is_open = status is not AnswerStatus.WITHDRAWN
        arrived = [self._atoms[i] for i in self._order if is_open and detail >> i & 1]
        awaited = [self._atoms[i] for i in self._order if is_open and not detail >> i & 1]
        missed = [] if is_open or detail < 0 else [self._atoms[detail]]
        because = "null"
        if not is_open:
            because = missed[0].form if missed else quote_json(self._reasons[detail])
        confidence = DECIDED.get(status, "%s") if self._with_confidence else None
        form = write_line(
            "%d",
            status,
            self._answer.form,
            [atom.form for atom in arrived],
            [atom.form for atom in awaited],
            because,
            confidence,
        )
        parts = chain.from_iterable(e.slots for e in (self._answer, *arrived, *awaited, *missed))
        last = [TemplateSlot(CONFIDENCE, time=False)] * (confidence == "%s")
        return LineTemplate(form, (TemplateSlot(TAU, time=True), *parts, *last))
