"""All instances of rules that lead to a fact at an instant, through metric operators too.

What an operator is made of holds at other times, so each instance has the time in which it is true,
and each fact, operand and operator the times that are asked about. This is the program without
variables from which justifications are taken; it is evaluated by `r4.explain.model`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import networkx as nx

from r4.explain.ground import Ground
from r4.explain.spans import (
    Pair,
    Spans,
    dilated,
    met,
    operated,
    since,
    united,
    without,
)
from r4.explain.ways import Fact, Held, Moved, Node, Row, Way, place
from rete.plan import Since

_AT_ONCE: Final = 64
"""So many facts are asked about together."""


class Leaf(NamedTuple):
    """What is given: that a fact is asserted in a maximal interval.

    Or what is only known to be true, as nothing is known that it follows from.
    """

    node: Node
    lo: int
    hi: int


class Grounding:
    """What leads to a fact at an instant.

    Attributes:
        ground: the state, of which the past is known as far as it was kept.
        root: the fact.
        ways: per fact and operand the instances that give it, with the time in which they do.
        operands: per operator its operands; of Since those of its right side, each with those of
            its left side that agree with it.
        held: per fact the elements that ever assert it.
    """

    def __init__(self, ground: Ground, root: Fact) -> None:
        self.ground = ground
        self.root = root
        self.ways: dict[Node, dict[Way, Spans]] = {}
        self.operands: dict[Moved, dict[Row, dict[Row, None]]] = {}
        self.held: dict[Fact, list[Held]] = {}
        self.complete = True
        self._asked: dict[Node, Spans] = {}
        self._waiting: deque[tuple[Node, Pair]] = deque()
        self._ask(root, (ground.cell, ground.cell + 1))

    @property
    def is_whole(self) -> bool:
        """Whether all is looked at."""
        return not self._waiting

    def look(self, steps: int) -> None:
        """Look at so many facts, operands and operators more, an interval each; near ones first."""
        while self._waiting and steps > 0:
            some = [self._waiting.popleft() for _ in range(min(_AT_ONCE, len(self._waiting)))]
            self._look_at(some)
            steps -= len(some)

    def _ask(self, node: Node, pair: Pair) -> None:
        """Let ``node`` be looked at in an interval, as far as it is not yet."""
        before = self._asked.get(node, ())
        for new in without((pair,), before):
            self._waiting.append((node, new))
        self._asked[node] = united((*before, pair))

    def _look_at(self, some: Iterable[tuple[Node, Pair]]) -> None:
        facts: list[tuple[Fact, Pair]] = []
        for node, pair in some:
            match node:
                case Fact():
                    facts.append((node, pair))
                case Row():
                    for way, when in sorted(self.ground.operand(node, pair), key=_in_order):
                        self._add(node, way, when)
                case Moved():
                    self._look_through(node, pair)
        new = [fact for fact, _ in facts if fact not in self.held]
        self.held |= {fact: [] for fact in new} | self.ground.elements(new)
        found = list(self.ground.instances(facts))
        for fact, way, when in sorted(found, key=lambda each: _in_order(each[1:])):
            self._add(fact, way, when)

    def _add(self, node: Node, way: Way, when: Pair) -> None:
        ways = self.ways.setdefault(node, {})
        ways[way] = united((*ways.get(way, ()), when))
        for each in way.needs:
            self._ask(each, when)

    def _look_through(self, moved: Moved, pair: Pair) -> None:
        """The operands of an operator, and the times that it reaches."""
        plan, sources = moved.plan, moved.stream.sources
        there = dilated(pair, plan.rho, future=not plan.future)
        found = self.operands.setdefault(moved, {})
        if not isinstance(plan, Since):
            row = Row(sources[0], moved.values)
            found[row] = {}
            self._ask(row, there)
            return
        phi, psi = sources
        mine, theirs = _kept(plan, moved.values)
        between = dilated(pair, (0, plan.rho[1]), future=not plan.future)
        for right in self.ground.matching(psi, theirs, there):
            lefts = found.setdefault(right, {})
            self._ask(right, there)
            known = mine | {left: right.values[column] for left, column in plan.on}
            for left in self.ground.matching(phi, known, between):
                lefts[left] = None
                self._ask(left, between)

    @property
    def leaves(self) -> Iterator[Leaf]:
        """All that is asserted."""
        for fact, held in self.held.items():
            for pair in united((each.lo, each.hi) for each in held):
                yield Leaf(fact, *pair)

    def left(self) -> Iterator[Leaf]:
        """When facts are true that are not looked at yet; operators are looked through."""
        rest: dict[Fact, list[Pair]] = defaultdict(list)
        while self._waiting:
            some = list(self._waiting)
            self._waiting.clear()
            for node, pair in some:
                if isinstance(node, Fact):
                    rest[node].append(pair)
            self._look_at([each for each in some if not isinstance(each[0], Fact)])
        for fact, pairs in rest.items():
            for pair in met(self.known(fact), united(pairs)):
                yield Leaf(fact, *pair)

    @property
    def unkept(self) -> Iterator[Leaf]:
        """What is known to be true though nothing is known that gives it, but for the root."""
        for node, asked in self._asked.items():
            if node == self.root:
                continue
            if isinstance(node, Moved):
                given = self.moved(node, {row: self._given(row) for row in self._rows(node)})
            else:
                given = self._given(node)
            for pair in without(met(self.known(node), asked), given):
                yield Leaf(node, *pair)

    def _given(self, node: Node) -> Spans:
        """When it is asserted or some way gives it, if all that the way needs is true."""
        held = self.held.get(node, ()) if isinstance(node, Fact) else ()
        ways = self.ways.get(node, {}).values()
        return united([*((e.lo, e.hi) for e in held), *(pair for some in ways for pair in some)])

    def _rows(self, moved: Moved) -> Iterator[Row]:
        for row, lefts in self.operands.get(moved, {}).items():
            yield row
            yield from lefts

    def known(self, node: Node) -> Spans:
        """When the whole state has it, at all times that were kept."""
        if not isinstance(node, Fact):
            return united(self.ground.times(node))
        return united(self.ground.spells(node))

    def moved(self, moved: Moved, true: Mapping[Node, Spans]) -> Spans:
        """When an operator is true, by when its operands are."""
        plan = moved.plan
        if not isinstance(plan, Since):
            rows = self.operands.get(moved, {})
            return united(pair for row in rows for pair in operated(plan, true[row]))
        return united(
            found
            for right, lefts in self.operands.get(moved, {}).items()
            for psi in true[right]
            for phi in (None, *(pair for left in lefts for pair in true[left]))
            for found in since(plan, phi, psi)
        )

    def needs(self, node: Node) -> Iterator[Node]:
        """What ``node`` hangs on directly."""
        if isinstance(node, Moved):
            yield from self._rows(node)
            return
        for way in self.ways.get(node, ()):
            yield from way.needs

    @property
    def components(self) -> list[list[Node]]:
        """All nodes, those that hang on each other together, what they need before them."""
        graph: nx.DiGraph[Node] = nx.DiGraph()
        graph.add_nodes_from(self._asked)
        graph.add_edges_from((node, need) for node in self._asked for need in self.needs(node))
        place = {node: number for number, node in enumerate(self._asked)}
        found = nx.strongly_connected_components(graph)
        return [sorted(nodes, key=place.__getitem__) for nodes in found]


def _in_order(found: tuple[Way, Pair]) -> tuple[object, ...]:
    return place(found[0]), found[1]


def _kept(plan: Since, values: tuple[int, ...]) -> tuple[dict[int, int], dict[int, int]]:
    """The values of a row of Since by the columns of its left side, and of its right side."""
    mine: dict[int, int] = {}
    theirs: dict[int, int] = {}
    for column, value in zip(plan.keep, values, strict=True):
        if column >= 0:
            mine[column] = value
        else:
            theirs[~column] = value
    theirs |= {column: mine[left] for left, column in plan.on if left in mine}
    return mine, theirs
