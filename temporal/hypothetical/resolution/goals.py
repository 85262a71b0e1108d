"""Goals and clauses of a resolution: how often a goal comes back, and the cycle by which it does.

A goal *comes back* to one of its causes if they have one predicate and, argument by argument, the
same term, or other variables than those of the cause, and of the query; equal where those are. Of
times also ``T + k`` comes back to ``T + m``, and a number to one that is not greater: looking back
from a number ends at 0.

Every chain of causes that does not end comes back without end, so a bound on that ends every
resolution. Colour each pair of the chain by which terms of the later atom stand where in the
earlier; the colours are finitely many, so in an infinite part of the chain all pairs have one
colour (Ramsey's theorem). There a term that the third atom shares with the second stands in the
first, too, so in all of them, at one place (or at places that are equal in all); all others are new
in each, so but for finitely many not of the query; and of infinitely many numbers infinitely many
do not decrease.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rif.syntax.terms import Variable
from temporal.hypothetical.resolution.unification import Path, Substitution, VariableScope, renaming
from temporal.hypothetical.syntax.ast import ObjectTerm, TemporalAtom, TimeTerm


@dataclass(frozen=True, slots=True)
class Goal:
    """An atom to be shown.

    Attributes:
        path: where it stands in the derivation; as long as rules lie between it and the query.
        cause: the goal that a rule replaced by this one and others, as it then was; None for the
            query, and for an atom of input.
        recurrences: how often the chain of causes comes back to the same, at most.
        is_input: whether only facts show it.
    """

    atom: TemporalAtom
    path: Path
    cause: Goal | None
    recurrences: int
    is_input: bool


@dataclass(frozen=True, slots=True)
class Clause:
    """``answer :- body``, which follows from the rules; no atom twice, in the order of bodies.

    Per time variable it has the least number that it may be.
    """

    answer: TemporalAtom
    body: tuple[Goal, ...]
    least: dict[str, int]

    @property
    def is_final(self) -> bool:
        """Whether only atoms of input remain."""
        return all(goal.is_input for goal in self.body)

    @property
    def recurrences(self) -> int:
        """The most recurrences among its goals."""
        return max((goal.recurrences for goal in self.body), default=0)

    @property
    def next_goal(self) -> int:
        """The position of the goal to resolve next: the first of those with the fewest recurrences.

        Answers do not depend on the choice [CruzFilipe22, section 2.2]; by this one what ends is
        found before what may not.
        """
        return min(
            (position for position, goal in enumerate(self.body) if not goal.is_input),
            key=lambda position: (self.body[position].recurrences, position),
        )


def substitute(goals: Iterable[Goal], found: Substitution) -> tuple[Goal, ...]:
    """``goals`` with variables replaced in their atoms, not in those of their causes."""
    return tuple(replace(goal, atom=found.atom(goal.atom)) for goal in goals)


def deduplicate(goals: Iterable[Goal]) -> tuple[Goal, ...]:
    """``goals``, each atom once, in the place of the first and with the fewest recurrences."""
    kept: dict[TemporalAtom, Goal] = {}
    for goal in goals:
        same = kept.get(goal.atom, goal), goal
        kept[goal.atom] = min(same, key=lambda each: (each.recurrences, len(each.path)))
    return tuple(kept.values())


def count_recurrences(atom: TemporalAtom, cause: Goal | None, scope: VariableScope) -> int:
    """How often the chain ``atom``, ``cause``, … comes back to the same, at most."""
    return max((goal.recurrences + 1 for goal in _origins(atom, cause, scope)), default=0)


def describe_cycle(goal: Goal, scope: VariableScope) -> str:
    """The first way by which ``goal`` came back: ``P(T) <- Q(T-1) <- P(T-1)``."""
    while True:
        origin = max(_origins(goal.atom, goal.cause, scope), key=lambda other: other.recurrences)
        if not origin.recurrences:
            break
        goal = origin
    chain = [goal]
    while chain[-1] is not origin and chain[-1].cause is not None:
        chain.append(chain[-1].cause)
    atoms = [TemporalAtom(part.atom.predicate, (), part.atom.time) for part in reversed(chain)]
    readable = renaming(scope.readable_names(atoms))
    return " <- ".join(f"{a.predicate}({readable.time(a.time)})" for a in atoms)


def _origins(atom: TemporalAtom, cause: Goal | None, scope: VariableScope) -> Iterator[Goal]:
    while cause is not None:
        if _comes_back(atom, cause.atom, scope):
            yield cause
        cause = cause.cause


def _comes_back(later: TemporalAtom, earlier: TemporalAtom, scope: VariableScope) -> bool:
    if later.predicate != earlier.predicate or later.arity != earlier.arity:
        return False
    if not _time_comes_back(later.time, earlier.time, scope):
        return False
    replaced: dict[ObjectTerm, ObjectTerm] = {}
    for new, old in zip(later.args, earlier.args, strict=True):
        if replaced.setdefault(new, old) != old:
            return False
        if new != old and (
            new in earlier.args or not (_is_free(new, scope) and _is_free(old, scope))
        ):
            return False
    return len(set(replaced.values())) == len(replaced)


def _is_free(term: ObjectTerm, scope: VariableScope) -> bool:
    return isinstance(term, Variable) and not scope.is_query(term.name)


def _time_comes_back(later: TimeTerm, earlier: TimeTerm, scope: VariableScope) -> bool:
    if earlier.variable is None:
        return later.variable is None and later.offset >= earlier.offset
    return later.variable == earlier.variable or (
        later.variable is not None
        and not scope.is_query(later.variable)
        and not scope.is_query(earlier.variable)
    )
