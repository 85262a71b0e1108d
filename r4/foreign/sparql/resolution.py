"""Conditions that together say less: one of them and, where another part is missing, its negation.

What OPTIONAL makes of a pattern is ``A and B``, or ``A and not B``. A triple that needs nothing of
B follows from both, and so from A alone: `resolved` finds that, and spares the rule a negation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from r4.foreign.formulas import conjunction, exists, negation
from rif.syntax import ast
from rif.syntax.negation import Naf
from rif.syntax.traversal import free_variables

Conditions: TypeAlias = tuple[ast.Formula, ...]
"""Conjuncts, each once."""


def conjuncts(conditions: Iterable[ast.Formula]) -> Conditions:
    """The conjuncts of some conditions, flat."""
    whole = conjunction(conditions)
    return whole.items if isinstance(whole, ast.And) else (whole,)


def resolved(bodies: Sequence[Conditions]) -> list[Conditions]:
    """Bodies that are true together where one of ``bodies`` is, as few as this finds."""
    resolution = _Resolution(bodies)
    while resolution.step():
        pass
    return resolution.bodies


class _Resolution:
    """Bodies as sets of the numbers of their conditions, which are compared often."""

    def __init__(self, bodies: Sequence[Conditions]) -> None:
        self._numbers: dict[ast.Formula, int] = {}
        self._formulas: list[ast.Formula] = []
        self._bodies = {frozenset(map(self._number, body)): body for body in bodies}

    @property
    def bodies(self) -> list[Conditions]:
        """The bodies that are left."""
        return list(self._bodies.values())

    def _number(self, formula: ast.Formula) -> int:
        number = self._numbers.setdefault(formula, len(self._formulas))
        if number == len(self._formulas):
            self._formulas.append(formula)
        return number

    def step(self) -> bool:
        """Take each body together with another, if that can be; whether one was."""
        count = len(self._bodies)
        for lacking in list(self._bodies):
            for missing in sorted(lacking):
                if lacking in self._bodies and isinstance(self._formulas[missing], Naf):
                    self._resolve(lacking, missing)
        return len(self._bodies) < count

    def _resolve(self, lacking: frozenset[int], missing: int) -> None:
        """Replace a body, and one that has what it lacks, by what they share."""
        shared = lacking - {missing}
        names: set[str] | None = None
        for having in self._bodies:
            extra = having - shared
            if not extra or missing in extra or not shared <= having:
                continue
            if names is None:
                parts = (self._formulas[number] for number in shared)
                names = {name for part in parts for name in free_variables(part)}
            part = exists([self._formulas[number] for number in sorted(extra)], names)
            if negation(part) == self._formulas[missing]:
                body = self._bodies.pop(lacking)
                del self._bodies[having]
                left = tuple(each for each in body if each != self._formulas[missing])
                self._bodies.setdefault(shared, left)
                return
