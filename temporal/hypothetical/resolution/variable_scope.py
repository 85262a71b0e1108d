"""The variables of a resolution: rules renamed apart, and back to the names people wrote."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NewType, TypeAlias

from rif.syntax.terms import Variable
from temporal.hypothetical.resolution.unification import Substitution, least_times
from temporal.hypothetical.syntax.ast import TemporalAtom, TemporalRule, TimeTerm

Path: TypeAlias = tuple[int, ...]
"""Where an atom stands in a derivation: positions in bodies, from the query on."""

Rank = NewType("Rank", tuple[int, Path, int])
"""How near to the query a variable comes in: depth, path, place among those of its rule."""


@dataclass(frozen=True, slots=True)
class RenamedRule:
    """A rule with variables of its own.

    Attributes:
        names: its variables.
        least: per time variable the least number that it may be.
    """

    head: TemporalAtom
    body: tuple[TemporalAtom, ...]
    names: frozenset[str]
    least: dict[str, int]


class VariableScope:
    """Hands out variables, and knows where each comes from.

    Variables of the query keep their names, which no other variable has; others have a blank in
    theirs until `readable_names` gives them others.
    """

    __slots__ = ("_origins", "_query")

    def __init__(self, query: TemporalAtom) -> None:
        self._query = dict.fromkeys(variables((query,)))
        self._origins: dict[str, tuple[Rank, str]] = {
            name: (Rank((0, (), position)), name) for position, name in enumerate(self._query)
        }

    def is_query(self, name: str) -> bool:
        """Whether this is a variable of the query."""
        return name in self._query

    def is_nearer(self, name: str, other: str) -> bool:
        """Whether ``name`` comes in nearer to the query than ``other``, or left of it."""
        return self._origins[name][0] < self._origins[other][0]

    def rename_apart(self, rule: TemporalRule, path: Path) -> RenamedRule:
        """``rule``, renamed for its use at ``path``."""
        found = Substitution()
        names = []
        for position, name in enumerate(dict.fromkeys(variables(rule.atoms))):
            apart = f"{name} {len(self._origins)}"
            names.append(apart)
            self._origins[apart] = Rank((len(path) + 1, path, position)), name
            found.objects[name] = Variable(apart)
            found.times[name] = TimeTerm(apart, 0)
        head, *body = map(found.atom, rule.atoms)
        return RenamedRule(head, tuple(body), frozenset(names), least_times(head, *body))

    def readable_names(self, atoms: Iterable[TemporalAtom]) -> dict[str, str]:
        """Names that people read, for the variables of ``atoms``.

        As in the query, else as in the rule nearest to it; a clash adds 2, 3 ….
        """
        names = {name: name for name in self._query}
        taken = set(self._query)
        others = set(variables(atoms)) - taken
        for apart in sorted(others, key=lambda name: self._origins[name][0]):
            wanted = name = self._origins[apart][1]
            number = 2
            while name in taken:
                name = f"{wanted}{number}"
                number += 1
            taken.add(name)
            names[apart] = name
        return names


def renaming(names: dict[str, str]) -> Substitution:
    """The substitution that gives variables other names."""
    changed = {old: new for old, new in names.items() if old != new}
    return Substitution(
        {old: Variable(new) for old, new in changed.items()},
        {old: TimeTerm(new, 0) for old, new in changed.items()},
    )


def variables(atoms: Iterable[TemporalAtom]) -> Iterable[str]:
    """The names of their variables of both sorts, as often as they occur, from left to right."""
    for atom in atoms:
        for arg in atom.args:
            if isinstance(arg, Variable):
                yield arg.name
        if atom.time.variable is not None:
            yield atom.time.variable
