"""Derivations in units: a head, the units that arrive each at one time, what else must hold.

Conditions about one subject at one distance in time are one *unit*, as a reading is described in
one graph. A condition that is not expected to arrive is no unit; it is required to hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rete.arrays.delta import Cells
from rif.errors.base import RuleError
from rif.language import Language
from rif.syntax import ast
from temporal.hypothetical.rif_rules.errors import SpreadInRange, TooMuch
from temporal.hypothetical.rif_rules.rewriting.patterns import (
    AtomPattern,
    ResolvedRule,
    names_in,
    pattern_of,
)
from temporal.hypothetical.rif_rules.rewriting.resolution import Path, PlacedCondition, ResolvedBody

MAX_UNITS: Final = 10
"""Units of one derivation: any of them may be missing."""


@dataclass(frozen=True, slots=True)
class ArrivalUnit:
    """Patterns whose facts arrive at one time.

    Attributes:
        path: the operators that they stand under.
        reach: between which distances it lies before the head, in cells.
    """

    formulas: tuple[ast.Formula, ...]
    path: Path
    reach: Cells

    @property
    def names(self) -> set[str]:
        """The names of its variables."""
        return set(names_in(arg for each in self.formulas for arg in pattern_of(each).args))


@dataclass(frozen=True, slots=True)
class ComputedCondition:
    """A test, or what gives a variable its value; it needs variables that are bound before."""

    formula: ast.Formula
    needs: frozenset[str]
    gives: str | None = None


@dataclass(frozen=True, slots=True)
class Derivation:
    """A resolved body of a rule, in units.

    Attributes:
        units: what has to arrive.
        required: what must hold: patterns with the operators they stand under.
        steps: tests and values, in an order in which they can be computed.
    """

    rule: ResolvedRule
    head: AtomPattern
    units: tuple[ArrivalUnit, ...]
    required: tuple[ArrivalUnit, ...]
    steps: tuple[ComputedCondition, ...]

    def bound(
        self, chosen: Iterable[int]
    ) -> tuple[set[str], list[ComputedCondition], list[ComputedCondition]]:
        """The names that units, by place, bind; the steps that can be computed; the others."""
        names = set[str]().union(*(self.units[place].names for place in chosen))
        names |= set[str]().union(*(each.names for each in self.required))
        taken: list[ComputedCondition] = []
        waiting: list[ComputedCondition] = []
        for step in self.steps:
            if step.needs <= names:
                taken.append(step)
                names |= {step.gives} if step.gives is not None else set()
            else:
                waiting.append(step)
        return names, taken, waiting


def derive_units(body: ResolvedBody, *, by_subject: bool) -> Derivation | RuleError:
    """The derivation of a resolved body, or why it is not followed.

    ``by_subject``: conditions about one subject are one unit, or each is one.
    """
    keyed: dict[object, list[PlacedCondition]] = {}
    required: list[ArrivalUnit] = []
    for place, condition in enumerate(body.conditions):
        if condition.expected:
            subject = pattern_of(condition.formula).args[0]
            key: object = place
            if by_subject:
                scope = condition.scopes[-1] if condition.scopes else 0
                key = type(subject), str(subject.value), scope, condition.reach  # type: ignore[union-attr]
            keyed.setdefault(key, []).append(condition)
        else:
            required.append(ArrivalUnit((condition.formula,), condition.path, condition.reach))
    spans = body.rule.span
    if len(keyed) > MAX_UNITS:
        message = f"{len(keyed)} elements have to come for one conclusion; {MAX_UNITS} is the most"
        return TooMuch(message, spans)
    outer = [members[0].scopes[0] for members in keyed.values() if members[0].scopes]
    if len(set(outer)) < len(outer):
        message = "an operator over a range of times, under which several elements have to come"
        return SpreadInRange(message, spans)
    units = tuple(
        ArrivalUnit(tuple(each.formula for each in members), members[0].path, members[0].reach)
        for members in keyed.values()
    )
    names = set[str]().union(*(each.names for each in (*units, *required)))
    return Derivation(
        body.rule,
        body.head,
        units,
        tuple(required),
        tuple(_steps(body.tests, names, body.rule.language)),
    )


def _steps(
    tests: Sequence[ast.Formula], bound: set[str], language: Language
) -> Iterator[ComputedCondition]:
    """The tests in the order, and the roles, in which `rete.planning.lowering` takes them."""
    known = set(bound)
    pending = list(tests)
    while pending:
        chosen = next((each for each in pending if _is_ready(each, known, language)), pending[0])
        pending.remove(chosen)
        gives = _bound_variable(chosen, known, language)
        names = set(names_in(terms_of(chosen)))
        yield ComputedCondition(chosen, frozenset(names - {gives}), gives)
        known |= names


def terms_of(test: ast.Formula) -> tuple[ast.Term, ...]:
    """The terms of a test: both sides, or all arguments."""
    assert isinstance(test, ast.Equal | ast.External)
    return (test.left, test.right) if isinstance(test, ast.Equal) else test.args


def _is_ready(test: ast.Formula, known: set[str], language: Language) -> bool:
    terms = terms_of(test)
    are_known = [known.issuperset(names_in([term])) for term in terms]
    if isinstance(test, ast.Equal):
        return any(are_known)
    return all(are_known) or _bound_variable(test, known, language) is not None


def _bound_variable(test: ast.Formula, known: set[str], language: Language) -> str | None:
    """The variable that a test gives a value, where ``known`` ones are bound."""
    terms = terms_of(test)
    unknown = [term for term in terms if not known.issuperset(names_in([term]))]
    if len(unknown) != 1 or not isinstance(unknown[0], ast.Var):
        return None
    if isinstance(test, ast.External):
        shape = "".join("u" if term is unknown[0] else "b" for term in terms)
        if shape not in language.patterns_of(test.op.value):
            return None
    return unknown[0].value.name
