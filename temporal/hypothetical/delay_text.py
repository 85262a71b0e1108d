"""Delays as text: ``2`` of all facts, ``Temp=2`` of a predicate, ``Temp(wt2,_)=3`` of instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rif.ast import Span
from rif.cursor import shorten
from temporal.hypothetical.ast import Program
from temporal.hypothetical.atoms import MOST
from temporal.hypothetical.delays import Delays
from temporal.hypothetical.errors import BadDelay, OutOfBounds
from temporal.hypothetical.pattern_text import Key, Option, by_predicate, parse_texts


def parse_delays(texts: Sequence[str], program: Program) -> Delays:
    """The delays that texts say, one a text, of what comes in where a program runs.

    Of predicates that the program does not have the result has no pattern, but their names.

    Raises:
        RuleErrors: there are faults; all of them, each on the line of its text.
    """
    said = parse_texts(texts, program, _OPTION)
    return Delays(said.get(None, 0), by_predicate(said, program))


def _number(text: str, _: Key, span: Span) -> int:
    if not (text.isascii() and text.isdigit()):
        message = f"{shorten(text) or 'nothing'} is no natural number"
        raise BadDelay(message, span)
    if len(text) > len(str(MOST)) or int(text) > MOST:
        message = f"{shorten(text)} is more than {MOST}"
        raise OutOfBounds(message, span)
    return int(text)


_OPTION: Final = Option("--delay", "delay", BadDelay, _number, str)
