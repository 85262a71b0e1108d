"""Stream input by definition: one statement at a time, exact rationals, no arrays.

A stream is a list of statements (s, p, o, g), g is "" in the default graph; a fifth part says that
it is deleted. `EMPTY` is an empty line, `MALFORMED` a statement that no parser accepts, and what
stands between `BEGIN` and `COMMIT` counts as a whole. Terms are canonical texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import groupby
from math import floor

XSD = "http://www.w3.org/2001/XMLSchema#"
START = "<http://www.w3.org/ns/prov#generatedAtTime>"
END = "<http://www.w3.org/ns/prov#invalidatedAtTime>"
RETRACTS = "<urn:r4:retracts>"
EMPTY = ()
MALFORMED = ("?",)
BEGIN = ("TX",)
COMMIT = ("TC",)
DELETED = "D"
INF = float("inf")

Statement = tuple[str, ...]


@dataclass
class IntakeItem:
    """An element, a single triple, or a malformed statement, complete at its place."""

    name: str = ""
    triples: list[Statement] = field(default_factory=list)
    starts: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    retracted: list[Statement] = field(default_factory=list)
    block: int = 0
    inherits: bool = False
    flaw: str = ""
    kind: str = ""
    end_kind: str = ""
    start: Fraction = Fraction(0)
    end: Fraction | None = None

    @property
    def stamped(self) -> bool:
        return bool(self.kind) and not self.flaw


@dataclass
class IntakeResult:
    """What a run reads: triples with their times in order, and what else happened."""

    facts: list[tuple[Statement, float, float | None]] = field(default_factory=list)
    ops: list[tuple] = field(default_factory=list)
    flaws: Counter[str] = field(default_factory=Counter)
    late: list[str] = field(default_factory=list)
    elements: int = 0
    frontier: float = -INF
    last: float = -INF


def items_of(stream: Sequence[Statement], start: str, *, inside: bool) -> list[IntakeItem]:
    """The items of a source in the order in which they are complete."""
    items: list[IntakeItem] = []
    current: IntakeItem | None = None
    blocks, block = 0, 0
    for statement in stream:
        if statement in {EMPTY, BEGIN, COMMIT}:
            items += [current] if current else []
            current = None
            blocks += statement == BEGIN
            block = blocks if statement == BEGIN else 0 if statement == COMMIT else block
        elif statement == MALFORMED:
            items.append(IntakeItem(flaw="DAT101"))
        elif not statement[3] and statement[1] not in {start, END, RETRACTS}:
            items.append(IntakeItem(triples=[statement[:3]], block=block))
        else:
            name = statement[3] or statement[0]
            if current is None or current.name != name:
                items += [current] if current else []
                current = IntakeItem(name, block=block)
            enter(current, statement, start, inside=inside)
    return items + ([current] if current else [])


def enter(element: IntakeItem, statement: Statement, start: str, *, inside: bool) -> None:
    """Enter a statement about an element, or a part of it."""
    s, p, o, g, *deleted = statement
    if deleted:
        element.retracted.append((s, p, o, g))
        return
    if g:
        element.triples.append((s, p, o))
    if p == start and (inside or not g):
        element.starts.append(o)
    elif p == END and not g:
        element.ends.append(o)
    elif p == RETRACTS and not g:
        element.retracted.append((o,))


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


def judge(item: IntakeItem) -> None:
    """Give an element its stamps, or the code of its flaw."""
    starts, ends = stamps_of(item.starts), stamps_of(item.ends)
    if not item.starts and not item.retracted:
        item.flaw = "DAT201"
    elif any(isinstance(value_of(term), str) for term in item.starts + item.ends):
        item.flaw = "stamp"
    elif len(starts) > 1 or len(ends) > 1:
        item.flaw = "DAT202"
    elif not starts:
        item.inherits = True
        item.end_kind, item.end = ends.pop() if ends else ("", None)
    else:
        item.kind, item.start = starts.pop()
        if ends:
            kind, end = ends.pop()
            item.end = end
            if kind != item.kind:
                item.flaw = "DAT205"
            elif end <= item.start:
                item.flaw = "DAT206"


def judge_in_sequence(items: list[IntakeItem], kind: str) -> None:
    """Judge the items of a source by those before them, a transaction at once."""
    high = -INF
    for _, found in groupby(items, key=lambda item: item.block or -id(item)):
        together, now = list(found), high
        for judge_by in (by_itself, of_kind, inherit):
            now = high
            for item in together:
                if not item.flaw:
                    judge_by(item, kind, now)
                if item.stamped:
                    now = max(now, floor(item.start))
            if any(item.flaw for item in together):
                for item in together:
                    item.flaw = item.flaw or "DAT208"
                now = high
        high = now


def by_itself(_item: IntakeItem, _kind: str, _high: float) -> None:
    """What is wrong with an item alone is known before."""


def of_kind(item: IntakeItem, kind: str, _high: float) -> None:
    """A stamp is of the kind of the run."""
    if item.stamped and item.kind != kind:
        item.flaw = "DAT205"


def inherit(item: IntakeItem, kind: str, high: float) -> None:
    """A retraction without a stamp has the largest before it."""
    if not item.inherits:
        return
    if high == -INF:
        item.flaw = "DAT207"
    elif item.end is not None and item.end_kind != kind:
        item.flaw = "DAT205"
    elif item.end is not None and item.end <= high:
        item.flaw = "DAT206"
    else:
        item.kind, item.start = kind, Fraction(high)


class _Run:
    """Sources that are merged, one item at a time."""

    def __init__(
        self, queues: list[list[IntakeItem]], delays: Sequence[int], by_predicate: Mapping[str, int]
    ) -> None:
        self.queues = queues
        self.delays = delays
        self.by_predicate = by_predicate
        self.late_bounds = dict.fromkeys([0, *by_predicate.values()], -INF)
        self.read = IntakeResult()
        self.latest = [-INF] * len(queues)
        self.least = INF
        self.has_element = False

    def move(self) -> None:
        """Let the frontier follow the sources that have something left."""
        reading = [i for i, queue in enumerate(self.queues) if queue]
        for level in self.late_bounds if reading else ():
            bound = min(self.latest[i] - max(level, self.delays[i]) for i in reading)
            self.late_bounds[level] = max(self.late_bounds[level], bound)
        self.read.frontier = self.late_bounds[max(self.late_bounds)]

    def is_late(self, item: IntakeItem) -> bool:
        """Whether it lies below the late bound of the largest delay that applies to it."""
        level = max((self.by_predicate.get(p, 0) for _, p, _ in item.triples), default=0)
        return floor(item.start) < self.late_bounds[level]

    def take(self, number: int) -> None:
        """Read the next item of a source."""
        item = self.queues[number][0]
        late = bool(item.name) and not item.flaw and self.is_late(item)
        if item.stamped:
            tick = floor(item.start)
            self.latest[number] = max(self.latest[number], tick)
            self.read.last = max(self.read.last, tick)
            # The element counts before its source can end with it.
            self.move()
        if item.flaw:
            self.read.flaws[item.flaw] += 1
        elif not item.name:
            frontier = self.read.frontier
            since = frontier if frontier > -INF else self.least
            self.assert_triples(item, since if self.has_element else -INF, INF)
        elif late:
            self.read.late.append(item.name)
        else:
            self.assert_element(item)
        if item.stamped:
            self.least = min(self.least, floor(item.start))
        del self.queues[number][0]
        self.move()

    def assert_element(self, item: IntakeItem) -> None:
        """It retracts; its triples hold from its start to its end, if ticks are between."""
        self.has_element = True
        self.read.elements += 1
        if item.retracted:
            self.read.ops.append(("back", self.read.frontier, item.retracted))
        tick = floor(item.start)
        end = None if item.end is None else floor(item.end)
        if end is None or end > tick:
            self.assert_triples(item, tick, end)

    def assert_triples(self, item: IntakeItem, start: float, end: float | None) -> None:
        """Note the triples, and their element."""
        self.read.facts += [(triple, start, end) for triple in item.triples]
        self.read.ops += [(triple, start, end, item.name) for triple in item.triples]

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
    delays: Mapping[int, int] | None = None,
    by_predicate: Mapping[str, int] | None = None,
) -> IntakeResult:
    """What is read of the streams, by the definition of stream input."""
    queues = [items_of(stream, start, inside=inside) for stream in streams]
    items = [item for queue in queues for item in queue]
    for item in items:
        if item.name:
            judge(item)
    wrong = {(id(queue), i.block) for queue in queues for i in queue if i.flaw and i.block}
    kind = next(
        (
            item.kind
            for queue in queues
            for item in queue
            if item.stamped and (id(queue), item.block) not in wrong
        ),
        "",
    )
    for queue in queues:
        judge_in_sequence(queue, kind)
    own = [(delays or {}).get(number, delay) for number in range(len(queues))]
    run = _Run(queues, own, by_predicate or {})
    run.move()
    for number in range(len(queues)):
        run.take_unstamped(number)
    while any(queues):
        number = min((floor(q[0].start), i) for i, q in enumerate(queues) if q)[1]
        run.take(number)
        run.take_unstamped(number)
    return run.read
