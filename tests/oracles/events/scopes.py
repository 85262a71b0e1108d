"""Bodies as conjunctions: nested And are flattened, Exists lifted, Or distributed.

Each variable of an Exists has a name of its own then. A frame of several slots is one frame for
each, under At, Ended and From too; a membership is a triple.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count, product
from typing import TYPE_CHECKING

from rif.syntax.aggregates import Aggregate, AggregateEqual
from rif.syntax.ast import (
    And,
    Equal,
    Exists,
    ExternalTerm,
    Formula,
    Frame,
    ListTerm,
    Member,
    Or,
    Term,
    Var,
)
from rif.syntax.negation import Naf
from rif.syntax.terms import Variable
from temporal.metric_rif.events import At, Ended, EventFormula, Every, From
from temporal.mtl.ast import BinaryOperator, UnaryOperator
from tests.oracles.rules.conjunct_order import RDF_TYPE, Names, bound_by, variables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporal.intervals.interval import Interval

Conjunction = tuple[Formula, ...]
"""Atoms, frames of one slot, what is no conjunction, and what closes a scope."""


def free(formula: Formula) -> Names:
    """The names that mean the same inside and outside of a formula."""
    match formula:
        case Exists():
            return free(formula.body) - {one.name for one in formula.variables}
        case Aggregate():
            return frozenset(one.value.name for one in formula.group)
    found = {name for term in formula.terms for name in variables(term)}
    for part in formula.parts:
        found |= free(part)
    if isinstance(formula, UnaryOperator | BinaryOperator):
        end = end_variable(formula.rho)
        found |= set() if end is None else {end}
    return frozenset(found)


def end_variable(rho: Interval) -> str | None:
    """The name of the variable that is the right end of a range, if it is one.

    Such a range has it as its attribute ``variable``.
    """
    end = getattr(rho, "variable", None)
    if isinstance(end, Var):
        end = end.value
    return end.name if isinstance(end, Variable) else None


class Scopes:
    """The conjunctions of formulas; each is made once."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._known: dict[int, tuple[Formula, list[Conjunction]]] = {}
        self._free: dict[int, tuple[Formula, Names]] = {}

    def free(self, formula: Formula) -> Names:
        """The names of free variables."""
        if id(formula) not in self._free:
            self._free[id(formula)] = formula, free(formula)
        return self._free[id(formula)][1]

    def alternatives(self, formula: Formula) -> list[Conjunction]:
        """Conjunctions, one of which is true where the formula is true."""
        if id(formula) not in self._known:  # the formula is kept, so that the identity is its own
            self._known[id(formula)] = formula, list(self._flat(formula))
        return self._known[id(formula)][1]

    def _flat(self, formula: Formula) -> Iterator[Conjunction]:
        match formula:
            case And():
                for some in product(*(list(self._flat(item)) for item in formula.items)):
                    yield tuple(item for each in some for item in each)
            case Or():
                for item in formula.items:
                    yield from self._flat(item)
            case Exists():
                names = {one.name: f"{one.name}·{next(self._numbers)}" for one in formula.variables}
                yield from self._flat(renamed(formula.body, names))
            case Member():
                yield (Frame(formula.instance, ((RDF_TYPE, formula.cls),)),)
            case Frame():
                yield tuple(Frame(formula.object, (slot,)) for slot in formula.slots)
            case EventFormula():
                for facts in self._flat(formula.body):
                    yield tuple(replace(formula, body=fact) for fact in facts)
            case _:
                yield (formula,)


def renamed(formula: Formula, names: Mapping[str, str]) -> Formula:
    """The formula with other names of free variables; the new ones occur nowhere in it."""
    if isinstance(formula, Exists):
        hidden = {one.name for one in formula.variables}
    elif isinstance(formula, Aggregate):
        hidden = {*names} - {one.value.name for one in formula.group}
    else:
        hidden = set()
    inner = {old: new for old, new in names.items() if old not in hidden}

    def term(old: Term) -> Term:
        if isinstance(old, Var):
            return replace(old, value=Variable(inner.get(old.value.name, old.value.name)))
        if isinstance(old, ExternalTerm):
            return replace(old, args=tuple(map(term, old.args)))
        return replace(old, items=tuple(map(term, old.items))) if isinstance(old, ListTerm) else old

    found = formula.with_terms(term)
    return found.with_parts([renamed(part, inner) for part in formula.parts])


# -- what binds what -----------------------------------------------------------------------


def after(item: Formula, bound: Names) -> Names | None:  # noqa: PLR0911 - a case a kind of formula
    """The names with a value once an item of a conjunction is met; None: it has to wait."""
    match item:
        case Naf():
            return bound if free(item) <= bound else None
        case UnaryOperator() | BinaryOperator():
            end = end_variable(item.rho)
            if end is not None and end not in bound:
                return None
            return bound | binds(item)
        case At() | From() | Ended() | Every():
            names = bound
            if isinstance(item, EventFormula):
                within = bound_by(item.body, bound)
                if within is None:
                    return None
                names |= within
            inputs = {n for one in item.terms if not isinstance(one, Var) for n in variables(one)}
            return names | free(item) if inputs <= bound else None
        case AggregateEqual():
            inputs = {n for one in item.terms if not isinstance(one, Var) for n in variables(one)}
            return bound | free(item) if inputs <= bound else None
    return bound_by(item, bound)


def binds(operator: UnaryOperator | BinaryOperator) -> Names:
    """The variables that an operator binds: of one that may need its right side alone, of that."""
    if isinstance(operator, BinaryOperator):
        return free(operator.psi) if 0 in operator.rho else free(operator.phi) | free(operator.psi)
    return free(operator.body)


def is_positive(item: Formula) -> bool:
    """May it say which groups there are?"""
    return not isinstance(item, Naf | AggregateEqual)


def positive_rest(items: Sequence[Formula], bound: Names) -> tuple[list[Formula], Names]:
    """What of a conjunction needs neither an aggregate nor a negation, in order; what it binds."""
    rest, found = [item for item in items if is_positive(item)], list[Formula]()
    while True:
        ready = [(item, names) for item in rest if (names := after(item, bound)) is not None]
        if not ready:
            return found, bound
        item, bound = min(ready, key=lambda one: _rank(one[0], binds=one[1] != bound))
        rest = [one for one in rest if one is not item]
        found.append(item)


def next_of(items: Sequence[Formula], bound: Names) -> tuple[Formula, Names]:
    """What comes next of what is left: patterns and tests, then aggregates, negations last."""
    ready = [(item, names) for item in items if (names := after(item, bound)) is not None]
    if not ready:
        message = f"no order of evaluation: {items}"
        raise ValueError(message)
    return min(ready, key=lambda one: _rank(one[0], binds=one[1] != bound))


def _rank(item: Formula, *, binds: bool) -> int:
    """A variable keeps the term of the data where data bind it."""
    match item:
        case Equal():
            return 3 if binds else 1
        case AggregateEqual():
            return 4
        case Naf():
            return 5
    return 0
