"""A question that is followed from Python: text in, what is said of answers out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rete.dictionary import Dictionary
from temporal.hypothetical.arrivals import Intake
from temporal.hypothetical.delay_text import parse_delays
from temporal.hypothetical.facts import Refused
from temporal.hypothetical.online import Online
from temporal.hypothetical.resolution import resolve
from temporal.hypothetical.text import parse_program, parse_query


@dataclass(frozen=True, slots=True)
class Told:
    """A line of what is said.

    Attributes:
        tau: when it is said.
        status: ``supported``, ``answer`` or ``withdrawn``.
        answer: variable of the query -> constant, or time.
        evidence, hypotheses: facts as text.
        because: what did not come, of what is withdrawn.
    """

    tau: int
    status: str
    answer: Mapping[str, str | int]
    evidence: Sequence[str]
    hypotheses: Sequence[str]
    because: str | None


class Hypothesiser:
    """A program, a query, and delays as texts, such as ``Temp(wt2,_)=3``."""

    def __init__(self, program: str, query: str, delays: Sequence[str] = ()) -> None:
        """Begin.

        Raises:
            RuleErrors, RuleError: one of them has faults, or the query cannot be followed.
        """
        rules, atom, terms = parse_program(program), parse_query(query), Dictionary()
        late = parse_delays(delays, rules)
        self._intake = Intake(rules, late, terms)
        self._online = Online(resolve(rules, atom).premises, atom, late, terms)

    @property
    def refused(self) -> Refused:
        """The lines that were not taken in."""
        return self._intake.refused

    def follow(self, text: str | Iterable[str], *, drain: bool = False) -> Iterator[Told]:
        """What is said as lines ``@ARRIVAL FACT`` come in; all of a moment once a later one does.

        Text may come in pieces, cut anywhere: 0.3 ms a piece, 4 µs a line. ``drain`` ends at the
        end of them what is still open then.
        """
        pieces = [text] if isinstance(text, str) else text
        for slices in self._intake.read(piece.encode() for piece in pieces):
            yield from _read(self._online.push(slices))
            self._online.sweep(self._intake.held)
        if drain:
            yield from _read(self._online.drain())


def _read(lines: Iterable[str]) -> Iterator[Told]:
    return (Told(**json.loads(line)) for line in lines)
