"""Random documents with metric operators: small ranges, nested, recursive, mixed with all else."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from rif.syntax.ast import (
    And,
    Atom,
    Constant,
    Document,
    Equal,
    Exists,
    Forall,
    Formula,
    Frame,
    Group,
    Implies,
    Or,
    Var,
    Window,
)
from rif.syntax.negation import Naf
from rif.syntax.terms import IRI, Variable
from temporal.intervals.durations import VariableRange
from temporal.intervals.interval import Interval
from temporal.mtl.ast import BoxMinus, BoxPlus, DiamondMinus, DiamondPlus, Since, Until
from tests.generators.rules.documents import PREFIXES
from tests.generators.rules.text import DocumentWriter
from tests.oracles.metric.dependencies import derives_on, looks_ahead_for_ever, negates_itself
from tests.oracles.rdf.values import _decimal

if TYPE_CHECKING:
    from tests.generators.draw import Draw
    from tests.generators.vocabulary import Vocabulary

PAST = (DiamondMinus, BoxMinus)
FUTURE = (DiamondPlus, BoxPlus)


def metric_document(draw: Draw, words: Vocabulary, *, negation: bool = False) -> Document:
    """A document of one to four rules that the engine takes."""
    window = Window(str(draw.integer(1, 4)), "ms") if draw.chance(35) else None
    rules = [
        _Rule(draw, words, ahead=draw.chance(35), negation=negation).rule()
        for _ in range(draw.weighted((35, 1), (35, 2), (20, 3), (10, 4)))
    ]
    kept: list[Forall] = []
    for rule in rules:
        more = Document(group=Group((*kept, rule)))
        refused = looks_ahead_for_ever(more) or negates_itself(more)
        if not refused and not (negation and derives_on(more)):
            kept.append(rule)
    if not kept:
        return metric_document(draw, words, negation=negation)
    return Document(prefixes=PREFIXES, window=window, group=Group(tuple(kept)))


def ends(document: Document) -> bool:
    """Does what the rules derive come to an end?"""
    return not derives_on(document)


@dataclass
class _Rule:
    """One rule in the making."""

    draw: Draw
    words: Vocabulary
    ahead: bool
    negation: bool
    fresh: int = 0

    def rule(self) -> Forall:
        draw = self.draw
        names = ["x", "y"] if draw.chance(60) else ["x"]
        items = [self.formula(names, draw.integer(1, 3))]
        if draw.chance(45):
            items.append(self.formula(draw.some(names, 1, len(names)), draw.integer(0, 2)))
        if self.negation and draw.chance(60):
            items.append(Naf(self.formula(draw.some(names, 1, len(names)), draw.integer(0, 1))))
        if len(names) > 1 and draw.chance(8):
            items.append(Equal(_var("x"), _var("y")))
        sought = self._sought(names) if draw.chance(12) else None
        if sought is not None:
            items.append(sought)
        body = items[0] if len(items) == 1 else And(tuple(items))
        heads = tuple(self.head(names) for _ in range(draw.weighted((85, 1), (15, 2))))
        declared = [*names, "w"] if sought is not None else names
        return Forall(tuple(map(Variable, declared)), Implies(heads, body))

    def _sought(self, names: list[str]) -> Formula:
        """A Since or Until of which a variable of the left side alone stands for some value."""
        rho = Interval(Fraction(0), Fraction(self.draw.integer(0, 3)))
        node = Until if self.ahead and self.draw.chance(40) else Since
        return node(rho, self.frame([names[0], "w"]), self.formula(names[:1], 1))

    def head(self, names: list[str]) -> Formula:
        draw = self.draw
        if self.words.ops and draw.chance(25):
            head: Formula = Atom(IRI("http://e/flag"), ())
        else:
            key = Constant(draw.choice(self.words.derived))
            head = Frame(_var("x"), ((key, _var(draw.choice(names))),))
        while draw.chance(22):
            node = BoxMinus if self.ahead and draw.chance(40) else BoxPlus
            head = node(self.range(infinite=node is BoxPlus), head)
        return head

    def range(self, *, infinite: bool = True) -> Interval:
        draw = self.draw
        low = draw.weighted((50, 0), (25, 1), (15, 2), (10, 3))
        left_closed = not draw.chance(25)
        if infinite and draw.chance(8):
            return Interval(Fraction(low), None, left_closed)
        high = low + draw.weighted((25, 0), (30, 1), (25, 2), (20, 3))
        right_closed = not draw.chance(25)
        found = Interval(Fraction(low), Fraction(high), left_closed, right_closed)
        return Interval(Fraction(low), Fraction(low)) if found.is_empty else found

    def formula(  # noqa: PLR0911 - a way out for each kind
        self, names: list[str], depth: int
    ) -> Formula:
        """A formula that binds exactly these variables, in every disjunct."""
        draw = self.draw
        if depth <= 0:
            return self.frame(names)
        kind = draw.weighted(
            (15 if self.negation else 0, "without"),
            (35, "unary"),
            (20, "chain"),
            (10, "and"),
            (10, "or"),
            (10, "exists"),
            (10, "frame"),
        )
        if kind == "unary":
            ahead = self.ahead and draw.chance(50)
            node = draw.choice(FUTURE if ahead else PAST)
            return node(self.range(infinite=not ahead), self.formula(names, depth - 1))
        if kind == "chain":
            return self.chain(names, depth)
        if kind == "and":
            some = draw.some(names, 1, len(names))
            return And((self.formula(names, depth - 1), self.formula(some, depth - 1)))
        if kind == "without":
            some = draw.some(names, 1, len(names))
            return And((self.formula(names, depth - 1), Naf(self.formula(some, depth - 1))))
        if kind == "or":
            return Or((self.formula(names, depth - 1), self.formula(names, depth - 1)))
        if kind == "exists":
            self.fresh += 1
            name = draw.choice(["z", f"z{self.fresh}"])
            body = self.formula([names[0], name], depth - 1)
            hidden = Exists((Variable(name),), body)
            return hidden if len(names) == 1 else And((hidden, self.frame(names)))
        return self.frame(names)

    def chain(self, names: list[str], depth: int) -> Formula:
        draw = self.draw
        ahead = self.ahead and draw.chance(50)
        node = Until if ahead else Since
        rho = self.range(infinite=not ahead)
        left = draw.some(names, 1, len(names))
        right = names
        if 0 not in rho and draw.chance(40) and len(names) > 1:
            left, right = names, draw.some(names, 1, 1)
        phi: Formula = (
            And(()) if draw.chance(5) and right == names else self.formula(left, depth - 1)
        )
        return node(rho, phi, self.formula(right, depth - 1))

    def frame(self, names: list[str]) -> Formula:
        draw, words = self.draw, self.words
        keys = [one for one in words.data if one.value.startswith("http://e/")]
        key = Constant(draw.choice(words.derived if draw.chance(22) else keys))
        if len(names) > 1:
            return Frame(_var(names[0]), ((key, _var(names[1])),))
        if draw.chance(50):
            return Frame(_var(names[0]), ((key, Constant(draw.choice(words.nodes))),))
        self.fresh += 1
        other = f"v{self.fresh}"
        if draw.chance(30):
            return Exists((Variable(other),), Frame(_var(other), ((key, _var(names[0])),)))
        return Exists((Variable(other),), Frame(_var(names[0]), ((key, _var(other)),)))


def _var(name: str) -> Var:
    return Var(Variable(name))


class MetricWriter(DocumentWriter):
    """Writes metric operators too, in the ways in which they can be written."""

    def formula(self, formula: Formula) -> str:
        if isinstance(formula, DiamondMinus | DiamondPlus | BoxMinus | BoxPlus):
            inside = self.formula(formula.body)
            return f"{type(formula).__name__} {self.range(formula.rho)} ({inside})"
        if isinstance(formula, Since | Until):
            sides = f"{self.formula(formula.phi)} {self.formula(formula.psi)}"
            return f"{type(formula).__name__}{self.range(formula.rho)}({sides})"
        return super().formula(formula)

    def range(self, rho: Interval) -> str:
        unit = self._draw.weighted((60, ""), (20, " ms"), (10, "s"), (10, " us"))
        ends = [self._end(end, unit) for end in (rho.left, rho.right)]
        if isinstance(rho, VariableRange):
            ends[1] = self.term(rho.variable)
        comma = self._draw.choice([", ", ",", " "])
        return f"{'(['[rho.left_closed]}{comma.join(ends)}{')]'[rho.right_closed]}"

    @staticmethod
    def _end(end: Fraction | None, unit: str) -> str:
        if end is None:
            return "inf"
        number = {"": end, " ms": end, "s": end / 1000, " us": end * 1000}[unit]
        return f"{_decimal(number)}{unit}"
