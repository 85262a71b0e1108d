"""All instances of rules that lead to a fact at an instant, through metric operators too.

The operands of an operator hold at other times. So each instance has the time in which it is true,
and each fact, operand and operator the times at which it is needed. This is the program without
variables from which justifications are taken; `ground_model` evaluates it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import networkx as nx

from r4.explain.justification.instant_state import InstantState
from r4.explain.justification.intervals import (
    CellInterval,
    IntervalSet,
    apply_operator,
    apply_since,
    coalesce,
    dilate,
    intersect_sets,
    subtract,
)
from r4.explain.justification.rule_instances import (
    Assertion,
    GroundFact,
    GroundNode,
    OperandRow,
    OperatorRow,
    RuleInstance,
    order_key,
)
from rete.planning.plan import Since

_AT_ONCE: Final = 64
"""So many facts are asked about together."""


class ProofLeaf(NamedTuple):
    """What is given: that a fact is asserted in a maximal interval.

    Or what is only known to be true, as nothing is known that it follows from.
    """

    node: GroundNode
    lo: int
    hi: int


class GroundProgram:
    """What leads to a fact at an instant.

    Attributes:
        ground: the state, of which the past is known as far as it was kept.
        root: the fact.
        ways: per fact and operand the instances that give it, with the time in which they do.
        operands: per operator its operands; of Since those of its right side, each with those of
            its left side that agree with it.
        held: per fact the elements that ever assert it.
    """

    def __init__(self, ground: InstantState, root: GroundFact) -> None:
        self.ground = ground
        self.root = root
        self.ways: dict[GroundNode, dict[RuleInstance, IntervalSet]] = {}
        self.operands: dict[OperatorRow, dict[OperandRow, dict[OperandRow, None]]] = {}
        self.held: dict[GroundFact, list[Assertion]] = {}
        self.complete = True
        self._asked: dict[GroundNode, IntervalSet] = {}
        self._waiting: deque[tuple[GroundNode, CellInterval]] = deque()
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

    def _ask(self, node: GroundNode, pair: CellInterval) -> None:
        """Let ``node`` be looked at in an interval, as far as it is not yet."""
        before = self._asked.get(node, ())
        for new in subtract((pair,), before):
            self._waiting.append((node, new))
        self._asked[node] = coalesce((*before, pair))

    def _look_at(self, some: Iterable[tuple[GroundNode, CellInterval]]) -> None:
        facts: list[tuple[GroundFact, CellInterval]] = []
        for node, pair in some:
            match node:
                case GroundFact():
                    facts.append((node, pair))
                case OperandRow():
                    for way, when in sorted(self.ground.operand(node, pair), key=_in_order):
                        self._add(node, way, when)
                case OperatorRow():
                    self._look_through(node, pair)
        new = [fact for fact, _ in facts if fact not in self.held]
        self.held |= {fact: [] for fact in new} | self.ground.elements(new)
        found = list(self.ground.instances(facts))
        for fact, way, when in sorted(found, key=lambda each: _in_order(each[1:])):
            self._add(fact, way, when)

    def _add(self, node: GroundNode, way: RuleInstance, when: CellInterval) -> None:
        ways = self.ways.setdefault(node, {})
        ways[way] = coalesce((*ways.get(way, ()), when))
        for each in way.needs:
            self._ask(each, when)

    def _look_through(self, moved: OperatorRow, pair: CellInterval) -> None:
        """The operands of an operator, and the times that it reaches."""
        plan, sources = moved.plan, moved.stream.sources
        there = dilate(pair, plan.rho, future=not plan.future)
        found = self.operands.setdefault(moved, {})
        if not isinstance(plan, Since):
            row = OperandRow(sources[0], moved.values)
            found[row] = {}
            self._ask(row, there)
            return
        phi, psi = sources
        mine, theirs = _kept(plan, moved.values)
        between = dilate(pair, (0, plan.rho[1]), future=not plan.future)
        for right in self.ground.matching(psi, theirs, there):
            lefts = found.setdefault(right, {})
            self._ask(right, there)
            known = mine | {left: right.values[column] for left, column in plan.on}
            for left in self.ground.matching(phi, known, between):
                lefts[left] = None
                self._ask(left, between)

    @property
    def leaves(self) -> Iterator[ProofLeaf]:
        """All that is asserted."""
        for fact, held in self.held.items():
            for pair in coalesce((each.lo, each.hi) for each in held):
                yield ProofLeaf(fact, *pair)

    def left(self) -> Iterator[ProofLeaf]:
        """When facts are true that are not looked at yet; operators are looked through."""
        rest: dict[GroundFact, list[CellInterval]] = defaultdict(list)
        while self._waiting:
            some = list(self._waiting)
            self._waiting.clear()
            for node, pair in some:
                if isinstance(node, GroundFact):
                    rest[node].append(pair)
            self._look_at([each for each in some if not isinstance(each[0], GroundFact)])
        for fact, pairs in rest.items():
            for pair in intersect_sets(self.known(fact), coalesce(pairs)):
                yield ProofLeaf(fact, *pair)

    @property
    def unkept(self) -> Iterator[ProofLeaf]:
        """What is known to be true though nothing is known that gives it, but for the root."""
        for node, asked in self._asked.items():
            if node == self.root:
                continue
            if isinstance(node, OperatorRow):
                given = self.moved(node, {row: self._given(row) for row in self._rows(node)})
            else:
                given = self._given(node)
            for pair in subtract(intersect_sets(self.known(node), asked), given):
                yield ProofLeaf(node, *pair)

    def _given(self, node: GroundNode) -> IntervalSet:
        """When it is asserted or some way gives it, if all that the way needs is true."""
        held = self.held.get(node, ()) if isinstance(node, GroundFact) else ()
        ways = self.ways.get(node, {}).values()
        return coalesce([*((e.lo, e.hi) for e in held), *(pair for some in ways for pair in some)])

    def _rows(self, moved: OperatorRow) -> Iterator[OperandRow]:
        for row, lefts in self.operands.get(moved, {}).items():
            yield row
            yield from lefts

    def known(self, node: GroundNode) -> IntervalSet:
        """When the whole state has it, at all times that were kept."""
        if not isinstance(node, GroundFact):
            return coalesce(self.ground.times(node))
        return coalesce(self.ground.spans(node))

    def moved(self, moved: OperatorRow, true: Mapping[GroundNode, IntervalSet]) -> IntervalSet:
        """When an operator is true, by when its operands are."""
        plan = moved.plan
        if not isinstance(plan, Since):
            rows = self.operands.get(moved, {})
            return coalesce(pair for row in rows for pair in apply_operator(plan, true[row]))
        return coalesce(
            found
            for right, lefts in self.operands.get(moved, {}).items()
            for psi in true[right]
            for phi in (None, *(pair for left in lefts for pair in true[left]))
            for found in apply_since(plan, phi, psi)
        )

    def needs(self, node: GroundNode) -> Iterator[GroundNode]:
        """What ``node`` hangs on directly."""
        if isinstance(node, OperatorRow):
            yield from self._rows(node)
            return
        for way in self.ways.get(node, ()):
            yield from way.needs

    @property
    def components(self) -> list[list[GroundNode]]:
        """All nodes, those that hang on each other together, what they need before them."""
        graph: nx.DiGraph[GroundNode] = nx.DiGraph()
        graph.add_nodes_from(self._asked)
        graph.add_edges_from((node, need) for node in self._asked for need in self.needs(node))
        place = {node: number for number, node in enumerate(self._asked)}
        found = nx.strongly_connected_components(graph)
        return [sorted(nodes, key=place.__getitem__) for nodes in found]


def _in_order(found: tuple[RuleInstance, CellInterval]) -> tuple[object, ...]:
    return order_key(found[0]), found[1]


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
