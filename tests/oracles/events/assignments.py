"""The same conditions in a second way, more naive still: every assignment of terms is tried.

A variable stands for any term that occurs anywhere, or that an aggregate gives. Whether a condition
is true is asked for one assignment of all its free variables, in one cell. What holds when is
taken from a model that is complete; so this checks how conditions are evaluated, not how rules are.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from rif.syntax.aggregates import Aggregate, AggregateEqual
from rif.syntax.ast import (
    And,
    Atom,
    Constant,
    Equal,
    Exists,
    External,
    Formula,
    Frame,
    Or,
    Term,
    Var,
)
from rif.syntax.negation import Naf
from temporal.metric_rif.events import At, Ended, Every, From
from temporal.mtl.ast import (
    BinaryOperator,
    BoxMinus,
    DiamondMinus,
    DiamondPlus,
    Since,
    UnaryOperator,
)
from tests.oracles.events.scopes import end_variable, free
from tests.oracles.events.timeline import FUTURE, PAST, range_of
from tests.oracles.rdf.values import PREDICATES
from tests.oracles.rules.aggregate_values import Item, aggregate_value
from tests.oracles.rules.formulas import Fact, TooBig, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rif.syntax.terms import Variable
    from tests.oracles.events.models import EventModel
    from tests.oracles.events.timeline import Range
    from tests.oracles.rules.conjunct_order import Names

Env = dict[str, str]

NONE: Names = frozenset()
TAKEN = "="
"""Behind a name that is bound: an equation alone binds it, to the term of the other side."""
MOST = 30_000


class Assignments:
    """Conditions in a complete model."""

    def __init__(self, model: EventModel, terms: Iterable[str]) -> None:
        self._model = model
        self.terms = set(terms)
        self._known: dict[tuple[int, Names, int, tuple[tuple[str, str], ...]], bool] = {}
        self._steps = 0

    def solutions(self, formula: Formula, cell: int) -> set[frozenset[tuple[str, str]]]:
        """All assignments for which it is true; more terms are tried until no value is new."""
        while True:
            before = set(self.terms)
            found = {
                frozenset(env.items())
                for env in self._assigned(sorted(free(formula)), before)
                if self.holds(formula, env, cell, NONE)
            }
            if self.terms == before:
                return found
            self._known.clear()

    @staticmethod
    def _assigned(names: Iterable[str], terms: Iterable[str]) -> Iterator[Env]:
        names, some = list(names), sorted(terms)
        for chosen in product(some, repeat=len(names)):
            yield dict(zip(names, chosen, strict=True))

    def holds(self, formula: Formula, env: Env, cell: int, bound: Names) -> bool:
        """Is it true? ``bound``: what the positive rest around it binds."""
        own = {name: env[name] for name in free(formula)}
        key = id(formula), bound, cell, tuple(sorted(own.items()))
        if key not in self._known:
            self._steps += 1
            if self._steps > MOST:
                raise TooBig
            self._known[key] = self._holds(formula, own, cell, bound)
        return self._known[key]

    def _holds(  # noqa: C901, PLR0911, PLR0912 - a case a kind of formula
        self, formula: Formula, env: Env, cell: int, bound: Names
    ) -> bool:
        model = self._model
        match formula:
            case Frame() | Atom():
                return all(self._is_fact(fact, cell) for fact in self._facts(formula, env))
            case And():
                around = bound | positive(formula)
                return all(self.holds(item, env, cell, around) for item in formula.items)
            case Or():
                return any(self.holds(item, env, cell, bound) for item in formula.items)
            case Exists():
                hidden = names(formula.variables)
                return any(
                    self.holds(formula.body, env | more, cell, bound - {*hidden})
                    for more in self._assigned(hidden, self.terms)
                )
            case Naf():
                return not self.holds(formula.body, env, cell, bound)
            case Equal():
                one, two = self._term(formula.left, env), self._term(formula.right, env)
                taken = any(name + TAKEN in bound for name in free(formula))
                return one == two if taken else model.equal(one, two)
            case External():
                return PREDICATES[formula.op.value](*(self._term(one, env) for one in formula.args))
            case At():
                facts, time = list(self._facts(formula.body, env)), self._term(formula.time, env)
                return all((fact, time) in set(model.begins(cell, key(fact))) for fact in facts)
            case From():
                facts, name = list(self._facts(formula.body, env)), self._term(formula.element, env)
                return all(name in model.elements(fact, cell) for fact in facts)
            case Ended():
                times = self._term(formula.begin, env), self._term(formula.end, env)
                return all(
                    (fact, *times) in set(model.ended(cell, key(fact)))
                    for fact in self._facts(formula.body, env)
                )
            case Every():
                mark = model.mark(formula, cell)
                if mark is None or formula.time is None:
                    return mark is not None
                self.terms.add(mark)
                return mark == self._term(formula.time, env)
            case UnaryOperator() | BinaryOperator():
                return self._operator(formula, env, cell)
            case AggregateEqual():
                return self._equation(formula, env, cell, bound)
        raise TypeError(formula)

    def _operator(self, item: UnaryOperator | BinaryOperator, env: Env, cell: int) -> bool:
        timeline, rho = self._model.timeline, self._range(item, env)
        if rho is None or rho.is_empty:
            return False
        side = PAST if isinstance(item, DiamondMinus | BoxMinus | Since) else FUTURE
        seen = timeline.seen(cell, rho, side)
        if isinstance(item, UnaryOperator):
            held = (self.holds(item.body, env, one, NONE) for one in seen)
            return any(held) if isinstance(item, DiamondMinus | DiamondPlus) else all(held)
        if rho.has_zero and self.holds(item.psi, env, cell, NONE):
            return True
        for witness in seen:
            if witness == cell and not timeline.reaches_within(cell, rho):
                continue
            between = timeline.strictly_between(cell, witness)
            if self.holds(item.psi, env, witness, NONE) and all(
                self.holds(item.phi, env, one, free(item.psi)) for one in between
            ):
                return True
        return False

    def _range(self, item: UnaryOperator | BinaryOperator, env: Env) -> Range | None:
        """The range of an operator; None: its right end is a term that is no length."""
        end = end_variable(item.rho)
        if end is None:
            return range_of(item.rho)
        ticks = self._model.length(env[end])
        return None if ticks is None else range_of(item.rho, ticks)

    def _equation(self, item: AggregateEqual, env: Env, cell: int, bound: Names) -> bool:
        """A variable that nothing else binds is the value itself; all else is compared."""
        sides = []
        for side in (item.left, item.right):
            if not isinstance(side, Aggregate):
                sides.append(self._term(side, env))
                continue
            value = self._value(side, env, cell, bound)
            if value is None:
                return False
            self.terms.add(value)
            sides.append(value)
        results = {one.value.name for one in item.results}
        if results and not results <= bound:
            return sides[0] == sides[1]
        return self._model.equal(*sides)

    def _value(self, found: Aggregate, env: Env, cell: int, bound: Names) -> str | None:
        group = {one.value.name for one in found.group}
        given = {name: env[name] for name in group}
        bag = []
        for more in self._assigned(sorted(free(found.body) - group), self.terms):
            solution = given | more
            if self.holds(found.body, solution, cell, NONE):
                by = "" if found.order is None else solution[found.order.name]
                bag.append(Item(solution[found.value.name], by))
        if not bag and not group <= bound:
            return None
        value = aggregate_value(
            found.function, bag, share=found.share, part=found.part, size=found.size
        )
        return None if value is None else self._model.result(value)

    # -- terms and facts -------------------------------------------------------------------

    def _term(self, term: Term, env: Env) -> str:
        if isinstance(term, Var):
            return env[term.value.name]
        assert isinstance(term, Constant)
        return text(term.value)

    def _facts(self, formula: Formula, env: Env) -> Iterator[Fact]:
        if isinstance(formula, Atom):
            yield ("atom", text(formula.op), *(self._term(one, env) for one in formula.args))
            return
        assert isinstance(formula, Frame)
        for slot in formula.slots:
            yield "triple", *(self._term(one, env) for one in (formula.object, *slot))

    def _is_fact(self, fact: Fact, cell: int) -> bool:
        return fact in self._model.holding(cell, key(fact))


def key(fact: Fact) -> str:
    return fact[2] if fact[0] == "triple" else "atom " + fact[1]


def names(variables: Iterable[Variable]) -> list[str]:
    return [one.name for one in variables]


def positive(formula: Formula) -> Names:
    """The names that the positive part of a condition binds, for whatever stands beside it."""
    match formula:
        case Naf() | AggregateEqual() | External() | Equal():
            return NONE
        case And():
            return _with_equations(formula.items, frozenset().union(*map(positive, formula.items)))
        case Or():
            return frozenset.intersection(*map(positive, formula.items))
        case Exists():
            return positive(formula.body) - {*names(formula.variables)}
        case BinaryOperator() if 0 in formula.rho:
            return free(formula.psi)
    return free(formula)


def _with_equations(items: Iterable[Formula], found: Names) -> Names:
    """What equations bind besides, one after the other."""
    equations = [item for item in items if isinstance(item, Equal)]
    for _ in equations:
        for item in equations:
            sides = [free(Equal(one, one)) for one in (item.left, item.right)]
            if any(one <= found for one in sides):
                more = frozenset().union(*sides) - found
                found |= more | {name + TAKEN for name in more}
    return found
