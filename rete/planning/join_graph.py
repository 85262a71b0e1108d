"""Join graphs: the joins of a plan without their order, and the plan of another order.

A join tree is a maximal part of a plan that consists of joins, and of filters and functions
between and above them. Its *leaves* are what is joined; leaves whose columns must be equal share a
variable. So a join tree can be written as a conjunction again, and joined in any order: the rows
and columns are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self, TypeAlias

from rete.graph.plan import Plan
from rete.nodes.filter import Filter
from rete.nodes.function import Apply
from rete.nodes.join import Join
from rete.nodes.scan import Scan
from rete.nodes.solve import Solve
from rete.planning.join_order import JoinedPart, apply_ready, join_parts
from rete.planning.lowering import (
    Argument,
    Let,
    OperatorObserver,
    RowStep,
    SolveFor,
    Subplan,
    Test,
    fresh_variable,
)
from rete.planning.plan_builder import build_columns
from rete.terms.relations import Operand
from rif.syntax.terms import Variable

JOIN: Final = -1
"""In a `Postfix`: joins the two parts before it."""
Postfix: TypeAlias = tuple[int, ...]
"""An order of joins: numbers of leaves, and `JOIN` after two parts that are joined."""
_SMALLEST: Final = 3
"""Of fewer leaves there is one order only, but for sides."""
_Step: TypeAlias = Filter | Apply | Solve
"""What a conjunction can say of rows; any other operator is a leaf."""


@dataclass(frozen=True, slots=True)
class JoinGraph:
    """A join tree as a conjunction.

    Attributes:
        leaves: what is joined, from the left.
        steps: filters and functions; one that a single leaf is enough for follows that leaf.
        out: the variables that are the columns of the plan.
        compiled: the order in which the plan joins them.
    """

    leaves: tuple[Subplan, ...]
    steps: tuple[RowStep, ...]
    out: tuple[Variable, ...]
    compiled: Postfix

    @classmethod
    def of(
        cls,
        plan: Plan,
        sources: Mapping[Plan, Plan] | None = None,
        observer: OperatorObserver | None = None,
    ) -> Self:
        """The graph of a join tree; ``sources`` have equal rows, and are joined for its leaves.

        The observer is called with the operators of the tree, but its leaves, and their inputs.
        """
        reading = _Reading()
        out = reading.columns(plan)
        name = reading.variable
        swap = sources or {}
        if observer is not None:
            for operator, inputs in reading.inputs:
                observer(operator, tuple(map(name, inputs)))
        return cls(
            tuple(
                Subplan(swap.get(leaf, leaf), tuple(map(name, columns)))
                for leaf, columns in reading.leaves
            ),
            tuple(map(reading.step, reading.steps)),
            tuple(map(name, out)),
            tuple(reading.postfix),
        )

    def is_order(self, postfix: Sequence[int]) -> bool:
        """Whether it joins each leaf once."""
        depth = 0
        for each in postfix:
            depth += 1 if each != JOIN else -1
            if depth < 1:
                return False
        numbers = sorted(each for each in postfix if each != JOIN)
        return depth == 1 and numbers == list(range(len(self.leaves)))

    def plan(self, postfix: Postfix, observer: OperatorObserver | None = None) -> Plan:
        """The plan that joins in another order; its columns are the same."""
        pending = list(self.steps)
        leaves = [JoinedPart(leaf, {*leaf.args}) for leaf in self.leaves]
        for leaf in leaves:
            apply_ready(leaf, pending)
        parts: list[JoinedPart] = []
        for each in postfix:
            if each == JOIN:
                right, left = parts.pop(), parts.pop()
                parts.append(join_parts(left, right, pending))
            else:
                parts.append(leaves[each])
        (whole,) = parts
        return build_columns(whole.step, self.out, observer)


def join_trees(plan: Plan) -> Iterator[Plan]:
    """The join trees of a plan that can be joined in several orders, outer ones first.

    None in the right side of a correlated negation, which begins with the rows of its left side.
    One in several places comes several times.
    """
    if _has_join(plan):
        below: Sequence[Plan] = tree_leaves(plan)
        if len(below) >= _SMALLEST:
            yield plan
    else:
        below = plan.joined if plan.correlated else plan.sources
    for each in below:
        yield from join_trees(each)


def tree_leaves(plan: Plan) -> list[Plan]:
    """What the join tree ``plan`` joins, from the left; or the plan, if it is none."""
    if not _has_join(plan):
        return [plan]
    return [leaf for source in plan.sources for leaf in tree_leaves(source)]


def tree_joins(plan: Plan) -> list[Plan]:
    """The joins of the join tree ``plan``."""
    if not _has_join(plan):
        return []
    below = [join for source in plan.sources for join in tree_joins(source)]
    return [*below, plan] if isinstance(plan, Join) else below


def _has_join(plan: Plan) -> bool:
    while isinstance(plan, _Step):
        plan = plan.source
    return isinstance(plan, Join)


class PlanOrders:
    """Plans in the ``orders`` of join trees that are in use; other trees are as compiled."""

    def __init__(self, orders: Mapping[Plan, Postfix]) -> None:
        self.orders = orders
        self._known: dict[Plan, Plan] = {}

    def of(self, plan: Plan) -> Plan:
        """The plan in use for ``plan`` as it was compiled: equal rows, equal columns."""
        found = self._known.get(plan)
        if found is None:
            found = self._known[plan] = self._made(plan)
        return found

    def _made(self, plan: Plan) -> Plan:
        order = self.orders.get(plan)
        if order is not None:
            leaves = {leaf: self.of(leaf) for leaf in tree_leaves(plan)}
            return JoinGraph.of(plan, leaves).plan(order)
        sources: tuple[Plan, ...] = tuple(map(self.of, plan.sources))
        if plan.negated is not None and plan.correlated:
            sources = (*sources[:-1], self._from(plan.base, plan.sources[plan.negated]))
        return plan if sources == plan.sources else plan.with_sources(*sources)

    def scan_order(self, plan: Plan, first: int = 0) -> list[int]:
        """Which scans and operators each part of the plan in use for ``plan`` was, as compiled.

        They are counted from ``first`` on, from the left, but not what is negated or lies under an
        operator.
        """
        if isinstance(plan, Scan) or not plan.pointwise:
            return [first]
        order = self.orders.get(plan)
        if order is None:
            sources = plan.joined
            order = tuple(range(len(sources)))
        else:
            sources = tuple(tree_leaves(plan))
        found: list[list[int]] = []
        for source in sources:
            found.append(self.scan_order(source, first))
            first += len(found[-1])
        return [number for each in order if each != JOIN for number in found[each]]

    def _from(self, base: Plan, plan: Plan) -> Plan:
        """The plan of a correlated negation, which begins with the rows of ``base``."""
        if plan == base:
            return self.of(base)
        sources = tuple(self._from(base, source) for source in plan.sources)
        return plan if sources == plan.sources else plan.with_sources(*sources)


class _Reading:
    """Reads a join tree: each column gets a number, and numbers that must be equal one variable."""

    def __init__(self) -> None:
        self.leaves: list[tuple[Plan, list[int]]] = []
        self.steps: list[tuple[_Step, list[int]]] = []
        self.postfix: list[int] = []
        self.inputs: list[tuple[Plan, list[int]]] = []
        self._same: list[int] = []

    def columns(self, plan: Plan) -> list[int]:
        """The numbers of the columns of ``plan``."""
        if not _has_join(plan):
            self.postfix.append(len(self.leaves))
            own = [self._new() for _ in range(plan.width)]
            self.leaves.append((plan, own))
            return own
        inputs = [column for source in plan.sources for column in self.columns(source)]
        if plan.computes:
            inputs.append(self._new())
        self.inputs.append((plan, inputs))
        for mine, theirs in plan.equated:
            self._same[self._first(inputs[theirs])] = self._first(inputs[mine])
        if isinstance(plan, _Step):
            self.steps.append((plan, inputs))
        else:
            self.postfix.append(JOIN)
        return [inputs[place] for place in plan.columns]

    def step(self, read: tuple[_Step, list[int]]) -> RowStep:
        """A step in variables."""
        plan, inputs = read

        def argument(arg: Operand | None) -> Argument:
            if isinstance(arg, str):
                return arg
            return self.variable(inputs[-1 if arg is None else arg])

        args = tuple(map(argument, plan.args))
        match plan:
            case Filter():
                return Test(plan.test, args, not plan.passes)
            case Apply():
                return Let(self.variable(inputs[-1]), plan.function, args)
            case Solve():
                return SolveFor(self.variable(inputs[-1]), plan.predicate, args)

    def variable(self, column: int) -> Variable:
        """The variable of a column."""
        return fresh_variable(self._first(column))

    def _new(self) -> int:
        self._same.append(len(self._same))
        return len(self._same) - 1

    def _first(self, column: int) -> int:
        while self._same[column] != column:
            column = self._same[column]
        return column
