"""When all that leads to a fact is true, given some leaves: intervals, and in which round.

An evaluation of a program without variables, component by component. Within a component, where
facts may rest on each other, each truth has the round in which it was found, and rests on what was
found before; so no fact is ever among its own reasons.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from r4.explain.justification.ground_program import GroundProgram, ProofLeaf
from r4.explain.justification.intervals import (
    CellInterval,
    IntervalSet,
    coalesce,
    intersect_sets,
    interval_at,
)
from r4.explain.justification.rule_instances import (
    GroundNode,
    OperandRow,
    OperatorRow,
    RuleInstance,
)


class RoundView(NamedTuple):
    """What something may rest on: all of lower components, and of its own what came before.

    Attributes:
        component: its own.
        round: in which it was found.
    """

    component: int
    round: int


class GroundModel:
    """What is true when.

    Attributes:
        grounding: what may lead to what.
        given: per fact, operand or operator the intervals of its leaves.
    """

    def __init__(
        self,
        grounding: GroundProgram,
        leaves: Collection[ProofLeaf],
        components: Iterable[Collection[GroundNode]],
    ) -> None:
        """Evaluate; costs the size of what leads to the fact, times the rounds it takes.

        Args:
            grounding: what may lead to what.
            leaves: what is given.
            components: those of ``grounding``.
        """
        self.grounding = grounding
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
        needs = {node: set(self.grounding.needs(node)) for node in nodes}
        due: Collection[GroundNode] = nodes
        number = 0
        while due:
            found = {node: self._now(node) for node in due}
            self.work += len(due)
            new = {node for node, true in found.items() if true != self._true[node]}
            for node in new:
                self._true[node] = found[node]
                self._rounds[node].append((number, found[node]))
            number += 1
            due = [node for node in nodes if not needs[node].isdisjoint(new)]

    def _now(self, node: GroundNode) -> IntervalSet:
        given = self.given.get(node, ())
        if isinstance(node, OperatorRow):
            return coalesce((*given, *self.grounding.moved(node, self._true)))
        ways = self.grounding.ways.get(node, {})
        return coalesce([*given, *(pair for way in ways for pair in self._when(way, ways[way]))])

    def _when(self, way: RuleInstance, spans: IntervalSet) -> IntervalSet:
        for each in way.needs:
            spans = intersect_sets(spans, self._true[each])
            if not spans:
                break
        return spans

    def true(self, node: GroundNode, view: RoundView | None = None) -> IntervalSet:
        """When ``node`` is true, as far as ``view`` has it; None: all."""
        if view is None or self._component[node] != view.component:
            return self._true[node]
        rounds = self._rounds[node]
        place = bisect_left(rounds, view.round, key=lambda each: each[0]) - 1
        return rounds[place][1] if place >= 0 else ()

    def view(self, node: GroundNode, cell: int) -> RoundView:
        """What ``node`` may rest on at ``cell``, where it is true."""
        rounds = self._rounds[node]
        first = next(number for number, true in rounds if interval_at(true, cell) is not None)
        return RoundView(self._component[node], first)

    def when(self, way: RuleInstance, spans: IntervalSet, view: RoundView) -> IntervalSet:
        """When ``way``, which is true in ``spans`` at most, is true as ``view`` has it."""
        for each in way.needs:
            spans = intersect_sets(spans, self.true(each, view))
        return spans

    def options(self, node: OperandRow, view: RoundView) -> Iterator[IntervalSet]:
        """Per way of an operand, and of its leaves, when it is true as ``view`` has it."""
        true = self.true(node, view)
        yield intersect_sets(self.given.get(node, ()), true)
        for way, spans in self.grounding.ways.get(node, {}).items():
            yield intersect_sets(self.when(way, spans, view), true)
