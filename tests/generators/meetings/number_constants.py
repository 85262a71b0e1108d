"""Meetings whose rules have numbers in patterns, in other spellings than the data.

Objects of the data become numbers of few values; conditions, and constants of heads, are added.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar, cast

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
    Or,
    Var,
)
from rif.syntax.negation import Naf
from rif.syntax.terms import IRI, XSD, GroundTerm, Literal, Variable
from temporal.intervals.interval import Interval
from temporal.metric_rif.events import At, Ended, From
from temporal.mtl.ast import BoxMinus, BoxPlus, DiamondMinus
from tests.generators.draw import from_seed
from tests.generators.events.histories import random_event_case
from tests.generators.events.programs import is_stratified
from tests.generators.meetings.histories import Meeting, random_meeting
from tests.generators.meetings.programs import DATA, DERIVED, clauses, is_taken
from tests.oracles.metric.dependencies import is_metric
from tests.oracles.rdf.values import number
from tests.oracles.rules.number_constants import mapped, numbers_apart
from tests.oracles.streams.history import History

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.generators.draw import Draw
    from tests.generators.meetings.programs import Clause

T = TypeVar("T")
KEYS = frozenset((*DATA, *DERIVED))
SPELLINGS = tuple(
    Literal(text, XSD + kind)
    for text, kind in (
        *(("1", "integer"), ("01", "integer"), ("1.0", "decimal"), ("1E0", "double")),
        *(("+1", "int"), ("2", "integer"), ("2.0", "decimal"), ("2.5", "decimal")),
    )
)
"""Of the data, and of the rules; a value is mostly 1."""
ODD = tuple(
    Literal(text, XSD + kind)
    for text, kind in (
        ("9007199254740993", "integer"),
        ("9007199254740992", "double"),
        ("9007199254740992.0", "decimal"),
    )
)
"""The double is equal to both others, which are not equal."""


def random_number_case(seed: int, *, events: bool = False) -> Meeting:
    """The case of a seed: a meeting, or one of ``events``, with numbers."""
    case = random_event_case(seed) if events else random_meeting(seed)
    return with_numbers(from_seed(seed + 1), case, events=events)


def with_numbers(draw: Draw, case: Meeting, *, events: bool = False) -> Meeting:
    """The case with numbers in its data, and in its rules where these are taken then."""
    given = replace(case.history, by_value=False, numbers=True)
    if given.regime == "none" or draw.chance(50):
        some = (*SPELLINGS, *ODD) if draw.chance(20) else SPELLINGS
        given = _Numbers(draw, draw.some(some, len(some), len(some))).of(given)
    return replace(case, history=_WithConditions(draw, given, events=events).history())


class _Numbers:
    """Gives objects of triples numbers, each another one."""

    def __init__(self, draw: Draw, numbers: list[Literal]) -> None:
        self._draw = draw
        self._left = numbers
        self._known: dict[GroundTerm, GroundTerm] = {}

    def of(self, node: T) -> T:
        """A history; its documents stay as they are."""
        if isinstance(node, Document):
            return node
        if _is_triple(node):
            subject, key, filler = cast("tuple[GroundTerm, GroundTerm, GroundTerm]", node)
            return cast("T", (subject, key, self._filler(filler) if key in KEYS else filler))
        if isinstance(node, tuple) and not hasattr(node, "_fields"):
            return cast("T", tuple(map(self.of, node)))
        if is_dataclass(node) and not isinstance(node, type):
            changed = {one.name: self.of(getattr(node, one.name)) for one in fields(node)}
            return replace(node, **changed)
        return node

    def _filler(self, term: GroundTerm) -> GroundTerm:
        if term not in self._known:
            is_kept = not self._left or self._draw.chance(25)
            self._known[term] = term if is_kept else self._left.pop()
        return self._known[term]


def _is_triple(node: object) -> bool:
    size = 3
    return (
        isinstance(node, tuple)
        and len(node) == size
        and all(isinstance(one, GroundTerm) for one in node)
    )


def meets_another_spelling(history: History) -> bool:
    """Whether a number of a rule has the value of one in the data, under one key, and is another.

    Numbers in heads count, too, so it may be that no condition does.
    """
    there = _numbers_of(history)
    return any(
        _value(filler.value) == _value(one) and filler.value != one
        for rule in clauses(history.document)
        for each in _nodes(rule)
        if isinstance(each, Frame)
        for key, filler in each.slots
        if isinstance(key, Constant) and isinstance(filler, Constant)
        if isinstance(filler.value, Literal)
        for one in there.get(cast("IRI", key.value), ())
    )


def _value(one: Literal) -> float | None:
    known = number(str(one))
    return None if known is None else float(known[1])


def _numbers_of(history: History) -> dict[IRI, list[Literal]]:
    """The numbers of the data by key."""
    found: dict[IRI, list[Literal]] = {}
    for each in _nodes((history.statics, history.sources)):
        if _is_triple(each):
            _, key, filler = cast("tuple[GroundTerm, IRI, GroundTerm]", each)
            if isinstance(filler, Literal) and _value(filler) is not None:
                found.setdefault(key, []).append(filler)
    return found


def _nodes(node: object) -> Iterator[object]:
    """A tree, and all in it but documents."""
    yield node
    if isinstance(node, tuple) and not hasattr(node, "_fields"):
        for each in node:
            yield from _nodes(each)
    elif is_dataclass(node) and not isinstance(node, Document):
        for one in fields(node):
            yield from _nodes(getattr(node, one.name))


@dataclass
class _WithConditions:
    draw: Draw
    given: History
    events: bool

    def __post_init__(self) -> None:
        self._numbers = _numbers_of(self.given)

    def history(self) -> History:
        """The history whose rules have numbers."""
        given, draw = self.given, self.draw
        rules = list(clauses(given.document))
        for place in range(len(rules)):
            for _ in range(draw.weighted((20, 0), (50, 1), (30, 2))):
                changed = self._changed(rules[place])
                if changed is not None and self._taken(
                    [*rules[:place], changed, *rules[place + 1 :]]
                ):
                    rules[place] = changed
        document = replace(given.document, group=Group(tuple(rules)))
        return replace(given, document=document)

    def _taken(self, rules: list[Clause]) -> bool:
        if self.given.metric and not is_metric(Document(group=Group(tuple(rules)))):
            return False  # then facts would hold for ever
        joined = [
            rule
            for source in self.given.sources
            for item in source
            if hasattr(item, "document")
            for rule in clauses(item.document)
        ]
        apart = numbers_apart((*rules, *joined))
        if self.events:
            return is_stratified(list(apart))
        return is_taken(apart)

    def _changed(self, rule: Clause) -> Clause | None:
        """With one number more; None: this one gets none."""
        clause = rule.clause if isinstance(rule, Forall) else rule
        if not isinstance(clause, Implies):
            return None
        (head,) = clause.head
        boxes, inner = _unboxed(head)
        if not isinstance(inner, Frame) or not isinstance(inner.object, Var):
            return None
        ((key, _),) = inner.slots
        changed, is_alone = clause, self.draw.chance(40)
        if is_alone or self.draw.chance(20):
            head = Frame(inner.object, ((key, Constant(self._number())),))
            for box in reversed(boxes):
                head = replace(box, body=head)
            changed = replace(clause, head=(head,))
        if is_alone:
            changed = replace(changed, body=self._condition(inner.object, may_negate=False))
        elif self._aggregates(clause.body) and self.draw.chance(60):
            changed = replace(changed, body=self._in_aggregates(clause.body))
        else:
            body = And((clause.body, self._condition(inner.object)))
            changed = replace(changed, body=body)
        return replace(rule, clause=changed) if isinstance(rule, Forall) else changed

    def _aggregates(self, node: object) -> list[Aggregate]:
        return [each for each in _nodes(node) if isinstance(each, Aggregate)]

    def _in_aggregates(self, node: T) -> T:
        """With a number in the condition of each aggregate."""
        if isinstance(node, Aggregate):
            subjects = [
                each.object
                for each in _nodes(node.body)
                if isinstance(each, Frame) and isinstance(each.object, Var)
            ]
            if subjects:
                condition = self._condition(subjects[0], may_negate=False)
                return cast("T", replace(node, body=And((node.body, condition))))
        return cast("T", mapped(node, self._in_aggregates))

    def _number(self, key: IRI | None = None) -> Literal:
        """A number; mostly another spelling of one that the data have under ``key``."""
        there = self._numbers.get(key, []) if key is not None else []
        if not there or self.draw.chance(20):
            return self.draw.choice((*SPELLINGS, *ODD) if self.draw.chance(15) else SPELLINGS)
        one = self.draw.choice(there)
        others = (each for each in (*SPELLINGS, *ODD) if each != one)
        return self.draw.choice([each for each in others if _value(each) == _value(one)] or [one])

    def _condition(self, subject: Var, *, may_negate: bool = True) -> Formula:
        draw = self.draw
        # Cycles of event rules may be refused for more than the oracle knows of.
        some = DATA if self.events else (*DATA, *DERIVED)
        known = [key for key in some if key in self._numbers]
        keys = known if known and draw.chance(80) else [*DATA]
        if not self.events and draw.chance(25):
            keys = [*DERIVED]
        key = draw.choice(keys)
        found: Formula = Frame(subject, ((Constant(key), Constant(self._number(key))),))
        if self.events and draw.chance(35):
            assert isinstance(found, Frame)
            kind = draw.choice(("at", "ended", "from"))
            f, u = Variable("before"), Variable("after")
            if kind == "ended":
                found = Exists((f, u), Ended(found, Var(f), Var(u)))
            else:
                found = Exists((f,), (At if kind == "at" else From)(found, Var(f)))
        if self.given.metric and draw.chance(50):
            rho = Interval(Fraction(draw.integer(0, 1)), Fraction(draw.integer(1, 4)))
            operator = draw.choice((DiamondMinus, DiamondMinus, BoxMinus))
            found = operator(rho, found)
        negates = self.given.semantics != "instances" and self.given.regime == "none"
        if may_negate and negates and draw.chance(30):
            return Naf(found)
        other = Frame(subject, ((Constant(draw.choice(DATA)), Constant(self._number())),))
        return Or((found, other)) if draw.chance(15) else found


def _unboxed(head: Formula) -> tuple[list[BoxPlus | BoxMinus], Formula]:
    boxes = []
    while isinstance(head, BoxPlus | BoxMinus):
        boxes.append(head)
        head = head.body
    return boxes, head
