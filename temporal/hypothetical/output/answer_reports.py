"""Reports of the answers of a query, as lines.

If there is one schematic answer, all its hypotheses have the same variables, and the answer has
them too, then an entry is an answer, and each of its states has hypotheses that no other has. So
the changes of the table are what is to be reported. Otherwise entries are rivals.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from rete.arrays.delta import Column, columns
from rete.terms.dictionary import Dictionary
from rif.errors.base import RuleError
from rif.syntax.garbage_collection import collector_paused
from temporal.hypothetical.arrival.lateness import ArrivalProspects, answer_window
from temporal.hypothetical.evidence.entry_table import EntryStates, EntryTable
from temporal.hypothetical.live_entries import ranks_of
from temporal.hypothetical.output.answer_lines import (
    NO_REASON,
    TOO_MANY,
    AnswerLines,
    ReportedRows,
)
from temporal.hypothetical.output.entry_columns import EntryColumns
from temporal.hypothetical.output.line_templates import AnswerStatus
from temporal.hypothetical.output.rival_entries import RivalEntries
from temporal.hypothetical.output.rival_states import SetKey
from temporal.hypothetical.output.schematic_parts import warn_of_free_times
from temporal.hypothetical.ranking.arrival_probability import AwaitedArrivals
from temporal.hypothetical.ranking.top_k import TopK
from temporal.hypothetical.syntax.ast import SchematicAnswer, TemporalAtom, variables_of


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


class AnswerReports:
    """Makes lines from the changes of all tables of entries.

    Attributes:
        warning: about sets that are told although less is enough; None: there are none.
    """

    def __init__(
        self,
        query: TemporalAtom,
        tables: Sequence[EntryTable],
        terms: Dictionary,
        prospects: ArrivalProspects,
        most: int | None,
    ) -> None:
        answers = [table.schematic for table in tables]
        self._tables = tables
        self._columns = EntryColumns(query, tables, terms, prospects)
        self._lines = AnswerLines(query, self._columns, most)
        self._tau = -1
        self.warning: RuleError | None = None
        self._rivals: RivalEntries | None = None
        self._order: list[int] = []
        self._kept: TopK[tuple[int, ...], AwaitedArrivals] | None = None
        if has_single_entries(answers):
            atoms = answers[0].hypotheses
            self._order = sorted(
                range(len(atoms)), key=lambda i: (atoms[i].time.offset, f"{atoms[i].predicate}(")
            )
            if most is not None:
                self._kept = TopK(most, prospects.grade)
            return
        self.warning = warn_of_free_times(query, tables, terms)
        window = answer_window(answers, prospects.delays)
        latest = None if window is None else window.delay + query.time.offset
        rival_sets = None if most is None else TopK[SetKey, AwaitedArrivals](most, prospects.grade)
        self._rivals = RivalEntries(self._columns, latest, rival_sets)

    def report(
        self, changes: Sequence[tuple[EntryStates, EntryStates]], frontier: int
    ) -> list[str]:
        """The lines of what happened until the frontier, in order."""
        self._tau = frontier
        if not changes:
            return []
        begun, ended = map(self._columns.rows, zip(*changes, strict=True))
        if self._rivals is not None:
            with collector_paused():
                return self._lines.of(self._rivals.settle(begun, ended, frontier))
        parts = []
        if self._kept is not None:
            begun, ended, dropped = self._cut(self._kept, begun, ended)
            parts.append(self._withdrawn(dropped, np.full(len(dropped.at), TOO_MANY)))
        is_whole = begun.bits == self._tables[0].all_bits
        status = np.where(is_whole, AnswerStatus.ANSWER, AnswerStatus.SUPPORTED)
        parts += self._withdrawn(ended, self._missed(ended)), self._supported(begun, status)
        return self._lines.of(ReportedRows.joined(parts))

    def drain(self) -> list[str]:
        """The lines of what is still open at the end of input; nothing may come after."""
        rows = self._waiting() if self._rivals is None else self._rivals.left()
        rows = rows._replace(at=np.full(len(rows.at), self._tau))
        return self._lines.of(self._withdrawn(rows, np.full(len(rows.at), NO_REASON)))

    def ranked(self) -> list[tuple[Fraction, str]]:
        """The sets of hypotheses that are kept now: the confidence and the line of each.

        The best first, equal ones by the text of the answer, then by their hypotheses. Costs
        O(entries).
        """
        if self._rivals is None:
            rows = self._waiting()
            found = self._supported(rows, np.full(len(rows.at), AnswerStatus.SUPPORTED))
        else:
            found = self._rivals.live()
        found = found._replace(rows=found.rows._replace(at=np.full(len(found.status), self._tau)))
        lines = self._lines.unordered(found)
        confidences = self._columns.confidences(found.rows)
        rank = ranks_of(confidences, descending=True)
        answers = self._columns.answer_keys(self._columns.answers(found.rows.entries))
        order = np.lexsort((*reversed(found.lists.T), *answers, rank))
        return [(confidences[place], lines[place]) for place in order.tolist()]

    @property
    def held(self) -> int:
        """How many sets of hypotheses are minimal, of all answers, and not dropped."""
        if self._rivals is not None:
            return len(self._rivals.live().status)
        return len(self._waiting().at) if self._kept is None else len(self._kept)

    @property
    def dropped(self) -> int:
        """How many sets of hypotheses were dropped."""
        kept = self._kept if self._rivals is None else self._rivals.kept
        return 0 if kept is None else kept.dropped

    @property
    def object_ids(self) -> Column:
        """The ids of what is held beside the entries of tables."""
        return columns([]) if self._rivals is None else self._rivals.object_ids

    def _waiting(self) -> EntryStates:
        """The entries without rivals that are kept."""
        rows = self._columns.rows([self._tables[0].waiting()])
        if self._kept is None:
            return rows
        is_kept = [tuple(entry) in self._kept for entry in rows.entries.tolist()]
        return rows.only(np.array(is_kept, np.bool_))

    def _cut(
        self,
        kept: TopK[tuple[int, ...], AwaitedArrivals],
        begun: EntryStates,
        ended: EntryStates,
    ) -> tuple[EntryStates, EntryStates, EntryStates]:
        """The begun and ended entries without rivals that are reported, and those dropped."""
        answers = self._columns.answers(begun.entries)
        new = zip(
            begun.at.tolist(),
            map(tuple, begun.entries.tolist()),
            zip(self._columns.answer_texts(answers), strict=True),
            self._columns.awaited(begun),
            strict=True,
        )
        old = zip(ended.at.tolist(), map(tuple, ended.entries.tolist()), strict=True)
        found = kept.settle(new, old)
        dropped = self._columns.rows_of([entry for _, entry in found.dropped])
        return (
            begun.only(columns(found.begun)),
            ended.only(columns(found.ended)),
            dropped._replace(at=columns(tau for tau, _ in found.dropped)),
        )

    def _supported(self, rows: EntryStates, status: Column) -> ReportedRows:
        """Entries without rivals."""
        come = [rows.bits >> place & 1 for place in self._order]
        places = [2 * place + 2 + each for place, each in zip(self._order, come, strict=True)]
        lists = np.zeros((len(rows.at), 0), np.int64)
        return ReportedRows.open(rows, status, np.stack(places, axis=1), lists)

    def _withdrawn(self, rows: EntryStates, reason: Column) -> ReportedRows:
        count = self._columns.most_atoms
        return ReportedRows.withdrawn(rows, reason, count, 2 * count * (self._rivals is not None))

    def _missed(self, ended: EntryStates) -> Column:
        """Per entry without rivals that ended the first hypothesis that is no longer possible."""
        found = np.full(len(ended.at), NO_REASON)
        deadlines = self._tables[0].deadlines.of(self._columns.values(ended.entries, 0))
        for place in reversed(self._order):
            late = (deadlines[:, place] <= ended.at) & (ended.bits >> place & 1 == 0)
            found[late] = place
        return found
