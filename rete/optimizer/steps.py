"""The order of a conjunction as a tree: what is joined, and then done with the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from rete.lowering import Argument, Leaf, Pattern, Step, Subplan, Test
from rif.terms import Variable


@dataclass(frozen=True, slots=True)
class Joined:
    """Two orders that come together."""

    left: Order
    right: Order


@dataclass(frozen=True, slots=True)
class Then:
    """A test or a let after an order."""

    source: Order
    what: Step


@dataclass(frozen=True, slots=True)
class Given:
    """Within a negation: the rows of the positive part around it."""

    variables: frozenset[Variable]


@dataclass(frozen=True, slots=True)
class Negated:
    """A condition that must be false.

    Attributes:
        order: of the condition; if it is correlated, it begins with what is `Given`.
        shared: the variables that it shares with what stands beside it.
        correlated: whether it does not bind all of those itself.
    """

    order: Order
    shared: frozenset[Variable]
    correlated: bool


@dataclass(frozen=True, slots=True)
class Without:
    """An order less what is negated."""

    source: Order
    negated: tuple[Negated, ...]


Order: TypeAlias = Pattern | Subplan | Joined | Then | Given | Without | None
"""None is the conjunction of nothing."""


def bound_by(order: Order) -> set[Variable]:
    """The variables that have a value after it."""
    match order:
        case None:
            return set()
        case Pattern() | Subplan():
            return variables(order.args)
        case Given():
            return set(order.variables)
        case Joined():
            return bound_by(order.left) | bound_by(order.right)
        case Without():
            return bound_by(order.source)
        case Then():
            bound = bound_by(order.source)
            return bound if isinstance(order.what, Test) else bound | {order.what.variable}


def leaves(order: Order) -> Iterator[Leaf]:
    """What it joins, from the left on; not what it takes away."""
    match order:
        case Pattern() | Subplan():
            yield order
        case Joined():
            yield from leaves(order.left)
            yield from leaves(order.right)
        case Then() | Without():
            yield from leaves(order.source)


def variables(args: tuple[Argument, ...]) -> set[Variable]:
    """Those among the arguments."""
    return {arg for arg in args if isinstance(arg, Variable)}
