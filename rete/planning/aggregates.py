"""Aggregates as kinds of formula: `AGGREGATE_KINDS`, the equation and the aggregates in it.

Parsers and writers know them, as they stand where a term stands; a language has them by these rows.

A group without solutions has a value for some aggregates, if the rest of the conjunction says which
groups there are. Then the equation is a disjunction: the value of a group that has solutions, or
that of an empty one where the condition is false.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Final, NoReturn

from rete.planning.planned_kind import PlannedKind
from rif.errors.checks import BadAggregate
from rif.syntax import ast
from rif.syntax.aggregates import Aggregate, AggregateEqual, Side
from rif.syntax.formula_kinds import FormulaSink, FormulaSource
from rif.syntax.negation import ClosedNaf
from rif.syntax.terms import XSD, GroundList, GroundTerm, Literal

if TYPE_CHECKING:
    from rete.planning.lowering import Lowering

_NONE: Final = Literal("0", XSD + "integer")
_OF_NOTHING: Final[dict[str, GroundTerm]] = {"count": _NONE, "sum": _NONE, "list": GroundList(())}
"""The values of groups without solutions; other aggregates have none."""


def lower_aggregates(lowering: Lowering, formula: AggregateEqual) -> None:
    """Let the rows of its aggregates enter; each gives a variable its value, or is compared."""
    sides = (formula.left, formula.right)
    term = next((each for each in sides if not isinstance(each, Aggregate)), None)
    if isinstance(term, ast.Var) and not lowering.known(term):
        for side in sides:
            if isinstance(side, Aggregate):
                _bind(lowering, side, term)
        return
    left, right = (
        _bind(lowering, side, None) if isinstance(side, Aggregate) else side for side in sides
    )
    lowering.equal(ast.Equal(left, right, span=formula.span))


def _bind(lowering: Lowering, aggregate: Aggregate, result: ast.Var | None) -> ast.Var:
    """Let the rows of an aggregate enter, with ``result``, or another variable, as its value."""
    from rete.nodes.aggregate import Aggregate as Plan  # noqa: PLC0415 - it loads numpy
    from rete.planning.lowering import Subplan, fresh_variable  # noqa: PLC0415 - likewise
    from rete.planning.operands import lower_operand  # noqa: PLC0415 - likewise

    if result is None:
        result = ast.Var(fresh_variable(next(lowering.fresh)))
    inner = lower_operand(lowering, aggregate.body, None)
    place = inner.args.index
    plan = Plan(
        inner.source,
        aggregate.function,
        tuple(place(each.value) for each in aggregate.group),
        place(aggregate.value),
        None if aggregate.order is None else place(aggregate.order),
        aggregate.share,
        aggregate.part,
        aggregate.size,
    )
    if lowering.observer is not None:
        lowering.observer(plan, (*inner.args, result.value))
    lowering.bind(Subplan(plan, (*(each.value for each in aggregate.group), result.value)))
    return result


def complete_groups(formula: AggregateEqual, bound: AbstractSet[str]) -> tuple[ast.Formula, ...]:
    """The equation, or that of empty groups, if all groups are known from ``bound`` variables."""
    choices = [_choices(side, bound) for side in (formula.left, formula.right)]
    return tuple(_equation(formula, *sides) for sides in product(*choices))


def _choices(side: Side, bound: AbstractSet[str]) -> tuple[Side | GroundTerm, ...]:
    """A side, and its value where no solution is, if there may be one."""
    if isinstance(side, Aggregate):
        empty = _OF_NOTHING.get(side.function)
        if empty is not None and all(each.value.name in bound for each in side.group):
            return side, empty
    return (side,)


def _equation(
    formula: AggregateEqual, left: Side | GroundTerm, right: Side | GroundTerm
) -> ast.Formula:
    """The equation of these sides; a value stands for an aggregate without solutions."""
    sides: list[Side] = []
    absent: list[ast.Formula] = []
    for side, given in ((formula.left, left), (formula.right, right)):
        if isinstance(given, Aggregate | ast.Term):
            sides.append(given)
        else:
            assert isinstance(side, Aggregate)
            sides.append(ast.Constant(given, span=side.span))
            absent.append(_no_solution(side))
    one, other = sides
    if not absent:
        return formula
    if isinstance(one, Aggregate) or isinstance(other, Aggregate):
        rest: ast.Formula = replace(formula, left=one, right=other)
    else:
        rest = ast.Equal(one, other, span=formula.span)
    return ast.And((*absent, rest), span=formula.span)


def _no_solution(aggregate: Aggregate) -> ClosedNaf:
    local = aggregate.local
    body = aggregate.body
    span = aggregate.span
    return ClosedNaf(ast.Exists(local, body, span=span) if local else body, span=span)


def _refuse(parser: FormulaSource) -> NoReturn:
    parser.fail(BadAggregate("no aggregate", parser.here()))


def _write(formula: AggregateEqual | Aggregate, writer: FormulaSink) -> list[str]:
    return writer.formula(formula)


def _inside(_lowering: Lowering, _formula: Aggregate) -> None:
    """An aggregate is lowered with its equation."""
    raise AssertionError


AGGREGATE_KINDS: Final = (
    PlannedKind(
        "Aggregate",
        AggregateEqual,
        parse=_refuse,
        write=_write,
        lower=lower_aggregates,
        is_late=True,
        complete=complete_groups,
    ),
    PlannedKind("aggregate", Aggregate, parse=_refuse, write=_write, lower=_inside),
)
"""Their rows."""
