"""Constraints by definition: rules that say that a body holds at no time.

The other rules and the data have a least model. A constraint is violated at each time at which
an instance of its body holds in it; under a box around its head what is inconsistent then is every
time of the box.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from rif.syntax import ast
from temporal.mtl.ast import BOTTOM_NAME, BoxMinus, BoxPlus, Since, UnaryOperator, Until
from tests.oracles.metric.models import (
    Model,
    Problem,
    _candidates,
    _evaluate,
    _vars,
    atom_name,
    atoms,
)
from tests.oracles.metric.operators import CellRange, Stretch, Truth
from tests.oracles.metric.periodic_models import Endless, solve

if TYPE_CHECKING:
    from collections.abc import Iterator

Instance: TypeAlias = tuple[int, tuple[tuple[str, str], ...]]
"""The number of a rule, from 1, and the values of the variables that its body gives values to."""


@dataclass(frozen=True, slots=True)
class ConstrainedProblem:
    """A problem, and the least model of its rules that are no constraints."""

    given: Problem
    rest: Endless

    @classmethod
    def of(cls, given: Problem) -> ConstrainedProblem:
        """Find the model.

        Raises:
            Undecided: it was not found.
        """
        plain = tuple(rule for rule in given.rules if not is_constraint(rule))
        return cls(given, solve(replace(given, rules=plain)))

    def violations(self, first: int, last: int) -> dict[Instance, Truth]:
        """When instances of constraints are violated, on a stretch that has these cells."""
        model = self._around(first, last)
        found: dict[Instance, Truth] = {}
        for number, rule in enumerate(self.given.rules, 1):
            if is_constraint(rule):
                for values, truth in _instances(rule, model, self.given):
                    found[number, values] = found.get((number, values), 0) | truth
        return {instance: truth for instance, truth in found.items() if truth}

    def stretch(self, first: int, last: int) -> Stretch:
        """The cells, and on both sides as many as a constraint sees."""
        margin = 2 * self.given.depth + 2
        known = self.rest.model.stretch
        begin, end = min(first, known.first) - margin, max(last, known.last) + margin
        return Stretch((begin - 1) | 1, end | 1)

    def _around(self, first: int, last: int) -> Model:
        stretch = self.stretch(first, last)
        model = Model(stretch, 0)
        for ground in self.rest.atoms():
            held = (cell for cell in stretch.cells() if self.rest.holds(ground, cell))
            truth = 0
            for cell in held:
                truth |= stretch.between(cell, cell + 1)
            model.truths[ground] = truth
        return model


def is_constraint(rule: ast.Implies) -> bool:
    (head,) = rule.head
    return any(atom_name(atom) == BOTTOM_NAME for atom in atoms(head))


def _instances(
    rule: ast.Implies, model: Model, given: Problem
) -> Iterator[tuple[tuple[tuple[str, str], ...], Truth]]:
    names = sorted({arg.value.name for arg in _vars(rule.body)})
    values = [_candidates(name, rule.body, model, given.names) for name in names]
    bound = _bound(rule.body)
    for chosen in product(*values):
        instance = dict(zip(names, chosen, strict=True))
        truth = _evaluate(rule.body, instance, model, given.scale)
        (part,) = rule.head
        while isinstance(part, BoxMinus | BoxPlus):
            side = -1 if isinstance(part, BoxMinus) else 1
            truth = model.stretch.spread(CellRange.of(part.rho, given.scale), side, truth)
            part = part.body
        yield tuple((name, instance[name]) for name in names if name in bound), truth


def _bound(formula: ast.Formula) -> set[str]:
    """The variables that have a value wherever it holds."""
    match formula:
        case ast.Atom():
            return {arg.value.name for arg in _vars(formula)}
        case Since() | Until():
            left = set() if 0 in formula.rho else _bound(formula.phi)
            return left | _bound(formula.psi)
        case UnaryOperator():
            return _bound(formula.body)
        case ast.And():
            return set().union(*map(_bound, formula.items))
    raise AssertionError(formula)
