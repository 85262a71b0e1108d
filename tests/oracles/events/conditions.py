"""The bindings for which a condition is true at an instant, by recursion on the syntax tree.

A binding of a condition that closes a scope (a metric operator, an aggregate) is looked for by
itself, whatever stands around it; then it must agree with the rest.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rif.syntax.aggregates import Aggregate, AggregateEqual
from rif.syntax.ast import Atom, Equal, External, Formula, Frame, Term, Var
from rif.syntax.negation import Naf
from temporal.metric_rif.events import At, Ended, EventFormula, Every, From
from temporal.mtl.ast import (
    BinaryOperator,
    BoxMinus,
    DiamondMinus,
    DiamondPlus,
    Since,
    UnaryOperator,
)
from tests.oracles.events.scopes import (
    Scopes,
    binds,
    end_variable,
    next_of,
    positive_rest,
)
from tests.oracles.events.timeline import FUTURE, PAST, Range, Timeline, range_of
from tests.oracles.rdf.values import PREDICATES
from tests.oracles.rules.aggregate_values import Item, aggregate_value
from tests.oracles.rules.conjunct_order import Names, patterns
from tests.oracles.rules.formulas import Evaluator, Fact, TooBig, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Env = dict[str, str]
Row = frozenset[tuple[str, str]]
"""A binding: names with their terms."""

NOTHING: Names = frozenset()
MOST = 1_500_000
"""Facts and rows that one case may look at: some seconds."""


class World(Protocol):
    """What holds, when."""

    timeline: Timeline

    def holding(self, cell: int, key: str | None) -> Iterable[Fact]:
        """The facts of a predicate that hold in a cell; None: all triples."""

    def begins(self, cell: int, key: str | None) -> Iterable[tuple[Fact, str]]:
        """The facts of a predicate that At is true of in a cell, with each of their times."""

    def elements(self, fact: Fact, cell: int) -> Iterable[str]:
        """The elements that assert a fact, and let it hold."""

    def ended(self, cell: int, key: str | None) -> Iterable[tuple[Fact, str, str]]:
        """The facts of a predicate that end in a cell, each with its begin and its end."""

    def mark(self, every: Every, cell: int) -> str | None:
        """The mark that a cell is, if it is one."""

    def length(self, term: str) -> int | None:
        """How many ticks a term is as the end of a range; None: it is none."""

    def equal(self, one: str, two: str) -> bool:
        """Are two terms of equal value?"""

    def result(self, term: str) -> str:
        """A computed term as it stands in a binding."""

    def names(self, term: str) -> list[str]:
        """All names of the same thing, the least first."""


class Sides(NamedTuple):
    """A binding and the value of a side of an equation; None: it has none as yet."""

    env: Env
    value: str | None


def key_of(formula: Formula, env: Mapping[str, str], evaluator: Evaluator) -> str | None:
    """The predicate of a pattern, as `World.holding` has it."""
    if isinstance(formula, Atom):
        return "atom " + text(formula.op)
    assert isinstance(formula, Frame)
    return evaluator.term(formula.slots[0][0], env)


class Conditions:
    """Evaluates conditions in a `World`; what it found is forgotten when the world changes."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._evaluator = Evaluator()
        self._scopes = Scopes()
        self._rests: dict[tuple[int, Names], tuple[list[Formula], Names]] = {}
        self._rows: dict[int, dict[object, set[Row]]] = defaultdict(dict)
        self._groups: dict[int, dict[int, dict[tuple[str, ...], str | None]]] = defaultdict(dict)
        self._looked_at = 0

    def forget(self, cell: int | None = None) -> None:
        """What was found in a cell, or in all of them, may be true no longer."""
        for found in (self._rows, self._groups):
            if cell is None:
                found.clear()
            else:
                found.pop(cell, None)

    def rows(self, formula: Formula, cell: int) -> set[Row]:
        """Every binding of the free variables for which a formula is true in a cell."""
        known = self._rows[cell]
        if id(formula) not in known:
            known[id(formula)] = self._projected(formula, cell, {}, NOTHING)
        return known[id(formula)]

    def _projected(self, formula: Formula, cell: int, given: Env, rest: Names) -> set[Row]:
        names = self._scopes.free(formula) | given.keys()
        return {
            frozenset((name, term) for name, term in env.items() if name in names)
            for env in self.solve(formula, cell, given, rest)
        }

    def solve(self, formula: Formula, cell: int, given: Env, rest: Names) -> Iterator[Env]:
        """Every way to extend a binding; the positive rest around it binds the names ``rest``."""
        for items in self._scopes.alternatives(formula):
            yield from self._conjunction(items, cell, given, rest)

    def _conjunction(
        self, items: tuple[Formula, ...], cell: int, given: Env, rest: Names
    ) -> Iterator[Env]:
        key = id(items), rest
        if key not in self._rests:
            self._rests[key] = positive_rest(items, rest)
        first, rest_names = self._rests[key]
        envs = [given]
        for item in first:
            envs = [new for env in envs for new in self._meet(item, cell, env, rest_names)]
        left = [item for item in items if not any(item is one for one in first)]
        bound = rest_names | given.keys()
        while left and envs:
            item, bound = next_of(left, bound)
            left = [one for one in left if one is not item]
            envs = [new for env in envs for new in self._meet(item, cell, env, rest_names)]
        yield from envs

    def _meet(  # noqa: C901, PLR0912 - a case a kind of formula
        self, item: Formula, cell: int, env: Env, rest: Names
    ) -> Iterator[Env]:
        """Every way in which an item of a conjunction is true that agrees with a binding."""
        self._count(1)
        match item:
            case Frame() | Atom():
                yield from (new for _, new in self._facts(item, cell, env))
            case EventFormula() | Every():
                yield from self._event(item, cell, env)
            case External():
                known = [self._evaluator.term(arg, env) for arg in item.args]
                if None not in known and PREDICATES[item.op.value](*known):
                    yield env
            case Equal():
                one = self._evaluator.term(item.left, env)
                two = self._evaluator.term(item.right, env)
                yield from self._equate(item, env, one, two)
            case UnaryOperator() | BinaryOperator():
                for row in self._operator(item, cell, env):
                    yield from self._agree(env, row)
            case AggregateEqual():
                for left in self._sides(item.left, cell, env, rest):
                    for right in self._sides(item.right, cell, left.env, rest):
                        yield from self._equate(item, right.env, left.value, right.value)
            case Naf():
                names = self._scopes.free(item.body)
                inside = {name: term for name, term in env.items() if name in names}
                if not any(True for _ in self.solve(item.body, cell, inside, rest & names)):
                    yield env
            case _:
                raise TypeError(item)

    def _event(  # noqa: C901 - a case a kind of formula
        self, item: EventFormula | Every, cell: int, env: Env
    ) -> Iterator[Env]:
        world = self._world
        match item:
            case At():
                key = key_of(item.body, env, self._evaluator)
                for fact, time in world.begins(cell, key):
                    for _, new in self._fit(item.body, [fact], env):
                        yield from self._take(new, (item.time, time))
            case From():
                for fact, new in self._facts(item.body, cell, env):
                    for one in world.elements(fact, cell):
                        yield from self._take(new, (item.element, one))
            case Ended():
                key = key_of(item.body, env, self._evaluator)
                for fact, begin, end in world.ended(cell, key):
                    for _, new in self._fit(item.body, [fact], env):
                        yield from self._take(new, (item.begin, begin), (item.end, end))
            case Every():
                mark = world.mark(item, cell)
                if mark is not None:
                    pairs = [] if item.time is None else [(item.time, mark)]
                    yield from self._take(env, *pairs)

    def _count(self, looked_at: int) -> None:
        self._looked_at += looked_at
        if self._looked_at > MOST:
            raise TooBig

    # -- patterns and terms ----------------------------------------------------------------

    def _facts(self, pattern: Formula, cell: int, env: Env) -> Iterator[tuple[Fact, Env]]:
        """The facts that hold in a cell and that a pattern fits."""
        key = key_of(pattern, env, self._evaluator)
        yield from self._fit(pattern, self._world.holding(cell, key), env)

    def _fit(self, pattern: Formula, facts: Iterable[Fact], env: Env) -> Iterator[tuple[Fact, Env]]:
        """The facts that a pattern fits: terms are compared as they are written."""
        assert isinstance(pattern, Frame | Atom)
        (terms,) = patterns(pattern)
        for fact in facts:
            self._count(1)
            values = fact[2:] if isinstance(pattern, Atom) else fact[1:]
            if len(values) == len(terms):
                for new in self._take(env, *zip(terms, values, strict=True)):
                    yield fact, new

    def _take(self, env: Env, *pairs: tuple[Term, str]) -> Iterator[Env]:
        """The binding with variables bound to terms, unless one differs."""
        new = dict(env)
        for term, wanted in pairs:
            known = self._evaluator.term(term, new)
            if known is None and isinstance(term, Var):
                new[term.value.name] = wanted
            elif known != wanted:
                return
        yield new

    @staticmethod
    def _agree(env: Env, row: Row) -> Iterator[Env]:
        if all(env.get(name, term) == term for name, term in row):
            yield env | dict(row)

    # -- equations -------------------------------------------------------------------------

    def _sides(self, side: Term | Aggregate, cell: int, env: Env, rest: Names) -> Iterator[Sides]:
        if not isinstance(side, Aggregate):
            yield Sides(env, self._evaluator.term(side, env))
            return
        for new, value in self._aggregate(side, cell, env, rest):
            yield Sides(new, value)

    def _equate(
        self, item: Equal | AggregateEqual, env: Env, one: str | None, two: str | None
    ) -> Iterator[Env]:
        """Values are compared; a variable without one takes the other side's term."""
        if one is not None and two is not None:
            if self._world.equal(one, two):
                yield env
        elif one is not None and isinstance(item.right, Var):
            yield {**env, item.right.value.name: one}
        elif two is not None and isinstance(item.left, Var):
            yield {**env, item.left.value.name: two}

    # -- aggregates ------------------------------------------------------------------------

    def _aggregate(
        self, found: Aggregate, cell: int, env: Env, rest: Names
    ) -> Iterator[tuple[Env, str]]:
        """The groups that agree with a binding, and their values.

        If the positive rest of the scope binds the group, it is there even without solutions.
        """
        groups = self._values(found, cell)
        names = [one.value.name for one in found.group]
        if set(names) <= rest:
            key = tuple(self._world.names(env[name])[0] for name in names)
            value = groups[key] if key in groups else self._value(found, [])
            if value is not None:
                yield env, value
            return
        for key, value in groups.items():
            if value is None:
                continue
            for terms in product(*map(self._world.names, key)):
                for new in self._agree(env, frozenset(zip(names, terms, strict=True))):
                    yield new, value

    def _values(self, found: Aggregate, cell: int) -> dict[tuple[str, ...], str | None]:
        """Each group with solutions, and its value; of names of one thing the least one."""
        known = self._groups[cell]
        if id(found) not in known:
            solutions = {
                frozenset((name, self._world.names(term)[0]) for name, term in row)
                for row in self.rows(found.body, cell)
            }
            bags: dict[tuple[str, ...], list[Item]] = defaultdict(list)
            for row in solutions:
                env = dict(row)
                group = tuple(env[one.value.name] for one in found.group)
                by = "" if found.order is None else env[found.order.name]
                bags[group].append(Item(env[found.value.name], by))
            known[id(found)] = {group: self._value(found, bag) for group, bag in bags.items()}
        return known[id(found)]

    def _value(self, found: Aggregate, bag: list[Item]) -> str | None:
        value = aggregate_value(
            found.function, bag, share=found.share, part=found.part, size=found.size
        )
        return None if value is None else self._world.result(value)

    # -- metric operators ------------------------------------------------------------------

    def _operator(self, item: UnaryOperator | BinaryOperator, cell: int, env: Env) -> Iterable[Row]:
        rho = self._range(item, env)
        if rho is None or rho.is_empty:
            return ()
        known = self._rows[cell]
        key = id(item), rho
        if key not in known:
            look = self._chain if isinstance(item, BinaryOperator) else self._unary
            known[key] = look(item, cell, rho)  # type: ignore[arg-type]
        return known[key]

    def _range(self, item: UnaryOperator | BinaryOperator, env: Env) -> Range | None:
        name = end_variable(item.rho)
        if name is None:
            return range_of(item.rho)
        ticks = self._world.length(env[name])
        return None if ticks is None else range_of(item.rho, ticks)

    def _unary(self, item: UnaryOperator, cell: int, rho: Range) -> set[Row]:
        side = PAST if isinstance(item, DiamondMinus | BoxMinus) else FUTURE
        seen = [self.rows(item.body, one) for one in self._world.timeline.seen(cell, rho, side)]
        if not seen:
            return set()
        if isinstance(item, DiamondMinus | DiamondPlus):
            return set().union(*seen)
        return set.intersection(*seen)

    def _chain(self, item: BinaryOperator, cell: int, rho: Range) -> set[Row]:
        """The right side at a time, the left side at all times strictly between.

        The left side is asked with what the right side binds. Where the right side may do alone,
        variables of the left side are not bound.
        """
        timeline = self._world.timeline
        side = PAST if isinstance(item, Since) else FUTURE
        names = binds(item)
        found: set[Row] = set(self.rows(item.psi, cell)) if rho.has_zero else set()
        for witness in timeline.seen(cell, rho, side):
            if witness == cell and not timeline.reaches_within(cell, rho):
                continue
            between = timeline.strictly_between(cell, witness)
            for row in self.rows(item.psi, witness):
                held = {row}
                for one in between:
                    held = {new for old in held for new in self._with(item.phi, one, row, old)}
                found |= {
                    frozenset((name, term) for name, term in each if name in names) for each in held
                }
        return found

    def _with(self, phi: Formula, cell: int, row: Row, held: Row) -> Iterator[Row]:
        """The left side in a cell, with a binding of the right side; and what it bound before."""
        key = id(phi), row
        known = self._rows[cell]
        if key not in known:
            names = self._scopes.free(phi)
            inside = {name: term for name, term in row if name in names}
            known[key] = self._projected(phi, cell, inside, frozenset(inside))
        for found in known[key]:
            for new in self._agree(dict(held), found):
                yield frozenset(new.items())
