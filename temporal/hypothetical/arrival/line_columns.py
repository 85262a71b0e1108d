"""A chunk of lines of facts as columns.

One regular expression splits most lines. `read_line` reads the others, ``@TAU Pred(c,...,t)`` or
``@TAU``, token by token; their values go into the same columns. Refused lines are counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, NoReturn, TypeAlias

import numpy as np

from rete.arrays.delta import Column
from rete.terms.faults import FaultCache
from rif.errors.base import RuleError, Span
from rif.errors.report import shorten
from rif.syntax.lexical import MAX_TOKEN
from temporal.facts.bulk_columns import Mask
from temporal.hypothetical.syntax.atom_parser import MAX_TIME, parse_arguments
from temporal.hypothetical.syntax.errors import (
    BadTime,
    HypOutOfBounds,
    HypRuleAmongFacts,
    with_hyp_code,
)
from temporal.text import atom_parser
from temporal.text.scanner import LineScanner, encoding_fault
from temporal.text.writer import write_atom, write_constant

_FACT: Final = "a line is an arrival and a fact, @5 Temp(wt2,high,4), or an arrival alone, @5"
_TAU: Final = re.compile(r"[0-9]+(?![^\s#])")
_ARROW: Final = re.compile(r":-|->")


class ArrivalRecord(NamedTuple):
    """A fact with its arrival, or, with the predicate "", an arrival alone."""

    tau: int
    predicate: str = ""
    args: tuple[str, ...] = ()
    time: int = 0


@dataclass(slots=True)
class RefusedLines:
    """The lines that were not taken in, by code; and facts of predicates that no rule has."""

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
    """The record or the fault of a line; None: nothing but blanks or a comment.

    What is no UTF-8 stands in ``text`` as surrogates.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        at = len(text[: error.start].encode())
        raw = text.encode(errors="surrogateescape")
        return with_hyp_code(encoding_fault(raw, at, number))
    line = LineScanner(text, number)
    fact = line.read(_fact)
    return with_hyp_code(line.faults[0]) if line.faults else fact


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


Constants: TypeAlias = tuple[str, ...]

_LINE: Final = re.compile(
    r"""^(?:@([0-9]{1,17})(?:[ \t]+([^\s()@#"']+)\(([^()\[\]"'#\n]*,|)"""
    r"""[ \t]*([0-9]{1,17})[ \t]*\)\.?)?[ \t]*|(.*))$""",
    re.MULTILINE,
)
"""A fast line: arrival, predicate, arguments with a comma behind each, time; or any other."""
_NO_RECORD: Final = ArrivalRecord(-1)


class ArrivalChunk:
    """Whole lines, numbered from 0.

    Attributes:
        taus: (n,) the arrival on each line; -1: there is none, as on blank and faulty lines, and on
            what follows the last line break.
        times: (n,) the time of its fact; 0 if there is none.
        faults: what is wrong with lines that cannot be read, at the first of those that are alike,
            and how many they are.
    """

    def __init__(self, raw: bytes, begin: int) -> None:
        """Read lines, of which the first has the number ``begin`` + 1."""
        text = raw.decode(errors="surrogateescape")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        found: list[tuple[str, ...]] = _LINE.findall(text)
        taus, names, args, times, others = map(list, zip(*found, strict=True))
        self.faults: Counter[RuleError] = Counter()
        self._fault_cache: FaultCache[str, RuleError] = FaultCache()
        self._begin = begin
        self._names = names
        self._args: list[str | Constants] = [*args]
        self._parsed: dict[str | Constants, Constants | None] = {
            each: _fast_constants(each) for each in set(args)
        }
        slow_lines = self._slow_lines(others)
        lines = text.split("\n") if slow_lines else []
        for line in slow_lines:
            fact = self._parse_slowly(lines[line], line)
            taus[line], times[line] = str(fact.tau), str(fact.time)
            names[line], self._args[line] = fact.predicate, fact.args
            self._parsed[fact.args] = fact.args
        self.taus = np.array([int(tau or -1) for tau in taus], np.int64)
        self.times = np.array([int(time or 0) for time in times], np.int64)

    def span(self, line: int) -> Span:
        """Where a line stands."""
        return Span(self._begin + line + 1, 1, self._begin + line + 1, 2)

    def fact(self, line: int) -> str:
        """The fact on a line, as text."""
        args = self._parsed[self._args[line]] or ()
        written = [*map(write_constant, args), str(self.times[line])]
        return write_atom(self._names[line], written)

    def relations(self, accepted: Mask) -> Iterator[tuple[str, Column]]:
        """The lines of the facts of each predicate, ascending, of those that are ``accepted``."""
        codes = {name: code for code, name in enumerate(dict.fromkeys(self._names))}
        found = np.fromiter(map(codes.__getitem__, self._names), np.int64, len(self._names))
        rows = np.flatnonzero(accepted & (found != codes.get("", -1)))
        rows = rows[np.argsort(found[rows], kind="stable")]
        begins = np.flatnonzero(np.diff(found[rows], prepend=-1))
        for chosen in np.split(rows, begins[1:]):
            if len(chosen):
                yield self._names[chosen[0]], chosen

    def args(self, rows: Column) -> tuple[list[Constants], Column]:
        """The distinct arguments of facts, time not among them; and which of them each has."""
        written = list(map(self._args.__getitem__, rows.tolist()))
        number = {each: position for position, each in enumerate(dict.fromkeys(written))}
        which = np.fromiter(map(number.__getitem__, written), np.int64, len(written))
        return [self._parsed[each] or () for each in number], which

    def _slow_lines(self, others: list[str]) -> list[int]:
        """The lines that the parser is to read."""
        slow_lines = {line for line, other in enumerate(others) if other}
        bad_args = {each for each, parsed in self._parsed.items() if parsed is None}
        if bad_args:
            slow_lines.update(line for line, each in enumerate(self._args) if each in bad_args)
        bad_names = {
            name for name in set(self._names) if name and not atom_parser.WORD.fullmatch(name)
        }
        if bad_names:
            slow_lines.update(line for line, name in enumerate(self._names) if name in bad_names)
        return sorted(slow_lines)

    def _parse_slowly(self, text: str, line: int) -> ArrivalRecord:
        """The record of a line, read by the parser; faults are kept, and counted if they recur."""
        fault = self._fault_cache.get(text)
        if fault is None:
            found = read_line(text, self._begin + line + 1)
            if not isinstance(found, RuleError):
                return found or _NO_RECORD
            fault = found
            self._fault_cache.remember(text, fault)
        self.faults[fault] += 1
        return _NO_RECORD


def _fast_constants(args: str) -> Constants | None:
    """The arguments of a fast line; None: the parser is to read them."""
    if not args:
        return ()
    found = tuple(arg.strip(" \t") for arg in args[:-1].split(","))
    if len(found) > atom_parser.MAX_ARGUMENTS or len(args) > MAX_TOKEN or not args.isprintable():
        return None
    return found if all(map(atom_parser.BARE.fullmatch, found)) else None
