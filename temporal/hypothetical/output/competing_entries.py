"""Lines about answers that may have several entries at a time, made answer by answer.

Of the entries of an answer θ those count whose hypotheses are minimal among all of θ, whatever
schematic answer they are of. The lines of a moment are made when all its changes are known.
Costs some tens of microseconds for each state of an entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import groupby, repeat
from operator import itemgetter

import numpy as np

from rete.arrays.delta import columns
from rete.arrays.term_columns import Ids
from rif.syntax.garbage_collection import collector_paused
from temporal.hypothetical.evidence.confidence import ArrivalProspects
from temporal.hypothetical.evidence.entry_table import EntryTable, TableChanges
from temporal.hypothetical.output.answer_instances import InstanceCounts
from temporal.hypothetical.output.answer_lines import AnswerLines, OrderedLine
from temporal.hypothetical.output.answer_state import (
    AnswerState,
    EntryEvent,
    Evidence,
    HypothesisSet,
    MomentChanges,
)
from temporal.hypothetical.output.answer_writer import AnswerWriter
from temporal.hypothetical.output.competing_top_k import CompetingTopK, HypothesisRanking
from temporal.hypothetical.output.entry_schema import (
    DEADLINE,
    TEXT,
    AnswerValues,
    EntrySchema,
    HypothesisRecord,
)
from temporal.hypothetical.output.line_templates import END_OF_INPUT
from temporal.hypothetical.ranking.top_k import dropped_reason
from temporal.hypothetical.syntax.ast import SchematicAnswer


class CompetingEntries:
    """Makes lines from the changes of all tables of entries."""

    __slots__ = (
        "_confirmed_until",
        "_dropped_reason",
        "_entries",
        "_instances",
        "_lines",
        "_numbers",
        "_ranking",
        "_schemas",
        "_states",
        "_top_k",
        "_writer",
    )

    def __init__(
        self,
        writer: AnswerWriter,
        tables: Sequence[tuple[SchematicAnswer, EntryTable]],
        prospects: ArrivalProspects,
        most: int | None,
    ) -> None:
        """Begin; each of ``tables`` stands with the schematic answer it belongs to."""
        self._writer = writer
        query = writer.query
        self._schemas = [
            EntrySchema(query, each, table, writer.term_texts, prospects) for each, table in tables
        ]
        self._numbers = {table: number for number, (_, table) in enumerate(tables)}
        self._instances = InstanceCounts(
            (schema.shape for schema in self._schemas), time_is_free=query.time.variable is not None
        )
        self._states: dict[AnswerValues, AnswerState] = {}
        self._entries: dict[tuple[int, ...], HypothesisSet] = {}
        self._confirmed_until: list[tuple[int, AnswerValues]] = []
        self._ranking = HypothesisRanking(writer, prospects)
        self._lines = AnswerLines(writer, self._ranking, with_confidence=prospects.are_reported)
        self._top_k = None if most is None else CompetingTopK(most, self._ranking)
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
            self._instances.forget(answer)
        return lines

    def drain(self, tau: int) -> list[str]:
        """The lines of what is still open at the end of input."""
        open_ = (
            answer
            for answer, state in self._states.items()
            if state.is_open and not state.has_confirmed
        )
        lines = sorted(self._lines.withdrawn(tau, answer, END_OF_INPUT) for answer in open_)
        return [line for *_, line in lines]

    def ranked(self, tau: int) -> list[tuple[Fraction, str]]:
        """What is kept at a moment: the confidence of each set, the best first, and its line."""
        kept: dict[tuple[AnswerValues, HypothesisSet], Evidence] = {}
        for table, number in self._numbers.items():
            schema, (values, every, _) = self._schemas[number], table.waiting()
            rows = zip(every.tolist(), schema.answers(values), schema.atoms(values), strict=False)
            for bits, answer, atoms in rows:
                arrived, awaited = _split(atoms, bits)
                hypotheses = HypothesisSet(awaited, schema.least)
                state = self._states.get(answer)
                if state and hypotheses in state.alive and not state.makes_redundant(hypotheses):
                    key = answer, hypotheses
                    kept[key] = min(arrived, kept.get(key, arrived))
        order = sorted(kept, key=lambda key: self._ranking.of(tau, *key))
        return [
            (
                self._ranking.confidence(tau, some),
                self._lines.supported(tau, answer, some, kept[answer, some])[-1],
            )
            for answer, some in order
        ]

    @property
    def held(self) -> int:
        """How many sets of hypotheses are minimal, of all answers, and not dropped."""
        return sum(len(state.minimal()) for state in self._states.values())

    @property
    def dropped(self) -> int:
        """How many sets of hypotheses were dropped."""
        return 0 if self._top_k is None else self._top_k.best.dropped

    def object_ids(self) -> Iterable[Ids]:
        """The ids that only the states of answers have."""
        yield columns(
            object_id for answer in self._states for object_id in self._writer.ids(answer)
        )

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        self._writer.term_texts.forget()
        for schema in self._schemas:
            schema.forget()

    def _events(self, changes: Iterable[TableChanges]) -> Iterator[EntryEvent]:
        for table, table_changes in changes:
            number = self._numbers[table]
            schema = self._schemas[number]
            for ends, states in ((True, table_changes.ended), (False, table_changes.begun)):
                values = states.values
                entries = np.insert(values, 0, number, axis=1).tolist()
                parts = (
                    states.at.tolist(),
                    repeat(ends),
                    repeat(schema),
                    map(tuple, entries),
                    states.bits.tolist(),
                    schema.answers(values),
                    schema.atoms(values),
                )
                yield from map(EntryEvent._make, zip(*parts, strict=False))

    def _lines_of_moment(self, tau: int, events: Iterable[EntryEvent]) -> Iterator[OrderedLine]:
        """The lines of one moment, in any order."""
        touched: dict[AnswerValues, MomentChanges] = {}
        for event in events:
            self._enter(event, touched)
        for answer, happened in touched.items():
            if happened.answered:
                yield self._confirm(tau, answer, self._states[answer], min(happened.answered))
        begun = list(self._new_sets(touched))
        dropped_answers: frozenset[AnswerValues] = frozenset()
        if self._top_k is not None:
            dropped_answers = self._top_k.cut(tau, touched, self._states)
        for answer, found in begun:
            state = self._states[answer]
            if all(hypotheses in state.alive for hypotheses in found):
                state.is_open = True
                yield self._lines.supported(tau, answer, next(iter(found)), min(found.values()))
        closing: dict[AnswerValues, None] = {}
        for answer in (*touched, *dropped_answers.difference(touched)):
            self._note_end(answer, touched.get(answer, MomentChanges()), dropped_answers)
            closing[answer] = None
            closing.update(dict.fromkeys(self._instances.generals(answer)))
        for answer in closing:
            yield from self._closed(tau, answer)

    def _new_sets(
        self, touched: Mapping[AnswerValues, MomentChanges]
    ) -> Iterator[tuple[AnswerValues, dict[HypothesisSet, Evidence]]]:
        """Sets of hypotheses to be reported for the first time, with the least evidence of each.

        Sets of the same atoms that differ in the bounds of free times are reported as one.
        """
        for answer, happened in touched.items():
            state = self._states[answer]
            new: dict[frozenset[HypothesisRecord], dict[HypothesisSet, Evidence]] = {}
            for hypotheses, evidences in happened.begun.items():
                if state.is_confirmed or state.was_dropped(hypotheses):
                    continue
                if hypotheses.atoms not in state.reported and not state.makes_redundant(hypotheses):
                    new.setdefault(hypotheses.atoms, {})[hypotheses] = min(evidences)
            state.reported.update(new)
            yield from ((answer, found) for found in new.values())

    def _note_end(
        self,
        answer: AnswerValues,
        happened: MomentChanges,
        dropped_answers: frozenset[AnswerValues],
    ) -> None:
        """Note whether an answer has entries that are kept, and if it has no more, why."""
        state = self._states[answer]
        if state.waits and not state.alive and not state.is_confirmed:
            missed = [] if answer in dropped_answers else list(happened.missed)
            state.because = min(missed)[TEXT] if missed else self._dropped_reason
        self._note_waiting(answer, state, waits=bool(state.alive))

    def _enter(self, event: EntryEvent, touched: dict[AnswerValues, MomentChanges]) -> None:
        """Let an event change the state of its answer."""
        _, ends, schema, entry, bits, answer, atoms = event
        before = self._entries.pop(entry, None)
        state = self._states.get(answer)
        if state is None:
            if ends:
                return
            state = self._states[answer] = AnswerState()
            state.has_confirmed = self._instances.has_confirmed(answer)
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
                    if atom[DEADLINE] <= event.at and not bits >> i & 1
                ]
            state.count(before, -1)
        if ends:
            return
        arrived, awaited = _split(atoms, bits)
        if not awaited:
            happened.answered.append(arrived)
            return
        hypotheses = HypothesisSet(awaited, schema.least)
        happened.begun.setdefault(hypotheses, []).append(arrived)
        state.count(hypotheses, 1)
        self._entries[entry] = hypotheses

    def _confirm(
        self, tau: int, answer: AnswerValues, state: AnswerState, evidence: Evidence
    ) -> OrderedLine:
        state.is_confirmed, state.is_open = True, False
        state.alive.clear()
        state.dropped.clear()
        state.reported.clear()
        for general in self._instances.confirm(answer):
            if general in self._states:
                self._states[general].has_confirmed = True
        heappush(self._confirmed_until, (self._writer.until(answer), answer))
        return self._lines.certain(tau, answer, evidence)

    def _note_waiting(self, answer: AnswerValues, state: AnswerState, *, waits: bool) -> None:
        """Note whether an answer has entries."""
        if state.waits != waits:
            state.waits = waits
            self._instances.count_waiting(answer, 1 if waits else -1)

    def _closed(self, tau: int, answer: AnswerValues) -> Iterator[OrderedLine]:
        """The line that an answer is withdrawn, if neither it nor an instance has an entry."""
        state = self._states.get(answer)
        if state is None or state.alive or state.is_confirmed:
            return
        if answer in self._instances.waiting:
            return
        if not state.dropped:
            del self._states[answer]
        if state.is_open and not state.has_confirmed:
            yield self._lines.withdrawn(tau, answer, state.because)
        state.is_open = False


def _split(
    atoms: Sequence[HypothesisRecord], bits: int
) -> tuple[Evidence, frozenset[HypothesisRecord]]:
    """The atoms of an entry that have arrived, in order; and those that have not."""
    arrived = sorted({atom for i, atom in enumerate(atoms) if bits >> i & 1})
    return arrived, frozenset(atoms).difference(arrived)
