"""Split keys: variables by whose value the matches of a body are divided among shards.

A match gives a variable one value. If the facts of every pattern that has the variable go to the
shard of its value there, and copies of all others to every shard, each match is found in the shard
of its value, and there alone. What is more than a match of facts needs more care:

* Where an operator looks at the rows of a source by groups (`Plan.groups`), as a box at all that
  makes a maximal interval, and a negation at all that may close it, a group must be in one shard:
  the patterns of the source may be split if the key is among the columns of the groups; else they
  need copies.
* A key that only negated patterns have is none: every shard would have all that they take away
  from.

A pattern is known by the number of its place in the body, as a plan may read the same scan twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from networkx.utils import UnionFind

from rete.graph.plan import Plan
from rete.nodes.scan import Scan
from rete.terms.relations import MARKS

PatternPlace: TypeAlias = tuple[int, int]
"""A pattern and a place of its facts; what is computed has a negative number."""


NONE: Final = -1
"""No variable."""


@dataclass(frozen=True, slots=True)
class SplitKey:
    """A variable by which a body may be split.

    Attributes:
        variable: its number.
        places: per pattern the places whose term it is; () where copies are needed.
        columns: the columns of the body's rows that have it.
    """

    variable: int
    places: tuple[tuple[int, ...], ...]
    columns: frozenset[int]


@dataclass(frozen=True, slots=True)
class BodyReads:
    """The patterns of a body, and the keys that can split it.

    Attributes:
        scans: its patterns, in the order of the plan.
        keys: what it may be split by, in the order of its patterns.
        variables: per pattern and place the number of the variable there; `NONE` of a constant.
        columns: per column of its rows the number of its variable; `NONE` where it is computed.
    """

    scans: tuple[Scan, ...]
    keys: tuple[SplitKey, ...]
    variables: tuple[tuple[int, ...], ...]
    columns: tuple[int, ...]


def read_body(source: Plan) -> BodyReads:
    """The patterns of ``source``, and its keys. Linear in the plan."""
    reader = _BodyReader()
    columns = reader.read(source)
    variables = reader.variables()
    keys = tuple(reader.keys(columns)) if reader.is_clear else ()
    return BodyReads(
        tuple(reader.scans), keys, variables, tuple(reader.variable(each) for each in columns)
    )


class _BodyReader:
    """Numbers patterns, and finds which places have the same term in every match."""

    def __init__(self) -> None:
        self.scans: list[Scan] = []
        self.is_clear = True
        self._same: UnionFind[PatternPlace] = UnionFind()
        self._numbers: dict[PatternPlace, int] = {}
        self._needs: list[list[list[PatternPlace]]] = []
        self._negated: set[int] = set()
        self._base: list[PatternPlace] = []  # of the plan that was read last
        self._bases: list[tuple[Plan, list[PatternPlace]]] = []
        self._computed = 0

    def variables(self) -> tuple[tuple[int, ...], ...]:
        """Per pattern and place the number of its variable."""
        found: list[tuple[int, ...]] = []
        for number, scan in enumerate(self.scans):
            constants = dict((*scan.constants, *scan.numbers))
            places = range(scan.relation.arity)
            elements = [(number, place) for place in places if place not in constants]
            for element in elements:
                self._numbers.setdefault(self._same[element], len(self._numbers))
            found.append(
                tuple(NONE if p in constants else self.variable((number, p)) for p in places)
            )
        return tuple(found)

    def variable(self, element: PatternPlace) -> int:
        """The number of the variable that an element has; `NONE` if it is computed."""
        return self._numbers.get(self._same[element], NONE)

    def keys(self, columns: list[PatternPlace]) -> Iterator[SplitKey]:
        """The keys of the body, by its columns."""
        variables = self.variables()
        for variable in range(len(self._numbers)):
            places = tuple(
                tuple(place for place, other in enumerate(mine) if other == variable)
                if scan.relation != MARKS  # which every shard has
                and all(any(self.variable(e) == variable for e in need) for need in needs)
                else ()
                for scan, mine, needs in zip(self.scans, variables, self._needs, strict=True)
            )
            if any(places[n] for n in range(len(places)) if n not in self._negated):
                mine = (
                    c for c, element in enumerate(columns) if self.variable(element) == variable
                )
                yield SplitKey(variable, places, frozenset(mine))

    def read(self, plan: Plan) -> list[PatternPlace]:
        """The place of a pattern that each column of ``plan`` is."""
        if self._bases and plan == self._bases[-1][0]:
            return self._bases[-1][1]
        if isinstance(plan, Scan):
            self._base = self._scan(plan)
            return self._base
        inputs: list[PatternPlace] = []
        for number, (source, group) in enumerate(zip(plan.sources, plan.groups, strict=True)):
            begin = len(self.scans)
            columns = self._negative(plan) if number == plan.negated else self.read(source)
            inputs += columns
            if group is not None:
                self._need(begin, [columns[column] for column in group])
        for one, other in plan.equated:
            self._same.union(inputs[one], inputs[other])
        columns = [
            self._new() if column in plan.computed else inputs[place]
            for column, place in enumerate(plan.columns)
        ]
        if plan.negated is None:
            self._base = columns
        return columns

    def _negative(self, plan: Plan) -> list[PatternPlace]:
        """The same of what ``plan`` negates; its other source was read just now."""
        assert plan.negated is not None
        right, begin, base = plan.sources[plan.negated], len(self.scans), self._base
        if plan.correlated:
            # The rows of the positive part are found by their plan alone.
            self.is_clear &= sum(1 for _ in _copies(right, plan.base)) == 1
            self._bases.append((plan.base, base))
        columns = self.read(right)
        if plan.correlated:
            self._bases.pop()
        self._negated.update(range(begin, len(self.scans)))
        self._base = base
        return columns

    def _scan(self, scan: Scan) -> list[PatternPlace]:
        number = len(self.scans)
        self.scans.append(scan)
        self._needs.append([])
        for one, other in scan.equal:
            self._same.union((number, one), (number, other))
        return [(number, place) for place in scan.keep]

    def _need(self, begin: int, columns: list[PatternPlace]) -> None:
        """The patterns from ``begin`` on need a key among ``columns``."""
        for needs in self._needs[begin:]:
            needs.append(columns)

    def _new(self) -> PatternPlace:
        self._computed += 1
        return -self._computed, 0


def _copies(plan: Plan, base: Plan) -> Iterator[Plan]:
    if plan == base:
        yield plan
        return
    for source in plan.sources:
        yield from _copies(source, base)
