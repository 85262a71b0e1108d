"""What happens in a run, and what counts at which instant: as if it had never been asserted.

A `History` has elements that retract and assert, triples of the default graph, rules that join and
leave, and moves of the frontier. `read` follows time: a fact that is retracted at a frontier counts
for no instant from there on, wherever it holds; a rule that joins or leaves counts, or does not,
for all instants from the frontier on. Reference data hold from the frontier on, or up to it. What
an instant before says stays as it was said.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from tests.oracles.rules.datalog import Rule, rules_of
from tests.oracles.rules.formulas import Fact, Time
from tests.oracles.streams.run import MILLISECONDS, named

if TYPE_CHECKING:
    from rif.syntax.ast import Document
    from rif.syntax.terms import IRI
    from tests.oracles.streams.run import Triple


@dataclass(frozen=True, slots=True)
class HistoryElement:
    """It retracts what elements of ``names`` asserted and single triples, then asserts its own."""

    name: str
    start: int
    end: int | None
    triples: tuple[Triple, ...]
    names: tuple[str, ...] = ()
    rows: tuple[tuple[Triple, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ReferenceTriples:
    """Triples of the default graph: from the frontier on, for ever."""

    triples: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class ReferenceEnds:
    """Static data and triples of the default graph that hold until the frontier, and no longer."""

    triples: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class FrontierMove:
    """All instants up to ``to`` are closed."""

    to: int


@dataclass(frozen=True, slots=True)
class RulesJoin:
    """Rules join; each has a name."""

    document: Document


@dataclass(frozen=True, slots=True)
class RuleLeaves:
    """The rule with this number leaves; those that join are numbered on."""

    number: int


@dataclass(frozen=True, slots=True)
class SaveAndLoad:
    """The engine is saved and loaded: nothing changes."""


HistoryItem: TypeAlias = (
    HistoryElement
    | ReferenceTriples
    | ReferenceEnds
    | FrontierMove
    | RulesJoin
    | RuleLeaves
    | SaveAndLoad
)


@dataclass(frozen=True, slots=True)
class History:
    """All that decides the answers of a run.

    Attributes:
        sources: what each stream has, in its order.
        window: ticks, in place of the document's; None leaves that one.
        source_windows: the windows of streams, by their number.
        predicate_windows: the windows of predicates.
        metric: the document has metric operators.
        drain: ticks after the last stamp.
        regime: what the vocabulary of RDF, RDFS or OWL means; ``none``: nothing.
        by_value: literals of equal values are one term.
        numbers: numbers in patterns stand for their values.
        clock: ``integer`` or ``dateTime``; a tick is a millisecond since 1970 then.
    """

    document: Document
    statics: tuple[Triple, ...] = ()
    sources: tuple[tuple[HistoryItem, ...], ...] = ()
    semantics: str = "facts"
    window: int | None = None
    source_windows: tuple[tuple[int, int], ...] = ()
    predicate_windows: tuple[tuple[IRI, int], ...] = ()
    metric: bool = False
    delay: int = 0
    drain: int = 0
    regime: str = "none"
    by_value: bool = False
    numbers: bool = False
    clock: str = "integer"


@dataclass(slots=True)
class Assertion:
    """A fact that holds from ``start`` to ``end``, and counts at instants before ``retracted``."""

    fact: Fact
    name: str
    start: Time
    end: Time
    retracted: Time = math.inf


@dataclass(slots=True)
class RuleTime:
    """A rule, or a fact of the rules, and the instants at which it counts."""

    rule: Rule
    since: Time = -math.inf
    until: Time = math.inf


@dataclass(slots=True)
class Reading:
    """What was read.

    Attributes:
        frontier: instants before it are closed.
        first, last: the least and the largest stamp, or what was closed.
        begun: the least of what moved time: late elements do not, the frontier does.
        begun_at_ends: the largest that this was when static data ended.
        late: how many elements came too late.
    """

    assertions: list[Assertion] = field(default_factory=list)
    rules: list[RuleTime] = field(default_factory=list)
    frontier: Time = -math.inf
    first: Time = math.inf
    last: Time = -math.inf
    begun: Time = math.inf
    begun_at_ends: Time = -math.inf
    late: int = 0


def window_of(history: History, source: int, triple: Triple) -> Time:
    """The window of a triple from a stream, in ticks; half a tick is the cell of an instant.

    That of the stream, else that of the predicate, else that of the rules.
    """
    own = [ticks for number, ticks in history.source_windows if number == source]
    own += [ticks for predicate, ticks in history.predicate_windows if predicate == triple[1]]
    if own:
        return own[0]
    if history.window is not None:
        return history.window
    window = history.document.window
    if window is None:
        return 0.5 if history.metric else math.inf
    return int(window.amount) * MILLISECONDS[window.unit]


def read(history: History) -> Reading:
    """Everything, in the order of reading."""
    reader = _Reader(history)
    while any(reader.rest):
        reader.take(reader.next_source())
    return reader.reading


class _Reader:
    def __init__(self, history: History) -> None:
        self.rest = [list(source) for source in history.sources]
        self.reading = reading = Reading()
        self._history = history
        self._reached: list[Time] = [-math.inf for _ in self.rest]
        self._assert("", -math.inf, math.inf, history.statics)
        reading.rules = [RuleTime(rule) for rule in rules_of(history.document)]

    def next_source(self) -> int:
        """What has no stamp comes at once; else the least stamp, then the first source."""
        waiting = [number for number, items in enumerate(self.rest) if items]
        for number in waiting:
            if not isinstance(self.rest[number][0], HistoryElement):
                return number
        return min(waiting, key=lambda number: self.rest[number][0].start)  # type: ignore[union-attr]

    def take(self, source: int) -> None:
        reading = self.reading
        match self.rest[source][0]:
            case HistoryElement() as element:
                self._element(source, element)
            case ReferenceTriples(triples):
                since = reading.frontier
                if since == -math.inf and reading.last > -math.inf:
                    since = reading.first
                self._assert("", since, math.inf, triples)
            case ReferenceEnds(triples):
                self._end({named(triple, 0) for triple in triples})
            case FrontierMove(to):
                if to >= reading.frontier:
                    reading.begun = min(reading.begun, to)
                reading.frontier = max(reading.frontier, to + 1)
                reading.last = max(reading.last, to)
            case RulesJoin(document):
                first = len(reading.rules)
                for number, rule in enumerate(rules_of(document), first + 1):
                    joined = Rule(number, rule.name, rule.head, rule.body)
                    reading.rules.append(RuleTime(joined, reading.frontier))
            case RuleLeaves(number):
                leaving = reading.rules[number - 1]
                leaving.until = min(leaving.until, reading.frontier)
        del self.rest[source][0]
        self._move()

    def _end(self, facts: set[Fact]) -> None:
        """What is said of an instance before it is cut has the end that was known then."""
        if self._history.semantics == "instances":
            for fact in facts:
                self._retract("", fact)
        reading = self.reading
        if reading.begun < math.inf:
            reading.begun_at_ends = max(reading.begun_at_ends, reading.begun)
        for one in reading.assertions:
            if not one.name and one.fact in facts and one.retracted == math.inf:
                one.end = min(one.end, reading.frontier)
        if reading.frontier == -math.inf:  # what ended has never held, at no instant
            reading.assertions = [one for one in reading.assertions if one.end > -math.inf]

    def _element(self, source: int, element: HistoryElement) -> None:
        reading = self.reading
        in_time = element.start >= reading.frontier
        self._reached[source] = max(self._reached[source], element.start)
        reading.last = max(reading.last, element.start)
        self._move()  # the element counts before its source can end with it
        if in_time:
            reading.begun = min(reading.begun, element.start)
            for name in element.names:
                self._retract(name, None)
            for triple, name in element.rows:
                self._retract(name, named(triple, 0))
            for triple in element.triples:
                window = window_of(self._history, source, triple)
                end = element.start + window if element.end is None else element.end
                self._assert(element.name, element.start, end, (triple,))
        else:
            reading.late += 1
        reading.first = min(reading.first, element.start)

    def _move(self) -> None:
        counting = [at for at, items in zip(self._reached, self.rest, strict=True) if items]
        if counting:
            self.reading.frontier = max(self.reading.frontier, min(counting) - self._history.delay)

    def _assert(self, name: str, start: Time, end: Time, triples: tuple[Triple, ...]) -> None:
        if start < end:
            self.reading.assertions += [
                Assertion(named(triple, 0), name, start, end) for triple in triples
            ]

    def _retract(self, name: str, fact: Fact | None) -> None:
        for one in self.reading.assertions:
            if one.name == name and fact in {None, one.fact}:
                one.retracted = min(one.retracted, self.reading.frontier)
