"""Rules in which the right side of a Since or Until binds all that the rule needs of it.

With 0 in its range ``phi Since psi`` may hold by psi alone, whatever the variables of phi that psi
does not bind. A rule that needs such a variable binds it elsewhere (`temporal.mtl.validation`); a
*guard* is the condition that does. What a guard says now is moved along the operators between to
where psi is judged, and joined to psi there. That changes no rule: where the guard holds, so does
what was moved of it, and elsewhere the rule says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from rif.syntax import ast
from temporal.intervals.interval import Interval
from temporal.mtl import traversal
from temporal.mtl.ast import (
    BinaryOperator,
    DiamondMinus,
    DiamondPlus,
    MetricFormula,
    UnaryOperator,
)
from temporal.mtl.validation import bound_variables

_VariableNames: TypeAlias = frozenset[str]


def add_guards(rule: ast.Implies) -> ast.Implies:
    """The rule with guards where it needs them; a variable of phi alone stands for some value.

    Without a Since or Until of that kind it is the rule itself. The rule is well-formed.
    """
    outer = frozenset[str]().union(*map(traversal.names, rule.head))
    body = _rewrite(rule.body, (), outer)
    return rule if body is rule.body else replace(rule, body=body)


def _rewrite(
    formula: ast.Formula, guards: Sequence[ast.Formula], outer: _VariableNames
) -> ast.Formula:
    """``formula`` with guards where it needs them.

    ``guards`` hold whenever the rule applies; the variables ``outer`` are needed above.
    """
    match formula:
        case UnaryOperator():
            body = _rewrite(formula.body, _moved_guards(guards, formula, formula.rho), outer)
            return formula if body is formula.body else replace(formula, body=body)
        case ast.And():
            return _rewrite_conjunction(formula, guards, outer)
        case BinaryOperator():
            return _rewrite_binary(formula, guards, outer)
    return formula


def _rewrite_conjunction(
    formula: ast.And, guards: Sequence[ast.Formula], outer: _VariableNames
) -> ast.Formula:
    items = formula.items
    rewritten: list[ast.Formula] = []
    for item, others in traversal.with_others(items):
        names = outer.union(*map(traversal.names, others))
        rewritten.append(_rewrite(item, (*guards, *others), names))
    same = all(new is old for new, old in zip(rewritten, items, strict=True))
    return formula if same else replace(formula, items=tuple(rewritten))


def _rewrite_binary(
    formula: BinaryOperator, guards: Sequence[ast.Formula], outer: _VariableNames
) -> ast.Formula:
    rho, phi, psi = formula.rho, formula.phi, formula.psi
    phi_names, psi_names = traversal.names(phi), traversal.names(psi)
    between = _strictly_within(rho)
    at_psi = _moved_guards(guards, formula, rho)
    if 0 not in rho:  # then phi held right after psi
        at_psi += _moved_guards([phi], formula, between)
    right = _rewrite(psi, at_psi, outer | phi_names)
    if 0 in rho:
        right = _join_guards(right, at_psi, (phi_names & outer) - bound_variables(right))
    at_phi = _moved_guards(guards, formula, between) + _moved_guards(
        [psi], formula, between, ahead=True
    )
    left = _rewrite(phi, at_phi, outer | psi_names)
    if left is phi and right is psi:
        return formula
    return replace(formula, phi=left, psi=right)


def _strictly_within(rho: Interval) -> Interval:
    """The distances of the points strictly between two that are at a distance in ``rho``."""
    end = rho.right if rho.right is None or rho.right > 0 else Fraction(1)
    return replace(rho, left=Fraction(0), right=end, left_closed=False, right_closed=False)


def _moved_guards(
    guards: Iterable[ast.Formula],
    operator: MetricFormula,
    rho: Interval,
    *,
    ahead: bool = False,
) -> tuple[ast.Formula, ...]:
    """The guards that hold now, moved to distances in ``rho`` under ``operator``.

    ``ahead``: of guards that hold where the operator looks, at times between it and now.
    """
    node = DiamondPlus if operator.is_past is not ahead else DiamondMinus
    return tuple(node(rho, guard) for guard in guards)


def _join_guards(
    psi: ast.Formula, guards: Iterable[ast.Formula], unbound: _VariableNames
) -> ast.Formula:
    """``psi`` joined with guards that bind the ``unbound`` variables, the nearest first."""
    items = [psi]
    for guard in guards:
        if unbound & bound_variables(guard):
            items.append(guard)
            unbound -= bound_variables(guard)
    assert not unbound, unbound
    return psi if len(items) == 1 else ast.And(tuple(items))
