"""Random streams of facts for random programs, with output points, delay and retractions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from rif.syntax import ast
from temporal.intervals.interval import Interval
from temporal.mtl import traversal
from temporal.mtl.analysis import analyse
from temporal.mtl.ast import (
    TOP,
    BinaryOperator,
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    MetricFact,
    MetricProgram,
    Since,
    UnaryOperator,
    Until,
    atom,
    variable,
)
from temporal.mtl.validation import predicate_name
from temporal.text.writer import write_fact, write_program
from tests.generators.draw import from_seed
from tests.generators.metric.programs import KINDS, MetricCase
from tests.oracles.metric.prefix_answers import Points, StreamLine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.generators.draw import Draw


SIGNALS: Final = 12
"""So many cases have signals, for each round of the other kinds."""
MANY: Final = 12
"""So many facts are enough for a stream."""
X, Y = map(variable, "XY")


@dataclass(frozen=True, slots=True)
class StreamCase:
    """A program, a query of it, and a stream.

    Attributes:
        pieces: how many bytes of the text come at a time, in turn.
        retracts: whether the run is told that there may be retractions.
        memory: as the option.
    """

    program: MetricProgram
    query: str
    lines: tuple[StreamLine, ...]
    points: Points
    delay: Fraction
    pieces: tuple[int, ...]
    retracts: bool
    memory: str = "auto"

    @property
    def text(self) -> str:
        return "".join(
            f"{'-' if line.retracts else ''}{write_fact(line.fact)}\n" for line in self.lines
        )

    def __str__(self) -> str:
        options = f"{self.query} {self.points} delay {self.delay} {self.memory} {self.pieces}"
        return f"{write_program(self.program)}--- {options}\n{self.text}"

    def blocks(self) -> list[bytes]:
        raw, found, at, turn = self.text.encode(), [], 0, 0
        while at < len(raw):
            size = self.pieces[turn % len(self.pieces)]
            found.append(raw[at : at + size])
            at, turn = at + size, turn + 1
        return found


def case_of(seed: int) -> StreamCase:
    """Of all kinds of programs in turn, and of signals again and again."""
    draw = from_seed(seed)
    kinds = list(KINDS.values())
    turn = seed % (len(kinds) + SIGNALS)
    if turn < len(kinds):
        return stream_of(draw, kinds[turn](draw), ahead=20)
    return (
        stream_of(draw, waits(draw), ahead=100)
        if turn == len(kinds)
        else stream_of(draw, signals(draw))
    )


def waits(draw: Draw) -> MetricCase:
    """Rules that look ahead, over signals, and rules that look back from what they conclude."""
    a, b, q = atom("A", X), atom("B", X), atom("Q", X)
    low = Fraction(draw.integer(0, 4), 4)
    rho = Interval(low, low + Fraction(draw.integer(1, 6), 4), draw.chance(70), draw.chance(70))
    bodies: tuple[ast.Formula, ...] = (
        Until(rho, a, b),
        ast.And((a, DiamondPlus(rho, b))),
        BoxPlus(rho, a),
        DiamondPlus(rho, DiamondMinus(rho, b)),
        BoxMinus(rho, DiamondPlus(rho, b)),
    )
    rules = [ast.Implies((atom("P", X),), draw.choice(bodies))]
    head: ast.Formula = BoxMinus(rho, q) if draw.chance(25) else q
    rules.append(ast.Implies((head,), draw.choice((Since(rho, a, atom("P", X)), atom("P", X)))))
    return MetricCase(MetricProgram(tuple(rules)), tuple(_signal(draw)))


def signals(draw: Draw) -> MetricCase:
    """Rules of Since over what holds often, while something else goes on, and ends, and begins."""
    a, b, q = atom("A", X), atom("B", X), atom("Q", X)
    low = Fraction(draw.choice((0, 1, 2, 3, 4, 6)), 2)
    rho = Interval(low, low + Fraction(draw.integer(1, 6), 4), draw.chance(70), draw.chance(70))
    if draw.chance(35):
        rho = Interval(low, None, draw.chance(70))
    wide = replace(rho, left_closed=False) if 0 in rho else rho
    bodies: tuple[ast.Formula, ...] = (
        Since(rho, a, b),
        Since(rho, a, b),
        Since(rho, a, b),
        Since(wide, atom("R", X, Y), b),
        Since(rho, a, Since(wide, q, b)),
        ast.And((Since(rho, atom("S"), b), DiamondMinus(Interval(Fraction(0), low + 1), a))),
        BoxMinus(Interval(Fraction(0), Fraction(1, 2)), Since(rho, a, b)),
        Since(rho, a, atom("R", X, Y)),
        Since(rho, TOP, b),
    )
    rules = [ast.Implies((q,), draw.choice(bodies)) for _ in range(draw.integer(1, 2))]
    if draw.chance(30):
        into = BoxPlus(Interval(Fraction(1, 2), Fraction(draw.integer(2, 4), 2)), atom("A", X))
        rules.append(ast.Implies((into,), q))
    if draw.chance(30):
        rules.append(ast.Implies((a,), DiamondMinus(Interval(Fraction(0), Fraction(1, 2)), b)))
    return MetricCase(MetricProgram(tuple(rules)), tuple(_signal(draw)))


def _signal(draw: Draw) -> Iterator[MetricFact]:
    """Facts that go on piece by piece, with a gap now and then, and often a B."""
    step = Fraction(1, draw.choice((2, 4)))
    going = {("A", ("a",)), ("R", ("a", "b")), ("R", ("a", "a")), ("S", ())}
    on = {each for each in sorted(going) if draw.chance(70)}
    often = draw.choice((15, 40, 70))
    begin = draw.integer(0, 3)
    for turn in range(begin, begin + draw.integer(8, 24)):
        at = turn * step
        for name, args in sorted(going):
            if draw.chance(12):
                on ^= {(name, args)}
            if (name, args) in on and draw.chance(88):
                closed = not draw.chance(10)
                yield MetricFact(name, args, Interval(at, at + step, closed, draw.chance(20)))
        if draw.chance(often):
            when = at + draw.choice((0, 0, 1)) * step / 2
            yield MetricFact("B", (draw.choice("aaab"),), Interval.point(when))


def stream_of(draw: Draw, drawn: MetricCase, ahead: int = 0) -> StreamCase:
    """A program and its facts as a stream; in so many of a hundred cases it may look ahead."""
    program = drawn.program if draw.chance(ahead) else towards_past(drawn.program)
    if draw.chance(25):
        program = without_points(program)
    heads = [predicate_name(found) for rule in program.rules for found in _atoms(*rule.head)]
    bodies = [predicate_name(found) for rule in program.rules for found in _atoms(rule.body)]
    query = draw.choice(heads if not bodies or draw.chance(90) else bodies)
    facts = list(drawn.facts)
    if len(facts) < MANY:
        for fact in drawn.facts:
            facts += (_moved(draw, fact) for _ in range(draw.integer(0, 3)))
        facts = facts[: draw.integer(3, 14)]
    delay = Fraction(draw.choice((0, 0, 0, 1, 2, 5)), draw.choice((1, 1, 2)))
    arrivals = [
        (_order(fact) + Fraction(draw.integer(0, 4), 4) * delay, number, fact)
        for number, fact in enumerate(facts)
    ]
    lines = [StreamLine(fact) for _, _, fact in sorted(arrivals, key=lambda each: each[:2])]
    if draw.chance(15):
        lines.insert(draw.integer(0, len(lines)), StreamLine(draw.choice(facts)))
    retracts = draw.chance(30)
    if retracts:
        for _ in range(draw.integer(0, 3)):
            place = draw.integer(1, len(lines))
            taken = draw.choice(lines[:place]).fact
            lines.insert(place, StreamLine(_part(draw, taken), retracts=True))
    points = Points()
    if draw.chance(40):
        points = Points(every=Fraction(draw.integer(1, 4), draw.choice((1, 2, 3))))
    elif draw.chance(30):
        times = [Fraction(draw.integer(-12, 40), draw.choice((1, 2))) for _ in range(6)]
        points = Points(at=tuple(times))
    longest = draw.choice((20, 60, 200))
    pieces = tuple(draw.integer(1, longest) for _ in range(draw.integer(1, 4)))
    memory = "auto"
    if draw.chance(40):
        memory = "exact" if draw.chance(40) or analyse(program).has_punctual else "dense"
    return StreamCase(program, query, tuple(lines), points, delay, pieces, retracts, memory)


def towards_past(program: MetricProgram) -> MetricProgram:
    """The same rules, looking back where they look ahead."""
    rules = tuple(
        replace(rule, head=tuple(map(_head, rule.head)), body=_body(rule.body))
        for rule in program.rules
    )
    return MetricProgram(rules)


def without_points(program: MetricProgram) -> MetricProgram:
    """The same rules, with ranges twice as long where they are one point."""

    def widened(formula: ast.Formula) -> ast.Formula:
        match formula:
            case UnaryOperator():
                return replace(formula, rho=_wide(formula.rho), body=widened(formula.body))
            case BinaryOperator():
                phi, psi = widened(formula.phi), widened(formula.psi)
                return replace(formula, rho=_wide(formula.rho), phi=phi, psi=psi)
            case ast.And():
                return replace(formula, items=tuple(map(widened, formula.items)))
        return formula

    rules = tuple(
        replace(rule, head=tuple(map(widened, rule.head)), body=widened(rule.body))
        for rule in program.rules
    )
    return MetricProgram(rules)


def _wide(rho: Interval) -> Interval:
    if not rho.is_punctual or rho.right is None:
        return rho
    return replace(rho, right=rho.right + (rho.right or 1))


def _head(formula: ast.Formula) -> ast.Formula:
    if isinstance(formula, BoxMinus | BoxPlus):
        return BoxPlus(formula.rho, _head(formula.body))
    return formula


def _body(formula: ast.Formula) -> ast.Formula:
    match formula:
        case DiamondMinus() | DiamondPlus():
            return DiamondMinus(formula.rho, _body(formula.body))
        case BoxMinus() | BoxPlus():
            return BoxMinus(formula.rho, _body(formula.body))
        case Since() | Until():
            return Since(formula.rho, _body(formula.phi), _body(formula.psi))
        case ast.And():
            return replace(formula, items=tuple(map(_body, formula.items)))
    return formula


def _atoms(*formulas: ast.Formula) -> list[ast.Atom]:
    return [atom for formula in formulas for atom in traversal.atoms(formula)]


def _moved(draw: Draw, fact: MetricFact) -> MetricFact:
    by = Fraction(draw.integer(0, 12), draw.choice((1, 1, 1, 2, 3, 4)))
    when = fact.interval
    left = None if when.left is None else when.left + by
    right = None if when.right is None else when.right + by
    if left is not None and draw.chance(40):
        return replace(fact, interval=Interval.point(left))
    return replace(fact, interval=replace(when, left=left, right=right))


def _part(draw: Draw, fact: MetricFact) -> MetricFact:
    """The fact, or it in a part of its time, or in more."""
    when = fact.interval
    if draw.chance(60) or when.left is None or when.right is None:
        return fact
    by = Fraction(draw.integer(0, 2), 2)
    if when.left + by < when.right:
        return replace(fact, interval=replace(when, left=when.left + by))
    return replace(fact, interval=replace(when, right=when.right + by))


def _order(fact: MetricFact) -> Fraction:
    return Fraction(-(10**6)) if fact.interval.left is None else fact.interval.left
