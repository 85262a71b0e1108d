"""Lines about answers, made in columns: what is reported, in order, and its JSON text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain
from json.encoder import encode_basestring as quote_json
from typing import Final, NamedTuple

import numpy as np

from rete.arrays.delta import Column, Rows
from temporal.hypothetical.evidence.entry_table import EntryStates
from temporal.hypothetical.output.entry_columns import EntryColumns
from temporal.hypothetical.output.line_templates import (
    CONFIDENCE,
    TAU,
    AnswerStatus,
    LineTemplate,
    TemplateSlot,
    answer_terms,
    atom_template,
    fill_template,
    json_piece,
    quote_pieces,
)
from temporal.hypothetical.ranking.arrival_probability import format_confidence
from temporal.hypothetical.ranking.top_k import END_OF_INPUT, dropped_reason
from temporal.hypothetical.syntax.ast import TemporalAtom

NO_REASON: Final = -1
TOO_MANY: Final = -2
_DECIDED: Final = {AnswerStatus.WITHDRAWN: "0", AnswerStatus.ANSWER: "1"}
"""The confidences of what is decided."""


class ReportedRows(NamedTuple):
    """Rows to be reported.

    Attributes:
        rows: entries, and when; their bits are all hypotheses but those that are awaited.
        status: (n,) of each its `AnswerStatus`.
        reason: (n,) the hypothesis by which it is withdrawn, `NO_REASON` or `TOO_MANY`.
        places: (n, k) twice the number of a hypothesis from 1, and 1 more if it has arrived, in the
            order of the line; 0 behind the last.
        lists: (n, l) what orders reports of one answer, the first column first.
    """

    rows: EntryStates
    status: Column
    reason: Column
    places: Rows
    lists: Rows

    @classmethod
    def joined(cls, parts: Sequence[ReportedRows]) -> ReportedRows:
        """The rows of all ``parts``."""
        some = [part for part in parts if len(part.status)] or parts[:1]
        if len(some) == 1:
            return some[0]
        rows, *others = zip(*some, strict=True)
        return cls(EntryStates.joined(rows), *map(np.concatenate, others))

    def only(self, chosen: Column) -> ReportedRows:
        """The rows at some places, in that order."""
        return ReportedRows(self.rows.only(chosen), *(column[chosen] for column in self[1:]))

    @classmethod
    def open(cls, rows: EntryStates, status: Column, places: Rows, lists: Rows) -> ReportedRows:
        """Rows that are supported or certain."""
        return cls(rows, status, np.full(len(rows.at), NO_REASON), places, lists)

    @classmethod
    def withdrawn(cls, rows: EntryStates, reason: Column, places: int, lists: int) -> ReportedRows:
        """Rows that are withdrawn, with numbers of empty ``places`` and ``lists``."""
        count = len(rows.at)
        status = np.full(count, AnswerStatus.WITHDRAWN)
        widths = places, lists
        return cls(rows, status, reason, *(np.zeros((count, n), np.int64) for n in widths))


class AnswerLines:
    """Writes lines; ``most`` sets of hypotheses are kept."""

    def __init__(self, query: TemporalAtom, entry_columns: EntryColumns, most: int | None) -> None:
        self._columns = entry_columns
        self._has_confidence = entry_columns.prospects.has_chances
        self._reasons = {NO_REASON: END_OF_INPUT, TOO_MANY: dropped_reason(most or 0)}
        self._answers: list[LineTemplate] = []
        self._atoms: list[list[LineTemplate]] = []
        for table in entry_columns.tables:
            names, schematic = table.names, table.schematic
            terms_of = answer_terms(query, schematic.answer)
            parts = {e: LineTemplate.of([json_piece(t, names)]) for e, t in terms_of.items()}
            form = ",".join(f"{quote_json(name)}:{part.form}" for name, part in parts.items())
            slots = chain.from_iterable(part.slots for part in parts.values())
            self._answers.append(LineTemplate(f"{{{form}}}", tuple(slots)))
            self._atoms.append(
                [
                    LineTemplate.of(quote_pieces(atom_template(atom, names)))
                    for atom in schematic.hypotheses
                ]
            )
        self._template = cache(self._made)

    def of(self, reported: ReportedRows) -> list[str]:
        """The lines of what is reported, in order.

        Rows are put in order before their lines are made, so that lines which are written one
        after the other lie beside each other in memory.
        """
        rows = reported.rows
        if len(reported.status) > 1:
            answers = self._columns.answer_keys(self._columns.answers(rows.entries))
            lists = reversed(reported.lists.T)
            reported = reported.only(np.lexsort((*lists, *answers, reported.status, rows.at)))
        return self.unordered(reported)

    def unordered(self, reported: ReportedRows) -> list[str]:
        """A line for each row."""
        rows, status = reported.rows, reported.status
        if not len(status):
            return []
        parts = status, reported.reason, rows.entries[:, 0], reported.places
        keys = np.column_stack(parts)
        firsts, layout = self._columns.terms.distinct(keys)
        confidences = np.empty(len(status), object)
        if self._has_confidence:
            some = np.flatnonzero(status == AnswerStatus.SUPPORTED)
            found = self._columns.confidences(rows.only(some))
            confidences[some] = [*map(format_confidence, found)]
        out = np.empty(len(status), object)
        order = layout.argsort(kind="stable")
        ends = np.bincount(layout).cumsum()[:-1]
        for first, chosen in zip(keys[firsts].tolist(), np.split(order, ends), strict=True):
            template = self._template(*first)
            values, at = rows.entries[chosen, 1:], rows.at[chosen]
            made = fill_template(template, values, self._columns.texts, at, confidences[chosen])
            out[chosen] = [*made]
        lines: list[str] = out.tolist()
        return lines

    def _made(self, status: int, reason: int, table: int, *places: int) -> LineTemplate:
        """The template of lines that have all this alike."""
        answer, atoms = self._answers[table], self._atoms[table]
        listed = [(atoms[(place >> 1) - 1], place & 1) for place in places if place]
        arrived, awaited = ([atom for atom, come in listed if come == has] for has in (1, 0))
        missed = [atoms[reason]] if reason >= 0 else []
        because = "null"
        if status == AnswerStatus.WITHDRAWN:
            because = missed[0].form if missed else quote_json(self._reasons[reason])
        confidence = (
            f',"confidence":{_DECIDED.get(AnswerStatus(status), "%s")}' * self._has_confidence
        )
        evidence, hypotheses = (",".join(e.form for e in some) for some in (arrived, awaited))
        form = (
            f'{{"tau":%d,"status":"{AnswerStatus(status).name.lower()}","answer":{answer.form},'
            f'"evidence":[{evidence}],"hypotheses":[{hypotheses}],"because":{because}{confidence}}}'
        )
        parts = chain.from_iterable(e.slots for e in (answer, *arrived, *awaited, *missed))
        last = [TemplateSlot(CONFIDENCE, time=False)] * confidence.count("%s")
        return LineTemplate(form, (TemplateSlot(TAU, time=True), *parts, *last))
