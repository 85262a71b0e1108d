"""Bodies in prenex disjunctive normal form [RIF-Core 6.1].

Exists are lifted, their variables renamed apart; Or is distributed. What is neither And, Or nor
Exists is a literal. That includes kinds of formula that RIF-Core does not have: they are kept as
they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from rif.errors.checks import TooManyDisjuncts
from rif.syntax import ast
from rif.syntax.traversal import all_names, rename

MAX_DISJUNCTS = 10_000
"""Disjuncts of the largest body that is expanded."""

MAX_LITERALS = 200_000
"""Literals of all disjuncts of the largest body that is expanded."""

Conjunction: TypeAlias = list[ast.Formula]


class DisjunctiveNormalForm:
    """The normal form of a body.

    Attributes:
        conjunctions: One list of literals per disjunct, in the order of the text.
        original_names: New name of a renamed variable to its name in the text.
    """

    __slots__ = ("_all", "_body", "_next", "_taken", "conjunctions", "original_names")

    def __init__(self, body: ast.Formula, outer: Iterable[str]) -> None:
        """``outer`` are the names that the body shares with the rest of its rule.

        Raises:
            TooManyDisjuncts: it would be out of bounds.
        """
        count, literals = _size(body)
        if count > MAX_DISJUNCTS or literals > MAX_LITERALS:
            bound = f"{MAX_DISJUNCTS} disjuncts or {MAX_LITERALS} literals"
            message = f"the disjunctive normal form of this body has more than {bound}"
            raise TooManyDisjuncts(message, body.span)
        self._body = body
        self._taken = set(outer)
        self._all: set[str] | None = None
        self._next: dict[str, int] = {}
        self.original_names: dict[str, str] = {}
        self.conjunctions: list[Conjunction] = self._expand(body, {})

    def _expand(self, formula: ast.Formula, names: dict[str, str]) -> list[Conjunction]:
        match formula:
            case ast.And():
                return self._conjoin(formula.items, names)
            case ast.Or():
                return [
                    conjunction
                    for item in formula.items
                    for conjunction in self._expand(item, names)
                ]
            case ast.Exists():
                fresh = {
                    name: self._fresh_name(name) for name in (v.name for v in formula.variables)
                }
                changed = {old: new for old, new in fresh.items() if old != new}
                kept = {old: new for old, new in names.items() if old not in fresh}
                return self._expand(formula.body, kept | changed)
        return [[rename(formula, names)]]

    def _conjoin(self, items: Iterable[ast.Formula], names: dict[str, str]) -> list[Conjunction]:
        result: list[Conjunction] = [[]]
        for item in items:
            expanded = self._expand(item, names)
            if len(expanded) == 1:
                for conjunction in result:
                    conjunction.extend(expanded[0])
            else:
                result = [left + right for left in result for right in expanded]
        return result

    def _fresh_name(self, name: str) -> str:
        """A name for a quantified variable that nothing else in the rule has."""
        new = name
        if name in self._taken:
            if self._all is None:
                self._all = self._taken.union(all_names(self._body))
            number = self._next.get(name, 2)
            while (new := f"{name}_{number}") in self._all:
                number += 1
            self._next[name] = number + 1
            self._all.add(new)
            self.original_names[new] = name
        self._taken.add(new)
        return new


def _size(formula: ast.Formula) -> tuple[int, int]:
    """Disjuncts, and literals in all of them, of the normal form; cut off above the bounds.

    ``Or()`` counts as one disjunct: else it would hide how much its conjunction expands to.
    """
    match formula:
        case ast.Or():
            sizes = [_size(item) for item in formula.items]
            count, literals = max(1, sum(n for n, _ in sizes)), sum(m for _, m in sizes)
        case ast.And():
            count, literals = 1, 0
            for n, m in map(_size, formula.items):
                count, literals = min(count * n, MAX_DISJUNCTS + 1), literals * n + m * count
                literals = min(literals, MAX_LITERALS + 1)
        case ast.Exists():
            return _size(formula.body)
        case _:
            return 1, 1
    return min(count, MAX_DISJUNCTS + 1), min(literals, MAX_LITERALS + 1)
