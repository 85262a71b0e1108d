"""Condensation: a body without the conditions that others imply [GottlobFermueller93].

Sets of hypotheses are compared as they are, so a condition too many would hide that fewer are
enough: of ``?x[p -> ?o]`` and ``?x[p -> ?y]`` at one time, where ``?o`` stands nowhere else, the
second is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from rif.syntax import ast
from rif.syntax.traversal import free_variables
from temporal.hypothetical.rif_rules.rewriting.patterns import names_in, pattern_of
from temporal.hypothetical.rif_rules.rewriting.resolution import InputCondition, ResolvedBody

_MOST_STEPS: Final = 10_000
"""So many pairs of conditions are tried for one condition; then it stays."""


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
    stack: list[tuple[int, Mapping[str, ast.Term]]] = [(0, {})]
    steps = 0
    while stack:
        place, values = stack.pop()
        if place == len(some):
            return True
        for target in _itself_last(some[place], to):
            steps += 1
            if steps > _MOST_STEPS:
                return False
            more = _matched(some[place], target, values, fixed)
            if more is not None:
                stack.append((place + 1, more))
    return False


def _itself_last(one: InputCondition, to: Sequence[InputCondition]) -> Iterable[InputCondition]:
    """The last is tried first."""
    return sorted(to, key=lambda each: each is one)


def _matched(
    one: InputCondition,
    target: InputCondition,
    values: Mapping[str, ast.Term],
    fixed: set[str],
) -> Mapping[str, ast.Term] | None:
    """``values`` with those that make ``one`` the ``target``, at its time; None: none do."""
    if (one.reach, one.scopes) != (target.reach, target.scopes):
        return None
    (relation, args), (other, goals) = pattern_of(one.formula), pattern_of(target.formula)
    if relation != other:
        return None
    found = dict(values)
    for arg, goal in zip(args, goals, strict=True):
        term = arg
        if isinstance(arg, ast.Var) and arg.value.name not in fixed:
            term = found.setdefault(arg.value.name, goal)
        if term != goal:
            return None
    return found
