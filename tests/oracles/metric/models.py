"""Least models of metric programs, naively, on a stretch of cells with constant tails.

Rules are applied until nothing is new, layer by layer, so that what is negated is complete before
it is asked for. Without negation what is found is true always; it is all if no rule derives
anything outside of the stretch that is not true of a whole tail. Else the model is endless, and
`tests.oracles.metric.periodic_models` says what lies beyond.
"""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from rif.syntax import ast
from rif.syntax.negation import Naf
from rif.syntax.terms import Literal, Local
from temporal.mtl.ast import (
    BoxMinus,
    BoxPlus,
    Comparison,
    DiamondMinus,
    DiamondPlus,
    MetricFact,
    MetricProgram,
    Since,
    UnaryOperator,
    Until,
)
from tests.oracles.metric.operators import CellRange, Stretch, Truth, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from temporal.intervals.interval import Interval

Ground: TypeAlias = tuple[str, tuple[str, ...]]
"""A ground atom."""
Cells: TypeAlias = tuple[int | None, int | None]
"""A half-open run of cells; None is infinite."""
Data: TypeAlias = "Mapping[Ground, Iterable[Cells]]"
"""Explicit facts."""

Rules: TypeAlias = "tuple[ast.Implies, ...]"

ANYTHING = "\0anything"
"""Stands for a constant that occurs nowhere."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A program and its data, counted in ticks of which ``scale`` make the unit of time."""

    rules: Rules
    data: Data
    scale: int

    @property
    def ranges(self) -> list[list[CellRange]]:
        """Those of each rule."""
        return [
            [
                CellRange.of(rho, self.scale)
                for part in (*rule.head, rule.body)
                for rho in ranges(part)
            ]
            for rule in self.rules
        ]

    @property
    def names(self) -> set[str]:
        """All constants."""
        found = {name for _, args in self.data for name in args}
        for rule in self.rules:
            for part in (*rule.head, rule.body):
                for atom in atoms(part):
                    found |= {_text(arg) for arg in atom.args if isinstance(arg, ast.Constant)}
        return found

    @property
    def depth(self) -> int:
        """In half units: the greatest sum of finite numbers of a rule's ranges."""
        sums = [sum(r.low if r.high is None else r.high for r in found) for found in self.ranges]
        return max(sums, default=0)

    @property
    def is_bounded(self) -> bool:
        return all(rho.high is not None for found in self.ranges for rho in found)

    @property
    def ends(self) -> list[int]:
        """The finite end points of the data as sets of times, in half units, so even."""
        found = {
            end // 2 * 2
            for runs in self.data.values()
            for run in _united(runs)
            for end in run
            if abs(end) != math.inf
        }
        return sorted(int(end) for end in found)


def _united(runs: Iterable[Cells]) -> list[tuple[float, float]]:
    """The runs, those that overlap or touch as one."""
    found: list[tuple[float, float]] = []
    ends = ((-math.inf if lo is None else lo, math.inf if hi is None else hi) for lo, hi in runs)
    for lo, hi in sorted(ends):
        if found and lo <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], hi)
        else:
            found.append((lo, hi))
    return found


def problem(program: MetricProgram, facts: Iterable[MetricFact]) -> Problem:
    """With ticks of one over the least common denominator of all numbers."""
    given = list(facts)
    found = [
        rho for rule in program.rules for part in (*rule.head, rule.body) for rho in ranges(part)
    ]
    found += [fact.interval for fact in given]
    ends = [end for one in found for end in (one.left, one.right) if end is not None]
    scale = math.lcm(*(end.denominator for end in ends))
    data: dict[Ground, list[Cells]] = {}
    for fact in given:
        data.setdefault((fact.predicate, fact.args), []).append(cells(fact.interval, scale))
    return Problem(program.rules, data, scale)


def cells(interval: Interval, scale: int) -> Cells:
    """An interval as a half-open run of cells."""
    lo = hi = None
    if interval.left is not None:
        lo = 2 * whole(interval.left * scale) + (0 if interval.left_closed else 1)
    if interval.right is not None:
        hi = 2 * whole(interval.right * scale) + (1 if interval.right_closed else 0)
    return lo, hi


@dataclass(slots=True)
class Model:
    """What holds on a stretch, and constantly outside of its inner part.

    The first ``margin`` cells of the stretch, and the last, repeat what holds beside them.
    """

    stretch: Stretch
    margin: int
    truths: dict[Ground, Truth] = field(default_factory=dict)
    is_closed: bool = False

    def tails(self, truth: Truth) -> Truth:
        """The part of a truth that has constant tails."""
        wide = self.stretch
        first, last = wide.first + self.margin, wide.last - self.margin
        found = truth & wide.between(first + 1, last)
        for tail in (wide.between(None, first + 1), wide.between(last, None)):
            if truth & tail == tail:
                found |= tail
        return found


