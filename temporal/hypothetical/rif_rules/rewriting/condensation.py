"""Condensation: a body without the conditions that others imply [GottlobFermueller93].

Sets of hypotheses are compared as they are, so a condition too many would hide that fewer are
enough: of ``?x[p -> ?o]`` and ``?x[p -> ?y]`` at one time, where ``?o`` stands nowhere else, the
second is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, TypeAlias

from rif.syntax import ast
from rif.syntax.traversal import free_variables
from temporal.containment import StepBudget, TooManySteps, bind, containments
from temporal.hypothetical.rif_rules.rewriting.patterns import names_in, pattern_of
from temporal.hypothetical.rif_rules.rewriting.resolution import InputCondition, ResolvedBody

_MOST_STEPS: Final = 10_000
"""So many pairs of conditions are tried for one condition; then it stays."""
_Values: TypeAlias = dict[str, ast.Term]


def condense(body: ResolvedBody) -> ResolvedBody:
    """``body`` without the expected conditions that others imply at the same time.

    One goes if some values of variables make the expected conditions those that are left; variables
    of the head, of tests and of what must hold stay as they are. Whether one can go does not depend
    on the others that went, so each is tried once. Costs a search with a bound for each condition.
    """
    expected = [each for each in body.conditions if each.expected]
    required = [each for each in body.conditions if not each.expected]
    fixed = {*names_in(body.head.args)}.union(*map(free_variables, body.tests))
    fixed.update(name for each in required for name in names_in(_args(each)))
    kept = expected
    for each in expected:
        rest = [other for other in kept if other is not each]
        if _maps([each, *rest], rest, fixed):
            kept = rest
    conditions = tuple(each for each in body.conditions if not each.expected or each in kept)
    return replace(body, conditions=conditions)


def _args(condition: InputCondition) -> tuple[ast.Term, ...]:
    return pattern_of(condition.formula).args


def _maps(some: Sequence[InputCondition], to: Sequence[InputCondition], fixed: set[str]) -> bool:
    """Whether one substitution of variables that are not ``fixed`` maps each of ``some`` to one."""
    budget, start = StepBudget(_MOST_STEPS), dict[str, ast.Term]()

    def images(one: InputCondition, values: _Values) -> list[_Values]:
        found = []
        for target in sorted(to, key=lambda each: each is one):
            budget.spend()
            found.append(_matched(one, target, values, fixed))
        return [each for each in reversed(found) if each is not None]

    with suppress(TooManySteps):
        return any(True for _ in containments(some, start, images))
    return False


def _matched(
    one: InputCondition, target: InputCondition, values: _Values, fixed: set[str]
) -> _Values | None:
    """``values`` with those that make ``one`` the ``target``, at its time; None: none do."""
    if (one.reach, one.scopes) != (target.reach, target.scopes):
        return None

    def name_of(term: ast.Term) -> str | None:
        if isinstance(term, ast.Var) and term.value.name not in fixed:
            return term.value.name
        return None

    (relation, args), (other, goals) = pattern_of(one.formula), pattern_of(target.formula)
    found = dict(values)
    return found if relation == other and bind(args, goals, found, name_of) else None
