"""Resolution: from a rule to the bodies of input patterns that lead to its head.

A condition that rules conclude is replaced by their bodies, until only patterns of facts that hold
or may come are left: SLD-resolution, as for hypothetical answers [CruzFilipe22, 3]. The ranges of
operators above a pattern add up to one range of distances in time.

Then a body loses the conditions that others imply [GottlobFermueller93]. Sets of hypotheses are
compared as they are, so a condition too many would hide that fewer are enough: of ``?x[p -> ?o]``
and ``?x[p -> ?y]`` at one time, where ``?o`` stands nowhere else, the second is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final, TypeAlias

from rete.arrays.delta import POS_INF, Cells
from rete.storage.interval_sets import dilate
from rif.errors.base import RuleError, Span
from rif.syntax import ast
from rif.syntax.aggregates import AggregateEqual
from rif.syntax.clauses import split_conjuncts
from rif.syntax.disjunctive_normal_form import DisjunctiveNormalForm
from rif.syntax.traversal import free_variables
from temporal.containment import StepBudget, TooManySteps, bind, containments
from temporal.hypothetical.rif_rules.errors import (
    ComputedTerm,
    Recursive,
    RuleNotFollowed,
    ThroughAnother,
    TooMuch,
)
from temporal.hypothetical.rif_rules.rewriting.patterns import (
    AtomPattern,
    ExpectedInput,
    FreshNames,
    ResolvedRule,
    apply_to_formula,
    apply_to_pattern,
    apply_to_term,
    flatten,
    is_pattern,
    names_in,
    pattern_of,
    unify,
)
from temporal.mtl.ast import DiamondMinus, DiamondPlus, UnaryOperator

Path: TypeAlias = tuple[UnaryOperator, ...]
"""The operators above a condition, from the outside."""

NOW: Final[Cells] = (0, 1)
"""The distance 0, in cells."""
MAX_BODIES: Final = 1000
"""Resolved bodies of all rules."""
MAX_STEPS: Final = 100_000
"""Conditions that are looked at for them."""
_MOST_PAIRS: Final = 10_000
"""So many pairs of conditions are tried for one that others may imply; then it stays."""
_Values: TypeAlias = dict[str, ast.Term]


@dataclass(frozen=True, slots=True)
class PlacedCondition:
    """A condition, and where it stands.

    Attributes:
        path: the operators it stands under.
        reach: between which distances it lies before the head, in cells, half-open; negative ones
            are after it.
        scopes: the operators of more than one point among them, each by a number of its own.
        through: the rules that led to it; (): it is a pattern that is left.
        expected: whether a fact of a pattern that is left may still come.
    """

    formula: ast.Formula
    path: Path
    reach: Cells
    scopes: tuple[int, ...]
    through: tuple[ResolvedRule, ...] = ()
    expected: bool = False


@dataclass(frozen=True, slots=True)
class ResolvedBody:
    """A body of a rule in which all conditions are input patterns or tests."""

    rule: ResolvedRule
    head: AtomPattern
    conditions: tuple[PlacedCondition, ...]
    tests: tuple[ast.Formula, ...]


@dataclass(frozen=True, slots=True)
class _ResolutionState:
    goals: tuple[PlacedCondition, ...]
    found: tuple[PlacedCondition, ...] = ()
    tests: tuple[ast.Formula, ...] = ()
    computed: tuple[ast.Term, ...] = ()
    substitution: Mapping[str, ast.Term] = field(default_factory=dict)


class RuleResolution:
    """Resolves rules to the input that they need.

    Attributes:
        faults: per number of a rule the first reason why it, or a body of it, is not followed.
    """

    def __init__(
        self,
        rules: Sequence[ResolvedRule],
        expected: ExpectedInput,
        fresh: FreshNames,
        scale: int,
    ) -> None:
        """``scale`` is the ticks to the second."""
        self._rules = rules
        self._expected = expected
        self._fresh = fresh
        self._scale = scale
        self._scopes = count(1)
        self._steps = 0
        self._bodies = 0
        self.faults: dict[int, tuple[ResolvedRule, RuleError]] = {}

    def bodies(self, rule: ResolvedRule) -> Iterator[ResolvedBody]:
        """The resolved bodies of ``rule``."""
        if rule.boxed:
            self.refuse(rule, RuleNotFollowed, "a conclusion under an operator")
            return
        head, body, computed = rule.rename_apart(self._fresh)
        goals = tuple(PlacedCondition(each, (), NOW, (), (rule,)) for each in body)
        for state in self._resolve(_ResolutionState(goals, computed=computed)):
            self._bodies += 1
            if self._bodies > MAX_BODIES:
                message = f"more than {MAX_BODIES:,} ways to the conclusions of rules"
                self.refuse(rule, TooMuch, message)
                return
            values = state.substitution
            conditions = [
                replace(each, formula=apply_to_formula(each.formula, values))
                for each in state.found
            ]
            if _is_compared(state, conditions):
                message = "what a rule computes is compared with a term, and not with a value"
                self.refuse(rule, ComputedTerm, message)
                continue
            tests = (apply_to_formula(each, values) for each in state.tests)
            yield ResolvedBody(
                rule,
                apply_to_pattern(head, values),
                tuple(dict.fromkeys(conditions)),
                tuple(dict.fromkeys(tests)),
            )

    def refuse(
        self, rule: ResolvedRule, kind: type[RuleError], message: str, span: Span | None = None
    ) -> None:
        """Note why ``rule``, or a body of it, is not followed; ``span`` is where, in it or not."""
        self.faults.setdefault(rule.number, (rule, kind(message, span or rule.span)))

    def _resolve(self, state: _ResolutionState) -> Iterator[_ResolutionState]:
        """The states without goals that one leads to."""
        stack = [state]
        while stack:
            state = stack.pop()
            if not state.goals:
                yield state
                continue
            goal, *rest = state.goals
            self._steps += 1
            if self._steps > MAX_STEPS:
                message = f"more than {MAX_STEPS:,} conditions to be looked at"
                self._stop(goal, TooMuch, message, goal.through[0].span)
                return
            stack += reversed(list(self._step(goal, replace(state, goals=tuple(rest)))))

    def _step(self, goal: PlacedCondition, state: _ResolutionState) -> Iterator[_ResolutionState]:
        """The states that a goal, with the rest of its state, leads to."""
        formula = goal.formula
        if is_pattern(formula):
            yield from self._pattern(goal, state)
        elif isinstance(formula, ast.Equal | ast.External):
            yield replace(state, tests=(*state.tests, formula))
        elif isinstance(formula, DiamondMinus | DiamondPlus):
            yield from self._diamond(goal, formula, state)
        else:
            name = type(formula).__name__
            if isinstance(formula, AggregateEqual):
                name = f"the aggregate {formula.aggregates[0].function}"
            self._stop(goal, RuleNotFollowed, f"{name} in a condition")

    def _pattern(
        self, goal: PlacedCondition, state: _ResolutionState
    ) -> Iterator[_ResolutionState]:
        pattern = pattern_of(goal.formula)
        queried = apply_to_pattern(pattern, state.substitution)
        concluded = False
        for rule in self._rules:
            if rule.head.relation != pattern.relation:
                continue
            head, body, computed = rule.rename_apart(self._fresh)
            substitution = unify(pattern, head, state.substitution)
            if substitution is None:
                continue
            concluded = True
            if any(rule.number == each.number for each in goal.through):
                self._stop(goal, Recursive, "a rule that needs its own conclusion")
                continue
            if rule.boxed:
                message = "a condition that a rule concludes under an operator"
                self._stop(goal, ThroughAnother, message)
                continue
            through = (*goal.through, rule)
            more = (replace(goal, formula=each, through=through) for each in body)
            yield replace(
                state,
                goals=(*more, *state.goals),
                computed=(*state.computed, *computed),
                substitution=substitution,
            )
        held = self._expected.occurs(queried) if concluded else not self._expected.may_come(queried)
        left = replace(goal, through=())
        if held:
            yield replace(state, found=(*state.found, left))
        if self._expected.is_named(queried) if concluded else not held:
            yield replace(state, found=(*state.found, replace(left, expected=True)))

    def _diamond(
        self, goal: PlacedCondition, formula: UnaryOperator, state: _ResolutionState
    ) -> Iterator[_ResolutionState]:
        rho = formula.rho.cells(self._scale)
        if rho[1] >= POS_INF:
            self._stop(goal, RuleNotFollowed, "a range to inf")
            return
        reach = dilate(goal.reach, rho, future=isinstance(formula, DiamondPlus))
        scopes = goal.scopes
        if rho != (rho[0], rho[0] + 1) or rho[0] & 1:
            scopes = (*scopes, next(self._scopes))
        numbers_apart = goal.through[-1].language.numbers_by_value
        free = free_variables(formula).keys()
        for conjunction in DisjunctiveNormalForm(formula.body, free).conjunctions:
            flattened = [
                part
                for literal in conjunction
                for single in split_conjuncts(literal)
                for part in flatten(single, self._fresh, numbers_apart=numbers_apart)
            ]
            own = dict.fromkeys(n for each in flattened for n in free_variables(each))
            body = self._fresh.rename_apart(flattened, [name for name in own if name not in free])
            path = (*goal.path, formula)
            more = (PlacedCondition(each, path, reach, scopes, goal.through) for each in body)
            yield replace(state, goals=(*more, *state.goals))

    def _stop(
        self, goal: PlacedCondition, kind: type[RuleError], message: str, span: Span | None = None
    ) -> None:
        """Note why a resolution ends: in the rule itself, or in one that it needs."""
        first, last = goal.through[0], goal.through[-1]
        self.refuse(last, kind, message, span or goal.formula.span)
        message = "it needs what another rule concludes that is not followed"
        self.refuse(first, ThroughAnother, message)


def _is_compared(state: _ResolutionState, conditions: Iterable[PlacedCondition]) -> bool:
    """Whether what a rule computes has become a constant, or what another pattern, or rule, has."""
    values = [apply_to_term(each, state.substitution) for each in state.computed]
    names = [each.value.name for each in values if isinstance(each, ast.Var)]
    taken = {name for each in conditions for name in free_variables(each.formula)}
    return len(set(names)) < len(values) or not taken.isdisjoint(names)


def condense(body: ResolvedBody) -> ResolvedBody:
    """``body`` without the expected conditions that others imply at the same time.

    One goes if some values of variables make the expected conditions those that are left; variables
    of the head, of tests and of what must hold stay as they are. Whether one can go does not depend
    on the others that went, so each is tried once. Costs a search with a bound for each condition.
    """
    expected = [each for each in body.conditions if each.expected]
    required = [each for each in body.conditions if not each.expected]
    fixed = {*names_in(body.head.args)}.union(*map(free_variables, body.tests))
    fixed.update(name for e in required for name in names_in(pattern_of(e.formula).args))
    kept = expected
    for each in expected:
        rest = [other for other in kept if other is not each]
        if _maps([each, *rest], rest, fixed):
            kept = rest
    conditions = tuple(each for each in body.conditions if not each.expected or each in kept)
    return replace(body, conditions=conditions)


def _maps(some: Sequence[PlacedCondition], to: Sequence[PlacedCondition], fixed: set[str]) -> bool:
    """Whether one substitution of variables that are not ``fixed`` maps each of ``some`` to one."""
    budget, start = StepBudget(_MOST_PAIRS), dict[str, ast.Term]()

    def images(one: PlacedCondition, values: _Values) -> list[_Values]:
        found = []
        for target in sorted(to, key=lambda each: each is one):
            budget.spend()
            found.append(_matched(one, target, values, fixed))
        return [each for each in reversed(found) if each is not None]

    with suppress(TooManySteps):
        return any(True for _ in containments(some, start, images))
    return False


def _matched(
    one: PlacedCondition, target: PlacedCondition, values: _Values, fixed: set[str]
) -> _Values | None:
    """``values`` with those that make ``one`` the ``target``, at its time; None: none do."""
    if (one.reach, one.scopes) != (target.reach, target.scopes):
        return None

    def name_of(term: ast.Term) -> str | None:
        if isinstance(term, ast.Var) and term.value.name not in fixed:
            return term.value.name
        return None

    (relation, args), (other, goals) = pattern_of(one.formula), pattern_of(target.formula)
    found = dict(values)
    return found if relation == other and bind(args, goals, found, name_of) else None
