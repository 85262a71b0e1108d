"""Random programs with negations and comparisons: other random programs with more in them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from rif.syntax import ast
from rif.syntax.negation import Naf
from temporal.intervals.interval import Interval
from temporal.mtl.ast import (
    BoxMinus,
    BoxPlus,
    Comparison,
    DiamondMinus,
    DiamondPlus,
    MetricFact,
    MetricProgram,
    Since,
    Until,
    atom,
    constant,
    variable,
)
from temporal.mtl.validation import arities, bound_variables, check
from tests.generators.draw import from_seed
from tests.generators.metric import programs
from tests.generators.metric.programs import MetricCase
from tests.oracles.metric.models import NegatesItself, layers

if TYPE_CHECKING:
    from tests.generators.draw import Draw

TEXTS = ("1", "2", "01", "3/2", "1.5", "-2", "b", "c d", "+1", "2/0", "é")
"""Constants: numbers, some of which are equal, and others."""
SIGNS = ("<", "<=", ">", ">=", "=", "!=")


def case_of(seed: int) -> MetricCase:
    """A program of each kind in turn, with negations and comparisons, and perhaps rules on top."""
    base = programs.case_of(seed)
    draw = from_seed(5_000_011 + seed)
    return renamed(draw, negated(draw, base))


def negated(draw: Draw, base: MetricCase) -> MetricCase:
    """A case with negations, or comparisons; stratified."""
    for _ in range(60):
        rules = [
            with_more(draw, rule, base) if draw.chance(30) else rule for rule in base.program.rules
        ]
        count = draw.integer(0, 2)
        for number in range(max(count, rules == list(base.program.rules))):
            rules += above(draw, base, f"N{number}")
        found = MetricProgram(tuple(rules))
        if not check(found) and is_stratified(found):
            return replace(base, program=found)
    return base


def is_stratified(program: MetricProgram) -> bool:
    try:
        layers(program.rules)
    except NegatesItself:
        return False
    return True


def above(draw: Draw, base: MetricCase, name: str) -> list[ast.Implies]:
    """A rule that negates, for a predicate of its own, which may go on from there."""
    body = some_atom(draw, base, ("X", "Y"))
    names = sorted(bound_variables(body))
    head: ast.Formula = atom(name, *map(variable, names))
    step = Interval.point(Fraction(draw.integer(1, 3)))
    found = [with_more(draw, ast.Implies((head,), body), base)]
    if draw.chance(35):
        node = draw.choice((BoxPlus, BoxMinus))
        found.append(ast.Implies((node(step, head),), head))
    return found


def with_more(draw: Draw, rule: ast.Implies, base: MetricCase) -> ast.Implies:
    """The rule with one or two conditions more, of variables that it binds."""
    names = tuple(sorted(bound_variables(rule.body)))
    more = tuple(condition(draw, base, names) for _ in range(draw.integer(1, 2)))
    return replace(rule, body=ast.And((rule.body, *more)))


def condition(draw: Draw, base: MetricCase, names: tuple[str, ...], depth: int = 1) -> ast.Formula:
    """A negation or comparison, under an operator or not."""
    kind = draw.weighted((5, "not"), (3, "compare"), (2, "unary"), (2, "left"), (1, "right"))
    if depth <= 0 and kind in {"unary", "left", "right"}:
        kind = "not"
    if kind == "compare":
        return comparison(draw, names)
    if kind == "not":
        return Naf(negatable(draw, base, names, depth))
    inner = condition(draw, base, names, depth - 1)
    if kind == "unary":
        return draw.choice((DiamondMinus, DiamondPlus, BoxMinus, BoxPlus))(rho(draw), inner)
    other = some_atom(draw, base, names)
    both = draw.choice((Since, Until))
    sides = (inner, other) if kind == "left" else (other, inner)
    return both(rho(draw), *sides)


def negatable(draw: Draw, base: MetricCase, names: tuple[str, ...], depth: int) -> ast.Formula:
    kind = draw.weighted((6, "atom"), (4, "unary"), (2, "binary"), (2, "and"), (1, "not"))
    if depth <= 0 or kind == "atom":
        return some_atom(draw, base, names)
    if kind == "unary":
        node = draw.choice((DiamondMinus, DiamondPlus, BoxMinus, BoxPlus))
        return node(rho(draw), negatable(draw, base, names, depth - 1))
    if kind == "binary":
        both = draw.choice((Since, Until))
        return both(rho(draw), *(negatable(draw, base, names, depth - 1) for _ in range(2)))
    if kind == "not":
        return Naf(negatable(draw, base, names, depth - 1))
    return ast.And((some_atom(draw, base, names), condition(draw, base, names, depth - 1)))


def some_atom(draw: Draw, base: MetricCase, names: tuple[str, ...]) -> ast.Atom:
    """Of a predicate of the program, with these variables or constants."""
    known = sorted(arities(base.program).items())
    name, count = draw.choice(known)
    return atom(
        name,
        *(
            variable(draw.choice(names)) if names and draw.chance(85) else constant("a")
            for _ in range(count)
        ),
    )


def comparison(draw: Draw, names: tuple[str, ...]) -> Comparison:
    sides: list[ast.Term] = [
        variable(draw.choice(names)) if names and draw.chance(90) else constant("1"),
        variable(draw.choice(names)) if names and draw.chance(35) else constant(draw.choice(TEXTS)),
    ]
    if draw.chance(30):
        sides.reverse()
    return Comparison(draw.choice(SIGNS), *sides)


def rho(draw: Draw) -> Interval:
    low = draw.integer(0, 2)
    high = low + draw.integer(0, 2)
    open_ends = high > low and draw.chance(30)
    return Interval(Fraction(low), Fraction(high), not open_ends, not open_ends)


def renamed(draw: Draw, case: MetricCase) -> MetricCase:
    """With other constants in place of a, b and c."""
    names = dict(zip("abc", draw.some(TEXTS, 3, 3), strict=True))

    def of(term: ast.Term) -> ast.Term:
        if isinstance(term, ast.Constant):
            text = term.value.lexical  # type: ignore[union-attr]  # of DatalogMTL
            return constant(names.get(text, text))
        return term

    def inside(formula: ast.Formula) -> ast.Formula:
        return formula.with_terms(of).with_parts([inside(part) for part in formula.parts])

    rules = tuple(
        replace(rule, head=tuple(map(inside, rule.head)), body=inside(rule.body))
        for rule in case.program.rules
    )
    facts = tuple(
        MetricFact(
            fact.predicate, tuple(names.get(each, each) for each in fact.args), fact.interval
        )
        for fact in case.facts
    )
    return MetricCase(MetricProgram(rules), facts)
