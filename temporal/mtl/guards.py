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
    BoxMinus,
    DiamondMinus,
    DiamondPlus,
    Since,
    UnaryOperator,
)
from temporal.mtl.validation import bound_variables

_Names: TypeAlias = frozenset[str]


def add_guards(rule: ast.Implies) -> ast.Implies:
    """The rule with guards where it needs them; a variable of phi alone stands for some value.

    Without a Since or Until of that kind it is the rule itself. The rule is well-formed.
    """
    outer = frozenset[str]().union(*map(traversal.names, rule.head))
    body = _guarded(rule.body, (), outer)
    return rule if body is rule.body else replace(rule, body=body)


def _guarded(formula: ast.Formula, guards: Sequence[ast.Formula], outer: _Names) -> ast.Formula:
    """``formula``, where ``guards`` hold whenever the rule applies and ``outer`` is needed."""
    match formula:
        case UnaryOperator():
            body = _guarded(formula.body, _moved(guards, formula, formula.rho), outer)
            return formula if body is formula.body else replace(formula, body=body)
        case ast.And():
            return _conjunction(formula, guards, outer)
        case BinaryOperator():
            return _binary(formula, guards, outer)
    return formula


def _conjunction(formula: ast.And, guards: Sequence[ast.Formula], outer: _Names) -> ast.Formula:
    items = formula.items
    found: list[ast.Formula] = []
    for item, others in traversal.with_others(items):
        names = outer.union(*map(traversal.names, others))
        found.append(_guarded(item, (*guards, *others), names))
    same = all(new is old for new, old in zip(found, items, strict=True))
    return formula if same else replace(formula, items=tuple(found))


def _binary(formula: BinaryOperator, guards: Sequence[ast.Formula], outer: _Names) -> ast.Formula:
    rho, phi, psi = formula.rho, formula.phi, formula.psi
    of_phi, of_psi = traversal.names(phi), traversal.names(psi)
    aside = _strictly_within(rho)
    at_psi = _moved(guards, formula, rho)
    if 0 not in rho:  # then phi held right after psi
        at_psi += _moved([phi], formula, aside)
    right = _guarded(psi, at_psi, outer | of_phi)
    if 0 in rho:
        right = _with_guards(right, at_psi, (of_phi & outer) - bound_variables(right))
    at_phi = _moved(guards, formula, aside) + _moved([psi], formula, aside, ahead=True)
    left = _guarded(phi, at_phi, outer | of_psi)
    if left is phi and right is psi:
        return formula
    return replace(formula, phi=left, psi=right)


def _strictly_within(rho: Interval) -> Interval:
    """The distances of the points strictly between two that are at a distance in ``rho``."""
    end = rho.right if rho.right is None or rho.right > 0 else Fraction(1)
    return replace(rho, left=Fraction(0), right=end, left_closed=False, right_closed=False)


def _moved(
    guards: Iterable[ast.Formula],
    operator: UnaryOperator | BinaryOperator,
    rho: Interval,
    *,
    ahead: bool = False,
) -> tuple[ast.Formula, ...]:
    """What holds, at distances in ``rho`` under ``operator``, of guards that hold now.

    ``ahead``: of guards that hold where the operator looks, at times between it and now.
    """
    looks_back = isinstance(operator, DiamondMinus | BoxMinus | Since)
    node = DiamondPlus if looks_back is not ahead else DiamondMinus
    return tuple(node(rho, guard) for guard in guards)


def _with_guards(psi: ast.Formula, guards: Iterable[ast.Formula], missing: _Names) -> ast.Formula:
    """``psi`` joined with guards that bind what is missing, the nearest first."""
    items = [psi]
    for guard in guards:
        if missing & bound_variables(guard):
            items.append(guard)
            missing -= bound_variables(guard)
    assert not missing, missing
    return psi if len(items) == 1 else ast.And(tuple(items))
