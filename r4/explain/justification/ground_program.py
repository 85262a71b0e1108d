"""All instances of rules that lead to a fact at an instant, through metric operators too.

The operands of an operator hold at other times. So each instance has the time in which it is true,
and each fact, operand and operator the times at which it is needed. This is the program without
variables from which justifications are taken; `ground_model` evaluates it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from r4.explain.justification.deciding_members import deciding_members
from r4.explain.justification.instant_state import InstantState
from r4.explain.justification.rule_instances import (
    Assertion,
    GroundFact,
    GroundNode,
    OperandRow,
    OperatorRow,
    RuleInstance,
    order_key,
)
from rete.arrays.delta import NEG_INF, POS_INF
from rete.graph.plan import NonPointwise
from rete.nodes.aggregate import Aggregate
from rete.nodes.interval_ends import ToldRun
from rete.storage.interval_sets import (
    EVER,
    CellInterval,
    IntervalSet,
    coalesce,
    intersect_sets,
    interval_at,
    subtract,
)
from rif.syntax.strong_components import strong_components

_AT_ONCE: Final = 64
"""So many facts are queried together."""


class ProofLeaf(NamedTuple):
    """A fact that is asserted in a maximal interval.

    Or a node that is known to be true, though nothing is known that it follows from.
    """

    node: GroundNode
    lo: int
    hi: int


class GroundProgram:
    """What leads to a fact at an instant, or in an interval.

    Attributes:
        state: the engine, which has the past as far as it was kept.
        root: the fact.
        when: the cells in which it is explained.
        rule_instances: per fact and operand the instances that derive it, with the time in which
            they do.
        operands: per operator the rows of the first of `NonPointwise.operands`, each with what may
            make it true together with that row: nothing else, or rows that agree with it; and the
            only times at which it may, as a group has other members before and after.
        assertions: per fact the elements that ever assert it.
    """

    def __init__(
        self,
        state: InstantState,
        root: GroundNode,
        when: CellInterval | None = None,
        within: CellInterval = (NEG_INF, POS_INF),
    ) -> None:
        """Begin; without ``when`` at the instant of ``state``.

        Rules are looked at in the cells ``within``; finite ones, where rules derive on.
        """
        self.state = state
        self.root = root
        self.when = (state.cell, state.cell + 1) if when is None else when
        self._within = within
        self.rule_instances: dict[GroundNode, dict[RuleInstance, IntervalSet]] = {}
        self.operands: dict[
            OperatorRow, dict[OperandRow, dict[tuple[OperandRow, ...], IntervalSet]]
        ] = {}
        self.assertions: dict[GroundFact, list[Assertion]] = {}
        self._queried: dict[GroundNode, IntervalSet] = {}
        self._descriptions: dict[OperatorRow, NonPointwise | ToldRun] = {}
        self._waiting: deque[tuple[GroundNode, CellInterval]] = deque()
        self._query(root, self.when)

    @property
    def is_whole(self) -> bool:
        """Whether everything is looked at."""
        return not self._waiting

    def look(self, steps: int) -> None:
        """Look at so many more facts, operands and operators, an interval each; near ones first."""
        while self._waiting and steps > 0:
            some = [self._waiting.popleft() for _ in range(min(_AT_ONCE, len(self._waiting)))]
            self._look_at(some)
            steps -= len(some)

    def _query(self, node: GroundNode, pair: CellInterval) -> None:
        """Queue ``node`` for an interval, without the cells for which it was queued before."""
        before = self._queried.get(node, ())
        wanted = intersect_sets((pair,), (self._within,))
        for new in subtract(wanted, before):
            self._waiting.append((node, new))
        self._queried[node] = coalesce((*before, *wanted))

    def _look_at(self, some: Iterable[tuple[GroundNode, CellInterval]]) -> None:
        facts: list[tuple[GroundFact, CellInterval]] = []
        for node, pair in some:
            match node:
                case GroundFact():
                    facts.append((node, pair))
                case OperandRow():
                    for instance, when in sorted(self.state.operand(node, pair), key=_in_order):
                        self._add(node, instance, when)
                case OperatorRow():
                    self._look_through(node, pair)
        new = [fact for fact, _ in facts if fact not in self.assertions]
        self.assertions |= {fact: [] for fact in new} | self.state.elements(new)
        found = list(self.state.instances(facts))
        for fact, instance, when in sorted(found, key=lambda each: _in_order(each[1:])):
            self._add(fact, instance, when)

    def _add(self, node: GroundNode, instance: RuleInstance, when: CellInterval) -> None:
        instances = self.rule_instances.setdefault(node, {})
        instances[instance] = coalesce((*instances.get(instance, ()), when))
        for each in instance.premises:
            self._query(each, when)

    def _look_through(self, operator: OperatorRow, pair: CellInterval) -> None:
        """The operands of an operator, and the times that it reaches."""
        plan = operator.plan
        found = self.operands.setdefault(operator, {})
        description = self.description(operator)
        if isinstance(description, ToldRun):
            (number,) = plan.operands
            source = operator.stream.sources[number]
            row = OperandRow(source, operator.values[: source.plan.width])
            found.setdefault(row, {})[()] = (EVER,)
            self._query(row, description.run)
            return
        given = {
            place: value
            for column, (place, value) in enumerate(zip(plan.columns, operator.values, strict=True))
            if column not in plan.computed
        }
        (first, there), *others = zip(plan.operands, plan.reach(pair), strict=True)
        if plan.collective:
            for (row, *rest), when in self._at_once(operator, given, pair):
                before = found.setdefault(row, {}).get(tuple(rest), ())
                found[row][tuple(rest)] = coalesce((*before, when))
            return
        for row in self._agreeing(operator, first, given, there):
            agreeing = found.setdefault(row, {})
            agreeing[()] = (EVER,)
            self._query(row, there)
            known = given | dict(enumerate(row.values, plan.begins[first]))
            for number, when in others:
                for other in self._agreeing(operator, number, known, when):
                    agreeing[other,] = (EVER,)
                    self._query(other, when)

    def _at_once(
        self, operator: OperatorRow, given: Mapping[int, int], pair: CellInterval
    ) -> Iterator[tuple[tuple[OperandRow, ...], CellInterval]]:
        """All operands that hold at the same time, for each such time in an interval."""
        plan, times = operator.plan, dict[OperandRow, IntervalSet]()
        own = intersect_sets(self.known(operator), (pair,))
        if isinstance(plan, Aggregate):  # a last value is given on and on
            clock = max(operator.stream.network.clock, self.state.cell + 1)
            own = intersect_sets(own, ((NEG_INF, clock),))
        for number in plan.operands:
            for row in self._agreeing(operator, number, given, pair):
                times[row] = intersect_sets(self.known(row), own)
                self._query(row, pair)
        ends = {end for spans in times.values() for span in spans for end in span}
        for cell, end in pairwise(sorted(ends)):
            rows: Sequence[OperandRow] = [
                row for row, spans in times.items() if interval_at(spans, cell)
            ]
            if isinstance(plan, Aggregate):
                rows = deciding_members(plan, rows, self.state.text)
            if rows:
                yield tuple(rows), (cell, end)

    def _agreeing(
        self, operator: OperatorRow, number: int, given: Mapping[int, int], pair: CellInterval
    ) -> Iterable[OperandRow]:
        """The rows of a source of an operator that agree with its inputs, by place."""
        plan, source = operator.plan, operator.stream.sources[number]
        known = dict(given)
        for one, other in plan.equated:
            known.update((b, known[a]) for a, b in ((one, other), (other, one)) if a in known)
        places = enumerate(range(plan.begins[number], plan.begins[number] + source.plan.width))
        mine = {column: known[place] for column, place in places if place in known}
        if len(plan.sources) == 1 and len(mine) == source.plan.width:
            return (OperandRow(source, tuple(mine.values())),)
        return self.state.matching(source, mine, pair)

    @property
    def leaves(self) -> Iterator[ProofLeaf]:
        """All that is asserted."""
        for fact, assertions in self.assertions.items():
            for pair in coalesce((each.lo, each.hi) for each in assertions):
                yield ProofLeaf(fact, *pair)

    def unexplored(self) -> Iterator[ProofLeaf]:
        """The facts in the queue, when they are true; operators are replaced by their operands."""
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
        """What is known to be true though nothing is known that derives it, but for the root."""
        for node, queried in self._queried.items():
            if node == self.root:
                continue
            if isinstance(node, OperatorRow):
                given = self.operator_times(
                    node, {row: self._derivable(row) for row in self._rows(node)}
                )
            else:
                given = self._derivable(node)
            for pair in subtract(intersect_sets(self.known(node), queried), given):
                yield ProofLeaf(node, *pair)

    def _derivable(self, node: GroundNode) -> IntervalSet:
        """When it is asserted, or derived by some instance whose premises are true."""
        assertions = self.assertions.get(node, ()) if isinstance(node, GroundFact) else ()
        instances = self.rule_instances.get(node, {}).values()
        return coalesce(
            [*((e.lo, e.hi) for e in assertions), *(pair for some in instances for pair in some)]
        )

    def _rows(self, operator: OperatorRow) -> Iterator[OperandRow]:
        for rows, _ in self.combinations(operator):
            yield from rows

    def known(self, node: GroundNode) -> IntervalSet:
        """When it is true in the whole state, at all times that were kept."""
        if not isinstance(node, GroundFact):
            return coalesce(self.state.times(node))
        return coalesce(self.state.spans(node))

    def operator_times(
        self, operator: OperatorRow, true: Mapping[GroundNode, IntervalSet]
    ) -> IntervalSet:
        """When an operator is true, given when its operands are ``true``."""
        holds = self.description(operator).holds
        return coalesce(
            pair
            for rows, when in self.combinations(operator)
            for pair in intersect_sets(holds(*(true[row] for row in rows)), when)
        )

    def description(self, operator: OperatorRow) -> NonPointwise | ToldRun:
        """What describes a row of an operator, as long as the program is looked at."""
        if operator not in self._descriptions:
            self._descriptions[operator] = self.state.description(operator)
        return self._descriptions[operator]

    def combinations(
        self, operator: OperatorRow
    ) -> Iterator[tuple[tuple[OperandRow, ...], IntervalSet]]:
        """Operands that may make an operator true together, and the only times at which."""
        for row, others in self.operands.get(operator, {}).items():
            yield from (((row, *some), when) for some, when in others.items())

    def premises(self, node: GroundNode) -> Iterator[GroundNode]:
        """What ``node`` depends on directly."""
        if isinstance(node, OperatorRow):
            yield from self._rows(node)
            return
        for instance in self.rule_instances.get(node, ()):
            yield from instance.premises

    @property
    def components(self) -> list[list[GroundNode]]:
        """The strongly connected components of all nodes, each after those it depends on."""
        premises = {node: dict.fromkeys(self.premises(node)) for node in self._queried}
        place = {node: number for number, node in enumerate(self._queried)}
        found = strong_components(premises)
        return [sorted(nodes, key=place.__getitem__) for nodes in found]


def _in_order(found: tuple[RuleInstance, CellInterval]) -> tuple[object, ...]:
    return order_key(found[0]), found[1]
