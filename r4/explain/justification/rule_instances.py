"""Instances of rules as values, by the ids of their terms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from rete.nodes.graph import Stream
from rete.planning.plan import AntiJoin, Apply, Dilate, Erode, Filter, Relation, Since, Solve


class GroundFact(NamedTuple):
    """A fact by the ids of its terms; where terms are the same for ever, of representatives."""

    relation: Relation
    terms: tuple[int, ...]


class Assertion(NamedTuple):
    """That an element asserts a fact: its name, 0 for none, and the cells in which it does."""

    name: int
    lo: int
    hi: int


class TrueBuiltin(NamedTuple):
    """A built-in that was true, or had a value, of its arguments that are no constants.

    Attributes:
        args: their ids, in the order of the columns of the plan.
        value: what a function gave, or what makes a predicate true; 0 of a test.
    """

    plan: Filter | Apply | Solve
    args: tuple[int, ...]
    value: int


class NegatedMatch(NamedTuple):
    """That nothing agrees with a row on the key of an anti-join, whose output is ``stream``."""

    stream: Stream
    key: tuple[int, ...]

    @property
    def plan(self) -> AntiJoin:
        """The anti-join."""
        assert isinstance(self.stream.plan, AntiJoin)
        return self.stream.plan


@dataclass(frozen=True, slots=True)
class OperandRow:
    """A row of a stream: an operand with the values of all its columns."""

    stream: Stream
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """A row of a metric operator, whose output is ``stream``: it is made of other times."""

    stream: Stream
    values: tuple[int, ...]

    @property
    def plan(self) -> Dilate | Erode | Since:
        """The operator."""
        assert isinstance(self.stream.plan, Dilate | Erode | Since)
        return self.stream.plan


class RuleInstance(NamedTuple):
    """An instance of a rule whose body is true; or of an operand, whose rule is 0."""

    rule: int
    body: tuple[GroundFact, ...]
    tested: tuple[TrueBuiltin, ...]
    absent: tuple[NegatedMatch, ...]
    moved: tuple[OperatorRow, ...] = ()

    @property
    def needs(self) -> tuple[GroundNode, ...]:
        """What must be true for it."""
        return *self.body, *self.moved


GroundNode: TypeAlias = GroundFact | OperandRow | OperatorRow
"""What may be true at a time, and hangs on others."""


def order_key(way: RuleInstance) -> tuple[object, ...]:
    """What orders instances of rules, whatever the order in which rows were found."""
    body = tuple((fact.relation.op, fact.terms) for fact in way.body)
    tested = tuple((each.args, each.value) for each in way.tested)
    moved = tuple(each.values for each in way.moved)
    return way.rule, body, tested, tuple(each.key for each in way.absent), moved


def hull(held: Iterable[Assertion]) -> tuple[int, int]:
    """The time of all elements that assert a fact at one instant, which is one interval."""
    spans = [(each.lo, each.hi) for each in held]
    return min(lo for lo, _ in spans), max(hi for _, hi in spans)
