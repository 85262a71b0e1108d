"""Cases in which ranges end in variables that static data bind."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from rif.syntax.aggregates import Aggregate
from rif.syntax.ast import (
    And,
    Constant,
    Document,
    Exists,
    Forall,
    Formula,
    Frame,
    Group,
    Implies,
    Term,
    Var,
)
from rif.syntax.negation import Naf
from rif.syntax.terms import IRI, XSD, Literal, Variable
from temporal.intervals.durations import VariableRange
from temporal.intervals.interval import Interval
from temporal.mtl.ast import DiamondMinus, MetricFormula
from tests.generators.events.parts import var
from tests.generators.events.programs import closed
from tests.generators.meetings.programs import NODES
from tests.generators.vocabulary import EX
from tests.oracles.events.dependencies import components
from tests.oracles.events.models import formulas_of
from tests.oracles.events.scopes import free
from tests.oracles.rules.datalog import rules_of
from tests.oracles.streams.history import HistoryItem, ReferenceEnds

if TYPE_CHECKING:
    from rif.syntax.terms import GroundTerm
    from tests.generators.draw import Draw
    from tests.generators.meetings.histories import Meeting
    from tests.oracles.streams.run import Triple

WAITS: Final = IRI(EX + "waits")
"""The predicate of what is in static data alone: how far a range reaches, of which thing."""
INPUTS: Final = frozenset(Constant(IRI(EX + name)) for name in "pq")
"""The predicates that no rule derives."""


def with_open_ranges(case: Meeting, draw: Draw) -> Meeting:
    """The case with variables as right ends of some ranges.

    If its rules have no ranges they get one, unless they feed each other in a cycle.
    """
    document = case.history.document
    made = _Opening(draw)
    given = _rules(document)
    if not any(isinstance(one, MetricFormula) for one in formulas_of(rules_of(document))):
        if any(one.is_recursive or one.in_order for one in components(rules_of(document))):
            return case
        given = list(map(_looking_back, given))
    rules = list(map(made.rule, given))
    kind = case.history.clock
    statics: list[Triple] = [
        (draw.choice(NODES[:2]), WAITS, _value(draw, kind)) for _ in range(draw.integer(1, 4))
    ]
    sources = list(case.history.sources)
    if case.way == "library" and draw.chance(25):
        sources[0] = _ending(sources[0], statics, draw)
    if draw.chance(40):
        rules[-1] = made.negating(rules[-1], given[-1])
    history = replace(
        case.history,
        document=replace(document, group=Group(tuple(rules))),
        metric=True,
        statics=(*case.history.statics, *dict.fromkeys(statics)),
        sources=tuple(sources),
    )
    # Shards do not know all static data before they are made.
    return replace(case, history=history, way="command" if case.way == "shards" else case.way)


def _rules(document: Document) -> list[Forall | Implies]:
    group = document.group
    assert group is not None
    found = [one for one in group.items if isinstance(one, Forall | Implies)]
    assert len(found) == len(group.items) == len(rules_of(document))
    return found


def _value(draw: Draw, clock: str) -> GroundTerm:
    """A length, or what is none."""
    number = draw.integer(0, 6)
    integer = Literal(str(number), XSD + "integer")
    duration = Literal(f"PT{number}H", XSD + "dayTimeDuration")
    fit, other = (integer, duration) if clock == "integer" else (duration, integer)
    longer = Literal(f"+{number}" if clock == "integer" else f"PT{60 * number}M", fit.datatype)
    negative = Literal(f"-{number}" if clock == "integer" else f"-PT{number}H", fit.datatype)
    none: tuple[GroundTerm, ...] = (other, negative, Literal("x"), NODES[0])
    return draw.choice(none) if draw.chance(20) else longer if draw.chance(10) else fit


def _ending(
    items: tuple[HistoryItem, ...], statics: list[Triple], draw: Draw
) -> tuple[HistoryItem, ...]:
    """One of the static facts ends between two elements."""
    place = draw.integer(1, len(items)) if items else 0
    return (*items[:place], ReferenceEnds((draw.choice(statics),)), *items[place:])


def _implies(rule: Forall | Implies) -> Implies:
    implies = rule.clause if isinstance(rule, Forall) else rule
    assert isinstance(implies, Implies)
    return implies


def _looking_back(rule: Forall | Implies) -> Forall | Implies:
    """A rule that asks what held a short time ago."""
    implies = _implies(rule)
    return closed(implies.head[0], DiamondMinus(Interval(Fraction(0), Fraction(1)), implies.body))


class _Opening:
    """Opens ranges; ``count`` of them so far."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self.count = 0

    def rule(self, rule: Forall | Implies) -> Forall | Implies:
        """With other ranges in its body."""
        implies = _implies(rule)
        return closed(implies.head[0], self._scope(implies.body))

    def negating(self, rule: Forall | Implies, given: Forall | Implies) -> Forall | Implies:
        """One that asks, too, that an input which the ``given`` one matches did not hold before."""
        body = _implies(given).body
        inputs = [
            one
            for one in (body.parts if isinstance(body, And) else (body,))
            if isinstance(one, Frame) and all(name in INPUTS for name, _ in one.slots)
        ]
        if not inputs:
            return rule
        earlier = DiamondMinus(Interval(Fraction(1), Fraction(2)), self._draw.choice(inputs))
        asked = And((_implies(rule).body, self._scope(Naf(earlier))))
        return closed(_implies(rule).head[0], asked)

    def _scope(self, formula: Formula) -> Formula:
        """A scope in which some ranges end in variables, and what binds them."""
        names: list[str] = []
        opened = self._opened(formula, names)
        for name in dict.fromkeys(names):
            opened = And(tuple(self._draw.some([opened, self._binder(formula, name)], 2, 2)))
            if self._draw.chance(20):
                opened = Exists((Variable(name),), opened)
        return opened

    def _binder(self, formula: Formula, name: str) -> Frame:
        subjects = sorted(free(formula) & {"s", "x", "y", "g"})
        subject: Term = Constant(self._draw.choice(NODES[:2]))
        if subjects and self._draw.chance(75):
            subject = var(self._draw.choice(subjects))
        elif self._draw.chance(50):
            subject = var(f"of_{name}")
        return Frame(subject, ((Constant(WAITS), var(name)),))

    def _opened(self, formula: Formula, names: list[str]) -> Formula:
        match formula:
            case MetricFormula():
                found = formula.with_parts([self._scope(part) for part in formula.parts])
                return self._with_end(found, names)
            case Aggregate():
                return formula.with_parts([self._scope(part) for part in formula.parts])
        return formula.with_parts([self._opened(part, names) for part in formula.parts])

    def _with_end(self, formula: MetricFormula, names: list[str]) -> MetricFormula:
        draw, rho = self._draw, formula.rho
        if not draw.chance(80):
            return formula
        self.count += 1
        name = draw.choice(names) if names and draw.chance(40) else f"d{self.count}"
        names.append(name)
        assert rho.left is not None
        ends = rho.left, rho.left + Fraction(1)
        is_closed = rho.left_closed, rho.right is None or rho.right_closed
        end = Var(Variable(name))
        return replace(formula, rho=VariableRange(*ends, *is_closed, True, variable=end))
