"""Join order: in which order a conjunction is joined.

Selective patterns first, tests and lets as soon as their variables are bound, no Cartesian product
while a shared variable is left: patterns connected by variables are joined among themselves,
and the parts that share none come together last, where a test over both may still filter. So
what depends on static data alone is one part, joined once. Ties are broken by the text of the
pattern, so that rules with common patterns get common prefixes, which are then the same node.

What is negated comes last: it takes rows away from the positive part. A negated condition that
binds all its variables is planned by itself, and so shared with all rules that have it, too; any
other is correlated: it begins with the rows of the positive part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from rete.planning.lowering import (
    Argument,
    AtomPattern,
    Conjunction,
    Leaf,
    RowStep,
    Subplan,
    Test,
    input_variables,
    variables_of,
)
from rif.syntax.terms import Variable


@dataclass(frozen=True, slots=True)
class JoinOrder:
    """The join of two orders."""

    left: Order
    right: Order


@dataclass(frozen=True, slots=True)
class StepOrder:
    """A test or a let after an order."""

    source: Order
    what: RowStep


@dataclass(frozen=True, slots=True)
class OuterRows:
    """In a correlated negation: the rows of the positive part outside of it."""

    variables: frozenset[Variable]


@dataclass(frozen=True, slots=True)
class NegatedCondition:
    """A condition that must be false.

    Attributes:
        order: of the condition; if it is correlated, it begins with `OuterRows`.
        shared: the variables that it shares with the positive part.
        correlated: whether it does not bind all of those itself.
    """

    order: Order
    shared: frozenset[Variable]
    correlated: bool


@dataclass(frozen=True, slots=True)
class NegationOrder:
    """An order and the conditions that are negated after it."""

    source: Order
    negated: tuple[NegatedCondition, ...]


Order: TypeAlias = AtomPattern | Subplan | JoinOrder | StepOrder | OuterRows | NegationOrder | None
"""None is the conjunction of nothing."""


def bound_by(order: Order) -> set[Variable]:
    """The variables that have a value after it."""
    match order:
        case None:
            return set()
        case AtomPattern() | Subplan():
            return variables_among(order.args)
        case OuterRows():
            return set(order.variables)
        case JoinOrder():
            return bound_by(order.left) | bound_by(order.right)
        case NegationOrder():
            return bound_by(order.source)
        case StepOrder():
            bound = bound_by(order.source)
            return bound if isinstance(order.what, Test) else bound | {order.what.variable}


def leaves(order: Order) -> Iterator[Leaf]:
    """The patterns and subplans that it joins, from the left; not those that are negated."""
    match order:
        case AtomPattern() | Subplan():
            yield order
        case JoinOrder():
            yield from leaves(order.left)
            yield from leaves(order.right)
        case StepOrder() | NegationOrder():
            yield from leaves(order.source)


def variables_among(args: tuple[Argument, ...]) -> set[Variable]:
    """Those among the arguments."""
    return {arg for arg in args if isinstance(arg, Variable)}


@dataclass(slots=True)
class JoinedPart:
    """Patterns joined so far, and the variables they bind."""

    step: Order
    bound: set[Variable]


def find_join_order(conjunction: Conjunction, given: frozenset[Variable] | None = None) -> Order:
    """The order of a conjunction.

    ``given`` are the variables of the rows that a correlated negation begins with.
    """
    positive = _positive(conjunction, given)
    if not conjunction.negated:
        return positive
    bound = frozenset(bound_by(positive))
    # What rules may have in common comes first; equal conditions come in the same order.
    negated = sorted(conjunction.negated, key=lambda c: (_is_correlated(c, bound), repr(c)))
    return NegationOrder(positive, tuple(_negated(each, bound) for each in negated))


def joined_positions(conjunction: Conjunction) -> tuple[int, ...]:
    """The place in the text of each pattern or subplan that the plan joins, from the left.

    Subplans have theirs behind the patterns; what is negated is left out.
    """
    text: list[Leaf] = [*conjunction.patterns, *conjunction.subplans]
    return tuple(map(text.index, leaves(find_join_order(conjunction))))


def _is_correlated(condition: Conjunction, bound: frozenset[Variable]) -> bool:
    """Whether it shares variables with the positive part that its patterns do not bind."""
    leaves: tuple[Leaf, ...] = (*condition.patterns, *condition.subplans)
    own = {arg for pattern in leaves for arg in variables_among(pattern.args)}
    return not bound & variables_of(condition) <= own


def _negated(condition: Conjunction, bound: frozenset[Variable]) -> NegatedCondition:
    correlated = _is_correlated(condition, bound)
    order = find_join_order(condition, bound if correlated else None)
    return NegatedCondition(order, bound & variables_of(condition), correlated)


def _positive(conjunction: Conjunction, given: frozenset[Variable] | None) -> Order:
    patterns: list[Leaf] = [*conjunction.patterns, *conjunction.subplans]
    pending: list[RowStep] = [*conjunction.lets, *conjunction.tests]
    wanted = _occurrences(conjunction)
    leaves = _filtered(patterns, pending)
    parts: list[JoinedPart] = []
    start = [] if given is None else [JoinedPart(OuterRows(given), set(given))]
    while patterns or start:
        if start:
            part = start.pop()
        else:
            first = min(patterns, key=lambda pattern: _cost(pattern, set(), wanted))
            patterns.remove(first)
            part = JoinedPart(leaves[first], variables_among(first.args))
        apply_ready(part, pending)
        while near := [p for p in patterns if variables_among(p.args) & part.bound]:
            best = min(near, key=lambda pattern: _cost(pattern, part.bound, wanted))
            patterns.remove(best)
            part.step = JoinOrder(part.step, leaves[best])
            part.bound |= variables_among(best.args)
            apply_ready(part, pending)
        parts.append(part)
        # A let may just have bound what connects two parts.
        parts = _connect(parts, pending)
    whole = JoinedPart(None, set()) if not parts else parts[0]
    apply_ready(whole, pending)
    for part in parts[1:]:
        whole = join_parts(whole, part, pending)
    assert not pending, pending
    return whole.step


def _filtered(patterns: list[Leaf], pending: list[RowStep]) -> dict[Leaf, Order]:
    """The patterns, each with the tests on its variables alone, which are no longer pending."""
    leaves: dict[Leaf, Order] = {}
    for pattern in patterns:
        leaf: Order = pattern
        for what in list(pending):
            tested = variables_among(what.args)
            if isinstance(what, Test) and tested and tested <= variables_among(pattern.args):
                pending.remove(what)
                leaf = StepOrder(leaf, what)
        leaves[pattern] = leaf
    return leaves


def _connect(parts: list[JoinedPart], pending: list[RowStep]) -> list[JoinedPart]:
    last = parts[-1]
    unconnected: list[JoinedPart] = []
    for part in parts[:-1]:
        if part.bound & last.bound:
            last = join_parts(part, last, pending)
        else:
            unconnected.append(part)
    return [*unconnected, last]


def join_parts(left: JoinedPart, right: JoinedPart, pending: list[RowStep]) -> JoinedPart:
    """The join of two parts, and the steps that it binds the inputs of."""
    whole = JoinedPart(JoinOrder(left.step, right.step), left.bound | right.bound)
    apply_ready(whole, pending)
    return whole


def apply_ready(part: JoinedPart, pending: list[RowStep]) -> None:
    """Put the steps whose inputs ``part`` binds after it; they are no longer pending."""
    progress = True
    while progress:
        progress = False
        for what in list(pending):
            if input_variables(what) <= part.bound:
                pending.remove(what)
                part.step = StepOrder(part.step, what)
                if not isinstance(what, Test):
                    part.bound.add(what.variable)
                progress = True


def _occurrences(conjunction: Conjunction) -> dict[Variable, int]:
    count: dict[Variable, int] = {}
    everything: tuple[Leaf | RowStep, ...] = (
        *conjunction.patterns,
        *conjunction.subplans,
        *conjunction.tests,
        *conjunction.lets,
        *conjunction.heads,
        *conjunction.late,
    )
    for what in everything:
        for variable in variables_among(what.args):
            count[variable] = count.get(variable, 0) + 1
    for negated in conjunction.negated:
        for variable in variables_of(negated):
            count[variable] = count.get(variable, 0) + 1
    return count


def _cost(pattern: Leaf, bound: set[Variable], wanted: dict[Variable, int]) -> tuple[int, int, str]:
    """New columns, then open positions: fewest first. A variable that occurs once is no column."""
    new = variables_among(pattern.args) - bound
    return (sum(wanted[v] > 1 for v in new), len(new), repr(pattern))
