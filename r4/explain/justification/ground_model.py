"""When all that leads to a fact is true, given some leaves: intervals, and in which round.

An evaluation of a program without variables, component by component. Within a component, where
facts may follow from each other, each interval has the round in which it was found, and follows
from what was found in earlier rounds; so no fact is among its own reasons.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from r4.explain.justification.ground_program import GroundProgram, ProofLeaf
from r4.explain.justification.rule_instances import (
    GroundNode,
    OperandRow,
    OperatorRow,
    RuleInstance,
)
from rete.storage.interval_sets import (
    CellInterval,
    IntervalSet,
    coalesce,
    intersect_sets,
    interval_at,
)


class RoundView(NamedTuple):
    """What a node may follow from: all of lower components, and of its own the earlier rounds.

    Attributes:
        component: that of the node.
        round: in which the node was found.
    """

    component: int
    round: int


class GroundModel:
    """What is true when.

    Attributes:
        program: which nodes may lead to which.
        given: per fact, operand or operator the intervals of its leaves.
        work: evaluations of a node so far.
    """

    def __init__(
        self,
        program: GroundProgram,
        leaves: Collection[ProofLeaf],
        components: Iterable[Collection[GroundNode]],
    ) -> None:
        """Evaluate; costs the size of what leads to the fact, times the rounds."""
        self.program = program
        given: dict[GroundNode, list[CellInterval]] = defaultdict(list)
        for node, lo, hi in leaves:
            given[node].append((lo, hi))
        self.given: dict[GroundNode, IntervalSet] = {
            node: coalesce(pairs) for node, pairs in given.items()
        }
        self.work = 0
        self._true: dict[GroundNode, IntervalSet] = {}
        self._rounds: dict[GroundNode, list[tuple[int, IntervalSet]]] = {}
        self._component: dict[GroundNode, int] = {}
        for number, nodes in enumerate(components):
            self._component |= dict.fromkeys(nodes, number)
            self._complete(nodes)

    def _complete(self, nodes: Collection[GroundNode]) -> None:
        """Find all that is true of the nodes of a component."""
        self._true |= dict.fromkeys(nodes, ())
        self._rounds |= {node: [] for node in nodes}
        premises = {node: set(self.program.premises(node)) for node in nodes}
        due: Collection[GroundNode] = nodes
        number = 0
        while due:
            found = {node: self._evaluate(node) for node in due}
            self.work += len(due)
            new = {node for node, true in found.items() if true != self._true[node]}
            for node in new:
                self._true[node] = found[node]
                self._rounds[node].append((number, found[node]))
            number += 1
            due = [node for node in nodes if not premises[node].isdisjoint(new)]

    def _evaluate(self, node: GroundNode) -> IntervalSet:
        found = list(self.given.get(node, ()))
        if isinstance(node, OperatorRow):
            found += self.program.operator_times(node, self._true)
        else:
            for instance, spans in self.program.rule_instances.get(node, {}).items():
                found += self.instance_times(instance, spans)
        return coalesce(found)

    def true(self, node: GroundNode, view: RoundView | None = None) -> IntervalSet:
        """When ``node`` is true in ``view``; None: in all."""
        if view is None or self._component[node] != view.component:
            return self._true[node]
        rounds = self._rounds[node]
        place = bisect_left(rounds, view.round, key=lambda each: each[0]) - 1
        return rounds[place][1] if place >= 0 else ()

    def view(self, node: GroundNode, cell: int) -> RoundView:
        """What ``node`` may follow from at ``cell``, where it is true."""
        rounds = self._rounds[node]
        first = next(number for number, true in rounds if interval_at(true, cell) is not None)
        return RoundView(self._component[node], first)

    def instance_times(
        self, instance: RuleInstance, spans: IntervalSet, view: RoundView | None = None
    ) -> IntervalSet:
        """When ``instance``, which is true in ``spans`` at most, is true in ``view``."""
        for each in instance.premises:
            spans = intersect_sets(spans, self.true(each, view))
            if not spans:
                break
        return spans

    def options(self, node: OperandRow, view: RoundView) -> Iterator[IntervalSet]:
        """When an operand is true in ``view``: by its leaves, and by each of its instances."""
        true = self.true(node, view)
        yield intersect_sets(self.given.get(node, ()), true)
        for instance, spans in self.program.rule_instances.get(node, {}).items():
            yield intersect_sets(self.instance_times(instance, spans, view), true)
