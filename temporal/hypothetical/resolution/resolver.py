"""Resolution of a query until only atoms of input remain [CruzFilipe22, section 4].

From ``query :- query``, goal by goal: each is replaced by the bodies of the rules that conclude it.
Clauses that an earlier one subsumes are dropped (`subsumption`); so recursion that adds nothing
ends, such as ``Q(X,Y,T) :- Q(Y,X,T)``. Clauses are resolved in the order of how often their
goals came back (`goals`), so what ends is known first; a goal that comes back too often, by the
length of the results until then, is refused with its cycle. So resolution ends for every program;
when it is not refused, its result is exact. docs/decisions/0016-resolution-that-ends.md has the
reasons.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

from rif.errors.report import shorten
from temporal.containment import StepBudget, TooManySteps
from temporal.hypothetical.resolution.goals import (
    Clause,
    Goal,
    count_recurrences,
    deduplicate,
    describe_cycle,
    substitute,
)
from temporal.hypothetical.resolution.subsumption import ClauseIndex, condense, minimise
from temporal.hypothetical.resolution.unification import (
    VariableScope,
    least_times,
    remaining_bounds,
    renaming,
    unify,
)
from temporal.hypothetical.syntax.ast import (
    SchematicAnswer,
    TemporalAtom,
    TemporalProgram,
    TemporalRule,
    variables,
)
from temporal.hypothetical.syntax.atom_parser import MAX_TIME
from temporal.hypothetical.syntax.errors import (
    EndlessResolution,
    HypOutOfBounds,
    NotDerived,
    QueryArity,
    TooManyPremises,
)

MIN_RECURRENCES = 2
"""So often a goal may come back at least before it is refused."""

_NAMED_PREDICATES = 10
"""At most so many predicates are named in a hint."""


@dataclass(frozen=True, slots=True)
class ResolutionLimits:
    """The limits beyond which a resolution is refused: clauses, their atoms, comparisons of atoms.

    ``steps_back`` comparisons are left when goals begin to come back.
    """

    clauses: int = 10_000
    atoms: int = 100_000
    steps: int = 1_000_000
    steps_back: int = 100_000


DEFAULT_LIMITS = ResolutionLimits()


@dataclass(frozen=True, slots=True)
class Resolution:
    """Schematic answers, one for each minimal set of hypotheses, in the order of their finding.

    If a depth cut resolution it ``is_partial``: those of derivations that are too deep are not
    there, so others may not be minimal.
    """

    answers: tuple[SchematicAnswer, ...]
    is_partial: bool


def resolve(
    program: TemporalProgram,
    query: TemporalAtom,
    *,
    depth: int | None = None,
    most: ResolutionLimits = DEFAULT_LIMITS,
) -> Resolution:
    """All minimal sets of hypotheses of ``query``.

    With a ``depth``, those of derivations in which so many rules at most lie upon one another; then
    only `TooManyPremises` refuses recursion.

    Raises:
        NotDerived: facts of the predicate are input, or there are none.
        QueryArity: no rule concludes so many arguments.
        EndlessResolution: recursion may give sets without end.
        TooManyPremises: there are more than ``most``.
        HypOutOfBounds: input atoms lie too far from the answer.
    """
    _check(program, query)
    search = _SldResolution(program, query, depth, most)
    try:
        search.run()
        return search.result()
    except TooManySteps:
        raise search.limit_error(most.steps, "comparisons of atoms") from None


def _check(program: TemporalProgram, query: TemporalAtom) -> None:
    heads = [rule.head for rule in program.rules if rule.head.predicate == query.predicate]
    if not heads:
        read = {atom.predicate for rule in program.rules for atom in rule.body}
        what = "is read from input" if query.predicate in read else "is not known"
        message = f"{shorten(query.predicate)} {what}; no rule concludes it"
        named = (
            ", ".join(map(shorten, sorted(program.intensional)[:_NAMED_PREDICATES])) or "nothing"
        )
        raise NotDerived(message, query.span, f"rules conclude {named}")
    if all(head.arity != query.arity for head in heads):
        counts = heads[0].arity + 1, query.arity + 1
        name = shorten(query.predicate)
        message = f"{name} has {counts[0]} argument(s) in the rules, {counts[1]} in the query"
        raise QueryArity(message, query.span)


class _SldResolution:
    """The clauses so far, and those still to be resolved."""

    def __init__(
        self,
        program: TemporalProgram,
        query: TemporalAtom,
        depth: int | None,
        most: ResolutionLimits,
    ) -> None:
        self._rules: dict[str, list[TemporalRule]] = defaultdict(list)
        for rule in program.rules:
            self._rules[rule.head.predicate].append(rule)
        self._query = query
        self._depth = depth
        self._limits = most
        self._budget = StepBudget(most.steps)
        self._scope = VariableScope(query)
        self._index = ClauseIndex(self._budget, is_as_near=depth is not None)
        self._final_clauses: list[Clause] = []
        self._open: list[tuple[int, int, Clause]] = []
        self._clauses = self._atoms = 0
        self._max_recurrences = 0
        self._recurrent_goal: Goal | None = None
        self._is_cut = False

    def run(self) -> None:
        """Resolve until nothing is open."""
        goal = Goal(self._query, (), None, 0, is_input=False)
        self._keep(Clause(self._query, (goal,), least_times(self._query)))
        while self._open:
            clause = heappop(self._open)[-1]
            if not self._index.has_subsuming(clause, only_final=True):
                self._check_recurrence(clause)
                for resolvent in self._resolvents(clause):
                    found = condense(resolvent, self._budget)
                    if not self._index.has_subsuming(found):
                        self._keep(found)

    def result(self) -> Resolution:
        """The schematic answers that were found."""
        found = minimise(self._final_clauses, StepBudget(self._limits.steps))
        answers = tuple(map(self._readable, found))
        for each in answers:
            atoms = (each.answer, *each.hypotheses)
            numbers = [atom.time.offset for atom in atoms] + [least for _, least in each.least]
            if max(map(abs, numbers)) > MAX_TIME:
                name = shorten(self._query.predicate)
                message = f"the offsets of rules for {name} add up to more than {MAX_TIME}"
                raise HypOutOfBounds(message, self._query.span)
        return Resolution(answers, self._is_cut)

    def limit_error(self, most: int, what: str) -> EndlessResolution | TooManyPremises:
        """The refusal for a limit that was reached: of a cycle, if there is one."""
        if self._recurrent_goal is not None and self._depth is None:
            return self._endless(self._recurrent_goal)
        message = f"resolution of {shorten(self._query.predicate)} needs more than {most} {what}"
        return TooManyPremises(message, self._query.span)

    def _endless(self, goal: Goal) -> EndlessResolution:
        name = shorten(self._query.predicate)
        message = f"resolution of {name} may not end: {describe_cycle(goal, self._scope)}"
        return EndlessResolution(message, self._query.span)

    def _keep(self, clause: Clause) -> None:
        self._clauses += 1
        self._atoms += len(clause.body)
        if self._clauses > self._limits.clauses:
            raise self.limit_error(self._limits.clauses, "sets of premises")
        if self._atoms > self._limits.atoms:
            raise self.limit_error(self._limits.atoms, "premises")
        self._index.add(clause)
        if clause.is_final:
            self._final_clauses.append(clause)
        else:
            heappush(self._open, (clause.recurrences, self._clauses, clause))

    def _check_recurrence(self, clause: Clause) -> None:
        """Refuse a goal that came back so often that it cannot be expected to add nothing."""
        goal = max(clause.body, key=lambda goal: goal.recurrences)
        if not goal.recurrences or self._depth is not None:
            return
        if self._recurrent_goal is None:
            longest = max((len(final.body) for final in self._final_clauses), default=0)
            self._max_recurrences = max(MIN_RECURRENCES, longest + 1)
            self._budget.steps = min(self._budget.steps, self._limits.steps_back)
        self._recurrent_goal = goal
        if goal.recurrences > self._max_recurrences:
            raise self._endless(goal)

    def _resolvents(self, clause: Clause) -> Iterator[Clause]:
        chosen = clause.next_goal
        goal = clause.body[chosen]
        if self._depth is not None and len(goal.path) >= self._depth:
            self._is_cut = True
            return
        for rule in self._rules[goal.atom.predicate]:
            head, *atoms = self._scope.rename_apart(rule, goal.path)
            found = unify(goal.atom, head, self._scope.is_nearer)
            if found is None:
                continue
            least = remaining_bounds(clause.least | least_times(head, *atoms), found)
            if least is None:
                continue
            body = [
                self._subgoal(found.atom(atom), goal, position)
                for position, atom in enumerate(atoms)
            ]
            before, after = clause.body[:chosen], clause.body[chosen + 1 :]
            if not found.names.issubset(variables((head, *atoms))):
                before, after = substitute(before, found), substitute(after, found)
            goals = deduplicate((*before, *body, *after))
            yield Clause(found.atom(clause.answer), goals, least)

    def _subgoal(self, atom: TemporalAtom, goal: Goal, position: int) -> Goal:
        path = (*goal.path, position)
        if atom.predicate not in self._rules:
            return Goal(atom, path, None, 0, is_input=True)
        return Goal(atom, path, goal, count_recurrences(atom, goal, self._scope), is_input=False)

    def _readable(self, clause: Clause) -> SchematicAnswer:
        hypotheses = tuple(goal.atom for goal in clause.body)
        names = self._scope.readable_names((clause.answer, *hypotheses))
        readable = renaming(names)
        least = sorted((names[name], number) for name, number in clause.least.items())
        return SchematicAnswer(
            readable.atom(clause.answer), tuple(map(readable.atom, hypotheses)), tuple(least)
        )
