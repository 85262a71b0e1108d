"""The parser of a line of facts, ``@TAU Pred(c,...,t)`` or ``@TAU``; the count of refused lines."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple, NoReturn

from rif.errors.base import RuleError
from rif.errors.report import shorten
from temporal.hypothetical.syntax.atom_parser import MAX_TIME, parse_arguments
from temporal.hypothetical.syntax.errors import (
    BadTime,
    HypOutOfBounds,
    HypRuleAmongFacts,
    with_hyp_code,
)
from temporal.text import atom_parser
from temporal.text.scanner import LineScanner, ParseAbort

_FACT: Final = "a line is an arrival and a fact, @5 Temp(wt2,high,4), or an arrival alone, @5"
_TAU: Final = re.compile(r"[0-9]+(?![^\s#])")
_ARROW: Final = re.compile(r":-|->")


class ArrivalRecord(NamedTuple):
    """A fact with its arrival, or an arrival alone.

    Attributes:
        tau: when it arrived.
        predicate: "" if only time moved.
        args: constants, time not among them.
        time: when it holds.
    """

    tau: int
    predicate: str = ""
    args: tuple[str, ...] = ()
    time: int = 0


@dataclass(slots=True)
class RefusedLines:
    """The lines that were not taken in.

    Attributes:
        counts: how many of each code.
        ignored: how many facts are of predicates that no rule has.
    """

    counts: Counter[str] = field(default_factory=Counter)
    ignored: int = 0
    _unreported: dict[str, RuleError] = field(default_factory=dict)

    def add(self, fault: RuleError, count: int = 1) -> None:
        """Count lines; ``fault`` is that of the first of them."""
        first = self._unreported.get(fault.code)
        if fault.code not in self.counts or (first and _place(fault) < _place(first)):
            self._unreported[fault.code] = fault
        self.counts[fault.code] += count

    def unreported(self) -> list[RuleError]:
        """The first fault of each code, by place, that was not given before."""
        found = sorted(self._unreported.values(), key=_place)
        self._unreported = {}
        return found


def _place(fault: RuleError) -> tuple[int, int]:
    return fault.span.line, fault.span.column


def read_line(text: str, number: int) -> ArrivalRecord | RuleError | None:
    """The record or the fault of a line; None: nothing but blanks or a comment."""
    line = LineScanner(text, number)
    with suppress(ParseAbort):
        line.check_length()
        if line.at_end():
            return None
        fact = _fact(line)
        if not line.faults:
            return fact
    return with_hyp_code(line.faults[0])


def _fact(line: LineScanner) -> ArrivalRecord:
    if not line.accept("@"):
        _no_fact(line, "expected @ and when the fact arrives")
    start = line.begin()
    digits = line.match(_TAU)
    if digits is None:
        line.fail(BadTime, "the arrival is no natural number", start, start + 1, _FACT)
    digits = digits.lstrip("0") or "0"
    if len(digits) > len(str(MAX_TIME)) or int(digits) > MAX_TIME:
        line.fail(HypOutOfBounds, f"{shorten(digits)} is more than {MAX_TIME}", start, line.taken)
    tau = int(digits)
    if line.at_end():
        return ArrivalRecord(tau)
    start = line.begin()
    name = line.match(atom_parser.WORD)
    if name is None:
        _no_fact(line, "expected a predicate")
    args, time = parse_arguments(line, name, atom_parser.parse_constant)
    if time.variable is not None:
        message = f"{shorten(str(time))} is no natural number"
        line.note(BadTime, message, start, line.taken, "")
    line.accept(".")
    if not line.at_end():
        _no_fact(line, "expected the end of the line")
    return ArrivalRecord(tau, name, args, time.offset)


def _no_fact(line: LineScanner, expected: str) -> NoReturn:
    if arrow := _ARROW.search(line.text):
        line.fail(HypRuleAmongFacts, "this is a rule", arrow.start(), arrow.end())
    line.unexpected(expected, _FACT)
