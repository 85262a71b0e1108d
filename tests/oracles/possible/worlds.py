"""Worlds in which answers may be possible: rules, and a stream of elements.

Times are *cells*: 2t is the instant t, 2t + 1 the open gap after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache

Triple = tuple[str, str, str]
Binding = dict[str, str]
Hypothesis = tuple[Triple, str, int]
"""A triple with its time: "at" a stamp, or in a "range", or "any": these with a number, as a triple
that is missing at two times is two."""
Hypotheses = frozenset[Hypothesis]
LOW, HIGH = -40, 100
CELLS = range(2 * LOW, 2 * HIGH)
ALWAYS = frozenset(CELLS)


MOST = 5_000
"""So many ways to fill free variables are tried."""


class WorldTooBig(Exception):
    """There are too many ways to fill free variables."""


@dataclass(frozen=True)
class WorldRange:
    """Distances in time, in ticks."""

    low: int
    high: int
    low_open: bool = False
    high_open: bool = False

    @property
    def punctual(self) -> bool:
        return self.low == self.high


@dataclass(frozen=True)
class Diamond:
    """At some distance in the past, or in the future."""

    future: bool
    range: WorldRange
    body: tuple[Literal, ...]


@dataclass(frozen=True)
class Greater:
    """A number is greater than another."""

    left: str
    right: str


@dataclass(frozen=True)
class Sum:
    """``value`` is ``term`` plus ``more``."""

    value: str
    term: str
    more: int


Literal = Triple | Diamond | Greater | Sum


@dataclass(frozen=True)
class WorldRule:
    head: Triple
    body: tuple[Literal, ...]


@dataclass(frozen=True)
class WorldElement:
    """What arrives together; ``retracts`` are names of elements that it takes back."""

    name: str
    stamp: int
    triples: tuple[Triple, ...]
    end: int | None = None
    retracts: tuple[str, ...] = ()


Histogram = tuple[tuple[int, Fraction], ...]
"""Delays, ascending, each with the probability that something comes and is no later."""


@dataclass(frozen=True)
class World:
    """Rules, a stream, how it is read, and how probable it is that predicates come; None: any."""

    rules: tuple[WorldRule, ...]
    static: tuple[Triple, ...]
    elements: tuple[WorldElement, ...]
    window: int | None
    delay: int = 0
    delays: Mapping[str, int] = field(default_factory=dict)
    by_subject: bool = True
    expect: tuple[str, ...] | None = None
    chances: tuple[tuple[str | None, Histogram], ...] = ()
    most: int | None = None

    @property
    def metric(self) -> bool:
        return any(isinstance(each, Diamond) for rule in self.rules for each in rule.body)


def is_variable(term: str) -> bool:
    return term.startswith("?")


def number(term: str) -> int | None:
    text = term.partition('"^^<http://www.w3.org/2001/XMLSchema#integer>')
    return int(text[0][1:]) if text[1] else None


def written(value: int) -> str:
    return f'"{value}"^^<http://www.w3.org/2001/XMLSchema#integer>'


# Terms.


def walk(term: str, given: Binding) -> str:
    while term in given:
        term = given[term]
    return term


def unify(one: Triple, other: Triple, given: Binding) -> Binding | None:
    found = dict(given)
    for left, right in zip(one, other, strict=True):
        a, b = walk(left, found), walk(right, found)
        if a == b:
            continue
        if is_variable(b):
            found[b] = a
        elif is_variable(a):
            found[a] = b
        else:
            return None
    return found


def ground(triple: Triple, full: Binding) -> Triple:
    s, p, o = (walk(term, full) for term in triple)
    return s, p, o


# Time.


Path = tuple[tuple[bool, WorldRange], ...]


@cache
def _apart(cell: int, other: int, operator: tuple[bool, WorldRange]) -> bool:
    """Is some point of ``other`` at a distance in the range from the points of ``cell``?"""
    future, rho = operator
    at = cell / 2 if cell % 2 == 0 else (cell - 1) / 2 + 0.5
    if other % 2 == 0:
        low = high = at - other / 2
        inside = False
    else:
        low, high = at - (other + 1) / 2, at - (other - 1) / 2
        inside = True
    if future:
        low, high = -high, -low
    if inside:  # an open interval of distances
        return max(low, rho.low) < min(high, rho.high) or (rho.punctual and low < rho.low < high)
    above = low > rho.low or (low == rho.low and not rho.low_open)
    below = low < rho.high or (low == rho.high and not rho.high_open)
    return above and below


@cache
def sources(operator: tuple[bool, WorldRange]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Per parity of a cell the differences to those that it looks at."""
    middle = (LOW + HIGH) // 2 * 2
    return tuple(  # type: ignore[return-value]
        tuple(o - c for o in range(c - 40, c + 41) if _apart(c, o, operator))
        for c in (middle, middle + 1)
    )


@lru_cache(maxsize=2_000)
def dilated(cells: frozenset[int], path: tuple[tuple[bool, WorldRange], ...]) -> frozenset[int]:
    """When a fact of ``cells`` is seen through operators, the outermost first."""
    if cells == ALWAYS:
        return cells
    for operator in reversed(path):
        looks = sources(operator)
        cells = frozenset(c for c in CELLS if any(c + d in cells for d in looks[c % 2]))
    return cells


@cache
def seen_from(stamp: int, path: Path) -> frozenset[int]:
    """When an element is seen that begins at ``stamp``, and ends when it may."""
    return dilated(frozenset(c for c in CELLS if c >= 2 * stamp), path)


@cache
def last_stamp(path: Path, cell: int) -> int | None:
    """The last one of an element that can be seen at ``cell``; None: no element can."""
    stamps = range(HIGH - 30, LOW + 30, -1)
    return next((stamp for stamp in stamps if cell in seen_from(stamp, path)), None)
