"""Subsumption: rules without which a program has the same models, as another rule says as much.

A rule *subsumes* another if with terms in place of its variables its head is the head of the other,
and its conditions are among those of the other [Plotkin70]. Whatever the other one concludes, it
concludes then. A rule that is left out is work that nobody does; and a predicate may be recursive
by such rules alone.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, TypeAlias

from rif.syntax import ast
from rif.syntax.traversal import subformulas
from temporal.containment import bind
from temporal.mtl import traversal
from temporal.mtl.ast import Comparison, MetricFormula, MetricProgram

_MOST: Final = 1 << 16
"""So many formulas of a program are compared; rules that are left then stay."""

_Substitution: TypeAlias = dict[str, ast.Term]


def without_subsumed(program: MetricProgram) -> MetricProgram:
    """The program without rules that others subsume; of equal rules the last one stays.

    Not all are found: each condition is matched with the first one that it can be, and after
    `_MOST` comparisons the rest stays.
    """
    places: dict[Hashable, list[int]] = {}
    for place, rule in enumerate(program.rules):
        places.setdefault(_shape(rule.head[0]), []).append(place)
    comparison = _Comparison()
    left_out: set[int] = set()
    for alike in places.values():
        if len(alike) > 1 and comparison.count <= _MOST:
            rules = [_Shaped(program.rules[place]) for place in alike]
            left_out.update(alike[number] for number in comparison.subsumed(rules))
    if not left_out:
        return program
    kept = [rule for place, rule in enumerate(program.rules) if place not in left_out]
    return MetricProgram(tuple(kept))


class _Shaped:
    """A rule, with its conditions by their shapes.

    Two formulas have one *shape* if they differ at most in the terms of their atoms.
    """

    __slots__ = ("conditions", "rule")

    def __init__(self, rule: ast.Implies) -> None:
        self.rule = rule
        self.conditions: dict[Hashable, list[ast.Formula]] = {}
        for condition in traversal.conjuncts(rule.body):
            self.conditions.setdefault(_shape(condition), []).append(condition)


class _Comparison:
    """Compares rules.

    Attributes:
        count: how many formulas were compared so far.
    """

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0

    def subsumed(self, rules: list[_Shaped]) -> set[int]:
        """Numbers of rules that others subsume; the heads of all have one shape."""
        numbers: dict[Hashable, list[int]] = {}
        for number, rule in enumerate(rules):
            numbers.setdefault(next(iter(rule.conditions), None), []).append(number)
        found: set[int] = set()
        for number, rule in enumerate(rules):
            candidates = (
                other
                for first in (None, *rule.conditions)
                for other in numbers.get(first, ())
                if other != number and other not in found
            )
            if any(self.subsumes(rules[other], rule) for other in candidates):
                found.add(number)
            if self.count > _MOST:
                break
        return found

    def subsumes(self, one: _Shaped, other: _Shaped) -> bool:
        """Whether it is found that one rule subsumes the other."""
        if not one.conditions.keys() <= other.conditions.keys():
            return False
        found = self._match(one.rule.head[0], other.rule.head[0], {})
        for shape, conditions in one.conditions.items():
            for condition in conditions:
                if found is None:
                    return False
                known = found
                matches = (self._match(condition, each, known) for each in other.conditions[shape])
                found = next((each for each in matches if each is not None), None)
        return found is not None

    def _match(
        self, pattern: ast.Formula, formula: ast.Formula, known: _Substitution
    ) -> _Substitution | None:
        """The terms that make ``pattern`` a formula of its shape, the ``known`` ones included."""
        self.count += 1
        if self.count > _MOST:
            return None
        found = dict(known)
        pairs = zip(subformulas(pattern), subformulas(formula), strict=True)
        same = all(bind(one.terms, other.terms, found, _name) for one, other in pairs)
        return found if same else None


def _name(term: ast.Term) -> str | None:
    return term.value.name if isinstance(term, ast.Var) else None


def _shape(formula: ast.Formula) -> Hashable:
    if isinstance(formula, ast.Atom):
        return formula.op, len(formula.args)
    own: Hashable = None
    if isinstance(formula, MetricFormula):
        own = formula.rho
    elif isinstance(formula, Comparison):
        own = formula.sign
    return type(formula).__name__, own, *map(_shape, formula.parts)
