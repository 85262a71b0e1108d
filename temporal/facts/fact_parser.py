"""Facts: ``P(a,b)@[1,2)``, ``P@5``, one a line. Lines that hold none are reported and left out.

Most lines have no blanks, quotes or comments; one regular expression reads them, and each interval
is parsed once. The other lines are read token by token, like rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping
from typing import Final, NoReturn

from rif.errors.base import MAX_FAULTS, RuleError, Span
from rif.errors.report import RuleErrors, shorten
from temporal.errors import EmptyInterval, MixedTimes, RuleAmongFacts, UnexpectedText
from temporal.intervals.interval import Interval
from temporal.intervals.literals import make_interval, parse_point
from temporal.intervals.notation import Notation, common_notation, notation_of_fact
from temporal.mtl.ast import MetricFact
from temporal.mtl.operators import RESERVED
from temporal.mtl.validation import arity_clash
from temporal.text import atom_parser
from temporal.text.interval_parser import begins_interval, parse_interval, parse_point_token
from temporal.text.scanner import LineScanner, lines_of

_FAST_LINE: Final = re.compile(
    r"""([^\W\d][\w:]*)(?:\(([^\s()\[\]"'#]+)\))?@([\[(][^\s()\[\]#@]+[\])]|[^\s,()\[\]#@]+)"""
)
_MAX_INTERVALS: Final = 2**16
"""So many intervals are remembered by their text."""
_FACT: Final = "a fact is written P(a,b)@[1,2) or P(a)@5"


class FactReader:
    """Reads lines of facts; keeps the predicates it has met, and the notation of times.

    Attributes:
        arities: The number of arguments by predicate; those of a program may be given, the rest
            are added.
        notation: That of all times so far; that of a program may be given.
        faults: What is wrong with lines; at most `rif.errors.base.MAX_FAULTS` are kept.
        bad: How many lines are no fact.
    """

    __slots__ = ("_intervals", "arities", "bad", "faults", "notation")

    def __init__(
        self,
        arities: MutableMapping[str, int] | None = None,
        notation: Notation | None = None,
    ) -> None:
        self.arities: MutableMapping[str, int] = {} if arities is None else arities
        self.notation = notation
        self.faults: list[RuleError] = []
        self.bad = 0
        self._intervals: dict[str, Interval] = {}

    def read(self, text: str) -> Iterator[MetricFact]:
        """The good facts of a text. Linear, some 6 µs a fast line."""
        for number, line in enumerate(lines_of(text), 1):
            if fact := self.fact(line, number):
                yield fact

    def fact(self, line: str, number: int) -> MetricFact | None:
        """The fact on a line; None if there is none, which is a fault or blank."""
        if found := _FAST_LINE.fullmatch(line):
            name, listed, written = found.groups()
            args = tuple(listed.split(",")) if listed else ()
            if self.arities.get(name) == len(args) and "" not in args and line.isprintable():
                when = self._intervals.get(written) or self._interval(written)
                if when:
                    return MetricFact(name, args, when)
        scanner = LineScanner(line, number)
        fact = scanner.read(self._fact)
        if scanner.faults:
            self.refuse(*scanner.faults)
        return fact

    def _interval(self, written: str) -> Interval | None:
        """The interval of a fast line, parsed once; None: the line is slow, or has a fault."""
        left, _, right = written[1:-1].partition(",")
        if written[0] not in "[(":
            left = right = written
        begin, end = parse_point(left), parse_point(right)
        if begin is None or end is None:
            return None
        try:
            found = make_interval(begin, end, written[0] != "(", written[-1] != ")")
            if found is None or (written is left and not found.is_bounded):
                return None
            self.notation = common_notation(self.notation, notation_of_fact(found))
        except MixedTimes:
            return None
        if len(self._intervals) >= _MAX_INTERVALS:
            self._intervals.clear()
        self._intervals[written] = found
        return found

    def _fact(self, line: LineScanner) -> MetricFact | None:
        """The fact on a line, token by token; None: there is a fault, which is noted."""
        start = line.begin()
        name = line.match(atom_parser.WORD)
        if name is None or name in RESERVED or line.looks_at("["):
            line.at = start
            _no_fact(line, "expected a predicate")
        args = atom_parser.parse_constants(line)
        span = line.span(start)
        if not line.accept("@"):
            _no_fact(line, "expected @ and when the fact holds")
        at = line.begin()
        found = parse_interval(line) if begins_interval(line) else _point(line)
        when = line.span(at)
        line.accept(".")
        if not line.at_end():
            line.unexpected("expected the end of the line", _FACT)
        if found is None or line.faults:
            return None
        fact = MetricFact(name, args, found)
        if fault := self.arity_fault(fact, span) or self.time_fault(fact, when):
            line.faults.append(fault)
        return fact

    def arity_fault(self, fact: MetricFact, span: Span) -> RuleError | None:
        """The fault that its predicate has another number of arguments elsewhere."""
        count = len(fact.args)
        first = self.arities.setdefault(fact.predicate, count)
        return None if first == count else arity_clash(fact.predicate, count, first, span)

    def time_fault(self, fact: MetricFact, span: Span) -> RuleError | None:
        """The fault that other facts or rules have another notation of time."""
        try:
            self.notation = common_notation(self.notation, notation_of_fact(fact.interval))
        except MixedTimes as fault:
            return MixedTimes(fault.message, span)
        return None

    @property
    def is_full(self) -> bool:
        """Whether no more faults are kept."""
        return len(self.faults) >= MAX_FAULTS

    def refuse(self, *faults: RuleError) -> None:
        """Count a bad line, and keep what is wrong with it if that is not too much."""
        self.bad += 1
        self.faults += faults[: MAX_FAULTS - len(self.faults)]


def parse_fact(text: str, *, name: str = "<fact>") -> MetricFact:
    """The one fact that ``text`` holds, such as a question.

    Raises:
        RuleErrors: it holds none, or several.
    """
    reader = FactReader()
    facts = list(reader.read(text))
    if reader.faults:
        raise RuleErrors(reader.faults, text, name)
    if len(facts) != 1:
        message = f"expected one fact, found {len(facts)}"
        raise RuleErrors([UnexpectedText(message, Span(1, 1, 1, 2), _FACT)], text, name)
    return facts[0]


def _point(line: LineScanner) -> Interval | None:
    start = line.begin()
    at = parse_point_token(line)
    if at.kind is None:
        written = line.text[start : line.taken]
        message = f"{shorten(written)} is no time point"
        hint = "to hold for ever is written @[0,inf)"
        line.note(EmptyInterval, message, start, line.taken, hint)
        return None
    return at.kind(at.at, at.at)


def _no_fact(line: LineScanner, expected: str) -> NoReturn:
    if ":-" in line.text:
        at = line.text.index(":-")
        line.fail(RuleAmongFacts, "this is a rule", at, at + 2)
    line.unexpected(expected, _FACT)
