"""Stream input by definition: one statement at a time, exact rationals, no arrays.

A stream is a list of statements (s, p, o, g), g is "" in the default graph; `EMPTY` is an empty
line, `MALFORMED` a statement that no parser accepts. Terms are canonical texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from math import floor

XSD = "http://www.w3.org/2001/XMLSchema#"
START = "<http://www.w3.org/ns/prov#generatedAtTime>"
END = "<http://www.w3.org/ns/prov#invalidatedAtTime>"
RETRACTS = "<urn:r4:retracts>"
EMPTY = ()
MALFORMED = ("?",)
INF = float("inf")

Statement = tuple[str, ...]


@dataclass
class Item:
    """An element, a single triple, or a malformed statement, complete at its place."""

    name: str = ""
    triples: list[Statement] = field(default_factory=list)
    starts: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    retracts: bool = False
    flaw: str = ""
    kind: str = ""
    start: Fraction = Fraction(0)
    end: Fraction | None = None

    @property
    def stamped(self) -> bool:
        return bool(self.kind) and not self.flaw


@dataclass
class Read:
    """What a run reads: triples with their times in order, and what else happened."""

    facts: list[tuple[Statement, float, float | None]] = field(default_factory=list)
    flaws: Counter[str] = field(default_factory=Counter)
    late: list[str] = field(default_factory=list)
    elements: int = 0
    frontier: float = -INF
    last: float = -INF


def items_of(stream: Sequence[Statement], start: str, *, inside: bool) -> list[Item]:
    """The items of a source in the order in which they are complete."""
    items: list[Item] = []
    current: Item | None = None
    for statement in stream:
        if statement == EMPTY:
            items += [current] if current else []
            current = None
            continue
        if statement == MALFORMED:
            items.append(Item(flaw="DAT101"))
            continue
        s, p, o, g = statement
        if not g and p not in {start, END, RETRACTS}:
            items.append(Item(triples=[(s, p, o)]))
            continue
        name = g or s
        if current is None or current.name != name:
            items += [current] if current else []
            current = Item(name)
        if g:
            current.triples.append((s, p, o))
        if p == start and (inside or not g):
            current.starts.append(o)
        elif p == END and not g:
            current.ends.append(o)
        elif p == RETRACTS and not g:
            current.retracts = True
    return items + ([current] if current else [])


def value_of(term: str) -> tuple[str, Fraction] | str:
    """Kind and ticks of a stamp of the plain forms that the tests use, or a code."""
    if found := re.fullmatch(rf'"([+-]?\d+)"\^\^<{XSD}(integer|int|nonNegativeInteger)>', term):
        if found[2] == "nonNegativeInteger" and int(found[1]) < 0:
            return "DAT203"
        return ("integer", Fraction(found[1])) if abs(int(found[1])) <= 2**60 else "DAT204"
    form = rf'"(\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?"\^\^<{XSD}dateTime>'
    if found := re.fullmatch(form, term):
        zone = found[3] if found[3] not in {None, "Z"} else "+00:00"
        moment = datetime.fromisoformat(found[1] + zone)
        whole = (moment - datetime.fromisoformat("1970-01-01T00:00:00+00:00")) // timedelta(
            seconds=1
        )
        return "dateTime", (whole + Fraction(found[2] or 0)) * 1000
    return "DAT203"


def stamps_of(terms: Sequence[str]) -> set[tuple[str, Fraction]]:
    """Kinds and ticks of the terms that are stamps."""
    values = [value_of(term) for term in terms]
    return {value for value in values if not isinstance(value, str)}


def judge(item: Item) -> None:
    """Give an element its stamps, or say what is wrong with it."""
    starts, ends = stamps_of(item.starts), stamps_of(item.ends)
    if item.retracts:
        item.flaw = "DAT207"
    elif not item.starts:
        item.flaw = "DAT201"
    elif any(isinstance(value_of(term), str) for term in item.starts + item.ends):
        item.flaw = "stamp"
    elif len(starts) > 1 or len(ends) > 1:
        item.flaw = "DAT202"
    else:
        item.kind, item.start = starts.pop()
        if ends:
            kind, end = ends.pop()
            item.end = end
            if kind != item.kind:
                item.flaw = "DAT205"
            elif end <= item.start:
                item.flaw = "DAT206"


class _Run:
    """Sources that are merged, one item at a time."""

    def __init__(self, queues: list[list[Item]], delay: int) -> None:
        self.queues = queues
        self.delay = delay
        self.read = Read()
        self.latest = [-INF] * len(queues)
        self.least = INF
        self.begun = False

    def move(self) -> None:
        """Let the frontier follow the sources that have something left."""
        counting = [self.latest[i] - self.delay for i, queue in enumerate(self.queues) if queue]
        if counting:
            self.read.frontier = max(self.read.frontier, min(counting))

    def take(self, number: int) -> None:
        """Read the next item of a source."""
        item = self.queues[number][0]
        if item.flaw:
            self.read.flaws[item.flaw] += 1
        elif not item.name:
            frontier = self.read.frontier
            since = frontier if frontier > -INF else self.least
            self.read.facts.append((item.triples[0], since if self.begun else -INF, INF))
        elif floor(item.start) < self.read.frontier:
            self.read.late.append(item.name)
        else:
            self.assert_element(item)
        if item.stamped:
            tick = floor(item.start)
            self.least = min(self.least, tick)
            self.latest[number] = max(self.latest[number], tick)
            self.read.last = max(self.read.last, tick)
            # The element counts before its source can end with it.
            self.move()
        del self.queues[number][0]
        self.move()

    def assert_element(self, item: Item) -> None:
        """Its triples hold from its start to its end, if ticks are left between them."""
        self.begun = True
        self.read.elements += 1
        tick = floor(item.start)
        end = None if item.end is None else floor(item.end)
        if end is None or end > tick:
            self.read.facts += [(triple, tick, end) for triple in item.triples]

    def take_unstamped(self, number: int) -> None:
        """What has no stamp follows at once."""
        while self.queues[number] and not self.queues[number][0].stamped:
            self.take(number)


def read(
    streams: Sequence[Sequence[Statement]],
    *,
    delay: int = 0,
    start: str = START,
    inside: bool = False,
) -> Read:
    """What the streams say, by the definition of stream input."""
    queues = [items_of(stream, start, inside=inside) for stream in streams]
    items = [item for queue in queues for item in queue]
    for item in items:
        if item.name:
            judge(item)
    kind = next((item.kind for item in items if item.stamped), "")
    for item in items:
        if item.stamped and item.kind != kind:
            item.flaw = "DAT205"
    run = _Run(queues, delay)
    run.move()
    for number in range(len(queues)):
        run.take_unstamped(number)
    while any(queues):
        number = min((floor(q[0].start), i) for i, q in enumerate(queues) if q)[1]
        run.take(number)
        run.take_unstamped(number)
    return run.read
