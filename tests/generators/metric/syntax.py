"""Random metric programs and facts as syntax, from choices (`tests.generators.draw`).

At the smallest choices a program is one rule of one atom. `Shape` bounds what may occur.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from rif.syntax import ast
from temporal.intervals.interval import Interval
from temporal.mtl.ast import (
    TOP,
    BoxMinus,
    BoxPlus,
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
from temporal.mtl.validation import check

if TYPE_CHECKING:
    from tests.generators.draw import Draw

ODD = ("", "A", "?x", "b c", 'say "so"', "it's", "\\", "a#b", "x(1)", "é", "-1/2", "ALWAYS", "@5")
"""Constants that need care when they are written."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a program may have.

    Attributes:
        predicates: Each with its number of arguments.
        constants: Those of rules and facts.
        denominators: Numbers are multiples of 1 over one of them.
        reach: Ranges end here at the latest.
        span: Facts lie within this distance of 0.
        infinite: Percentage of right ends of ranges, and of ends of facts, that are infinite.
        nesting: Operators over one another.
        endless: Percentage of rules that lead from a predicate to itself at another time.
        brief: Percentage of facts that hold for a moment or, at most, for a unit.
        rules, facts: How many at most.
    """

    predicates: tuple[tuple[str, int], ...] = (("P", 1), ("Q", 1), ("R", 2), ("S", 0))
    constants: tuple[str, ...] = ("a", "b", "c")
    denominators: tuple[int, ...] = (1,)
    reach: int = 4
    span: int = 6
    infinite: int = 0
    nesting: int = 2
    endless: int = 0
    brief: int = 0
    rules: int = 3
    facts: int = 5


def number(draw: Draw, shape: Shape, low: int, high: int) -> Fraction:
    under = draw.choice(shape.denominators)
    return Fraction(draw.integer(low * under, high * under), under)


def interval(draw: Draw, shape: Shape, low: int, high: int, *, left_infinite: int = 0) -> Interval:
    """One that is not empty, with its ends within two bounds."""
    left = None if draw.chance(left_infinite) else number(draw, shape, low, high)
    right = None if draw.chance(shape.infinite) else number(draw, shape, low, high)
    if left is not None and right is not None and right < left:
        left, right = right, left
    found = Interval(left, right, not draw.chance(30), not draw.chance(30))
    return Interval(left, right) if found.is_empty else found


def rho(draw: Draw, shape: Shape) -> Interval:
    return interval(draw, shape, 0, shape.reach)


def term(draw: Draw, shape: Shape) -> ast.Constant | ast.Var:
    if draw.chance(15):
        return constant(draw.choice(shape.constants))
    return variable(draw.choice(("X", "Y", "z")))


def plain(draw: Draw, shape: Shape) -> ast.Atom:
    name, count = draw.choice(shape.predicates)
    return atom(name, *(term(draw, shape) for _ in range(count)))


def formula(draw: Draw, shape: Shape, depth: int) -> ast.Formula:
    """A formula with at most so many operators over one another."""
    kind = draw.weighted((8, "atom"), (8, "unary"), (4, "binary"), (1, "top"), (1, "and"))
    if kind == "top":
        return TOP
    if depth <= 0 or kind == "atom":
        return plain(draw, shape)
    if kind == "and":
        return ast.And(tuple(formula(draw, shape, depth - 1) for _ in range(2)))
    if kind == "unary":
        node = draw.choice((DiamondMinus, DiamondPlus, BoxMinus, BoxPlus))
        return node(rho(draw, shape), formula(draw, shape, depth - 1))
    both = draw.choice((Since, Until))
    return both(rho(draw, shape), formula(draw, shape, depth - 1), formula(draw, shape, depth - 1))


def head(draw: Draw, shape: Shape) -> ast.Formula:
    found: ast.Formula = plain(draw, shape)
    while draw.chance(25):
        found = draw.choice((BoxPlus, BoxMinus))(rho(draw, shape), found)
    return found


def rule(draw: Draw, shape: Shape) -> ast.Implies:
    """A rule, safe or not."""
    items = [formula(draw, shape, shape.nesting) for _ in range(draw.integer(1, 3))]
    body = items[0] if len(items) == 1 else ast.And(tuple(items))
    return ast.Implies((head(draw, shape),), body)


def safe_rule(draw: Draw, shape: Shape) -> ast.Implies:
    """A rule that may be evaluated; after some tries one that goes on for ever."""
    if draw.chance(shape.endless):
        return onward(draw, shape)
    for _ in range(20):
        found = rule(draw, shape)
        if not check(MetricProgram((found,))):
            return found
    return onward(draw, shape)


def onward(draw: Draw, shape: Shape) -> ast.Implies:
    """A rule that derives from a fact others of the same predicate, earlier or later."""
    name, count = draw.choice(shape.predicates)
    same = atom(name, *(variable(f"X{place}") for place in range(count)))
    node = draw.choice((BoxPlus, DiamondMinus, BoxMinus, DiamondPlus))
    step = rho(draw, shape)
    if step.left and draw.chance(60):
        step = Interval.point(step.left)
    if node in {BoxPlus, BoxMinus}:
        return ast.Implies((node(step, same),), same)
    return ast.Implies((same,), node(step, same))


def program(draw: Draw, shape: Shape) -> MetricProgram:
    return MetricProgram(tuple(safe_rule(draw, shape) for _ in range(draw.integer(1, shape.rules))))


def fact(draw: Draw, shape: Shape) -> MetricFact:
    name, count = draw.choice(shape.predicates)
    args = tuple(draw.choice(shape.constants) for _ in range(count))
    when = interval(draw, shape, -shape.span, shape.span, left_infinite=shape.infinite)
    if when.left is not None and draw.chance(shape.brief):
        end = when.left + number(draw, shape, 0, 1)
        closed = end == when.left or draw.chance(50)
        when = Interval(when.left, end, closed, closed)
    return MetricFact(name, args, when)


def facts(draw: Draw, shape: Shape, fewest: int = 1) -> tuple[MetricFact, ...]:
    return tuple(fact(draw, shape) for _ in range(draw.integer(fewest, shape.facts)))


def safe_apart(draw: Draw, shape: Shape) -> ast.Implies:
    """The same as `apart`; one that may be evaluated."""
    for _ in range(100):
        found = apart(draw, shape)
        if not check(MetricProgram((found,))):
            return found
    return onward(draw, shape)


def relay(draw: Draw, shape: Shape, name: str, count: int) -> list[MetricFact]:
    """Facts of a predicate that different constants have one after the other."""
    at, found = number(draw, shape, -shape.span, 0), []
    for turn in range(draw.integer(2, 4)):
        end = at + draw.integer(0, 1)
        is_open = at < end and draw.chance(50)
        when = Interval(at, end, not is_open, not is_open)
        args = [shape.constants[turn % len(shape.constants)]]
        args += [shape.constants[0]] * (count - 1)
        found.append(MetricFact(name, tuple(args[:count]), when))
        at = end if end > at or draw.chance(50) else at + 1
    return found


def apart(draw: Draw, shape: Shape) -> ast.Implies:
    """A rule in which variables stand on a left side alone, below a box or another left side."""
    places = iter(range(9))

    def lonely(depth: int) -> ast.Formula:
        name, count = draw.choice(tuple(each for each in shape.predicates if each[1]))
        args: list[ast.Constant | ast.Var] = [variable(f"L{next(places)}")]
        args += [term(draw, shape) for _ in range(count - 1)]
        inner: ast.Formula = atom(name, *args)
        if depth and draw.chance(40):
            inner = draw.choice((DiamondMinus, DiamondPlus, BoxMinus, BoxPlus))(
                rho(draw, shape), inner
            )
        if draw.chance(30):
            inner = ast.And((inner, lonely(0) if draw.chance(20) else plain(draw, shape)))
        right: ast.Formula = plain(draw, shape)
        if depth and draw.chance(20):
            right = lonely(depth - 1)
        if depth and draw.chance(15):
            inner = ast.And((inner, lonely(depth - 1)))
        both = draw.choice((Since, Until))
        return both(replace(rho(draw, shape), left=Fraction(0), left_closed=True), inner, right)

    found = lonely(1)
    for _ in range(draw.integer(1, 2)):
        kind = draw.weighted((6, "box"), (3, "left"), (1, "diamond"), (1, "right"), (2, "and"))
        if kind == "box":
            found = draw.choice((BoxMinus, BoxPlus))(rho(draw, shape), found)
        elif kind == "diamond":
            found = draw.choice((DiamondMinus, DiamondPlus))(rho(draw, shape), found)
        elif kind == "and":
            found = ast.And((found, plain(draw, shape)))
        else:
            sides = (found, plain(draw, shape))
            both = draw.choice((Since, Until))
            found = both(rho(draw, shape), *(sides if kind == "left" else reversed(sides)))
    return ast.Implies((head(draw, shape),), found)
