"""The writer of answers to a query: their text, and until when they may gain entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from rete.arrays.delta import POS_INF
from rete.terms.dictionary import Dictionary, constant
from rif.syntax.terms import Literal, Variable
from temporal.hypothetical.arrival.delays import DelayBounds
from temporal.hypothetical.output.entry_schema import AnswerValues
from temporal.hypothetical.output.line_templates import STATUS_NAMES, AnswerStatus, query_bindings
from temporal.hypothetical.syntax.ast import (
    ObjectTerm,
    SchematicAnswer,
    SortedVariable,
    TemporalAtom,
    TimeTerm,
)
from temporal.hypothetical.syntax.term_text import TermTexts, TextForm, quote_json

_Ends: TypeAlias = list[tuple[SortedVariable | None, int]]
"""Per hypothesis the variable of its time, and how long after that it may arrive."""


class AnswerWriter:
    """Writes answers to a query.

    Attributes:
        query: the query.
        term_texts: the texts of object terms.
    """

    __slots__ = ("_are_objects", "_names", "_schemata", "query", "term_texts")

    def __init__(
        self,
        query: TemporalAtom,
        answers: Sequence[SchematicAnswer],
        delays: DelayBounds,
        terms: Dictionary,
    ) -> None:
        self.query = query
        self.term_texts = TermTexts(terms)
        self._schemata: list[tuple[list[int | tuple[SortedVariable, int]], _Ends]] = [
            (
                [_value(value, terms) for _, value in query_bindings(query, each.answer)],
                [
                    (
                        None if atom.time.variable is None else (True, atom.time.variable),
                        atom.time.offset + delays.of(atom),
                    )
                    for atom in each.hypotheses
                ],
            )
            for each in answers
        ]
        variables = list(query_bindings(query, query))
        self._names = [quote_json(name) for name, _ in variables]
        self._are_objects = [not isinstance(value, TimeTerm) for _, value in variables]

    def text(self, answer: AnswerValues) -> str:
        """An answer as JSON, by which lines are ordered."""
        written = []
        for name, value, is_object in zip(self._names, answer, self._are_objects, strict=True):
            if isinstance(value, str):
                text = quote_json(value)
            else:
                text = self.term_texts.of(value, TextForm.APART) if is_object else str(value)
            written.append(f"{name}:{text}")
        return f"{{{','.join(written)}}}"

    def line(  # noqa: PLR0913 - the keys
        self,
        tau: int,
        status: AnswerStatus,
        answer: str,
        lists: Sequence[str],
        *,
        because: str | None = None,
        confidence: str | None = None,
    ) -> str:
        """A line about an answer; its text, evidence and hypotheses are JSON."""
        evidence, hypotheses = lists
        reason = "null" if because is None else quote_json(because)
        last = "" if confidence is None else f',"confidence":{confidence}'
        return (
            f'{{"tau":{tau},"status":"{STATUS_NAMES[status]}","answer":{answer},"evidence":{evidence},'
            f'"hypotheses":{hypotheses},"because":{reason}{last}}}'
        )

    def ids(self, answer: AnswerValues) -> Iterator[int]:
        """The ids of object terms in an answer."""
        for value, is_object in zip(answer, self._are_objects, strict=True):
            if is_object and isinstance(value, int):
                yield value

    def until(self, answer: AnswerValues) -> int:
        """The last moment at which input could still complete a confirmed answer."""
        return max(
            (_last(ends, known) for ends, known in self._matching_schemata(answer)),
            default=-1,
        )

    def _matching_schemata(
        self, answer: AnswerValues
    ) -> Iterator[tuple[_Ends, Mapping[SortedVariable, int]]]:
        """The schematic answers that match an answer, each with the values of its variables."""
        for values, ends in self._schemata:
            known: dict[SortedVariable, int] = {}
            pairs = zip(values, answer, strict=True)
            if all(_agrees(value, own, known) for value, own in pairs):
                yield ends, known


def _agrees(
    value: int | tuple[SortedVariable, int], own: int | str, known: dict[SortedVariable, int]
) -> bool:
    assert isinstance(own, int)
    if isinstance(value, int):
        return value == own
    name, offset = value
    return known.setdefault(name, own - offset) == own - offset


def _last(ends: _Ends, known: Mapping[SortedVariable, int]) -> int:
    return max(
        end if name is None else known[name] + end if name in known else POS_INF
        for name, end in ends
    )


def _value(value: ObjectTerm | TimeTerm, terms: Dictionary) -> int | tuple[SortedVariable, int]:
    """The value of a variable of a query: a constant, or a variable and an offset."""
    if isinstance(value, Literal):
        return constant(str(value), terms)
    if isinstance(value, Variable):
        return (False, value.name), 0
    if value.variable is None:
        return value.offset
    return (True, value.variable), value.offset
