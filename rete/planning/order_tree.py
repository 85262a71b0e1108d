"""The order of a conjunction as a tree: what is joined, and which steps follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from rete.planning.lowering import Argument, AtomPattern, Leaf, RowStep, Subplan, Test
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
