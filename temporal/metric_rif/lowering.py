"""From metric formulas of RIF to plans.

An operand is a plan of its own (`rete.planning.operands`); the plan of the operator
(`temporal.mtl.operator_plans`) is joined with the other conditions.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace
from fractions import Fraction
from functools import partial

from rete.planning.lowering import Lowering
from rete.planning.operands import lower_operand
from rif.syntax.ast import Formula
from rif.syntax.traversal import free_variables
from temporal.intervals.durations import Durations
from temporal.mtl.ast import BinaryOperator, DiamondMinus, MetricFormula
from temporal.mtl.operator_plans import plan_operator


def lower_operator(lowering: Lowering, formula: MetricFormula) -> None:
    """Let the rows of an operator enter a conjunction.

    Raises:
        OutOfBounds: as of `plan_operator`.
    """
    operand = partial(lower_operand, lowering)
    lowering.subplans.append(plan_operator(formula, lowering.needed, operand, lowering.scale))


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
