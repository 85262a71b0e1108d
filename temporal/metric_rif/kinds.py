"""The metric operators as kinds of formula of RIF: `METRIC_KINDS`, a row each."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from rete.planning.lowering import Lowering
from rete.planning.operands import lower_operand
from rete.planning.planned_kind import HeadBox, PlannedKind
from rif.checks.safety import bound_in_all
from rif.errors.base import Span
from rif.syntax.aggregates import Aggregate
from rif.syntax.ast import And, Exists, Formula
from rif.syntax.formula_kinds import XmlForm
from rif.syntax.terms import Variable
from rif.syntax.traversal import free_variables, subformulas
from temporal.intervals.durations import Durations, VariableRange
from temporal.metric_rif.syntax import (
    parse_range,
    range_attribute,
    read_operator,
    write_operator,
)
from temporal.mtl.ast import BinaryOperator, DiamondMinus, DiamondPlus, MetricFormula
from temporal.mtl.operator_plans import plan_operator
from temporal.mtl.operators import OPERATORS

if TYPE_CHECKING:
    from rete.planning.lowering import Lowering


def lower_operator(lowering: Lowering, formula: MetricFormula) -> None:
    """Let the rows of an operator enter a conjunction.

    Raises:
        OutOfBounds: as of `plan_operator`.
    """
    if isinstance(formula, BinaryOperator):
        if formula.rho.right == 0:  # what holds between is not asked for
            now = DiamondMinus(formula.rho, formula.psi, span=formula.span)
            lower_operator(lowering, now)
            return
        formula = _asked_with(formula, lowering)
    operand = partial(lower_operand, lowering)
    lowering.subplans.append(plan_operator(formula, lowering.needed, operand, lowering.scale))


def _asked_with(formula: BinaryOperator, lowering: Lowering) -> BinaryOperator:
    """An operator whose left side binds all its variables that the right side binds.

    Those by which an aggregate is grouped, too: then groups without solutions are known.

    At every point between, a right row of these values is within reach, so to ask for that, too,
    changes nothing.
    """
    phi, psi, rho = formula.phi, formula.psi, formula.rho
    shared = free_variables(phi).keys() & free_variables(psi).keys()
    grouping = {
        each.value.name
        for aggregate in subformulas(phi)
        if isinstance(aggregate, Aggregate)
        for each in aggregate.group
    }
    names = shared - (bound_in_all(phi, lowering.language) - grouping)
    if not names:
        return formula
    others = tuple(Variable(name) for name in free_variables(psi) if name not in names)
    rho = rho.for_a_tick(lowering.scale) if isinstance(rho, VariableRange) else rho
    near = replace(rho, left=Fraction(0), left_closed=False, right_closed=False)
    back = DiamondMinus if formula.is_past else DiamondPlus
    given = back(near, Exists(others, psi, span=psi.span) if others else psi, span=psi.span)
    return replace(formula, phi=And((given, phi), span=phi.span))


def split_now(formula: BinaryOperator, elsewhere: AbstractSet[str]) -> tuple[Formula, ...]:
    """With 0 in the range: psi now, or phi since some time before, if the values of phi matter.

    They do if a variable of phi alone occurs elsewhere too: psi now says nothing of it.
    """
    own = free_variables(formula.phi).keys() - free_variables(formula.psi).keys()
    if 0 not in formula.rho or own.isdisjoint(elsewhere):
        return (formula,)
    rho = formula.rho
    now = Durations(Fraction(0), Fraction(0))
    psi = DiamondMinus(now, formula.psi, span=formula.span)
    if rho.right == 0:
        return (psi,)
    return psi, replace(formula, rho=replace(rho, left_closed=False))


_RANGE: Final = "range"
"""The attribute of RIF/XML that has the range, as the presentation syntax writes it."""


def _kind(node: type[MetricFormula]) -> PlannedKind[Any, Lowering]:
    is_binary = issubclass(node, BinaryOperator)

    def from_xml(
        values: Mapping[str, str], parts: tuple[Formula, ...], span: Span
    ) -> MetricFormula:
        return node(parse_range(values[_RANGE], span), *parts)

    return PlannedKind(
        node.__name__,
        node,
        parse=partial(read_operator, node=node),
        write=write_operator,
        xml=XmlForm((_RANGE,), 2 if is_binary else 1, read=from_xml, write=_to_xml),
        lower=_lower,
        split=_split if is_binary else None,
        unbox=_unbox if node.is_head else None,
    )


def _to_xml(formula: MetricFormula) -> Mapping[str, str]:
    return {_RANGE: range_attribute(formula.rho)}


# Plans come with numpy, which those who only read rules need not load.


def _lower(lowering: Lowering, formula: MetricFormula) -> None:
    from temporal.metric_rif.kinds import lower_operator  # noqa: PLC0415

    lower_operator(lowering, formula)


def _split(formula: BinaryOperator, elsewhere: AbstractSet[str]) -> tuple[Formula, ...]:
    from temporal.metric_rif.kinds import split_now  # noqa: PLC0415

    return split_now(formula, elsewhere)


def _unbox(head: Formula, scale: int) -> tuple[HeadBox, Formula]:
    from temporal.mtl.operator_plans import split_box  # noqa: PLC0415

    return split_box(head, scale)


METRIC_KINDS: Final = tuple(_kind(each.node) for each in OPERATORS)
"""The rows of all metric operators."""
