"""Rules with aggregates, At, From, Ended and Every, over few words, so that most of them fire.

A rule reads what the stream asserts and what rules above derive, so there are strata; a few read
their own earlier answers.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from rif.syntax.aggregates import Aggregate, AggregateEqual
from rif.syntax.ast import (
    And,
    Atom,
    Constant,
    Document,
    Equal,
    External,
    Forall,
    Formula,
    Frame,
    Group,
    Implies,
    Or,
    Term,
    Window,
)
from rif.syntax.negation import Naf
from rif.syntax.terms import IRI, PRED, XSD, Literal, Variable
from temporal.intervals.interval import Interval
from temporal.metric_rif.events import At, Ended, Every, From
from temporal.mtl.ast import BoxPlus, DiamondMinus, DiamondPlus, Since
from tests.generators.events.aggregates import Aggregates
from tests.generators.events.parts import exists, frame, var
from tests.generators.meetings.programs import DATA, DERIVED, NODES
from tests.generators.rules.documents import PREFIXES
from tests.generators.vocabulary import EX
from tests.oracles.events.dependencies import components
from tests.oracles.events.models import formulas_of
from tests.oracles.events.scopes import free
from tests.oracles.rules.datalog import rules_of
from tests.oracles.rules.strata import NotStratified

if TYPE_CHECKING:
    from tests.generators.draw import Draw

HOUR = 3_600_000
SMALL = tuple(Literal(text, XSD + "integer") for text in "012")


def program(draw: Draw, *, unit: int = 1, rare: bool = False) -> Document:
    """One to three rules, most of them with an aggregate; ``unit``: ticks of a step of time.

    ``rare``: what is seldom else is frequent.
    """
    ahead = draw.chance(30 if rare else 12)
    rules: list[Forall | Implies] = []
    for number in range(draw.weighted((45, 1), (35, 2), (20, 3))):
        sources = (*DATA, *(DERIVED[:1] if number else ()))
        made = _Rule(draw, sources, DERIVED[min(number, 1)], unit, ahead=ahead, rare=rare)
        aggregates = 30 if rare else 85 if number == 0 else 45
        kind = draw.weighted((aggregates, "aggregate"), (25, "event"), (20 if rare else 8, "loop"))
        rule = {"aggregate": made.aggregated, "event": made.event, "loop": made.loop}[kind]()
        if is_stratified([*rules, rule]):
            rules.append(rule)
    if rare and draw.chance(30) and not reads_itself([*rules, _chain()]):
        rules.append(_chain())
    if not rules:
        return program(draw, unit=unit, rare=rare)
    size = draw.weighted((35, 0), (20, 2), (20, 3), (15, 5), (10, 1))
    window = Window(str(size * unit), "") if size else None
    return Document(prefixes=PREFIXES, window=window, group=Group(tuple(rules)))


def _chain() -> Forall | Implies:
    """A rule that needs what it derives."""
    body = And((frame("s", DERIVED[0], "v"), frame("v", DATA[0], "w")))
    return closed(frame("s", DERIVED[0], "w"), body)


def program_without_calendar(draw: Draw, *, rare: bool = False) -> Document:
    """The same without Every."""
    while True:
        document = program(draw, rare=rare)
        if not any(isinstance(one, Every) for one in formulas_of(rules_of(document))):
            return document


def is_stratified(rules: list[Forall | Implies]) -> bool:
    """Do they have strata, at each instant by itself?"""
    try:
        components(rules_of(Document(group=Group(tuple(rules)))))
    except NotStratified:
        return False
    return True


def reads_itself(rules: list[Forall | Implies]) -> bool:
    """Do some read earlier answers of their own, or have they no strata?"""
    document = Document(group=Group(tuple(rules)))
    return not is_stratified(rules) or reads_earlier_answers(document)


def reads_earlier_answers(document: Document) -> bool:
    """Do some of its rules, which have strata, read earlier answers of their own?"""
    return any(one.in_order for one in components(rules_of(document)))


def closed(head: Formula, body: Formula) -> Forall | Implies:
    """A rule about all values of its free variables."""
    names = sorted(free(head) | free(body))
    rule = Implies((head,), body)
    return Forall(tuple(map(Variable, names)), rule) if names else rule


def _implies(rule: Forall | Implies) -> Implies:
    clause = rule.clause if isinstance(rule, Forall) else rule
    assert isinstance(clause, Implies)
    return clause


class _Rule(Aggregates):
    """One rule in the making."""

    def concluded(self, names: list[str]) -> Formula:
        """A head of some of the names, or of constants."""
        draw = self.draw
        ends: list[Term] = [*map(var, names[-2:])]
        if draw.chance(15):
            return Atom(IRI(EX + "flag"), tuple(ends))
        while len(ends) < 2:
            ends.insert(0, Constant(NODES[0]))
        head: Formula = Frame(ends[0], ((Constant(self.head), ends[1]),))
        return BoxPlus(self.range(infinite=False), head) if draw.chance(8) else head

    # -- with an aggregate -----------------------------------------------------------------

    def aggregated(self) -> Forall | Implies:
        draw = self.draw
        found = self.aggregate()
        group = [one.value.name for one in found.group]
        rest = self.rest(group)
        items: list[Formula] = [] if rest is None else [rest]
        known = group + ([] if rest is None else sorted(free(rest) - set(group)))
        use = draw.weighted(
            (62, "result"), (10, "constant"), (8, "both"), (8, "known"), (12, "negated")
        )
        if use == "negated":
            items.append(Naf(AggregateEqual(Constant(draw.choice(SMALL)), found)))
            if rest is None or not set(group) <= free(rest):
                first, *others = group or ["s"]
                others = others or ["x"]
                items[:0] = [self.pattern(first, other) for other in others]
                known = [first, *others]
        elif use == "both":
            items.append(AggregateEqual(found, self.another(found)))
        elif use == "constant":
            sides = Constant(draw.choice(SMALL)), found
            items.append(AggregateEqual(*(sides if draw.chance(50) else sides[::-1])))
        else:
            if use == "known":
                items.append(frame(group[0] if group else "s", self.key(), "m"))
                known += [] if group else ["s"]
            items.append(self.equation(found))
            known = [*known, "m"]
            if draw.chance(12):
                items.append(self.compared("m"))
        if draw.chance(10):
            second = self.aggregate()
            if not {one.value.name for one in second.group} - set(known) and "n" not in known:
                items.append(AggregateEqual(var("n"), second))
                known.append("n")
        body = self.arranged(items)
        if draw.chance(8):
            body = DiamondMinus(self.range(infinite=False), body)
        return closed(self.concluded(known), body)

    def equation(self, found: Aggregate) -> AggregateEqual:
        sides = var("m"), found
        return AggregateEqual(*(sides[::-1] if self.draw.chance(20) else sides))

    def arranged(self, items: list[Formula]) -> Formula:
        """A conjunction in any order, some of it in an And, an Exists or an Or of its own."""
        draw = self.draw
        items = draw.some(items, len(items), len(items))
        if len(items) > 1 and draw.chance(10):
            items = [items[0], And(tuple(items[1:]))]
        if len(items) > 1 and draw.chance(6):
            items = [*items[1:], Or((items[0], items[0]))]
        return items[0] if len(items) == 1 else And(tuple(items))

    def compared(self, name: str) -> Formula:
        words = ("numeric-greater-than", "numeric-less-than", "numeric-not-equal")
        right = Constant(self.draw.choice(SMALL))
        return External(IRI(PRED + self.draw.choice(words)), (var(name), right))

    def rest(  # noqa: PLR0911 - a way out for each kind
        self, group: list[str]
    ) -> Formula | None:
        """What stands beside the aggregate; None: nothing does."""
        draw = self.draw
        kind = draw.weighted(
            (35, "none"),
            (20, "frame"),
            (12, "exists"),
            (10, "past"),
            (10 if self.unit == 1 else 40, "mark"),
            (8, "equal"),
            (5, "at"),
        )
        if kind == "none":
            return None
        if kind == "mark" and not self.ahead:
            return self.every("h" if draw.chance(50) else None)
        names = group[:1] or ["s"]
        if len(group) > 1 and draw.chance(60):
            return frame(group[0], self.key(), group[1])
        if kind == "equal":
            renamed = frame("y", self.key(), "x")
            return And((renamed, Equal(var(names[0]), var(draw.choice("xy")))))
        if kind == "exists":
            return exists("x", frame(names[0], self.key(), "x"))
        if kind == "at":
            return At(frame(names[0], self.key(), "x"), var("h"))
        inside = frame(names[0], self.key(), "x")
        return DiamondMinus(self.range(), inside) if kind == "past" else inside

    # -- with event times ------------------------------------------------------------------

    def event(self) -> Forall | Implies:
        """One with event times; where they are rare it is nested, or has an equation, too."""
        draw, rule = self.draw, self._event()
        implies = _implies(rule)
        body = implies.body
        share = 85 if isinstance(body, From) else 60 if self.ahead else 30
        if self.rare and draw.chance(share):
            node = DiamondPlus if self.ahead and draw.chance(75) else DiamondMinus
            body = node(self.range(infinite=False), body)
            if isinstance(implies.body, From) and draw.chance(40):
                body = node(self.range(infinite=False), body)
        if self.rare and draw.chance(25):
            same = (
                Equal(var("s"), Constant(NODES[0]))
                if draw.chance(50)
                else Equal(var("s"), var("s"))
            )
            body = And((body, same))
        return closed(implies.head[0], body)

    def _event(self) -> Forall | Implies:
        draw = self.draw
        s_v = self.pattern("s", "v")
        kind = draw.weighted(
            (18, "at"),
            (20, "pair"),
            (60 if self.rare else 18, "ended"),
            (60 if self.rare else 14, "from"),
            (0 if self.ahead else 16 if self.unit == 1 else 50, "mark"),
            (10, "since"),
            (8, "plain"),
        )
        if kind == "pair":
            first = At(self.pattern("s", "w"), var("a"))
            node = DiamondPlus if self.ahead and draw.chance(50) else DiamondMinus
            rho = self.range(infinite=node is DiamondMinus)
            body: Formula = And((At(s_v, var("b")), node(rho, first)))
            return closed(self.concluded(["s", draw.choice("abvw")]), body)
        if kind == "ended":
            body = Ended(s_v, var("f"), var("u"))
            if draw.chance(30):
                body = DiamondMinus(self.range(), body)
            return closed(self.concluded(["s", draw.choice("fuv")]), body)
        if kind == "from":
            return closed(self.concluded(["s", draw.choice("gv")]), From(s_v, var("g")))
        if kind == "mark":
            sees = self.pattern("s", "v")
            body = And((self.every("h"), DiamondMinus(self.range(), sees)))
            if draw.chance(30):
                body = And((self.pattern("s", "h"), BoxPlus(self.range(infinite=False), sees)))
                body = And((body, DiamondMinus(self.range(infinite=False), self.every(None))))
            return closed(self.concluded(["s", draw.choice("hv")]), body)
        if kind == "since":
            between: Formula = Naf(frame("s", self.key(), "v"))
            if draw.chance(50):
                count = Aggregate("count", Variable("w"), self.pattern("s", "w"), (var("s"),))
                between = AggregateEqual(Constant(draw.choice(SMALL)), count)
            return closed(self.concluded(["s", "v"]), Since(self.range(), between, s_v))
        body = At(s_v, var("t"))
        if kind == "plain":
            body = And((body, DiamondMinus(self.range(), self.pattern("s", "w"))))
        return closed(self.concluded(["s", draw.choice("tv")]), body)

    def loop(self) -> Forall | Implies:
        """A rule that reads its own earlier answers."""
        rule, draw = self._loop(), self.draw
        if not (self.rare and draw.chance(60)):
            return rule
        implies = _implies(rule)
        node = DiamondPlus if self.ahead else DiamondMinus
        past = DiamondMinus(self.range(infinite=False), self.pattern("s", "x"))
        more = draw.choice(
            (Equal(var("s"), Constant(NODES[0])), node(self.range(infinite=False), past))
        )
        body = And((implies.body, exists("x", more)))
        return closed(implies.head[0], body)

    def _loop(self) -> Forall | Implies:
        draw = self.draw
        own = frame("s", self.head, "w")
        low = draw.integer(1, 2) * self.unit
        rho = Interval(Fraction(low), Fraction(low + draw.integer(0, 4) * self.unit))
        items: list[Formula] = [self.pattern("s", "v")]
        if not self.ahead and draw.chance(40):
            items.append(self.every(None))
            rho = Interval(Fraction(0), rho.right, left_closed=False)
        if draw.chance(50):
            items.append(Naf(DiamondMinus(rho, exists("w", own))))
            return closed(Frame(var("s"), ((Constant(self.head), var("v")),)), And(tuple(items)))
        past = DiamondMinus(rho, At(own, var("t")))
        count = Aggregate("count", Variable("w"), past, (var("s"),))
        items.append(self.equation(count))
        return closed(Frame(var("s"), ((Constant(self.head), var("m")),)), And(tuple(items)))
