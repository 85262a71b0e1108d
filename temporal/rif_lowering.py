"""From metric formulas of RIF to plans: rows for the tables of `rete.lowering`.

To import this module adds them. An operand is a plan of its own (`rete.operands`); what an operator
makes of it is joined with the other conditions. Boxes and the left side of Since are about each
value of all their free variables, so none of those is projected away beneath them.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace
from fractions import Fraction

from rete import plan
from rete.lowering import BOXES, LITERALS, SPLITS, Box, Lowering, Subplan
from rete.operands import operand
from rif.ast import Formula
from rif.terms import Variable
from rif.walk import free_variables
from temporal.ast import (
    Binary,
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    Since,
    Until,
)
from temporal.rif_ranges import Durations


def _diamond(lowering: Lowering, formula: Formula) -> None:
    assert isinstance(formula, DiamondMinus | DiamondPlus)
    inner = operand(lowering, formula.body, lowering.needed)
    rho, future = formula.rho.cells(lowering.scale), isinstance(formula, DiamondPlus)
    lowering.subplans.append(Subplan(plan.Dilate(inner.source, rho, future), inner.args))


def _box(lowering: Lowering, formula: Formula) -> None:
    assert isinstance(formula, BoxMinus | BoxPlus)
    inner = operand(lowering, formula.body, _all(formula.body))
    rho, future = formula.rho.cells(lowering.scale), isinstance(formula, BoxPlus)
    lowering.subplans.append(Subplan(plan.Erode(inner.source, rho, future), inner.args))


def _chain(lowering: Lowering, formula: Formula) -> None:
    """Since and Until; with 0 in the range, only columns of psi can be told."""
    assert isinstance(formula, Binary)
    left = operand(lowering, formula.phi, _all(formula.phi))
    right = operand(lowering, formula.psi, lowering.needed | _all(formula.phi))
    on = tuple((left.args.index(v), c) for c, v in enumerate(right.args) if v in left.args)
    kept = [(~column, v) for column, v in enumerate(right.args) if v in lowering.needed]
    if 0 not in formula.rho:
        kept += [
            (column, v)
            for column, v in enumerate(left.args)
            if v in lowering.needed and v not in right.args
        ]
    keep, args = tuple(column for column, _ in kept), tuple(v for _, v in kept)
    rho, future = formula.rho.cells(lowering.scale), isinstance(formula, Until)
    found = plan.Since(left.source, right.source, on, keep, rho, future)
    lowering.subplans.append(Subplan(found, args))


def _split(formula: Formula, elsewhere: AbstractSet[str]) -> tuple[Formula, ...]:
    """With 0 in the range: psi now, or phi since some time before, if the values of phi matter.

    They do if a variable of phi alone occurs elsewhere too: psi now says nothing of it.
    """
    assert isinstance(formula, Binary)
    own = free_variables(formula.phi).keys() - free_variables(formula.psi).keys()
    if 0 not in formula.rho or own.isdisjoint(elsewhere):
        return (formula,)
    rho = formula.rho
    now = Durations(Fraction(0), Fraction(0))
    psi = DiamondMinus(now, formula.psi, span=formula.span)
    if rho.right == 0:
        return (psi,)
    return psi, replace(formula, rho=replace(rho, left_closed=False))


def _unboxed(head: Formula, scale: int) -> tuple[Box, Formula]:
    assert isinstance(head, BoxMinus | BoxPlus)
    return Box(head.rho.cells(scale), isinstance(head, BoxMinus)), head.body


def _all(formula: Formula) -> frozenset[Variable]:
    return frozenset(map(Variable, free_variables(formula)))


LITERALS.update(
    {
        DiamondMinus: _diamond,
        DiamondPlus: _diamond,
        BoxMinus: _box,
        BoxPlus: _box,
        Since: _chain,
        Until: _chain,
    }
)
SPLITS.update({Since: _split, Until: _split})
BOXES.update({BoxMinus: _unboxed, BoxPlus: _unboxed})
