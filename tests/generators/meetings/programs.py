"""Rules over few words, so that most of them fire; each dimension is in one of them at least."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from rif.syntax.ast import (
    And,
    Constant,
    Document,
    Equal,
    Exists,
    Forall,
    Formula,
    Frame,
    Group,
    Implies,
    Meta,
    Or,
    Var,
    Window,
)
from rif.syntax.negation import Naf
from rif.syntax.terms import IRI, GroundTerm, Variable
from temporal.intervals.interval import Interval
from temporal.mtl.ast import BoxMinus, BoxPlus, DiamondMinus, DiamondPlus, Since, Until
from tests.generators.ontologies.rules_above import closed
from tests.generators.rules.documents import PREFIXES
from tests.generators.vocabulary import EX, NUMBERS, TYPE
from tests.oracles.metric.dependencies import derives_on, looks_ahead_for_ever, negates_itself

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.generators.draw import Draw

NODES = tuple(IRI(EX + name) for name in "abc")
DATA = tuple(IRI(EX + name) for name in "pq")
DERIVED = tuple(IRI(EX + name) for name in "tu")
CLASSES = tuple(IRI(EX + name) for name in "CD")
X, Y, Z = (Variable(name) for name in "xyz")
Clause: TypeAlias = Forall | Implies
OPERATORS = frozenset({"past operator", "future operator", "nested operators"})


def program(draw: Draw, dimensions: frozenset[str]) -> Document:
    """One to three rules, and those of recursion."""
    count = draw.weighted((40, 1), (40, 2), (20, 3))
    shares: list[set[str]] = [set() for _ in range(count)]
    for dimension in sorted(dimensions):
        shares[draw.integer(0, count - 1)].add(dimension)
    if "nested operators" in dimensions:
        side = next(one for one in ("past operator", "future operator") if one in dimensions)
        next(share for share in shares if "nested operators" in share).add(side)
    rules: list[Clause] = []
    for number, share in enumerate(shares):
        _add(draw, rules, dimensions, share, DERIVED[min(number, 1)])
    if "recursion" in dimensions:
        _recur(draw, rules, dimensions)
    window = Window(str(draw.integer(1, 5)), "") if "window" in dimensions else None
    return Document(prefixes=PREFIXES, window=window, group=Group(tuple(rules)))


def joining(
    draw: Draw, dimensions: frozenset[str], present: Sequence[Document], name: str
) -> Document | None:
    """A rule that joins, with a name; None: none was found that is taken."""
    rules = [rule for each in present for rule in clauses(each)]
    kinds = sorted(dimensions & (OPERATORS | {"negation", "equality", "box in a head"}))
    share = set(draw.some(kinds, 0, len(kinds)))
    if "nested operators" in share and not share & {"past operator", "future operator"}:
        share.add(next(one for one in ("past operator", "future operator") if one in dimensions))
    before = len(rules)
    _add(draw, rules, dimensions, share, draw.choice(DERIVED))
    if len(rules) == before:
        return None
    rule = replace(rules[-1], meta=Meta(iri=IRI(EX + name)))
    return Document(prefixes=PREFIXES, group=Group((rule,)))


def _add(
    draw: Draw, rules: list[Clause], dimensions: frozenset[str], share: set[str], key: IRI
) -> None:
    """A rule that the engine takes with those there are, if one is found."""
    for _ in range(8):
        rule = _Rule(draw, dimensions, share).rule(key)
        if is_taken([*rules, rule]):
            rules.append(rule)
            return


def clauses(document: Document) -> tuple[Clause, ...]:
    """Its rules; here no groups are in one another."""
    items = document.group.items if document.group else ()
    return tuple(one for one in items if isinstance(one, Forall | Implies))


def is_taken(rules: Sequence[Clause]) -> bool:
    """Whether the engine takes such rules."""
    document = Document(group=Group(tuple(rules)))
    negates = any("Naf(" in repr(rule) for rule in rules)
    return not (
        looks_ahead_for_ever(document)
        or negates_itself(document)
        or (negates and derives_on(document))
    )


def _recur(draw: Draw, rules: list[Clause], dimensions: frozenset[str]) -> None:
    """Rules by which what is derived is derived from itself."""
    (p, q), (t, u) = DATA, DERIVED
    metric = "past operator" in dimensions and "negation" not in dimensions
    shapes: list[Clause] = [
        closed((_frame(X, t, Z),), And((_frame(X, t, Y), _frame(Y, p, Z)))),
        closed((_frame(X, t, Z),), And((_frame(X, t, Y), _frame(Y, t, Z)))),
        closed((_frame(Y, t, X),), _frame(X, t, Y)),
        closed((_frame(X, p, Y),), And((_frame(X, t, Y), _frame(Y, t, X)))),
    ]
    on: list[Clause] = []  # from instant to instant
    if metric:
        far = Interval(Fraction(1), Fraction(draw.integer(1, 3)))
        on = [
            closed((_frame(X, t, Y),), DiamondMinus(far, _frame(X, t, Y))),
            closed((_frame(X, t, Z),), And((DiamondMinus(far, _frame(X, t, Y)), _frame(Y, p, Z)))),
            closed((_frame(X, t, Y),), Or((DiamondMinus(far, _frame(X, t, Y)), _frame(X, q, Y)))),
        ]
    by_time = bool(on) and draw.chance(50)
    chosen = draw.some(on, 2, 3) if by_time else draw.some(shapes + on, 1, 2)
    if draw.chance(30):
        chosen += [
            closed((_frame(X, u, Y),), _frame(X, t, Y)),
            closed((_frame(X, t, Y),), _frame(X, u, Y)),
        ]
    for rule in chosen:
        if is_taken([*rules, rule]):
            rules.append(rule)


@dataclass
class _Rule:
    """A rule in the making; ``share`` are the dimensions that it is to have."""

    draw: Draw
    dimensions: frozenset[str]
    share: set[str]

    def rule(self, key: IRI) -> Clause:
        draw, share = self.draw, self.share
        items = [self.formula(Y)]
        if draw.chance(25):
            items.append(Exists((Z,), _frame(Y, draw.choice(DATA), Z)))
        elif draw.chance(25):
            items[0] = Or((items[0], self.pattern(Y)))
        if "equality" in share:
            some: list[GroundTerm] = [*NUMBERS[:4], *NODES]
            other = Constant(draw.choice(some))
            items.append(Equal(Var(Y), Var(X) if draw.chance(30) else other))
        if "negation" in share:
            items.append(Naf(self.negated()))
        body = items[0] if len(items) == 1 else And(tuple(items))
        head: Formula = _frame(X, key, draw.choice((Y, Y, X)))
        if "box in a head" in share:
            head = self.box(head)
            if draw.chance(30):
                head = self.box(head)
        return closed((head,), body)

    def box(self, head: Formula) -> Formula:
        back = "future operator" in self.share and self.draw.chance(40)
        return (BoxMinus if back else BoxPlus)(self.range(), head)

    def negated(self) -> Formula:
        found: Formula = _frame(X, self.draw.choice(DATA[::-1]), Y)
        if self.draw.chance(40):
            found = Exists((Z,), _frame(X, DATA[1], Z))
        return self.under(found, Y) if self.share & OPERATORS and self.draw.chance(50) else found

    def pattern(self, other: Variable) -> Formula:
        draw = self.draw
        if "entailment" in self.dimensions and draw.chance(35):
            member = Frame(Var(X), ((Constant(TYPE), Constant(draw.choice(CLASSES))),))
            return And((member, _frame(X, draw.choice(DATA), other)))
        key = draw.weighted((60, DATA[0]), (25, DATA[1]), (15, draw.choice(DERIVED)))
        return _frame(X, key, other)

    def formula(self, other: Variable) -> Formula:
        """What binds X and another variable, under the operators of the share."""
        found = self.pattern(other)
        if self.share & OPERATORS:
            found = self.under(found, other)
            if "nested operators" in self.share:
                found = self.under(found, other)
            if self.share >= {"past operator", "future operator"}:
                found = self.under(found, other, ahead=self.draw.chance(50))
        return found

    def under(self, formula: Formula, other: Variable, *, ahead: bool | None = None) -> Formula:
        draw = self.draw
        if ahead is None:
            ahead = "future operator" in self.share and (
                "past operator" not in self.share or draw.chance(50)
            )
        kind = draw.weighted((50, "diamond"), (25, "box"), (25, "chain"))
        if kind == "chain":
            phi: Formula = _frame(X, draw.choice(DATA), other)
            if draw.chance(30):
                phi = Or((phi, self.pattern(other)))
            return (Until if ahead else Since)(self.range(), phi, formula)
        if kind == "box":
            return (BoxPlus if ahead else BoxMinus)(self.range(), formula)
        rho = self.range()
        if not ahead and draw.chance(6):
            rho = Interval(rho.left, None, rho.left_closed)
        return (DiamondPlus if ahead else DiamondMinus)(rho, formula)

    def range(self) -> Interval:
        draw = self.draw
        low = draw.weighted((55, 0), (25, 1), (12, 2), (8, 3))
        high = low + draw.weighted((20, 0), (30, 1), (25, 2), (15, 3), (10, 6))
        left_closed, right_closed = not draw.chance(15), not draw.chance(15)
        found = Interval(Fraction(low), Fraction(high), left_closed, right_closed)
        return Interval(Fraction(low), Fraction(low)) if found.is_empty else found


def _frame(subject: Variable, key: IRI, filler: Variable) -> Frame:
    return Frame(Var(subject), ((Constant(key), Var(filler)),))
