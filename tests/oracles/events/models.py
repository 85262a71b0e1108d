"""What rules derive from assertions, when: each instant by the definitions.

Rules that feed others are complete before these begin. Where rules negate each other through time,
instants come one after the other: what holds at one depends on earlier ones alone.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from temporal.metric_rif.events import At, Ended, Every
from temporal.mtl.ast import BinaryOperator, BoxPlus, UnaryOperator
from tests.oracles.events.conditions import Conditions
from tests.oracles.events.dependencies import Component, components
from tests.oracles.events.marks import marks
from tests.oracles.events.scopes import end_variable
from tests.oracles.events.timeline import FUTURE, PAST, Timeline, closed_points, range_of, ticks_of
from tests.oracles.metric.dependencies import unboxed
from tests.oracles.rdf.canonical_form import one_form
from tests.oracles.rdf.values import _LITERAL
from tests.oracles.rules.formulas import Evaluator, Fact, Time
from tests.oracles.streams.output_lines import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rif.syntax.ast import Formula
    from tests.oracles.rules.datalog import Rule

FAR = 10**9
"""More ticks than in any range of a test."""
XSD = "http://www.w3.org/2001/XMLSchema#"


@dataclass(frozen=True, slots=True)
class Asserted:
    """A fact that holds from ``start`` to ``end``, and the element that asserts it, if one does."""

    fact: Fact
    element: str
    start: Time
    end: Time


@dataclass(frozen=True, slots=True)
class Setting:
    """What a model is about, beside rules and assertions.

    Attributes:
        first: the least stamp; what begins before it has no time, and chains begin there.
        clock: ``integer`` or ``dateTime``.
        by_value: literals of equal values are one term.
        same: names that are the same for ever, each with all names of its thing, the least first.
        has_marks: time has marks; not where static data stand alone.
    """

    first: Time = math.inf
    clock: str = "integer"
    by_value: bool = False
    same: Mapping[str, list[str]] = field(default_factory=dict)
    has_marks: bool = True


class EventModel:
    """What holds when; complete as soon as it is made.

    Attributes:
        derived: facts with the numbers of the rules that derive them, and the cells in which.
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        asserted: Iterable[Asserted],
        timeline: Timeline,
        setting: Setting,
    ) -> None:
        self.timeline = timeline
        self.derived: dict[Fact, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        self._setting = setting
        self._asserted: dict[Fact, list[tuple[Asserted, set[int]]]] = defaultdict(list)
        self._holding: dict[tuple[int, str | None], set[Fact]] = defaultdict(set)
        self._by_key: dict[str | None, set[Fact]] = defaultdict(set)
        self._marks: dict[Every, set[int]] = {}
        self._evaluator = Evaluator()
        rules = list(rules)
        facts = [rule for rule in rules if rule.body is None]
        stated = [fact for rule in facts for fact in self._evaluator.heads(rule.head[0], {})]
        static = [Asserted(fact, "", -math.inf, math.inf) for fact in stated]
        for one in (*asserted, *static):
            cells = timeline.between(one.start, one.end)
            self._asserted[one.fact].append((one, set(cells)))
            for cell in cells:
                self._hold(one.fact, cell)
        self._conditions = Conditions(self)
        for component in components([rule for rule in rules if rule.body is not None]):
            if component.in_order:
                self._in_order(component)
            else:
                self._at_once(component)

    def _hold(self, fact: Fact, cell: int) -> None:
        for key in keys_of(fact):
            self._holding[cell, key].add(fact)
            self._by_key[key].add(fact)

    # -- rules -----------------------------------------------------------------------------

    def _at_once(self, component: Component) -> None:
        """All cells together; if the rules feed themselves, until nothing is new."""
        (rules,) = component.strata
        new = True
        while new:
            self._conditions.forget()
            cells = range(self.timeline.size)
            found = [one for rule in rules for cell in cells for one in self.heads(rule, cell)]
            new = self._add(found) and component.is_recursive
        self._conditions.forget()

    def _in_order(self, component: Component) -> None:
        """One cell after the other from the first stamp on, in each the strata of that instant."""
        if math.isinf(self._setting.first):
            return
        self._conditions.forget()
        for cell in range(self.timeline.cell_of(self._setting.first), self.timeline.size):
            for rules in component.strata:
                new = True
                while new:
                    self._conditions.forget(cell)
                    new = self._add([one for rule in rules for one in self.heads(rule, cell)])
            self._conditions.forget(cell)
        self._conditions.forget()

    def _add(self, found: Iterable[tuple[Fact, int, int]]) -> bool:
        new = False
        for fact, number, cell in found:
            if cell not in self.derived[fact][number]:
                self.derived[fact][number].add(cell)
                self._hold(fact, cell)
                new = True
        return new

    def heads(self, rule: Rule, cell: int) -> Iterator[tuple[Fact, int, int]]:
        """What a rule derives because its body is true in a cell, and where."""
        assert rule.body is not None
        for row in self._conditions.rows(rule.body, cell):
            for head in rule.head:
                boxes, inner = unboxed(head)
                cells = {cell}
                for box in boxes:
                    side = FUTURE if isinstance(box, BoxPlus) else PAST
                    rho = range_of(box.rho)
                    cells = {far for one in cells for far in self.timeline.spread(one, rho, side)}
                for fact in self._evaluator.heads(inner, dict(row)):
                    written = fact[0], *map(self.result, fact[1:])
                    yield from ((written, rule.number, one) for one in cells)

    # -- the world of conditions -----------------------------------------------------------

    def holding(self, cell: int, key: str | None) -> Iterable[Fact]:
        return list(self._holding.get((cell, key), ()))

    def begins(self, cell: int, key: str | None) -> Iterable[tuple[Fact, str]]:
        """Of each element the stamp; of what is derived the begin of its run of ticks.

        A run is from its first tick up to the first tick at which the fact does not hold, between
        ticks too.
        """
        for fact in list(self._by_key.get(key, ())):
            times = {
                one.start
                for one, cells in self._asserted.get(fact, ())
                if one.element and cell in cells
            }
            begin = self._begin(self._derived(fact), self.timeline.tick_cell(cell))
            if begin is not None and begin >= self._setting.first:
                times.add(begin)
            yield from ((fact, self._time(time)) for time in times if math.isfinite(time))

    def _derived(self, fact: Fact) -> set[int]:
        """The cells in which some rule derives a fact."""
        return set().union(*self.derived[fact].values()) if fact in self.derived else set()

    def _begin(self, truth: set[int], cell: int) -> Time | None:
        """Where a run of ticks begins that has the ticks of a cell; None: it has none."""
        if cell not in truth:
            return None
        ticks = self.timeline.tick_cells
        place = ticks.index(cell)
        while place and ticks[place - 1] in truth:
            place -= 1
        return self.timeline.first_tick(ticks[place])

    def elements(self, fact: Fact, cell: int) -> Iterable[str]:
        return {
            f"<{one.element}>"
            for one, cells in self._asserted.get(fact, ())
            if one.element and cell in cells
        }

    def ended(self, cell: int, key: str | None) -> Iterable[tuple[Fact, str, str]]:
        """Runs of ticks, of what is asserted and derived, that end at a point."""
        if cell % 2 == 0:
            return
        ticks = self.timeline.tick_cells
        before = ticks[ticks.index(cell) - 1]
        for fact in list(self._by_key.get(key, ())):
            truth = {one for _, cells in self._asserted.get(fact, ()) for one in cells}
            truth |= self._derived(fact)
            begin = None if cell in truth else self._begin(truth, before)
            if begin is not None and math.isfinite(begin):
                yield fact, self._time(begin), self._time(self.timeline.points[cell // 2])

    def mark(self, every: Every, cell: int) -> str | None:
        if cell % 2 == 0 or not self._setting.has_marks:
            return None
        if every not in self._marks:
            points = self.timeline.points
            self._marks[every] = set(marks(every, points[0], points[-1]))
        point = self.timeline.points[cell // 2]
        return self._time(point) if point in self._marks[every] else None

    def _time(self, tick: Time) -> str:
        kind = "integer" if self._setting.clock == "integer" else "dateTime"
        return f'"{stamp(int(tick), self._setting.clock)}"^^<{XSD}{kind}>'

    def length(self, term: str) -> int | None:
        return ticks_of(term, self._setting.clock)

    def equal(self, one: str, two: str) -> bool:
        return valued(one) == valued(two)

    def result(self, term: str) -> str:
        return valued(term) if self._setting.by_value else term

    def names(self, term: str) -> list[str]:
        return self._setting.same.get(term, [term])


def keys_of(fact: Fact) -> list[str | None]:
    """Under which a fact is found."""
    kind, *rest = fact
    if kind == "triple":
        return [rest[1], None]
    return ["atom " + rest[0]] if kind == "atom" else []


def valued(term: str) -> str:
    """The term that stands for the value, in a list for that of each member."""
    if term.startswith("List("):
        return _LITERAL.sub(lambda found: one_form(found[0]), term)
    return one_form(term)


# -- the instants that matter --------------------------------------------------------------


def walk(formula: Formula) -> Iterator[Formula]:
    """The formula and all below it."""
    yield formula
    for part in formula.parts:
        yield from walk(part)


def formulas_of(rules: Iterable[Rule]) -> list[Formula]:
    """All formulas of rules."""
    wholes = [one for rule in rules for one in (*rule.head, rule.body) if one is not None]
    return [part for whole in wholes for part in walk(whole)]


def timeline_of(
    rules: Iterable[Rule], asserted: Iterable[Asserted], until: Time, setting: Setting
) -> Timeline:
    """The points around all that is asserted, and around ``until``, as far as rules reach."""
    rules, asserted = list(rules), list(asserted)
    formulas = formulas_of(rules)
    times = [time for one in asserted for time in (one.start, one.end)]
    times += [until, setting.first]
    base = {math.floor(time) for time in times if math.isfinite(time)}
    ranges = [one.rho for one in formulas if isinstance(one, UnaryOperator | BinaryOperator)]
    lengths = [
        amount
        for rho in ranges
        for one in [range_of(rho)]
        for amount in ([one.low, one.high or one.low] if end_variable(rho) is None else [one.low])
    ]
    if any(end_variable(rho) is not None for rho in ranges):
        lengths += _data_lengths(asserted, setting.clock)
    has_events = any(isinstance(one, At | Ended) for one in formulas)
    reach = sum(
        max(lengths) if end_variable(rho) is not None else range_of(rho).high or range_of(rho).low
        for rho in ranges
    )
    low, high = min(base, default=0) - reach - 2, max(base, default=0) + 2 * reach + 2
    for every in formulas:
        if isinstance(every, Every):
            base |= set(marks(every, low, high))
    steps = len(ranges) + sum(isinstance(one, At | Ended) for one in formulas)
    parts = components([rule for rule in rules if rule.body is not None])
    rounds = None if any(one.is_recursive for one in parts) else steps
    points = closed_points(
        base, {*lengths, *([1] if has_events else [])}, rounds, low - reach, high + reach
    )
    return Timeline(points)


def _data_lengths(asserted: Iterable[Asserted], clock: str) -> list[int]:
    """What of static data may be the end of a range."""
    found = []
    for one in asserted:
        ticks = ticks_of(one.fact[-1], clock) if one.start == -math.inf else None
        if ticks is not None and 0 <= ticks < FAR:
            found.append(ticks)
    return found
