"""What metric rules derive from assertions with valid time, by the definitions: slow and obvious.

Formulas are evaluated under every assignment of terms to their variables, over cells
(`tests.oracles.metric.operators`); rules are applied until nothing is new, what is negated first.
An answer holds at a tick if it is derived in its cell.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import product
from typing import TYPE_CHECKING

from rif.syntax.ast import And, Atom, Constant, Equal, Exists, External, Formula, Frame, Or, Var
from rif.syntax.negation import Naf
from temporal.mtl.ast import (
    BinaryOperator,
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    Since,
    UnaryOperator,
)
from tests.oracles.metric.dependencies import layers, parts, unboxed, walk
from tests.oracles.metric.operators import CellRange, Stretch, Truth
from tests.oracles.rdf.values import PREDICATES, value
from tests.oracles.rules.datalog import Answer, Answers, rules_of
from tests.oracles.rules.formulas import Fact, TooBig, text
from tests.oracles.streams.output_lines import json_of, lines_of
from tests.oracles.streams.run import Outcome, Scenario, read_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rif.syntax.ast import Document, Term
    from rif.syntax.terms import GroundTerm
    from tests.oracles.rules.datalog import Rule
    from tests.oracles.rules.formulas import Instance, Time

Env = dict[str, str]
World = tuple["Time", list["Instance"]]
"""What is asserted in the eyes of the instants from a time on, up to the time of the next world."""

MOST = 300_000
"""Evaluations of formulas under an assignment that one case may take."""


class MetricProgram:
    """The rules of a document; ranges are in ticks, a second being a thousand."""

    def __init__(self, document: Document) -> None:
        everything = rules_of(document)
        self.names: dict[int, int | str | None] = {rule.number: rule.name for rule in everything}
        self._document = document
        self._layers = layers(everything)

    def facts(self, assertions: list[Instance], until: Time) -> Answers:
        """Maximal runs of each derived fact up to ``until`` (included), E0 aside."""
        return self.facts_of_worlds([(-math.inf, assertions)], until)

    def facts_of_worlds(self, worlds: list[World], until: Time) -> Answers:
        """The same where what is asserted differs from instant to instant; see `World`.

        An instant is judged by what is asserted there, of whatever time that is.
        """
        everything = [one for _, assertions in worlds for one in assertions]
        stretch = stretch_of(self._layers, everything, until)
        changes = [2 * int(since) for since, _ in worlds[1:]]
        spans = zip([None, *changes], [*changes, None], strict=True)
        derived: dict[Fact, dict[int, Truth]] = defaultdict(lambda: defaultdict(int))
        rounds = 0
        for (_, assertions), span in zip(worlds, spans, strict=True):
            model = Model(self._layers, assertions, stretch)
            for rules in self._layers:
                rounds += model.complete(rules)
            for fact, truths in model.derived.items():
                for number, truth in truths.items():
                    derived[fact][number] |= truth & stretch.between(*span)
        background: dict[Fact, int] = {}
        runs: list[Answer] = []
        for fact, truths in derived.items():
            for begin, end in _runs(stretch, truths.values()):
                cell = stretch.first if begin == -math.inf else 2 * int(begin)
                held = [n for n, truth in truths.items() if stretch.holds(truth, cell)]
                if begin == -math.inf:
                    background[fact] = min(held)
                    if end == math.inf:
                        continue
                runs.append(Answer(fact, begin, end, min(held)))
        return Answers(background, runs, rounds)


class Model:
    """What holds when, growing."""

    def __init__(
        self, strata: list[list[Rule]], asserted: list[Instance], stretch: Stretch
    ) -> None:
        rules = [rule for some in strata for rule in some]
        self.stretch = stretch
        self.asserted: dict[Fact, Truth] = defaultdict(int)
        self.derived: dict[Fact, dict[int, Truth]] = defaultdict(dict)
        self._steps = 0
        for fact, e, n in asserted:
            lo = None if e == -math.inf else int(2 * e)
            hi = None if n == math.inf else int(2 * n)
            self.asserted[fact] |= self.stretch.between(lo, hi)
        values = {term for fact in self.asserted for term in _values(fact)}
        self.domain = sorted(values | _terms(rules))
        self._known: dict[tuple[int, tuple[str | None, ...]], Truth] = {}
        self._free: dict[int, list[str]] = {}

    def truth(self, fact: Fact) -> Truth:
        found = self.asserted.get(fact, 0)
        for truth in self.derived.get(fact, {}).values():
            found |= truth
        return found

    def complete(self, rules: list[Rule]) -> int:
        """Apply rules until nothing is new; how often."""
        rounds = 0
        new = True
        while new:
            self._known = {}
            found = [
                (fact, rule.number, truth) for rule in rules for fact, truth in self._heads(rule)
            ]
            new = False
            for fact, number, truth in found:
                before = self.derived[fact].get(number, 0)
                if truth & ~before:
                    self.derived[fact][number] = before | truth
                    new = True
            rounds += 1
        return rounds

    def _heads(self, rule: Rule) -> Iterator[tuple[Fact, Truth]]:
        assert rule.body is not None
        names = sorted(_free(rule.body))
        for terms in product(self.domain, repeat=len(names)):
            env = dict(zip(names, terms, strict=True))
            truth = self.eval(rule.body, env)
            if not truth:
                continue
            for head in rule.head:
                boxes, inner = unboxed(head)
                held = truth
                for box in boxes:
                    side = 1 if isinstance(box, BoxPlus) else -1
                    held = self.stretch.spread(CellRange.of(box.rho, 1), side, held)
                if held:
                    for fact in _facts(inner, env):
                        yield fact, held

    def eval(self, formula: Formula, env: Env) -> Truth:
        """When ``formula`` is true under an assignment."""
        free = self._free.get(id(formula))
        if free is None:
            free = self._free[id(formula)] = sorted(_free(formula))
        key = id(formula), tuple(env[name] for name in free)
        if key not in self._known:
            self._steps += 1
            if self._steps > MOST:
                raise TooBig
            self._known[key] = self._eval(formula, env)
        return self._known[key]

    def _eval(  # noqa: C901, PLR0911, PLR0912 - a case a kind of formula
        self, formula: Formula, env: Env
    ) -> Truth:
        always = self.stretch.always
        match formula:
            case Frame() | Atom():
                found = always
                for fact in _facts(formula, env):
                    found &= self.truth(fact)
                return found
            case And():
                found = always
                for item in formula.items:
                    found = found and found & self.eval(item, env)
                return found
            case Or():
                found = 0
                for item in formula.items:
                    found |= self.eval(item, env)
                return found
            case Exists():
                found = 0
                for terms in product(self.domain, repeat=len(formula.variables)):
                    names = (variable.name for variable in formula.variables)
                    found |= self.eval(formula.body, env | dict(zip(names, terms, strict=True)))
                return found
            case Naf():
                return always & ~self.eval(formula.body, env)
            case Equal():
                same = value(_term(formula.left, env)) == value(_term(formula.right, env))
                return always if same else 0
            case External():
                args = [_term(arg, env) for arg in formula.args]
                return always if PREDICATES[formula.op.value](*args) else 0
            case UnaryOperator():
                return self._unary(formula, self.eval(formula.body, env))
            case BinaryOperator():
                side = -1 if isinstance(formula, Since) else 1
                phi, psi = self.eval(formula.phi, env), self.eval(formula.psi, env)
                return self.stretch.chain(CellRange.of(formula.rho, 1), side, phi, psi)
        raise TypeError(formula)

    def _unary(self, formula: UnaryOperator, truth: Truth) -> Truth:
        side = -1 if isinstance(formula, DiamondMinus | BoxMinus) else 1
        rho = CellRange.of(formula.rho, 1)
        if isinstance(formula, DiamondMinus | DiamondPlus):
            return self.stretch.diamond(rho, side, truth)
        return self.stretch.box(rho, side, truth)


def stretch_of(strata: list[list[Rule]], asserted: list[Instance], until: Time) -> Stretch:
    """The cells around all that is asserted, as far as rules reach."""
    times = [math.floor(t) for _, e, n in asserted for t in (e, n) if math.isfinite(t)]
    times += [int(until)] if math.isfinite(until) else []
    ahead, back = _reach([rule for some in strata for rule in some])
    first = min(times, default=0) - ahead - 2
    last = max(times, default=0) + ahead + back + 2
    return Stretch(2 * first - 1, 2 * last + 1)


def _runs(stretch: Stretch, truths: Iterable[Truth]) -> Iterator[tuple[Time, Time]]:
    """The runs of ticks at which some of ``truths`` is one."""
    whole = 0
    for truth in truths:
        whole |= truth
    first, last = (stretch.first + 1) // 2, (stretch.last - 1) // 2
    begin: Time | None = -math.inf if stretch.holds(whole, stretch.first) else None
    for tick in range(first, last + 1):
        holds = stretch.holds(whole, 2 * tick)
        if holds and begin is None:
            begin = tick
        elif not holds and begin is not None:
            yield begin, tick
            begin = None
    if begin is not None:
        yield begin, math.inf


def _term(term: Term, env: Env) -> str:
    return env[term.value.name] if isinstance(term, Var) else text(_constant(term))


def _constant(term: Term) -> GroundTerm:
    assert isinstance(term, Constant)
    return term.value


def _facts(formula: Formula, env: Env) -> Iterator[Fact]:
    """The facts that a ground frame or atom stands for."""
    if isinstance(formula, Atom):
        yield ("atom", text(formula.op), *(_term(arg, env) for arg in formula.args))
        return
    assert isinstance(formula, Frame)
    for key, filler in formula.slots:
        yield "triple", _term(formula.object, env), _term(key, env), _term(filler, env)


def _values(fact: Fact) -> tuple[str, ...]:
    """What variables can stand for in a fact: its predicate is a constant in all rules."""
    return (fact[1], fact[3]) if fact[0] == "triple" else fact[2:]


def _free(formula: Formula) -> set[str]:
    """The names of the free variables."""
    match formula:
        case Frame():
            terms = (formula.object, *(filler for _, filler in formula.slots))
        case Atom() | External():
            terms = formula.args
        case Equal():
            terms = (formula.left, formula.right)
        case Exists():
            return _free(formula.body) - {variable.name for variable in formula.variables}
        case _:
            return set().union(*map(_free, parts(formula)))
    return {term.value.name for term in terms if isinstance(term, Var)}


def _all(rules: list[Rule]) -> Iterator[Formula]:
    for rule in rules:
        assert rule.body is not None
        for formula in (*rule.head, rule.body):
            yield from walk(formula)


def _reach(rules: list[Rule]) -> tuple[int, int]:
    """How many ticks operators look ahead together, and back: a bound on what one chain does."""
    ahead = back = 0
    for formula in _all(rules):
        if isinstance(formula, UnaryOperator | BinaryOperator):
            right = formula.rho.left if formula.rho.right is None else formula.rho.right
            assert right is not None
            ahead += int(right)
            back += int(right)
    return ahead, back


def _terms(rules: list[Rule]) -> set[str]:
    """The constants of rules that may be values of variables."""
    found: set[str] = set()
    for formula in _all(rules):
        if isinstance(formula, Frame):
            terms = (formula.object, *(filler for _, filler in formula.slots))
            found |= {text(term.value) for term in terms if isinstance(term, Constant)}
    return found


def expected(scenario: Scenario) -> Outcome:
    """What the run prints.

    Raises:
        TooBig: there is more to look at than can be in a test.
    """
    program = MetricProgram(scenario.document)
    taken = read_all(scenario)
    until = taken.last + (scenario.drain or 0) if taken.last > -math.inf else taken.last
    answers = program.facts(taken.assertions, until)
    lines = lines_of(answers, "facts", until)
    return Outcome([json_of(line, program.names, scenario.clock) for line in lines], taken, answers)
