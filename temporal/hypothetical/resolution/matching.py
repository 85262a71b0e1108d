"""Matching: terms for the variables of a clause that make its atoms some of those of another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rif.syntax.terms import Variable
from temporal.containment import StepBudget, bind, containments
from temporal.hypothetical.resolution.clauses import Goal
from temporal.hypothetical.resolution.variable_scope import Path
from temporal.hypothetical.syntax.ast import ObjectTerm, TemporalAtom, TimeTerm

AtomFeature: TypeAlias = tuple[str, int, ObjectTerm | None]
"""Predicate, position of an argument and the argument; or predicate, -1 and None."""


class MatchTargets:
    """Atoms that others may become, by predicate, and by each argument with its position."""

    __slots__ = ("_by_atom", "_by_part")

    def __init__(self, goals: Iterable[Goal]) -> None:
        self._by_atom = {goal.atom: goal for goal in goals}
        self._by_part: dict[AtomFeature, list[Goal]] = defaultdict(list)
        for atom, goal in self._by_atom.items():
            self._by_part[atom.predicate, -1, None].append(goal)
            for position, arg in enumerate(atom.args):
                self._by_part[atom.predicate, position, arg].append(goal)

    def of(self, predicate: str) -> Sequence[Goal]:
        """The targets of a predicate."""
        return self._by_part.get((predicate, -1, None), ())

    def having(self, predicate: str, position: int, arg: ObjectTerm) -> Sequence[Goal]:
        """The targets of a predicate that have ``arg`` at ``position``."""
        return self._by_part.get((predicate, position, arg), ())

    def equal(self, atom: TemporalAtom) -> Sequence[Goal]:
        """The one that is ``atom``, if there is one."""
        found = self._by_atom.get(atom)
        return () if found is None else (found,)


@dataclass(slots=True)
class ClauseMatch:
    """Terms found so far.

    Attributes:
        least: bounds of the times that are to be bound.
        target_least: bounds of the times of the other clause.
        is_apart: goals that are no input become different ones.
        is_as_near: and none that fewer rules led to, as a depth may cut the one and not the other.
    """

    least: Mapping[str, int]
    target_least: Mapping[str, int]
    budget: StepBudget
    is_apart: bool
    is_as_near: bool
    objects: dict[str, ObjectTerm] = field(default_factory=dict)
    times: dict[str, TimeTerm] = field(default_factory=dict)
    _used: list[Path] = field(default_factory=list)

    def extends(self, goals: Sequence[Goal], targets: MatchTargets) -> bool:
        """Whether there are terms for the other variables of ``goals``; then they are found."""

        def images(goal: Goal, _: ClauseMatch) -> Iterator[ClauseMatch]:
            return self._try_targets(goal, targets)

        return any(True for _ in containments(goals, self, images))

    def atom(self, atom: TemporalAtom, target: TemporalAtom) -> bool:
        """Bind variables so that ``atom`` becomes ``target``; on failure some may be bound."""
        if atom.predicate != target.predicate or atom.arity != target.arity:
            return False
        same = bind(atom.args, target.args, self.objects, _variable_name)
        return same and self._time(atom.time, target.time)

    def image(self, atom: TemporalAtom) -> TemporalAtom | None:
        """``atom`` with its variables replaced; None: one is not bound."""
        args: list[ObjectTerm] = []
        for arg in atom.args:
            term = self.objects.get(arg.name) if isinstance(arg, Variable) else arg
            if term is None:
                return None
            args.append(term)
        time = atom.time
        if time.variable is not None:
            start = self.times.get(time.variable)
            if start is None:
                return None
            time = TimeTerm(start.variable, start.offset + time.offset)
        return TemporalAtom(atom.predicate, tuple(args), time)

    def _try_targets(self, goal: Goal, targets: MatchTargets) -> Iterator[ClauseMatch]:
        """Itself for each target that ``goal`` can become, as long as it is that."""
        is_apart = self.is_apart and not goal.is_input
        self.budget.spend()
        for target in self._candidates(goal.atom, targets):
            self.budget.spend()
            before = len(self.objects), len(self.times), len(self._used)
            if is_apart:
                is_too_near = self.is_as_near and len(goal.path) > len(target.path)
                if target.path in self._used or is_too_near:
                    continue
                self._used.append(target.path)
            if self.atom(goal.atom, target.atom):
                yield self
            self._undo(*before)

    def _candidates(self, atom: TemporalAtom, targets: MatchTargets) -> Sequence[Goal]:
        """The targets that have what is bound of ``atom``, at one position at least."""
        image = self.image(atom)
        if image is not None:
            return targets.equal(image)
        found = targets.of(atom.predicate)
        for position, arg in enumerate(atom.args):
            bound = self.objects.get(arg.name) if isinstance(arg, Variable) else arg
            if bound is not None:
                found = min(found, targets.having(atom.predicate, position, bound), key=len)
        return found

    def _time(self, time: TimeTerm, target: TimeTerm) -> bool:
        if time.variable is None:
            return time == target
        start = TimeTerm(target.variable, target.offset - time.offset)
        found = self.times.get(time.variable)
        if found is not None:
            return found == start
        earliest = start.offset + (
            0 if start.variable is None else self.target_least[start.variable]
        )
        if earliest < self.least[time.variable]:
            return False
        self.times[time.variable] = start
        return True

    def _undo(self, objects: int, times: int, used: int) -> None:
        """Dictionaries keep the order in which they were filled."""
        while len(self.objects) > objects:
            self.objects.popitem()
        while len(self.times) > times:
            self.times.popitem()
        del self._used[used:]


def _variable_name(term: ObjectTerm) -> str | None:
    return term.name if isinstance(term, Variable) else None
