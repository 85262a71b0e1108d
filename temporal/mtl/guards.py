"""Rules in which the right side of a Since or Until binds all that the rule needs of it.

With 0 in its range ``phi Since psi`` may hold by psi alone, whatever the variables of phi that psi
does not bind. A rule that needs such a variable binds it elsewhere (`temporal.mtl.validation`); a
*guard* is the condition that does. What a guard says now is moved along the operators between to
where psi is judged, and joined to psi there. That changes no rule: where the guard holds, so does
what was moved of it, and elsewhere the rule says nothing.

A variable of phi alone stands for some value, one for the whole rule. Under a box, or on another
left side, that is no value an instant, so the rule becomes two: one in which psi alone is enough
everywhere, and one in which phi holds for the value somewhere near, which is a guard of psi.
``A(Y) :- Boxminus[0,1](B(X,Y) Since[0,3] C(Y))`` becomes::

    A(Y) :- Boxminus[0,1]C(Y)
    A(Y) :- Boxminus[0,1](B(X,Y) Since[0,3] (C(Y), Diamondminus[0,4]Diamondplus[0,4]B(X,Y)))

What is negated, and a comparison, need values for their variables where they stand. So they, too,
get guards where nothing beside them binds these: ``A(X), Boxminus[0,1]not B(X)`` becomes
``A(X), Boxminus[0,1](not B(X), Diamondplus[0,1]A(X))``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import NamedTuple, TypeAlias

from rif.syntax import ast
from rif.syntax.negation import Naf
from temporal.intervals.interval import End, Interval
from temporal.mtl import traversal
from temporal.mtl.ast import (
    BinaryOperator,
    Box,
    Comparison,
    DiamondMinus,
    DiamondPlus,
    MetricFormula,
    UnaryOperator,
)
from temporal.mtl.validation import bound_variables

_VariableNames: TypeAlias = frozenset[str]


def guarded_rules(rule: ast.Implies) -> list[ast.Implies]:
    """Rules that together conclude what ``rule`` does, with guards where they need them.

    The rule is well-formed, so there are few.
    """
    unbound = traversal.names(rule.body) - bound_variables(rule.body)
    if not unbound:
        return [add_guards(rule)]
    bodies = _alternatives(rule.body, unbound, _Reach(), free=True)
    return [add_guards(replace(rule, body=body)) for body in bodies]


class _Reach(NamedTuple):
    """How far before and after the time of a rule a formula of it is looked at."""

    back: End = Fraction(0)
    ahead: End = Fraction(0)

    def through(self, formula: ast.Formula) -> _Reach:
        """That of the parts of ``formula``."""
        if not isinstance(formula, MetricFormula):
            return self
        end = formula.rho.right
        if formula.is_past:
            return self._replace(back=_sum(self.back, end))
        return self._replace(ahead=_sum(self.ahead, end))


def _sum(left: End, right: End) -> End:
    return None if left is None or right is None else left + right


def _alternatives(
    formula: ast.Formula, unbound: _VariableNames, reach: _Reach, *, free: bool
) -> list[ast.Formula]:
    """Formulas one of which holds where ``formula`` does, for some values; and then that does.

    ``free``: a value for some of the ``unbound`` variables that is found here is one for the rule.
    """
    if isinstance(formula, Naf):  # its variables are bound outside of it
        return [formula]
    below = reach.through(formula)
    if not isinstance(formula, BinaryOperator):
        free = free and not isinstance(formula, Box)
        parts = (_alternatives(each, unbound, below, free=free) for each in formula.parts)
        return [formula.with_parts(each) for each in product(*parts)]
    sought = bound_variables(formula.phi) & unbound if 0 in formula.rho else frozenset()
    left = _alternatives(formula.phi, unbound - sought, below, free=False)
    right = _alternatives(formula.psi, unbound, below, free=free)
    if free or not sought:
        return [formula.with_parts(each) for each in product(left, right)]
    near = tuple(_near(formula.phi, sought, below, below))
    guarded = [ast.And((psi, *near)) for psi in right]
    return [*right, *(formula.with_parts(each) for each in product(left, guarded))]


def _near(
    formula: ast.Formula, names: _VariableNames, reach: _Reach, seen: _Reach
) -> Iterator[ast.Formula]:
    """Conditions that hold all over ``seen`` if ``formula`` holds somewhere in ``reach``.

    Together they bind its variables with these ``names``.
    """
    if isinstance(formula, ast.Atom) and names & traversal.names(formula):
        back, ahead = _sum(reach.back, seen.ahead), _sum(reach.ahead, seen.back)
        past, future = Interval(Fraction(0), back), Interval(Fraction(0), ahead)
        yield DiamondMinus(past, DiamondPlus(future, formula))
    for part in formula.binding:
        yield from _near(part, names, reach.through(formula), seen)


def add_guards(rule: ast.Implies) -> ast.Implies:
    """The rule with guards where it needs them; a variable of phi alone stands for some value.

    Without a Since or Until of that kind it is the rule itself. The rule is well-formed.
    """
    outer = frozenset[str]().union(*map(traversal.names, rule.head))
    body = _rewrite(rule.body, (), outer)
    return rule if body is rule.body else replace(rule, body=body)


def _rewrite(
    formula: ast.Formula,
    guards: Sequence[ast.Formula],
    outer: _VariableNames,
    given: _VariableNames = frozenset(),
) -> ast.Formula:
    """``formula`` with guards where it needs them.

    ``guards`` hold whenever the rule applies; the variables ``outer`` are needed above, those that
    are ``given`` are bound beside the negation whose condition it is.
    """
    match formula:
        case UnaryOperator():
            body = _rewrite(formula.body, _moved_guards(guards, formula, formula.rho), outer)
            return formula if body is formula.body else replace(formula, body=body)
        case ast.And():
            return _rewrite_conjunction(formula, guards, outer, given)
        case BinaryOperator():
            return _rewrite_binary(formula, guards, outer)
        case Naf() | Comparison():
            alone = ast.And((formula,))
            found = _rewrite_conjunction(alone, guards, outer, given)
            return formula if found is alone else found
    return formula


def _rewrite_conjunction(
    formula: ast.And,
    guards: Sequence[ast.Formula],
    outer: _VariableNames,
    given: _VariableNames,
) -> ast.Formula:
    items = formula.items
    rewritten: list[ast.Formula] = []
    unbound: _VariableNames = frozenset()
    for item, others in traversal.with_others(items):
        if isinstance(item, Naf):
            names = traversal.names(item)
            body = _rewrite(item.body, (*guards, *others), names, names)
            rewritten.append(item if body is item.body else replace(item, body=body))
        elif isinstance(item, Comparison):
            rewritten.append(item)
        else:
            names = outer.union(*map(traversal.names, others))
            rewritten.append(_rewrite(item, (*guards, *others), names))
            continue
        unbound |= traversal.names(item)
    unbound = unbound.difference(given, *map(bound_variables, rewritten))
    more = _binding_guards(guards, unbound)
    same = not more and all(new is old for new, old in zip(rewritten, items, strict=True))
    return formula if same else replace(formula, items=(*rewritten, *more))


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
    more = _binding_guards(guards, unbound)
    return ast.And((psi, *more)) if more else psi


def _binding_guards(guards: Iterable[ast.Formula], unbound: _VariableNames) -> list[ast.Formula]:
    """Guards that bind the ``unbound`` variables, the nearest first."""
    found: list[ast.Formula] = []
    for guard in guards:
        if unbound & bound_variables(guard):
            found.append(traversal.positive(guard))
            unbound -= bound_variables(guard)
    assert not unbound, unbound
    return found
