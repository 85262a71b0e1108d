"""A query followed from Python: text in, reports of answers out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from rete.terms.dictionary import Dictionary
from rif.errors.base import RuleError
from temporal.hypothetical.arrival.chances import parse_chances
from temporal.hypothetical.arrival.delays import parse_delays
from temporal.hypothetical.arrival.intake import ArrivalIntake
from temporal.hypothetical.arrival.line_columns import RefusedLines
from temporal.hypothetical.online_evaluation import OnlineEvaluation
from temporal.hypothetical.resolution.resolver import resolve
from temporal.hypothetical.syntax.program_parser import parse_program, parse_query


@dataclass(frozen=True, slots=True)
class Told:
    """A line about an answer.

    Attributes:
        status: ``supported``, ``answer`` or ``withdrawn``.
        answer: variable of the query -> constant, or time.
        because: of what is withdrawn, the fact that did not arrive.
        confidence: how probable the answer is, if chances are given: rounded as lines have it.
    """

    tau: int
    status: str
    answer: Mapping[str, str | int]
    evidence: Sequence[str]
    hypotheses: Sequence[str]
    because: str | None
    confidence: Fraction | None = None


class Hypothesiser:
    """A query over a program, with delays and chances of facts, all as texts."""

    def __init__(
        self,
        program: str,
        query: str,
        delays: Sequence[str] = (),
        chances: Sequence[str] = (),
        *,
        most: int | None = None,
    ) -> None:
        """Begin, with delays such as ``Temp(wt2,_)=3`` and chances such as ``Temp=0.8,0.95``.

        ``most`` entries are kept, 1 or more; the least probable are dropped.

        Raises:
            RuleErrors, RuleError: one of them has faults, or the query cannot be followed.
        """
        rules, atom, terms = parse_program(program), parse_query(query), Dictionary()
        delay_bounds = parse_delays(delays, rules)
        self._intake = ArrivalIntake(rules, delay_bounds, terms)
        arrival_chances = parse_chances(chances, rules, delay_bounds) if chances else None
        answers = resolve(rules, atom).answers
        self._online = OnlineEvaluation(
            answers, atom, delay_bounds, terms, arrival_chances, most=most
        )

    @property
    def warning(self) -> RuleError | None:
        """About sets told although less is enough (`TimeNotKnown`); None: there are none."""
        return self._online.warning

    @property
    def refused(self) -> RefusedLines:
        """The lines that were not taken in."""
        return self._intake.refused

    @property
    def dropped(self) -> int:
        """How many entries were dropped, as there were more than are kept."""
        return self._online.dropped

    def ranked(self) -> list[Told]:
        """The sets that are kept, as they are supported now: the most probable first, then by text.

        Confidences are exact; 1 if no chances are given. Costs O(entries).
        """
        found = self._online.ranked()
        told = _parse_lines(line for _, line in found)
        return [
            replace(each, confidence=confidence)
            for (confidence, _), each in zip(found, told, strict=True)
        ]

    def follow(self, text: str | Iterable[str], *, drain: bool = False) -> Iterator[Told]:
        """The reports as lines ``@ARRIVAL FACT`` come in; all of a moment once a later one comes.

        Text may come in pieces, cut anywhere: 0.3 ms a piece, 4 µs a line. ``drain`` ends at the
        end of them what is still open then.
        """
        pieces = [text] if isinstance(text, str) else text
        for slices in self._intake.read(piece.encode() for piece in pieces):
            yield from _parse_lines(self._online.push(slices))
            self._online.sweep(self._intake.pending_ids)
        if drain:
            yield from _parse_lines(self._online.drain())


def _parse_lines(lines: Iterable[str]) -> Iterator[Told]:
    for line in lines:
        told = Told(**json.loads(line, parse_float=Fraction))
        if told.confidence is not None:
            told = replace(told, confidence=Fraction(told.confidence))
        yield told
