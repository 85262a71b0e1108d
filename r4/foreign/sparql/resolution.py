"""Conditions that together say less: one of them and, where another part is missing, its negation.

What OPTIONAL makes of a pattern is ``A and B``, or ``A and not B``. A triple that needs nothing of
B follows from both, and so from A alone: `resolved` finds that, and spares the rule a negation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from r4.foreign.formulas import conjunction, exists, negation
from rif.syntax import ast
from rif.syntax.traversal import free_variables

Conditions: TypeAlias = tuple[ast.Formula, ...]
"""Conjuncts, each once."""


def conjuncts(conditions: Iterable[ast.Formula]) -> Conditions:
    """The conjuncts of some conditions, flat."""
    whole = conjunction(conditions)
    return whole.items if isinstance(whole, ast.And) else (whole,)


def resolved(bodies: Sequence[Conditions]) -> list[Conditions]:
    """Bodies that are true together where one of ``bodies`` is, as few as this finds."""
    found = list(dict.fromkeys(bodies))
    while (pair := _pair(found)) is not None:
        (one, other), rest = pair
        found = list(dict.fromkeys([*(each for each in found if each not in (one, other)), rest]))
    return found


def _pair(bodies: Sequence[Conditions]) -> tuple[tuple[Conditions, Conditions], Conditions] | None:
    """Two bodies that differ in a part and its negation, and what they share."""
    sets = {body: frozenset(body) for body in bodies}
    for lacking in bodies:
        for having in bodies:
            extra = sets[having] - sets[lacking]
            missing = sets[lacking] - sets[having]
            if len(missing) != 1 or not extra:
                continue
            shared = tuple(each for each in lacking if each not in missing)
            keep = {name for part in shared for name in free_variables(part)}
            part = exists([each for each in having if each in extra], keep)
            if negation(part) in missing:
                return (lacking, having), shared
    return None
