"""Facts, operands, operators and instances of rules as values, by the ids of their terms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from rete.graph.plan import NonPointwise, Plan
from rete.graph.streams import Stream
from rete.terms.relations import Relation


class GroundFact(NamedTuple):
    """A fact by the ids of its terms; of representatives, where terms are equal at all times."""

    relation: Relation
    terms: tuple[int, ...]


class Assertion(NamedTuple):
    """That an element asserts a fact: its name, 0 for none, and the cells in which it does."""

    name: int
    lo: int
    hi: int


class TrueBuiltin(NamedTuple):
    """A built-in that was true of these arguments, or had a value.

    Attributes:
        args: the ids of its arguments that are no constants, in the order of the plan.
        value: what a function gave, or what makes a predicate true; 0 of a test.
    """

    plan: Plan
    args: tuple[int, ...]
    value: int


class NegatedMatch(NamedTuple):
    """That nothing agrees with a row on the key of an anti-join, whose output is ``stream``."""

    stream: Stream
    key: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OperandRow:
    """A row of a stream: an operand with the values of all its columns."""

    stream: Stream
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """A row of an operator that is not pointwise; its operands are at other times.

    Attributes:
        stream: the output of the operator.
    """

    stream: Stream
    values: tuple[int, ...]

    @property
    def plan(self) -> NonPointwise:
        """The operator."""
        assert isinstance(self.stream.plan, NonPointwise)
        return self.stream.plan


class RuleInstance(NamedTuple):
    """An instance of a rule whose body is true; of an operand the rule is 0."""

    rule: int
    body: tuple[GroundFact, ...]
    builtins: tuple[TrueBuiltin, ...]
    absent: tuple[NegatedMatch, ...]
    operators: tuple[OperatorRow, ...] = ()

    @property
    def premises(self) -> tuple[GroundNode, ...]:
        """The nodes that must be true for it."""
        return *self.body, *self.operators


GroundNode: TypeAlias = GroundFact | OperandRow | OperatorRow
"""What is true at some times, given others of its kind."""


def order_key(instance: RuleInstance) -> tuple[object, ...]:
    """A sort key of instances that does not depend on the order in which rows were found."""
    body = tuple((fact.relation.op, fact.terms) for fact in instance.body)
    builtins = tuple((each.args, each.value) for each in instance.builtins)
    operators = tuple(each.values for each in instance.operators)
    return instance.rule, body, builtins, tuple(each.key for each in instance.absent), operators


def hull(held: Iterable[Assertion]) -> tuple[int, int]:
    """The interval from the first beginning to the last end of elements that assert a fact."""
    spans = [(each.lo, each.hi) for each in held]
    return min(lo for lo, _ in spans), max(hi for _, hi in spans)
