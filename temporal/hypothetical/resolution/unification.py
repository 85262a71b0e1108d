"""Unification of atoms whose last argument is a time ``T + k``, with bounds on time variables.

Rules are renamed apart before; afterwards variables get the names back that people wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NewType, TypeAlias

from rif.syntax.terms import Variable
from rif.syntax.traversal import distinct_names
from temporal.hypothetical.syntax.ast import (
    ObjectTerm,
    TemporalAtom,
    TemporalRule,
    TimeTerm,
    variables,
)


@dataclass(slots=True)
class Substitution:
    """Terms for variables and times for time variables; variables in these may be bound, too."""

    objects: dict[str, ObjectTerm] = field(default_factory=dict)
    times: dict[str, TimeTerm] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """The variables that it replaces."""
        return {*self.objects, *self.times}

    def term(self, term: ObjectTerm) -> ObjectTerm:
        """``term``, with its variable replaced."""
        while isinstance(term, Variable):
            found = self.objects.get(term.name)
            if found is None:
                break
            term = found
        return term

    def time(self, time: TimeTerm) -> TimeTerm:
        """``time``, with its variable replaced and the offset added."""
        while time.variable is not None:
            found = self.times.get(time.variable)
            if found is None:
                break
            time = TimeTerm(found.variable, found.offset + time.offset)
        return time

    def atom(self, atom: TemporalAtom) -> TemporalAtom:
        """``atom``, with its variables replaced."""
        args = tuple(map(self.term, atom.args))
        return TemporalAtom(atom.predicate, args, self.time(atom.time), span=atom.span)


def unify(
    goal: TemporalAtom, head: TemporalAtom, is_nearer: Callable[[str, str], bool]
) -> Substitution | None:
    """The most general unifier of two atoms without common variables; None: there is none.

    Of two variables the one that ``is_nearer`` than the other stays; of two time variables that
    of ``goal``. `remaining_bounds` decides whether the resulting times are natural numbers.
    """
    if goal.predicate != head.predicate or goal.arity != head.arity:
        return None
    found = Substitution()
    for pair in zip(goal.args, head.args, strict=True):
        one, other = map(found.term, pair)
        if one == other:
            continue
        if isinstance(other, Variable) and not (
            isinstance(one, Variable) and is_nearer(other.name, one.name)
        ):
            found.objects[other.name] = one
        elif isinstance(one, Variable):
            found.objects[one.name] = other
        else:
            return None
    shift = goal.time.offset - head.time.offset
    if head.time.variable is not None:
        found.times[head.time.variable] = TimeTerm(goal.time.variable, shift)
    elif goal.time.variable is not None:
        found.times[goal.time.variable] = TimeTerm(None, -shift)
    elif shift:
        return None
    return found


def remaining_bounds(least: Mapping[str, int], found: Substitution) -> dict[str, int] | None:
    """The bounds ``least`` on the variables that stay; None: a time would be too early."""
    left: dict[str, int] = {}
    for name, number in least.items():
        time = found.time(TimeTerm(name, 0))
        if time.variable is not None:
            left[time.variable] = max(left.get(time.variable, 0), number - time.offset)
        elif time.offset < number:
            return None
    return left


def least_times(*atoms: TemporalAtom) -> dict[str, int]:
    """Per time variable the least natural number with which no atom has a negative time."""
    least: dict[str, int] = {}
    for atom in atoms:
        if atom.time.variable is not None:
            name = atom.time.variable
            least[name] = max(least.get(name, 0), -atom.time.offset)
    return least


Path: TypeAlias = tuple[int, ...]
"""Where an atom stands in a derivation: positions in bodies, from the query on."""

Rank = NewType("Rank", tuple[int, Path, int])
"""How near to the query a variable comes in: depth, path, place among those of its rule."""


class VariableScope:
    """Hands out variables, and knows where each comes from.

    Variables of the query keep their names, which no other variable has; others have a blank in
    theirs until `readable_names` gives them others.
    """

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

    def rename_apart(self, rule: TemporalRule, path: Path) -> tuple[TemporalAtom, ...]:
        """The atoms of ``rule``, with variables of its own, for its use at ``path``."""
        found = Substitution()
        for position, name in enumerate(dict.fromkeys(variables(rule.atoms))):
            apart = f"{name} {len(self._origins)}"
            self._origins[apart] = Rank((len(path) + 1, path, position)), name
            found.objects[name] = Variable(apart)
            found.times[name] = TimeTerm(apart, 0)
        return tuple(map(found.atom, rule.atoms))

    def readable_names(self, atoms: Iterable[TemporalAtom]) -> dict[str, str]:
        """Names that people read, for the variables of ``atoms``.

        As in the query, else as in the rule nearest to it; a clash adds 2, 3 ….
        """
        others = {*variables(atoms)}.difference(self._query)
        ranked = [*self._query, *sorted(others, key=lambda name: self._origins[name][0])]
        wanted = (self._origins[name][1] for name in ranked)
        return dict(zip(ranked, distinct_names(wanted), strict=True))


def renaming(names: dict[str, str]) -> Substitution:
    """The substitution that gives variables other names."""
    changed = {old: new for old, new in names.items() if old != new}
    return Substitution(
        {old: Variable(new) for old, new in changed.items()},
        {old: TimeTerm(new, 0) for old, new in changed.items()},
    )
