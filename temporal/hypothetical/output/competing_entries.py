"""Lines about answers that may have several entries at a time, made answer by answer.

Of the entries of an answer θ those count whose hypotheses are minimal among all of θ, whatever
schematic answer they are of. The lines of a moment are made when all its changes are known.
Costs some tens of microseconds for each state of an entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import groupby, repeat
from operator import itemgetter
from typing import Final, TypeAlias

import numpy as np

from rete.arrays.delta import POS_INF
from rif.syntax.garbage_collection import collector_paused
from temporal.hypothetical.arrival.delays import answer_window
from temporal.hypothetical.evidence.confidence import ArrivalProspects
from temporal.hypothetical.evidence.entry_table import EntryTable, TableChanges
from temporal.hypothetical.output.answer_instances import InstanceCounts
from temporal.hypothetical.output.answer_state import (
    AnswerState,
    Evidence,
    HypothesisSet,
    MomentChanges,
)
from temporal.hypothetical.output.competing_top_k import CompetingTopK
from temporal.hypothetical.output.entry_schema import (
    DEADLINE,
    TEXT,
    AnswerValues,
    EntrySchema,
    HypothesisRecord,
    is_free,
)
from temporal.hypothetical.output.line_templates import (
    DECIDED,
    AnswerStatus,
    answer_pieces,
    write_answer,
    write_line,
)
from temporal.hypothetical.ranking.arrival_probability import format_confidence
from temporal.hypothetical.ranking.top_k import END_OF_INPUT, OrderText, dropped_reason
from temporal.hypothetical.syntax.ast import TemporalAtom
from temporal.hypothetical.syntax.term_text import TermTexts, quote_json

_Event: TypeAlias = tuple[
    int, bool, tuple[int, ...], int, AnswerValues, tuple[HypothesisRecord, ...]
]
"""A state of an entry began, or an entry ended: when, whether it ended, the number of its schema
with its values, the hypotheses that have arrived as bits, its answer, all hypotheses."""
_OrderedLine: TypeAlias = tuple[int, str, Sequence[Evidence], str]
"""A line, behind what orders the lines of one moment."""
_NOTHING: Final = HypothesisSet(frozenset(), ())


class CompetingEntries:
    """Makes lines from the changes of all tables of entries."""

    __slots__ = (
        "_confirmed_until",
        "_dropped_reason",
        "_entries",
        "_form",
        "_instances",
        "_prospects",
        "_query",
        "_schemas",
        "_states",
        "_term_texts",
        "_top_k",
        "_window",
    )

    def __init__(
        self,
        query: TemporalAtom,
        tables: Sequence[EntryTable],
        term_texts: TermTexts,
        prospects: ArrivalProspects,
        most: int | None,
    ) -> None:
        self._query, self._term_texts, self._prospects = query, term_texts, prospects
        self._form = write_answer(dict.fromkeys(answer_pieces(query, query, ()), "%s"))
        self._schemas = [EntrySchema(query, each, term_texts, prospects) for each in tables]
        self._instances = InstanceCounts(
            (schema.shape for schema in self._schemas), time_is_free=query.time.variable is not None
        )
        self._states: dict[AnswerValues, AnswerState] = {}
        self._entries: dict[tuple[int, ...], HypothesisSet] = {}
        self._confirmed_until: list[tuple[int, AnswerValues]] = []
        self._window = answer_window((table.schematic for table in tables), prospects.delays)
        self._top_k = None
        if most is not None:
            self._top_k = CompetingTopK(most, prospects.grade, self._order)
        self._dropped_reason = dropped_reason(most or 0)

    def report(self, changes: Sequence[TableChanges], frontier: int) -> list[str]:
        """The lines of what happened until the frontier, in order."""
        lines: list[str] = []
        with collector_paused():
            events = sorted(self._events(changes), key=itemgetter(0))
            for tau, some in groupby(events, key=itemgetter(0)):
                lines += map(itemgetter(-1), sorted(self._lines_of_moment(tau, some)))
        while self._confirmed_until and self._confirmed_until[0][0] <= frontier:
            answer = heappop(self._confirmed_until)[1]
            del self._states[answer]
            self._instances.count(self._instances.confirmed, answer, -1)
        return lines

    def drain(self, tau: int) -> list[str]:
        """The lines of what is still open at the end of input."""
        confirmed = self._instances.confirmed
        lines = (
            self._withdrawn(tau, answer, END_OF_INPUT)
            for answer, state in self._states.items()
            if state.is_open and answer not in confirmed
        )
        return [line for *_, line in sorted(lines)]

    def ranked(self, tau: int) -> list[tuple[Fraction, str]]:
        """What is kept at a moment: the confidence of each set, the best first, and its line."""
        kept: dict[tuple[AnswerValues, HypothesisSet], Evidence] = {}
        for schema in self._schemas:
            values, every, _ = schema.table.waiting()
            rows = zip(every.tolist(), schema.answers(values), schema.atoms(values), strict=False)
            for bits, answer, atoms in rows:
                arrived, some = _split(atoms, bits, schema)
                state = self._states.get(answer)
                if state and some in state.alive and not state.makes_redundant(some):
                    kept[answer, some] = min(arrived, kept.get((answer, some), arrived))
        order = sorted(kept, key=lambda key: (-self._confidence(tau, key[1]), self._order(*key)))
        return [
            (self._confidence(tau, key[1]), self._line(tau, *key, kept[key])[-1]) for key in order
        ]

    @property
    def held(self) -> int:
        """How many sets of hypotheses are minimal, of all answers, and not dropped."""
        return sum(len(state.minimal()) for state in self._states.values())

    @property
    def dropped(self) -> int:
        """How many sets of hypotheses were dropped."""
        return 0 if self._top_k is None else self._top_k.best.dropped

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        self._term_texts.forget()
        for schema in self._schemas:
            schema.forget()

    def _events(self, changes: Iterable[TableChanges]) -> Iterator[_Event]:
        for number, (_, table_changes) in enumerate(changes):
            schema = self._schemas[number]
            for ends, states in ((True, table_changes.ended), (False, table_changes.begun)):
                values = states.values
                yield from zip(
                    states.at.tolist(),
                    repeat(ends),
                    map(tuple, np.insert(values, 0, number, axis=1).tolist()),
                    states.bits.tolist(),
                    schema.answers(values),
                    schema.atoms(values),
                    strict=False,
                )

    def _lines_of_moment(self, tau: int, events: Iterable[_Event]) -> Iterator[_OrderedLine]:
        """The lines of one moment, in any order."""
        touched: dict[AnswerValues, MomentChanges] = {}
        for event in events:
            self._enter(event, touched)
        begun: list[tuple[AnswerValues, dict[HypothesisSet, Evidence]]] = []
        for answer, happened in touched.items():
            state = self._states[answer]
            if happened.answered:
                state.confirm()
                self._instances.count(self._instances.confirmed, answer, 1)
                heappush(self._confirmed_until, (self._until(answer), answer))
                yield self._line(tau, answer, _NOTHING, min(happened.answered), AnswerStatus.ANSWER)
            begun += ((answer, found) for found in state.report(happened.begun))
        dropped_answers: frozenset[AnswerValues] = frozenset()
        if self._top_k is not None:
            dropped_answers = self._top_k.cut(tau, touched, self._states)
        for answer, found in begun:
            state = self._states[answer]
            if all(hypotheses in state.alive for hypotheses in found):
                state.is_open = True
                yield self._line(tau, answer, next(iter(found)), min(found.values()))
        closing: dict[AnswerValues, None] = {}
        for answer in (*touched, *dropped_answers.difference(touched)):
            self._note_end(answer, None if answer in dropped_answers else touched[answer])
            closing |= dict.fromkeys((answer, *self._instances.generals(answer)))
        for answer in closing:
            yield from self._closed(tau, answer)

    def _enter(self, event: _Event, touched: dict[AnswerValues, MomentChanges]) -> None:
        """Let an event change the state of its answer."""
        at, ends, entry, bits, answer, atoms = event
        before = self._entries.pop(entry, None)
        state = self._states.get(answer)
        if state is None:
            if ends:
                return
            state = self._states[answer] = AnswerState()
        if state.is_confirmed:
            return
        happened = touched.get(answer)
        if happened is None:
            happened = touched[answer] = MomentChanges()
        if before is not None:
            if ends and before in state.alive:
                happened.ended[before] = [
                    atom
                    for i, atom in enumerate(atoms)
                    if atom[DEADLINE] <= at and not bits >> i & 1
                ]
            state.count(before, -1)
        if ends:
            return
        arrived, hypotheses = _split(atoms, bits, self._schemas[entry[0]])
        if not hypotheses.atoms:
            happened.answered.append(arrived)
            return
        happened.begun.setdefault(hypotheses, []).append(arrived)
        state.count(hypotheses, 1)
        self._entries[entry] = hypotheses

    def _note_end(self, answer: AnswerValues, happened: MomentChanges | None) -> None:
        """Note whether an answer has entries that are kept, and if it has no more, why."""
        state = self._states[answer]
        if state.waits == bool(state.alive):
            return
        if state.waits and not state.is_confirmed:
            missed = [] if happened is None else [*happened.missed]
            state.because = min(missed)[TEXT] if missed else self._dropped_reason
        state.waits = not state.waits
        self._instances.count(self._instances.waiting, answer, 1 if state.waits else -1)

    def _closed(self, tau: int, answer: AnswerValues) -> Iterator[_OrderedLine]:
        """The line that an answer is withdrawn, if neither it nor an instance has an entry."""
        state = self._states.get(answer)
        if state is None or state.alive or state.is_confirmed:
            return
        if answer in self._instances.waiting:
            return
        if not state.dropped:
            del self._states[answer]
        if state.is_open and answer not in self._instances.confirmed:
            yield self._withdrawn(tau, answer, state.because)
        state.is_open = False

    def _until(self, answer: AnswerValues) -> int:
        """The last moment at which input could still complete a confirmed answer."""
        if self._window is None:
            return POS_INF
        time = self._query.time
        value = 0 if time.variable is None else int(answer[-1])
        return value + time.offset + self._window.delay

    def _withdrawn(self, tau: int, answer: AnswerValues, because: str) -> _OrderedLine:
        return self._line(tau, answer, _NOTHING, [], AnswerStatus.WITHDRAWN, quote_json(because))

    def _line(  # noqa: PLR0913, PLR0917 - what a line has
        self,
        tau: int,
        answer: AnswerValues,
        hypotheses: HypothesisSet,
        evidence: Evidence,
        status: AnswerStatus = AnswerStatus.SUPPORTED,
        because: str = "null",
    ) -> _OrderedLine:
        confidence = None
        if self._prospects.has_chances:
            confidence = DECIDED.get(status)
            confidence = confidence or format_confidence(self._confidence(tau, hypotheses))
        lists = sorted(hypotheses.atoms), evidence
        awaited, arrived = ([quote_json(atom[TEXT]) for atom in some] for some in lists)
        text = self._text(answer)
        line = write_line(tau, status, text, arrived, awaited, because, confidence)
        return int(status), text, lists, line

    def _text(self, answer: AnswerValues) -> str:
        """An answer as JSON, by which lines are ordered."""
        return self._form % tuple([quote_json(e) if is_free(e) else e for e in answer])

    def _order(self, answer: AnswerValues, hypotheses: HypothesisSet) -> OrderText:
        """What orders sets of hypotheses of the same confidence."""
        return self._text(answer), sorted(hypotheses.atoms), hypotheses.least

    def _confidence(self, tau: int, hypotheses: HypothesisSet) -> Fraction:
        """How probable it is at a moment that all of some hypotheses arrive."""
        return 1 - self._prospects.grade(hypotheses.awaited, tau)[0]


def _split(
    atoms: Sequence[HypothesisRecord], bits: int, schema: EntrySchema
) -> tuple[Evidence, HypothesisSet]:
    """The atoms of an entry that have arrived, in order; and those that have not."""
    arrived = sorted({atom for i, atom in enumerate(atoms) if bits >> i & 1})
    return arrived, HypothesisSet(frozenset(atoms).difference(arrived), schema.least)
