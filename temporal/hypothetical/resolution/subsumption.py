"""Subsumption: clauses that add nothing to another one, and atoms that add nothing to a clause.

A clause *subsumes* another one if there are terms for its variables with which its answer becomes
that of the other, its body a part of the other's, and its bounds follow from those of the other.
Then all answers of the other are its answers, with no more hypotheses. Atoms that are no input must
become different ones, so that it is no more steps from input than the other: else a clause could
stand for one that comes from it, and neither would be resolved to its end.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from typing import TypeAlias

from rif.syntax.terms import Literal, Variable
from temporal.containment import StepBudget, bind, containments, fewest_unbound_first
from temporal.hypothetical.resolution.goals import Clause, Goal
from temporal.hypothetical.resolution.unification import Path
from temporal.hypothetical.syntax.ast import ObjectTerm, TemporalAtom, TimeTerm, variables

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

    def of(
        self, predicate: str, position: int = -1, arg: ObjectTerm | None = None
    ) -> Sequence[Goal]:
        """The targets of a predicate; with a position those that have ``arg`` there."""
        return self._by_part.get((predicate, position, arg), ())

    def equal(self, atom: TemporalAtom) -> Sequence[Goal]:
        """The one that is ``atom``, if there is one."""
        found = self._by_atom.get(atom)
        return () if found is None else (found,)


@dataclass(slots=True)
class ClauseMatch:
    """Terms found so far.

    Attributes:
        least, target_least: bounds of the times that are to be bound, and of the other clause.
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
                found = min(found, targets.of(atom.predicate, position, bound), key=len)
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


Feature: TypeAlias = tuple[str, str, int, Literal | None]
"""Predicate, kind, number, constant: what an atom keeps if variables become other terms."""


_INDEXED = 4
"""A clause is found by so many of its features."""


@dataclass(frozen=True, slots=True)
class _IndexedClause:
    clause: Clause
    goals: Sequence[Goal]
    features: frozenset[Feature]
    is_final: bool


@dataclass(frozen=True, slots=True)
class _FeatureNode:
    """Of a tree of features: the clauses with all those on the way here, the rarest first."""

    here: list[_IndexedClause] = field(default_factory=list)
    below: dict[Feature, _FeatureNode] = field(default_factory=dict)

    def within(self, features: dict[Feature, None]) -> Iterator[_IndexedClause]:
        """The clauses that have no others than these."""
        for indexed in self.here:
            if indexed.features <= features.keys():
                yield indexed
        is_wide = len(self.below) > len(features)
        for feature in features if is_wide else self.below:
            if feature in self.below and feature in features:
                yield from self.below[feature].within(features)


class ClauseIndex:
    """Clauses, indexed to find those that subsume a given one.

    They are found by the features that were the rarest when they were added, so hardly more clauses
    are compared with a clause than subsume it.
    """

    def __init__(self, budget: StepBudget, *, is_as_near: bool = False) -> None:
        self._budget = budget
        self._is_as_near = is_as_near
        self._counts: Counter[Feature] = Counter()
        self._root = _FeatureNode()

    def add(self, clause: Clause) -> None:
        """Add a clause."""
        features = dict.fromkeys(_features(clause))
        node = self._root
        for feature in nsmallest(_INDEXED, features, key=self._counts.__getitem__):
            node = node.below.setdefault(feature, _FeatureNode())
        self._counts.update(features.keys())
        node.here.append(
            _IndexedClause(clause, _ordered(clause), frozenset(features), clause.is_final)
        )

    def subsuming(self, clause: Clause, *, only_final: bool = False) -> Iterator[Clause]:
        """The clauses that subsume ``clause``; itself, too, if it is there."""
        targets = None
        for indexed in self._root.within(dict.fromkeys(_possible_features(clause))):
            if indexed.is_final or not only_final:
                targets = targets or MatchTargets(clause.body)
                if self._is_subsuming(indexed, clause, targets):
                    yield indexed.clause

    def has_subsuming(self, clause: Clause, *, only_final: bool = False) -> bool:
        """Whether a clause subsumes ``clause``."""
        return any(True for _ in self.subsuming(clause, only_final=only_final))

    def _is_subsuming(self, indexed: _IndexedClause, clause: Clause, targets: MatchTargets) -> bool:
        least, target_least = indexed.clause.least, clause.least
        match = ClauseMatch(
            least, target_least, self._budget, is_apart=True, is_as_near=self._is_as_near
        )
        return match.atom(indexed.clause.answer, clause.answer) and match.extends(
            indexed.goals, targets
        )


def condense(clause: Clause, budget: StepBudget) -> Clause:
    """``clause`` without the atoms of its body that ask nothing which others do not.

    It subsumes what is left, with its answer as it is. Of atoms that ask the same the first stay.
    """
    fixed = frozenset(variables((clause.answer,)))
    position = len(clause.body)
    while position:
        position -= 1
        goal = clause.body[position]
        if fixed.issuperset(variables((goal.atom,))):
            continue
        left = (*clause.body[:position], *clause.body[position + 1 :])
        targets = MatchTargets(left)
        if not targets.of(goal.atom.predicate):
            continue
        match = ClauseMatch(clause.least, clause.least, budget, is_apart=False, is_as_near=False)
        match.atom(clause.answer, clause.answer)
        if match.extends(_ordered(clause), targets):
            times = set(variables((clause.answer, *(part.atom for part in left))))
            least = {name: number for name, number in clause.least.items() if name in times}
            clause = replace(clause, body=left, least=least)
            position = len(left)
    return clause


def minimise(clauses: Iterable[Clause], budget: StepBudget) -> tuple[Clause, ...]:
    """The clauses that no other one subsumes; of those that subsume each other the first."""
    left = {id(clause): clause for clause in clauses}
    index = ClauseIndex(budget)
    for clause in left.values():
        index.add(clause)
    for clause in reversed(tuple(left.values())):
        if any(other is not clause and id(other) in left for other in index.subsuming(clause)):
            del left[id(clause)]
    return tuple(left.values())


def _ordered(clause: Clause) -> Sequence[Goal]:
    """The body, in the order in which it is matched."""
    return fewest_unbound_first(
        clause.body, variables((clause.answer,)), lambda goal: {*variables((goal.atom,))}
    )


def _features(clause: Clause) -> Iterator[Feature]:
    """The features of ``clause`` that stay when its variables are replaced."""
    start = clause.answer.time
    for goal in clause.body:
        predicate, time = goal.atom.predicate, goal.atom.time
        yield predicate, "", 0, None
        if time.variable is None:
            yield predicate, "at", time.offset, None
        elif time.variable == start.variable:
            yield predicate, "after", time.offset - start.offset, None
        for position, arg in enumerate(goal.atom.args):
            if not isinstance(arg, Variable):
                yield predicate, "constant", position, arg


def _possible_features(clause: Clause) -> Iterator[Feature]:
    """All that a clause that subsumes ``clause`` may keep."""
    start = clause.answer.time
    yield from _features(clause)
    if start.variable is None:
        for goal in clause.body:
            predicate, time = goal.atom.predicate, goal.atom.time
            if time.variable is None:
                yield predicate, "after", time.offset - start.offset, None
