"""Rules that march on: from a fact to one at another time, of the same constant or another."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from rif.syntax import ast
from temporal.intervals.interval import Interval
from temporal.mtl.ast import (
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    MetricFact,
    Since,
    Until,
    atom,
    variable,
)

if TYPE_CHECKING:
    from tests.generators.draw import Draw

X, Y, Z = map(variable, "XYZ")


def loop(draw: Draw) -> ast.Implies:
    """A rule that leads from P to P, one step away."""
    step = Interval.point(Fraction(draw.integer(1, 5), draw.choice((1, 1, 2, 3))))
    p = atom("P", X)
    node = draw.choice((BoxPlus, BoxMinus, DiamondMinus, DiamondPlus))
    if node in {BoxPlus, BoxMinus}:
        return ast.Implies((node(step, p),), p)
    return ast.Implies((p,), node(step, p))


def ticking(draw: Draw) -> ast.Implies:
    """A rule that leads from a fact to one some ticks away, or from several to one."""
    kind = draw.weighted((4, "head"), (3, "body"), (2, "both"), (1, "box"), (1, "since"))
    a, b, c = (atom(draw.choice("PQ"), X) for _ in range(3))
    near = Fraction(draw.integer(1, 4), draw.choice((1, 1, 2)))
    far = near + draw.choice((0, 0, 0, 0, 1))
    rho = (
        Interval(near, far) if near == far or draw.chance(70) else Interval(near, far, True, False)
    )
    ahead = draw.chance(80)
    if kind == "head":
        return ast.Implies(((BoxPlus if ahead else BoxMinus)(rho, a),), b)
    if kind == "body":
        return ast.Implies((a,), (DiamondMinus if ahead else DiamondPlus)(rho, b))
    if kind == "both":
        return ast.Implies((atom("R", X),), ast.And((a, DiamondMinus(rho, b))))
    if kind == "box":
        return ast.Implies((atom("R", X),), BoxMinus(Interval(Fraction(0), near), a))
    return ast.Implies((a,), Since(Interval(near, near + 1), b, c))


def reaching(draw: Draw) -> ast.Implies:
    """A rule with a range to infinity, in its body or in its head."""
    a, b = (atom(draw.choice("PQR"), X) for _ in range(2))
    into = atom(draw.choice("PQSSSTTT"), X)
    near = Fraction(draw.integer(0, 3))
    rho = Interval(near, None, draw.chance(70))
    kind = draw.choice(("unary", "unary", "binary", "head", "nested"))
    if kind == "binary":
        return ast.Implies((into,), draw.choice((Since, Until))(rho, a, b))
    if kind == "head":
        return ast.Implies((draw.choice((BoxPlus, BoxMinus))(rho, into),), a)
    inner: ast.Formula = a
    if kind == "nested":
        inner = draw.choice((DiamondMinus, BoxPlus))(Interval(Fraction(0), Fraction(2)), a)
    node = draw.choice((DiamondMinus, DiamondPlus, BoxMinus, BoxPlus))
    found: ast.Formula = node(rho, inner)
    return ast.Implies((into,), ast.And((found, b)) if draw.chance(30) else found)


def stepping(draw: Draw) -> ast.Implies:
    """A rule that takes P over an edge, at each step."""
    node = DiamondMinus if draw.chance(75) else DiamondPlus
    step = Interval.point(Fraction(draw.integer(1, 3), draw.choice((1, 1, 2))))
    return ast.Implies((atom("P", Y),), ast.And((node(step, atom("P", X)), atom("E", X, Y))))


def walking(draw: Draw) -> ast.Implies:
    """A rule that leads over an edge from one constant to another, now or at another time."""
    edge, onward = atom("E", X, Y), atom("E", Y, Z)
    here, there, tried = atom("P", X), atom("P", Y), atom("Q", Y)
    low = Fraction(draw.integer(0, 2))
    rho = Interval(low, low + draw.integer(1, 2), draw.chance(60), draw.chance(60))
    step = Interval.point(Fraction(draw.integer(1, 3)))
    ahead = draw.chance(75)
    diamond, box = (DiamondMinus, BoxMinus) if ahead else (DiamondPlus, BoxPlus)
    chain = Since if ahead else Until
    bodies: tuple[tuple[ast.Formula, ast.Formula], ...] = (
        (there, ast.And((diamond(rho, here), edge))),
        (tried, ast.And((here, diamond(rho, edge)))),
        (tried, ast.And((edge, box(rho, here)))),
        (here, chain(rho, tried, ast.And((here, edge)))),
        (atom("E", X, Z), ast.And((edge, diamond(step, onward)))),
        (atom("E", Y, X), ast.And((diamond(rho, edge), box(rho, here)))),
        (atom("R", X, Z), ast.And((chain(rho, onward, edge), diamond(rho, atom("P", Z))))),
    )
    head, body = draw.choice(bodies)
    if draw.chance(20):
        head = (BoxPlus if ahead else BoxMinus)(rho, head)
    return ast.Implies((head,), body)


def short(draw: Draw) -> MetricFact:
    """A fact of a moment, of a while, or since ever or for ever."""
    at = Fraction(draw.integer(-4, 4), draw.choice((1, 1, 1, 2, 3)))
    end = at + Fraction(draw.choice((0, 0, 0, 1, 2)), draw.choice((1, 2)))
    when = Interval(at, end)
    if at < end and draw.chance(50):
        when = Interval(at, end, draw.chance(50), draw.chance(50))
    if draw.chance(8):
        when = Interval(None, end) if draw.chance(50) else Interval(at, None)
    return MetricFact(draw.choice("PQPQR"), (draw.choice("aab"),), when)


def moment(draw: Draw) -> MetricFact:
    """P, for less than a step or a little more."""
    at = Fraction(draw.integer(-4, 4))
    end = at + Fraction(draw.choice((0, 0, 1)), draw.choice((1, 2, 3)))
    return MetricFact("P", ("a",), _between(draw, at, end))


def edges(draw: Draw) -> tuple[MetricFact, ...]:
    """Edges between some constants, which hold for ever or for a while, and where to begin."""
    names = "abcd"[: draw.integer(2, 4)]
    ever = draw.choice((Interval(None, None), Interval(Fraction(-5), None)))
    holds_ever = draw.chance(70)
    found = [moment(draw)]
    for one, other in zip(names, names[1:] + names[0], strict=True):
        at = Fraction(draw.integer(-6, 0))
        when = _between(draw, at, at + draw.integer(3, 12))
        found.append(MetricFact("E", (one, other), ever if holds_ever else when))
    for _ in range(draw.integer(0, 3)):
        at = Fraction(draw.integer(-4, 4))
        when = _between(draw, at, at + draw.choice((0, 0, 1, 2)))
        found.append(MetricFact(draw.choice("PPQ"), (draw.choice(names),), when))
    return tuple(found)


def _between(draw: Draw, at: Fraction, end: Fraction) -> Interval:
    """From one time to another, with any ends that leave something."""
    closed = at == end
    return Interval(at, end, closed or draw.chance(50), closed or draw.chance(50))