def least(given: Problem, first: int, last: int) -> Model:
    """The least model on the cells ``first`` to ``last``, two gaps that become the tails."""
    margin = 2 * (given.depth + 4)
    stretch = Stretch(first - margin, last + margin)
    model = Model(stretch, margin)
    for ground, runs in given.data.items():
        truth = 0
        for lo, hi in runs:
            truth |= stretch.between(lo, hi)
        assert model.tails(truth) == truth  # the united data lie on the inner part
        model.truths[ground] = truth
    is_closed = True
    for rules in layers(given.rules):
        complete(model, rules, given, model.tails)
        is_closed &= model.is_closed
    model.is_closed = is_closed
    return model


def complete(
    model: Model,
    rules: Rules,
    given: Problem,
    known: Callable[[Truth], Truth],
    negated: Model | None = None,
) -> None:
    """Apply rules until nothing is new.

    ``known`` is the part of what is derived that is kept. What is negated is asked of the model
    ``negated``; None: of the same.
    """
    domain = given.names
    changed = True
    while changed:
        changed, model.is_closed = False, True
        for rule in rules:
            for ground, derived in consequences(rule, model, domain, given.scale, negated):
                held = model.truths.get(ground, 0)
                new = held | known(held | derived)
                model.is_closed &= (held | derived) == new
                if new != held:
                    model.truths[ground] = new
                    changed = True


class NegatesItself(Exception):
    """A predicate depends on its own absence."""


def layers(rules: Rules) -> list[Rules]:
    """The rules so that what is negated is complete before it is asked for.

    Raises:
        NegatesItself: there is no such order.
    """
    level: dict[str, int] = {}
    for _ in range(sum(1 for rule in rules for _ in _readings(rule.body)) + 2):
        before = dict(level)
        for rule in rules:
            level[_derived(rule)] = max(level.get(_derived(rule), 0), _least_level(rule, level))
        if level == before:
            break
    else:
        raise NegatesItself
    return [
        tuple(rule for rule in rules if _least_level(rule, level) == number)
        for number in sorted({0, *(_least_level(rule, level) for rule in rules)})
    ]


def _least_level(rule: ast.Implies, level: Mapping[str, int]) -> int:
    return max((level.get(name, 0) + negated for name, negated in _readings(rule.body)), default=0)


def _derived(rule: ast.Implies) -> str:
    (made,) = atoms(rule.head[0])
    return atom_name(made)


def _readings(formula: ast.Formula, *, negated: bool = False) -> Iterator[tuple[str, bool]]:
    """The predicates of a formula, and whether they are negated."""
    if isinstance(formula, ast.Atom):
        yield atom_name(formula), negated
    for part in parts(formula):
        yield from _readings(part, negated=negated or isinstance(formula, Naf))


def consequences(
    rule: ast.Implies,
    model: Model,
    domain: Iterable[str],
    scale: int,
    negated: Model | None = None,
) -> Iterator[tuple[Ground, Truth]]:
    """What a rule derives in one step, for each substitution of its variables."""
    (head,) = rule.head
    names = sorted({arg.value.name for part in (head, rule.body) for arg in _vars(part)})
    values = [_candidates(name, rule.body, model, domain) for name in names]
    for chosen in product(*values):
        given = dict(zip(names, chosen, strict=True))
        truth = _evaluate(rule.body, given, model, scale, negated)
        part: ast.Formula = head
        while isinstance(part, BoxMinus | BoxPlus):
            side = -1 if isinstance(part, BoxMinus) else 1
            truth = model.stretch.spread(CellRange.of(part.rho, scale), side, truth)
            part = part.body
        if truth:
            assert isinstance(part, ast.Atom)
            yield _ground(part, given), truth


