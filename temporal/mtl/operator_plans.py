"""Plans of operators, from those of their operands.

A diamond, and the right side of Since, need no more columns than what is above them; a box, and the
left side of Since, are about each value of all their variables, so none is projected away there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from rete.nodes.metric.box import Erode
from rete.nodes.metric.diamond import Dilate
from rete.nodes.metric.since import Since
from rete.planning.lowering import Subplan
from rete.planning.planned_kind import HeadBox
from rif.syntax.ast import Formula
from rif.syntax.terms import Variable
from temporal.mtl.ast import BinaryOperator, Box, MetricFormula, UnaryOperator

Operand: TypeAlias = Callable[[Formula, frozenset[Variable] | None], Subplan]
"""The rows of a formula, with the given ones of its variables as columns; None: with all."""


def plan_operator(
    formula: MetricFormula,
    needed: frozenset[Variable],
    operand: Operand,
    scale: int,
) -> Subplan:
    """The rows of a formula with an operator, with the variables that are ``needed``.

    Raises:
        OutOfBounds: the range has a cell that is too far from 0.
    """
    rho, future = formula.rho.cells(scale), not formula.is_past
    if isinstance(formula, UnaryOperator):
        is_box = isinstance(formula, Box)
        inner = operand(formula.body, None if is_box else needed)
        operator = Erode if is_box else Dilate
        return Subplan(operator(inner.source, rho, future), inner.args)
    assert isinstance(formula, BinaryOperator)
    left = operand(formula.phi, None)
    right = operand(formula.psi, needed.union(left.args))
    on = tuple((left.args.index(v), c) for c, v in enumerate(right.args) if v in left.args)
    kept = [(~column, v) for column, v in enumerate(right.args) if v in needed]
    if 0 not in formula.rho:  # else there are columns of psi only
        kept += [
            (column, v) for column, v in enumerate(left.args) if v in needed and v not in right.args
        ]
    keep, args = tuple(column for column, _ in kept), tuple(v for _, v in kept)
    return Subplan(Since(left.source, right.source, on, keep, rho, future), args)


def split_box(head: Formula, scale: int) -> tuple[HeadBox, Formula]:
    """The box at the top of a head, and the formula under it.

    Raises:
        OutOfBounds: as of `plan_operator`.
    """
    assert isinstance(head, Box)
    return HeadBox(head.rho.cells(scale), head.is_past), head.body
