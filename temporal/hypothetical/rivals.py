"""Answers with several entries at a time: what is said of them, answer by answer.

Of the entries of an answer θ those count whose hypotheses are minimal among all of θ, whatever
schematic answer they are of. What is said of a moment is found when all that happened at it is
known. Costs some tens of microseconds for each state of an entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import groupby, repeat
from operator import itemgetter
from typing import TypeAlias

import numpy as np

from rete.delta import columns
from rete.dictionary import Dictionary
from rete.texts import Ids
from rif.collector import collector_paused
from temporal.hypothetical.ast import Atom, Premises
from temporal.hypothetical.delays import Delays
from temporal.hypothetical.entries import Event, Evidence, Hypotheses, Known, Moment
from temporal.hypothetical.instances import Instances
from temporal.hypothetical.lines import END_OF_INPUT, Status, Writings, quoted
from temporal.hypothetical.question import Question
from temporal.hypothetical.schemas import DEADLINE, TEXT, Answer, Schema
from temporal.hypothetical.tally import Tally, Turns

_Said: TypeAlias = tuple[int, str, Sequence[Evidence], str]
"""What orders lines of one moment, and the line."""


class Rivals:
    """Makes lines of the turns of all tallies."""

    __slots__ = (
        "_entries",
        "_instances",
        "_known",
        "_numbers",
        "_question",
        "_schemas",
        "_until",
        "_writings",
    )

    def __init__(
        self,
        query: Atom,
        premises: Sequence[Premises],
        delays: Delays,
        terms: Dictionary,
        tallies: Sequence[tuple[Premises, Tally]],
    ) -> None:
        """Begin; each of ``tallies`` stands with the schematic answer it belongs to."""
        self._writings = Writings(terms)
        self._question = Question(query, premises, delays, terms, self._writings)
        self._schemas = [Schema(query, each, tally, self._writings) for each, tally in tallies]
        self._numbers = {tally: number for number, (_, tally) in enumerate(tallies)}
        self._instances = Instances(
            (schema.shape for schema in self._schemas), timed=query.time.variable is not None
        )
        self._known: dict[Answer, Known] = {}
        self._entries: dict[tuple[int, ...], Hypotheses] = {}
        self._until: list[tuple[int, Answer]] = []

    def tell(self, told: Sequence[tuple[Tally, Turns]], frontier: int) -> list[str]:
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
            if known.told and not known.is_confirmed and not known.has_confirmed
        )
        return [
            self._question.line(tau, Status.WITHDRAWN, text, ("[]", "[]"), END_OF_INPUT)
            for text in sorted(map(self._question.text, open_))
        ]

    @property
    def held(self) -> int:
        """How many sets of hypotheses there are, of all answers, that are minimal."""
        return sum(
            not any(other.beats(some) for other in known.alive)
            for known in self._known.values()
            for some in known.alive
        )

    def things(self) -> Iterable[Ids]:
        """The ids that are known here alone."""
        yield columns(thing for answer in self._known for thing in self._question.ids(answer))

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        self._writings.forget()

    def _events(self, told: Iterable[tuple[Tally, Turns]]) -> Iterator[Event]:
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
                yield from map(Event._make, zip(*parts, strict=False))

    def _moment(self, tau: int, events: Iterable[Event]) -> Iterator[_Said]:
        """What is said of one moment, in any order."""
        touched: dict[Answer, Moment] = {}
        for event in events:
            self._enter(event, touched)
        closing: dict[Answer, None] = {}
        for answer, happened in touched.items():
            known = self._known[answer]
            closing[answer] = None
            for general in self._instances.generals(answer):
                closing[general] = None
            if happened.answered:
                yield self._confirmed(tau, answer, known, min(happened.answered))
                continue
            for hypotheses, evidences in happened.begun.items():
                atoms = hypotheses.atoms
                if atoms not in known.told and not known.beats(hypotheses):
                    known.told.add(atoms)
                    yield self._said(tau, Status.SUPPORTED, answer, (min(evidences), sorted(atoms)))
            if not known.alive:
                known.because = min(happened.missed)[TEXT]
            self._wait(answer, known, waits=bool(known.alive))
        for answer in closing:
            yield from self._closed(tau, answer)

    def _enter(self, event: Event, touched: dict[Answer, Moment]) -> None:
        """Let an event change what is known of its answer."""
        _, ends, schema, entry, bits, answer, atoms = event
        before = self._entries.pop(entry, None)
        known = self._known.get(answer)
        if known is None:
            if ends:
                return
            known = self._known[answer] = Known()
            known.has_confirmed = self._instances.has_confirmed(answer)
        if known.is_confirmed:
            return
        happened = touched.get(answer)
        if happened is None:
            happened = touched[answer] = Moment()
        if before is not None:
            known.alive[before] -= 1
            if not known.alive[before]:
                del known.alive[before]
        if ends:
            assert before is not None
            happened.ended[before] = [
                atom
                for i, atom in enumerate(atoms)
                if atom[DEADLINE] <= event.at and not bits >> i & 1
            ]
            return
        arrived = sorted({atom for i, atom in enumerate(atoms) if bits >> i & 1})
        lacking = frozenset(atoms).difference(arrived)
        if not lacking:
            happened.answered.append(arrived)
            return
        hypotheses = Hypotheses(lacking, schema.least)
        happened.begun.setdefault(hypotheses, []).append(arrived)
        known.alive[hypotheses] = known.alive.get(hypotheses, 0) + 1
        self._entries[entry] = hypotheses

    def _confirmed(self, tau: int, answer: Answer, known: Known, evidence: Evidence) -> _Said:
        self._wait(answer, known, waits=False)
        known.is_confirmed = True
        known.alive.clear()
        known.told.clear()
        for general in self._instances.confirm(answer):
            if general in self._known:
                self._known[general].has_confirmed = True
        heappush(self._until, (self._question.until(answer), answer))
        return self._said(tau, Status.ANSWER, answer, (evidence, []))

    def _wait(self, answer: Answer, known: Known, *, waits: bool) -> None:
        """Note whether an answer has entries."""
        if known.waits != waits:
            known.waits = waits
            self._instances.wait(answer, 1 if waits else -1)

    def _closed(self, tau: int, answer: Answer) -> Iterator[_Said]:
        """That an answer is withdrawn, if neither it nor an instance of it has an entry."""
        known = self._known.get(answer)
        if known is None or known.alive or known.is_confirmed:
            return
        if answer in self._instances.waiting:
            return
        del self._known[answer]
        if known.told and not known.has_confirmed:
            yield self._said(tau, Status.WITHDRAWN, answer, ([], []), known.because)

    def _said(
        self,
        tau: int,
        status: Status,
        answer: Answer,
        atoms: tuple[Evidence, Evidence],
        because: str | None = None,
    ) -> _Said:
        text = self._question.text(answer)
        evidence, hypotheses = atoms
        line = self._question.line(tau, status, text, list(map(_list, atoms)), because)
        return int(status), text, (hypotheses, evidence), line


def _list(atoms: Evidence) -> str:
    """The texts of atoms as JSON."""
    return f"[{','.join([quoted(atom[TEXT]) for atom in atoms])}]"