def _evaluate(  # noqa: PLR0911 - a kind of formula each
    formula: ast.Formula,
    given: Mapping[str, str],
    model: Model,
    scale: int,
    negated: Model | None = None,
) -> Truth:
    stretch = model.stretch

    def value(part: ast.Formula) -> Truth:
        return _evaluate(part, given, model, scale, negated)

    match formula:
        case ast.Atom():
            return model.truths.get(_ground(formula, given), 0)
        case ast.And():
            found = stretch.always
            for item in formula.items:
                found &= value(item)
            return found
        case Naf():
            asked = negated or model
            return stretch.always & ~_evaluate(formula.body, given, asked, scale, negated)
        case Comparison():
            sides = [
                given[each.value.name] if isinstance(each, ast.Var) else _text_of(each)
                for each in (formula.left, formula.right)
            ]
            return stretch.always if compares(formula.sign, *sides) else 0
        case DiamondMinus() | DiamondPlus():
            side = -1 if isinstance(formula, DiamondMinus) else 1
            return stretch.diamond(CellRange.of(formula.rho, scale), side, value(formula.body))
        case BoxMinus() | BoxPlus():
            side = -1 if isinstance(formula, BoxMinus) else 1
            return stretch.box(CellRange.of(formula.rho, scale), side, value(formula.body))
        case Since() | Until():
            side = -1 if isinstance(formula, Since) else 1
            rho = CellRange.of(formula.rho, scale)
            return stretch.chain(rho, side, value(formula.phi), value(formula.psi))
    raise AssertionError(formula)


def compares(sign: str, left: str, right: str) -> bool:
    """Is a comparison true of two texts?"""
    one, other = _number(left), _number(right)
    signs = {
        "<": operator.lt,
        "<=": operator.le,
        ">": operator.gt,
        ">=": operator.ge,
        "=": operator.eq,
        "!=": operator.ne,
    }
    if one is not None and other is not None:
        return bool(signs[sign](one, other))
    return sign in {"=", "!="} and bool(signs[sign](left, right))


def _number(text: str) -> Fraction | None:
    if not re.fullmatch(r"[+-]?([0-9]+|[0-9]*[.][0-9]+|[0-9]+/0*[1-9][0-9]*)", text):
        return None
    return Fraction(text)


def _candidates(name: str, body: ast.Formula, model: Model, domain: Iterable[str]) -> Iterable[str]:
    """Values for which the body may hold: those of the facts, if an atom must hold somewhere."""
    found: set[str] | None = None
    for atom in _needed(body):
        for place, arg in enumerate(atom.args):
            if isinstance(arg, ast.Var) and arg.value.name == name:
                here = {
                    args[place]
                    for predicate, args in model.truths
                    if (predicate, len(args)) == (atom_name(atom), len(atom.args))
                }
                found = here if found is None else found & here
    return sorted({*domain, ANYTHING}) if found is None else sorted(found)


def _needed(formula: ast.Formula) -> Iterator[ast.Atom]:
    """Atoms that hold somewhere wherever the formula holds."""
    match formula:
        case ast.Atom():
            yield formula
        case UnaryOperator():
            yield from _needed(formula.body)
        case ast.And():
            for item in formula.items:
                yield from _needed(item)
        case Since() | Until():
            yield from _needed(formula.psi)


def ranges(formula: ast.Formula) -> Iterator[Interval]:
    if isinstance(formula, UnaryOperator | Since | Until):
        yield formula.rho
    for part in parts(formula):
        yield from ranges(part)


def atoms(formula: ast.Formula) -> Iterator[ast.Atom]:
    if isinstance(formula, ast.Atom):
        yield formula
    for part in parts(formula):
        yield from atoms(part)


def parts(formula: ast.Formula) -> tuple[ast.Formula, ...]:
    """The direct sub-formulas."""
    match formula:
        case UnaryOperator() | Naf():
            return (formula.body,)
        case Since() | Until():
            return formula.phi, formula.psi
        case ast.And():
            return formula.items
    return ()


def _vars(formula: ast.Formula) -> Iterator[ast.Var]:
    if isinstance(formula, Comparison):
        yield from (side for side in (formula.left, formula.right) if isinstance(side, ast.Var))
    for atom in [formula] if isinstance(formula, ast.Atom) else []:
        yield from (arg for arg in atom.args if isinstance(arg, ast.Var))
    for part in parts(formula):
        yield from _vars(part)


def _ground(atom: ast.Atom, given: Mapping[str, str]) -> Ground:
    found: list[str] = []
    for arg in atom.args:
        if isinstance(arg, ast.Var):
            found.append(given[arg.value.name])
        else:
            assert isinstance(arg, ast.Constant)
            found.append(_text(arg))
    return atom_name(atom), tuple(found)


def atom_name(atom: ast.Atom) -> str:
    assert isinstance(atom.op, Local)
    return atom.op.name


def _text_of(term: ast.Term) -> str:
    assert isinstance(term, ast.Constant)
    return _text(term)


def _text(constant: ast.Constant) -> str:
    assert isinstance(constant.value, Literal)
    return constant.value.lexical
