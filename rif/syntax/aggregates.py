"""Aggregates: ``?m = avg{ ?v [?s] | F }``, an equation with one or two aggregates as its sides.

The *solutions* of an aggregate are the bindings of the free variables of F for which F is true,
each once. Those that agree on the grouping variables (in square brackets) are a group; the value
is that of the bag of the ?v of a group, one from each solution. All other variables of F are
local: outside the braces their names mean other variables.

An extension of RIF-Core in R4's own namespace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from rif.syntax import ast
from rif.syntax.terms import Variable
from rif.syntax.traversal import free_variables

AGGREGATES: Final = (
    *("count", "sum", "avg", "min", "max", "median", "quantile", "stddev"),
    *("list", "first", "last"),
)
"""The words of all aggregates."""

OF_SOME: Final = frozenset(("count", "sum", "avg", "min", "max", "median", "quantile", "stddev"))
"""Those that may be of the first or the last members alone: ``avg last 10{ … }``."""


@dataclass(frozen=True, slots=True)
class Aggregate(ast.Formula):
    """``avg last 10{ ?v ?t [?s] | F }``: a side of an `AggregateEqual`, no condition by itself.

    Attributes:
        function: One of `AGGREGATES`.
        share: The Q of ``quantile Q`` as written, else "".
        part: ``first`` or ``last``, if it is of the first or last ``size`` members alone; else "".
        size: The number of members: of ``part``, or of the list of ``first N``; None: there is
            none, and ``first`` is the one member.
        value: The variable whose values are the members.
        order: The variable by which they are ordered.
        group: The grouping variables.
        body: The condition.
    """

    function: str
    value: Variable
    body: ast.Formula
    group: tuple[ast.Var, ...] = ()
    order: Variable | None = None
    share: str = ""
    part: str = ""
    size: int | None = None

    @property
    def terms(self) -> tuple[ast.Term, ...]:
        """The grouping variables."""
        return self.group

    def with_terms(self, of: Callable[[ast.Term], ast.Term]) -> Aggregate:
        """The same with other grouping variables, which must be variables."""
        group = tuple(each for each in map(of, self.group) if isinstance(each, ast.Var))
        return replace(self, group=group)

    @property
    def parts(self) -> tuple[ast.Formula, ...]:
        """The condition."""
        return (self.body,)

    def with_parts(self, parts: Sequence[ast.Formula]) -> Aggregate:
        """The same of another condition."""
        return replace(self, body=parts[0])

    @property
    def local(self) -> tuple[Variable, ...]:
        """All variables of the condition, and the two named, that do not group."""
        group = {each.value for each in self.group}
        named = (self.value, *(() if self.order is None else (self.order,)))
        free = map(Variable, free_variables(self.body))
        return tuple(each for each in dict.fromkeys((*named, *free)) if each not in group)

    @property
    def binding(self) -> tuple[ast.Formula, ...]:
        """The condition: it binds the grouping variables."""
        return self.parts

    @property
    def operands(self) -> tuple[ast.Formula, ...]:
        """The condition: it binds its free variables itself."""
        return self.parts


Side: TypeAlias = ast.Term | Aggregate
"""A side of the equation."""


@dataclass(frozen=True, slots=True)
class AggregateEqual(ast.Formula):
    """``left = right``, at least one of which is an aggregate.

    A variable that nothing else binds gets the value; else the values are compared, as by `Equal`.
    """

    left: Side
    right: Side

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """The sides that are aggregates."""
        return tuple(each for each in (self.left, self.right) if isinstance(each, Aggregate))

    @property
    def terms(self) -> tuple[ast.Term, ...]:
        """The side that is a term."""
        return tuple(each for each in (self.left, self.right) if not isinstance(each, Aggregate))

    def with_terms(self, of: Callable[[ast.Term], ast.Term]) -> AggregateEqual:
        """The same with another term."""
        left, right = (
            each if isinstance(each, Aggregate) else of(each) for each in (self.left, self.right)
        )
        return replace(self, left=left, right=right)

    @property
    def parts(self) -> tuple[ast.Formula, ...]:
        """The aggregates."""
        return self.aggregates

    def with_parts(self, parts: Sequence[ast.Formula]) -> AggregateEqual:
        """The same with other aggregates."""
        given = iter(parts)
        left, right = (
            next(given) if isinstance(each, Aggregate) else each for each in (self.left, self.right)
        )
        assert isinstance(left, Aggregate | ast.Term)
        assert isinstance(right, Aggregate | ast.Term)
        return replace(self, left=left, right=right)

    @property
    def binding(self) -> tuple[ast.Formula, ...]:
        """The aggregates."""
        return self.parts

    @property
    def operands(self) -> tuple[ast.Formula, ...]:
        """The aggregates: what is in one is bound there."""
        return self.parts

    @property
    def results(self) -> tuple[ast.Var, ...]:
        """The side that is a variable: it gets the value, if nothing else binds it."""
        return tuple(each for each in self.terms if isinstance(each, ast.Var))
