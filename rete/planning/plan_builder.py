"""From the order of a conjunction to its plan, projected to what each operator needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, TypeVar

from rete.graph.plan import Emit, Plan
from rete.nodes.anti_join import AntiJoin
from rete.nodes.filter import SAME_TERM, Filter
from rete.nodes.function import Apply
from rete.nodes.join import Join
from rete.nodes.metric.diamond import Dilate
from rete.nodes.scan import Scan
from rete.nodes.solve import Solve
from rete.nodes.unit import Unit
from rete.planning.join_order import (
    JoinOrder,
    NegationOrder,
    Order,
    OuterRows,
    StepOrder,
    bound_by,
    find_join_order,
)
from rete.planning.lowering import (
    Argument,
    AtomPattern,
    Conjunction,
    Let,
    OperatorObserver,
    SolveFor,
    Subplan,
    Test,
    input_variables,
)
from rete.terms.number_constants import number_text
from rete.terms.relations import Head, Operand
from rif.syntax.terms import Variable

MAX_CONDITIONS: Final = 150
"""Conditions of one body: plans are trees that are walked recursively."""
_Operator = TypeVar("_Operator", bound=Plan | Emit)

_Built: TypeAlias = tuple[Plan, list[Variable]]
"""A plan, and which variables its columns are."""


def build_plan(conjunction: Conjunction, observer: OperatorObserver | None = None) -> Emit:
    """The plan of a conjunction."""
    order = find_join_order(conjunction)
    for let in conjunction.late:
        order = StepOrder(order, let)
    needed = {arg for head in conjunction.heads for arg in head.args if isinstance(arg, Variable)}
    builder = _Builder(observer)
    source, columns = builder.build(order, frozenset(needed))
    for box in conjunction.boxes:
        source = builder.observe(Dilate(source, *box), columns)
    heads = tuple(
        Head(head.relation, tuple(_operand(arg, columns) for arg in head.args))
        for head in conjunction.heads
    )
    return builder.observe(Emit(source, conjunction.rule, heads), columns)


def build_subplan(
    conjunction: Conjunction,
    needed: frozenset[Variable],
    observer: OperatorObserver | None = None,
) -> Subplan:
    """The plan of a condition, with the ``needed`` variables that it binds among its columns."""
    source, columns = _Builder(observer).build(find_join_order(conjunction), needed)
    return Subplan(source, tuple(columns))


def build_columns(
    order: Order, columns: Sequence[Variable], observer: OperatorObserver | None = None
) -> Plan:
    """The plan of ``order`` whose columns are these variables, each of which it binds."""
    inputs: dict[Plan | Emit, tuple[Argument, ...]] = {}
    built, found = _Builder(inputs.setdefault).build(order, frozenset(columns))
    keep = tuple(map(found.index, columns))
    plan = built
    if len(keep) < len(found) or keep != tuple(range(len(keep))):
        if isinstance(built, Join | Filter):
            plan = replace(built, keep=tuple(built.keep[column] for column in keep))
            inputs[plan] = inputs[built]
        else:
            plan = Filter(built, SAME_TERM, (0, 0), keep)
            inputs[plan] = tuple(found)
    if observer is not None:
        for operator, arguments in inputs.items():
            observer(operator, arguments)
    return plan


class _Builder:
    """Builds plans from the leaves on."""

    __slots__ = ("_observer", "_outer")

    def __init__(self, observer: OperatorObserver | None) -> None:
        self._observer = observer
        self._outer: list[_Built] = []  # the positive parts of outer conditions, the innermost last

    def observe(self, operator: _Operator, inputs: Iterable[Argument]) -> _Operator:
        """The operator, after the `OperatorObserver` was called with it."""
        if self._observer is not None:
            self._observer(operator, tuple(inputs))
        return operator

    def build(self, order: Order, needed: frozenset[Variable]) -> _Built:
        """The plan of ``order`` with the ``needed`` variables it binds as columns."""
        match order:
            case None:
                return Unit(), []
            case AtomPattern() | Subplan():
                return self._leaf(order, needed)
            case JoinOrder():
                return self._join(order, needed)
            case StepOrder():
                return self._step(order, needed)
            case OuterRows():
                return self._outer[-1]
            case NegationOrder():
                return self._negation(order, needed)

    def _leaf(self, pattern: AtomPattern | Subplan, needed: frozenset[Variable]) -> _Built:
        if isinstance(pattern, Subplan):
            return pattern.source, list(pattern.args)
        places: dict[Variable, int] = {}
        constants: list[tuple[int, str]] = []
        numbers: list[tuple[int, str]] = []
        equal: list[tuple[int, int]] = []
        for position, arg in enumerate(pattern.args):
            if isinstance(arg, str):
                number = number_text(arg) if pattern.by_value else None
                (constants if number is None else numbers).append((position, number or arg))
            elif arg in places:
                equal.append((places[arg], position))
            else:
                places[arg] = position
        kept = [variable for variable in places if variable in needed]
        keep = tuple(places[variable] for variable in kept)
        scan = Scan(pattern.relation, tuple(constants), tuple(equal), keep, tuple(numbers))
        return self.observe(scan, pattern.args), kept

    def _join(self, order: JoinOrder, needed: frozenset[Variable]) -> _Built:
        shared = bound_by(order.left) & bound_by(order.right)
        left, left_variables = self.build(order.left, needed | shared)
        right, right_variables = self.build(order.right, needed | shared)
        on = tuple(
            (left_variables.index(v), right_variables.index(v))
            for v in left_variables
            if v in shared
        )
        kept = {v: column for column, v in enumerate(left_variables) if v in needed}
        kept |= {v: ~column for column, v in enumerate(right_variables) if v in needed - shared}
        join = Join(left, right, on, tuple(kept.values()))
        return self.observe(join, [*left_variables, *right_variables]), list(kept)

    def _step(self, order: StepOrder, needed: frozenset[Variable]) -> _Built:
        what = order.what
        below = needed | input_variables(what)
        # A function at a place of a pattern that binds it as well must give the very same term.
        rebinds = isinstance(what, Let) and what.variable in bound_by(order.source)
        if isinstance(what, Let) and rebinds:
            below |= {what.variable}
        source, variables = self.build(order.source, below)
        kept = [v for v in variables if v in needed]
        keep = tuple(variables.index(v) for v in kept)
        if isinstance(what, Test):
            args = tuple(_operand(arg, variables) for arg in what.args)
            test = Filter(source, what.predicate, args, keep, not what.negated)
            return self.observe(test, variables), kept
        inputs = [*variables, what.variable]
        if isinstance(what, SolveFor):
            solved = tuple(
                None if arg == what.variable else _operand(arg, variables) for arg in what.args
            )
            answers = Solve(source, what.predicate, solved, keep)
            return self.observe(answers, inputs), [*kept, what.variable]
        args = tuple(_operand(arg, variables) for arg in what.args)
        if rebinds:
            last = len(variables)
            valued = self.observe(Apply(source, what.function, args, tuple(range(last))), inputs)
            same = (variables.index(what.variable), last)
            return self.observe(Filter(valued, SAME_TERM, same, keep), inputs), kept
        applied = Apply(source, what.function, args, keep)
        return self.observe(applied, inputs), [*kept, what.variable]

    def _negation(self, order: NegationOrder, needed: frozenset[Variable]) -> _Built:
        below = needed
        kept_after: list[frozenset[Variable]] = []
        for condition in reversed(order.negated):
            kept_after.append(below)
            below |= condition.shared
        rest, columns = base = self.build(order.source, below)
        for condition in order.negated:
            # It begins with the positive part, not with earlier negations: plans stay small.
            self._outer.append(base)
            right, right_columns = self.build(condition.order, condition.shared)
            self._outer.pop()
            on = tuple(
                (columns.index(v), right_columns.index(v)) for v in columns if v in condition.shared
            )
            below = kept_after.pop()
            kept = [v for v in columns if v in below]
            keep = tuple(columns.index(v) for v in kept)
            less = AntiJoin(rest, right, on, keep, condition.correlated)
            rest, columns = self.observe(less, [*columns, *right_columns]), kept
        return rest, columns


def _operand(arg: Argument, variables: list[Variable]) -> Operand:
    return variables.index(arg) if isinstance(arg, Variable) else arg
