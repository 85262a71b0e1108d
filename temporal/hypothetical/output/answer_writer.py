"""The question: how answers to a query are written, and until when they may get more entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from rete.arrays.delta import POS_INF
from rete.terms.dictionary import Dictionary, constant
from rif.syntax.terms import Literal, Variable
from temporal.hypothetical.arrival.delays import DelayBounds
from temporal.hypothetical.output.entry_schema import AnswerValues
from temporal.hypothetical.output.line_templates import NAMES, AnswerStatus, query_bindings
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
    """A query, with what its resolution found.

    Attributes:
        query: the query.
        writings: how things are written.
    """

    __slots__ = ("_names", "_schemata", "_things", "query", "writings")

    def __init__(
        self,
        query: TemporalAtom,
        premises: Sequence[SchematicAnswer],
        delays: DelayBounds,
        terms: Dictionary,
    ) -> None:
        self.query = query
        self.writings = TermTexts(terms)
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
            for each in premises
        ]
        variables = list(query_bindings(query, query))
        self._names = [quote_json(name) for name, _ in variables]
        self._things = [not isinstance(value, TimeTerm) for _, value in variables]

    def text(self, answer: AnswerValues) -> str:
        """An answer as lines have it, by which they are ordered."""
        written = []
        for name, value, is_thing in zip(self._names, answer, self._things, strict=True):
            if isinstance(value, str):
                text = quote_json(value)
            else:
                text = self.writings.of(value, TextForm.APART) if is_thing else str(value)
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
        """What is said of an answer, as it is written; evidence and hypotheses as JSON."""
        evidence, hypotheses = lists
        reason = "null" if because is None else quote_json(because)
        last = "" if confidence is None else f',"confidence":{confidence}'
        return (
            f'{{"tau":{tau},"status":"{NAMES[status]}","answer":{answer},"evidence":{evidence},'
            f'"hypotheses":{hypotheses},"because":{reason}{last}}}'
        )

    def ids(self, answer: AnswerValues) -> Iterator[int]:
        """The things of an answer."""
        for value, is_thing in zip(answer, self._things, strict=True):
            if is_thing and isinstance(value, int):
                yield value

    def until(self, answer: AnswerValues) -> int:
        """The last moment at which input could still complete a confirmed answer."""
        return max(
            (_last(ends, known) for ends, known in self._asking(answer)),
            default=-1,
        )

    def _asking(self, answer: AnswerValues) -> Iterator[tuple[_Ends, Mapping[SortedVariable, int]]]:
        """The schematic answers that may be this one, each with the values that it knows then."""
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
    """What a variable of a query is: a constant, or a variable with what is added to it."""
    if isinstance(value, Literal):
        return constant(str(value), terms)
    if isinstance(value, Variable):
        return (False, value.name), 0
    if value.variable is None:
        return value.offset
    return (True, value.variable), value.offset
