"""Clauses of a resolution: an answer, and the goals that are still to be shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from temporal.hypothetical.resolution.unification import Path, Substitution
from temporal.hypothetical.syntax.ast import TemporalAtom


@dataclass(frozen=True, slots=True)
class Goal:
    """An atom to be shown.

    Attributes:
        path: where it stands in the derivation; as long as rules lie between it and the query.
        cause: the goal that a rule replaced by this one and others, as it then was; None for the
            query, and for an atom of input.
        recurrences: how often the chain of causes comes back to the same, at most (`recursion`).
        is_input: whether only facts show it.
    """

    atom: TemporalAtom
    path: Path
    cause: Goal | None
    recurrences: int
    is_input: bool


@dataclass(frozen=True, slots=True)
class Clause:
    """``answer :- body``, which follows from the rules.

    Attributes:
        body: no atom twice; in the order of the bodies that they come from.
        least: per time variable the least number that it may be.
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
        other = kept.get(goal.atom)
        if other is None or (goal.recurrences, len(goal.path)) < (
            other.recurrences,
            len(other.path),
        ):
            kept[goal.atom] = goal
    return tuple(kept.values())
