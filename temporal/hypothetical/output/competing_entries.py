"""Answers with several entries at a time: what is said of them, answer by answer.

Of the entries of an answer θ those count whose hypotheses are minimal among all of θ, whatever
schematic answer they are of. What is said of a moment is found when all that happened at it is
known. Costs some tens of microseconds for each state of an entry.
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
from temporal.hypothetical.evidence.entry_table import EntryChanges, EntryTable
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
from temporal.hypothetical.syntax.ast import SchematicAnswer
from temporal.ranking.top_k import dropped_reason


class CompetingEntries:
    """Makes lines of the turns of all tallies."""

    __slots__ = (
        "_cap",
        "_entries",
        "_instances",
        "_known",
        "_numbers",
        "_question",
        "_ranking",
        "_sayings",
        "_schemas",
        "_too_many",
        "_until",
    )

    def __init__(
        self,
        question: AnswerWriter,
        tallies: Sequence[tuple[SchematicAnswer, EntryTable]],
        prospects: ArrivalProspects,
        most: int | None,
    ) -> None:
        """Begin; each of ``tallies`` stands with the schematic answer it belongs to."""
        self._question = question
        query = question.query
        self._schemas = [
            EntrySchema(query, each, tally, question.writings, prospects) for each, tally in tallies
        ]
        self._numbers = {tally: number for number, (_, tally) in enumerate(tallies)}
        self._instances = InstanceCounts(
            (schema.shape for schema in self._schemas), timed=query.time.variable is not None
        )
        self._known: dict[AnswerValues, AnswerState] = {}
        self._entries: dict[tuple[int, ...], HypothesisSet] = {}
        self._until: list[tuple[int, AnswerValues]] = []
        self._ranking = HypothesisRanking(question, prospects)
        self._sayings = AnswerLines(
            question, self._ranking, tells_confidence=prospects.are_reported
        )
        self._cap = None if most is None else CompetingTopK(most, self._ranking)
        self._too_many = dropped_reason(most or 0)

    def tell(self, told: Sequence[tuple[EntryTable, EntryChanges]], frontier: int) -> list[str]:
        """The lines of what happened until the frontier, in order."""
        lines: list[str] = []
        with collector_paused():
            events = sorted(self._events(told), key=itemgetter(0))
            for tau, some in groupby(events, key=itemgetter(0)):
                lines += map(itemgetter(-1), sorted(self._moment(tau, some)))
        while self._until and self._until[0][0] <= frontier:
            answer = heappop(self._until)[1]
            del self._known[answer]
            self._instances.forget(answer)
        return lines

    def drain(self, tau: int) -> list[str]:
        """The lines of what is still open at the end of input."""
        open_ = (
            answer
            for answer, known in self._known.items()
            if known.is_open and not known.has_confirmed
        )
        said = sorted(self._sayings.withdrawn(tau, answer, END_OF_INPUT) for answer in open_)
        return [line for *_, line in said]

    def ranked(self, tau: int) -> list[tuple[Fraction, str]]:
        """What is held at a moment: the confidence of each set, the best first, and its line."""
        held: dict[tuple[AnswerValues, HypothesisSet], Evidence] = {}
        for tally, number in self._numbers.items():
            schema, (values, every, _) = self._schemas[number], tally.waiting()
            rows = zip(every.tolist(), schema.answers(values), schema.atoms(values), strict=False)
            for bits, answer, atoms in rows:
                arrived, lacking = _parted(atoms, bits)
                hypotheses = HypothesisSet(lacking, schema.least)
                known = self._known.get(answer)
                if known and hypotheses in known.alive and not known.makes_redundant(hypotheses):
                    key = answer, hypotheses
                    held[key] = min(arrived, held.get(key, arrived))
        order = sorted(held, key=lambda key: self._ranking.of(tau, *key))
        return [
            (
                self._ranking.confidence(tau, some),
                self._sayings.supported(tau, answer, some, held[answer, some])[-1],
            )
            for answer, some in order
        ]

    @property
    def held(self) -> int:
        """How many sets of hypotheses are minimal, of all answers, and not dropped."""
        return sum(len(known.minimal()) for known in self._known.values())

    @property
    def dropped(self) -> int:
        """How many sets of hypotheses were dropped."""
        return 0 if self._cap is None else self._cap.cap.dropped

    def things(self) -> Iterable[Ids]:
        """The ids that are known here alone."""
        yield columns(thing for answer in self._known for thing in self._question.ids(answer))

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        self._question.writings.forget()
        for schema in self._schemas:
            schema.forget()

    def _events(self, told: Iterable[tuple[EntryTable, EntryChanges]]) -> Iterator[EntryEvent]:
        for tally, turns in told:
            number = self._numbers[tally]
            schema = self._schemas[number]
            for ends, states in ((True, turns.ended), (False, turns.begun)):
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

    def _moment(self, tau: int, events: Iterable[EntryEvent]) -> Iterator[OrderedLine]:
        """What is said of one moment, in any order."""
        touched: dict[AnswerValues, MomentChanges] = {}
        for event in events:
            self._enter(event, touched)
        for answer, happened in touched.items():
            if happened.answered:
                yield self._confirmed(tau, answer, self._known[answer], min(happened.answered))
        begun = list(self._begun(touched))
        lost: frozenset[AnswerValues] = frozenset()
        if self._cap is not None:
            lost = self._cap.cut(tau, touched, self._known)
        for answer, found in begun:
            known = self._known[answer]
            if all(hypotheses in known.alive for hypotheses in found):
                known.is_open = True
                yield self._sayings.supported(tau, answer, next(iter(found)), min(found.values()))
        closing: dict[AnswerValues, None] = {}
        for answer in (*touched, *lost.difference(touched)):
            self._look(answer, touched.get(answer, MomentChanges()), lost)
            closing[answer] = None
            closing.update(dict.fromkeys(self._instances.generals(answer)))
        for answer in closing:
            yield from self._closed(tau, answer)

    def _begun(
        self, touched: Mapping[AnswerValues, MomentChanges]
    ) -> Iterator[tuple[AnswerValues, dict[HypothesisSet, Evidence]]]:
        """What is told for the first time, if it is held: with the least evidence of each.

        What has the same atoms, and differs in what free times may be, is told as one.
        """
        for answer, happened in touched.items():
            known = self._known[answer]
            new: dict[frozenset[HypothesisRecord], dict[HypothesisSet, Evidence]] = {}
            for hypotheses, evidences in happened.begun.items():
                if known.is_confirmed or known.was_dropped(hypotheses):
                    continue
                if hypotheses.atoms not in known.reported and not known.makes_redundant(hypotheses):
                    new.setdefault(hypotheses.atoms, {})[hypotheses] = min(evidences)
            known.reported.update(new)
            yield from ((answer, found) for found in new.values())

    def _look(
        self, answer: AnswerValues, happened: MomentChanges, lost: frozenset[AnswerValues]
    ) -> None:
        """Note whether an answer has entries that are held, and if it has no more, why."""
        known = self._known[answer]
        if known.waits and not known.alive and not known.is_confirmed:
            missed = [] if answer in lost else list(happened.missed)
            known.because = min(missed)[TEXT] if missed else self._too_many
        self._wait(answer, known, waits=bool(known.alive))

    def _enter(self, event: EntryEvent, touched: dict[AnswerValues, MomentChanges]) -> None:
        """Let an event change what is known of its answer."""
        _, ends, schema, entry, bits, answer, atoms = event
        before = self._entries.pop(entry, None)
        known = self._known.get(answer)
        if known is None:
            if ends:
                return
            known = self._known[answer] = AnswerState()
            known.has_confirmed = self._instances.has_confirmed(answer)
        if known.is_confirmed:
            return
        happened = touched.get(answer)
        if happened is None:
            happened = touched[answer] = MomentChanges()
        if before is not None:
            if ends and before in known.alive:
                happened.ended[before] = [
                    atom
                    for i, atom in enumerate(atoms)
                    if atom[DEADLINE] <= event.at and not bits >> i & 1
                ]
            known.count(before, -1)
        if ends:
            return
        arrived, lacking = _parted(atoms, bits)
        if not lacking:
            happened.answered.append(arrived)
            return
        hypotheses = HypothesisSet(lacking, schema.least)
        happened.begun.setdefault(hypotheses, []).append(arrived)
        known.count(hypotheses, 1)
        self._entries[entry] = hypotheses

    def _confirmed(
        self, tau: int, answer: AnswerValues, known: AnswerState, evidence: Evidence
    ) -> OrderedLine:
        known.is_confirmed, known.is_open = True, False
        known.alive.clear()
        known.dropped.clear()
        known.reported.clear()
        for general in self._instances.confirm(answer):
            if general in self._known:
                self._known[general].has_confirmed = True
        heappush(self._until, (self._question.until(answer), answer))
        return self._sayings.certain(tau, answer, evidence)

    def _wait(self, answer: AnswerValues, known: AnswerState, *, waits: bool) -> None:
        """Note whether an answer has entries."""
        if known.waits != waits:
            known.waits = waits
            self._instances.wait(answer, 1 if waits else -1)

    def _closed(self, tau: int, answer: AnswerValues) -> Iterator[OrderedLine]:
        """That an answer is withdrawn, if neither it nor an instance of it has an entry."""
        known = self._known.get(answer)
        if known is None or known.alive or known.is_confirmed:
            return
        if answer in self._instances.waiting:
            return
        if not known.dropped:
            del self._known[answer]
        if known.is_open and not known.has_confirmed:
            yield self._sayings.withdrawn(tau, answer, known.because)
        known.is_open = False


def _parted(
    atoms: Sequence[HypothesisRecord], bits: int
) -> tuple[Evidence, frozenset[HypothesisRecord]]:
    """What has arrived of the atoms of an entry, in order; and what has not."""
    arrived = sorted({atom for i, atom in enumerate(atoms) if bits >> i & 1})
    return arrived, frozenset(atoms).difference(arrived)
