"""Condensation: a condition that another one implies is left out of a body [GottlobFermueller93].

Sets of hypotheses are compared as they are, so a condition too many would hide that fewer are
enough: of ``?x[p -> ?o]`` and ``?x[p -> ?y]`` at one time, where ``?o`` stands nowhere else, the
second is enough.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from rif.syntax import ast
from rif.syntax.traversal import free_variables
from temporal.hypothetical.rif_rules.rewriting.patterns import names_in, pattern_of
from temporal.hypothetical.rif_rules.rewriting.resolution import InputCondition, ResolvedBody


def condensed(body: ResolvedBody) -> ResolvedBody:
    """``body`` without the expected conditions that another one implies at the same time.

    Looks at variables that stand in one condition only. Costs the square of the conditions.
    """
    kept = list(body.conditions)
    used = {*names_in(body.head.args)}.union(*map(free_variables, body.tests))
    for each in reversed(body.conditions):
        counts = Counter(name for one in kept for name in _names(one))
        own = {name for name in _names(each) if counts[name] == 1} - used
        if each.expected and any(
            other is not each and _implies(other, each, own) for other in kept
        ):
            kept = [other for other in kept if other is not each]
    return replace(body, conditions=tuple(kept))


def _names(condition: InputCondition) -> set[str]:
    return set(names_in(pattern_of(condition.formula).args))


def _implies(one: InputCondition, other: InputCondition, own: set[str]) -> bool:
    """Whether ``one`` is ``other`` with some values of the variables ``own``, at its time."""
    if (one.expected, one.reach, one.scopes) != (True, other.reach, other.scopes):
        return False
    (relation, args), (target, places) = pattern_of(one.formula), pattern_of(other.formula)
    if relation != target:
        return False
    values: dict[str, ast.Term] = {}
    for its, mine in zip(args, places, strict=True):
        if isinstance(mine, ast.Var) and mine.value.name in own:
            mine = values.setdefault(mine.value.name, its)  # noqa: PLW2901
        if mine != its:
            return False
    return True
