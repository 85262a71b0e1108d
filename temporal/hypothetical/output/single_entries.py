"""Answers that have one entry at a time: what is said of them, in columns.

So it is if there is one schematic answer, all its hypotheses have the same variables, and the
answer has them too. Then an entry is an answer, each of its states has hypotheses that no other
has, and what the tally tells is what is to be said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import Column, Rows, columns
from rete.arrays.term_columns import Ids
from temporal.hypothetical.evidence.confidence import ArrivalProspects, EntryConfidences
from temporal.hypothetical.evidence.entry_table import EntryChanges, EntryStates, EntryTable
from temporal.hypothetical.output.line_templates import (
    CONFIDENCE,
    END_OF_INPUT,
    AnswerStatus,
    LineTemplate,
    TemplatePiece,
    TemplateSlot,
    answer_template,
    atom_template,
    escape_pieces,
    fill_template,
    line_template,
)
from temporal.hypothetical.output.single_top_k import SingleTopK
from temporal.hypothetical.syntax.ast import SchematicAnswer, TemporalAtom, variables_of
from temporal.hypothetical.syntax.term_text import TermTexts, TextForm, text_ranks
from temporal.ranking.arrival_probability import format_confidence
from temporal.ranking.top_k import dropped_reason

NO_REASON: Final = -1
TOO_MANY: Final = -2


def has_single_entries(premises: Sequence[SchematicAnswer]) -> bool:
    """Whether each answer has one entry at a time, whose atoms have an order that is known."""
    if len(premises) != 1:
        return False
    hypotheses = premises[0].hypotheses
    names = variables_of(premises[0].answer)
    if any(variables_of(atom) != names for atom in hypotheses):
        return False
    places = {(atom.time.offset, atom.predicate) for atom in hypotheses}
    clocks = {atom.time.variable for atom in hypotheses}
    return len(places) == len(hypotheses) and len(clocks) == 1


class SingleEntries:
    """Makes lines of the turns of the one tally that there is."""

    __slots__ = (
        "_answer",
        "_atoms",
        "_cap",
        "_confidences",
        "_key",
        "_order",
        "_patterns",
        "_reasons",
        "_tally",
        "_tells_confidence",
        "_writings",
    )

    def __init__(
        self,
        query: TemporalAtom,
        premises: SchematicAnswer,
        tally: EntryTable,
        prospects: ArrivalProspects,
        most: int | None,
    ) -> None:
        self._tally = tally
        names = tally.names
        self._writings = TermTexts(tally.terms)
        hypotheses = premises.hypotheses
        self._order = sorted(
            range(len(hypotheses)),
            key=lambda i: (hypotheses[i].time.offset, f"{hypotheses[i].predicate}("),
        )
        self._atoms = [escape_pieces(atom_template(atom, names)) for atom in hypotheses]
        self._answer = list(answer_template(query, premises.answer, names))
        self._key = [piece for piece in self._answer if isinstance(piece, TemplateSlot)]
        self._patterns: dict[tuple[AnswerStatus, int], LineTemplate] = {}
        self._confidences = EntryConfidences(hypotheses, names, prospects, tally.terms)
        self._tells_confidence = prospects.are_reported
        self._cap = None if most is None else SingleTopK(most, prospects)
        self._reasons = {NO_REASON: END_OF_INPUT, TOO_MANY: dropped_reason(most or 0)}

    def tell(self, told: Sequence[tuple[EntryTable, EntryChanges]], frontier: int) -> list[str]:  # noqa: ARG002
        """The lines of what happened until the frontier, in order."""
        ((tally, turns),) = told
        dropped = turns.begun.only(columns([]))
        if self._cap is not None:
            turns, dropped = self._cap.cut(
                turns,
                list(
                    fill_template(LineTemplate.of(self._answer), turns.begun.values, self._writings)
                ),
                self._confidences.lacking(turns.begun),
            )
        begun, ended = turns
        status = np.where(begun.bits == tally.all_bits, AnswerStatus.ANSWER, AnswerStatus.SUPPORTED)
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
        open_ = self._held(tau)
        count = len(open_.bits)
        return self._lines(
            open_.values,
            open_.at,
            np.full(count, AnswerStatus.WITHDRAWN),
            np.full(count, NO_REASON),
        )

    def ranked(self, tau: int) -> list[tuple[Fraction, str]]:
        """What is held at a moment: the confidence of each entry, the best first, and its line."""
        held = self._held(tau)
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
        return self._tally.held if self._cap is None else len(self._cap.cap)

    @property
    def dropped(self) -> int:
        """How many entries were dropped."""
        return 0 if self._cap is None else self._cap.cap.dropped

    def things(self) -> Iterable[Ids]:
        """The ids that are known here alone: none."""
        return ()

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        self._writings.forget()
        self._confidences.forget()

    def _held(self, tau: int) -> EntryStates:
        """The entries that are held at a moment."""
        found = self._tally.waiting()
        found = found._replace(at=np.full(len(found.at), tau))
        return found if self._cap is None else self._cap.only_held(found)

    def _impossible(self, ended: EntryStates) -> Column:
        """Per entry that ended the first hypothesis that is no longer possible."""
        found = np.full(len(ended.at), NO_REASON)
        deadlines = self._tally.deadlines.of(ended.values)
        for place in reversed(self._order):
            missed = (deadlines[:, place] <= ended.at) & (ended.bits >> place & 1 == 0)
            found[missed] = place
        return found

    def _lines(self, values: Rows, at: Column, status: Column, detail: Column) -> list[str]:
        """Lines in order; ``detail`` is a reason for what is withdrawn, else the bits."""
        order = np.lexsort((*self._ranks(values), status, at))
        return self._texts(values[order], at[order], status[order], detail[order])

    def _texts(self, values: Rows, at: Column, status: Column, detail: Column) -> list[str]:
        """A line for each row."""
        out = np.empty(len(at), object)
        confidences = self._shown(values, at, status, detail)
        for kind in AnswerStatus:
            rows = np.flatnonzero(status == kind)
            details, which = np.unique(detail[rows], return_inverse=True)
            for number, each in enumerate(details.tolist()):
                chosen = rows[which == number]
                pattern = self._pattern(kind, each)
                some, when = values[chosen], at[chosen]
                out[chosen] = list(
                    fill_template(pattern, some, self._writings, when, confidences[chosen])
                )
        found: list[str] = out.tolist()
        return found

    def _shown(
        self, values: Rows, at: Column, status: Column, detail: Column
    ) -> npt.NDArray[np.object_]:
        """The confidence of each row that is supported, if it is told."""
        out = np.empty(len(at), object)
        if self._tells_confidence:
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
        return [self._rank(slot, values[:, slot.column]) for slot in reversed(self._key)]

    def _rank(self, slot: TemplateSlot, column: Column) -> Column:
        """The order of values in texts of answers.

        No value is the beginning of another, with the quote or bracket behind it; so texts are in
        the order of their values, from left to right.
        """
        distinct, which = np.unique(column, return_inverse=True)
        if slot.time:
            texts = [f"{number + slot.offset}}}" for number in distinct.tolist()]
        else:
            texts = self._writings.column(distinct, TextForm.APART)
        return text_ranks(texts)[which]

    def _pattern(self, status: AnswerStatus, detail: int) -> LineTemplate:
        found = self._patterns.get((status, detail))
        if found is None:
            found = LineTemplate.of(self._pieces(status, detail))
            self._patterns[status, detail] = found
        return found

    def _pieces(self, status: AnswerStatus, detail: int) -> list[TemplatePiece]:
        confidence: TemplatePiece | None = None
        if self._tells_confidence:
            known = {AnswerStatus.WITHDRAWN: "0", AnswerStatus.ANSWER: "1"}
            confidence = known.get(status, TemplateSlot(CONFIDENCE, time=False))
        if status is AnswerStatus.WITHDRAWN:
            because = self._atoms[detail] if detail >= 0 else [self._reasons[detail]]
            return list(line_template(status, self._answer, because=because, confidence=confidence))
        evidence = [self._atoms[i] for i in self._order if detail >> i & 1]
        hypotheses = [self._atoms[i] for i in self._order if not detail >> i & 1]
        return list(
            line_template(status, self._answer, evidence, hypotheses, confidence=confidence)
        )
