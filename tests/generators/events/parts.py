"""Patterns, ranges and marks of rules, over few words."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from rif.syntax.ast import Constant, Exists, Formula, Frame, Var
from rif.syntax.terms import IRI, Variable
from temporal.intervals.durations import DurationLiteral
from temporal.intervals.interval import Interval
from temporal.metric_rif.events import Every
from tests.generators.meetings.programs import DATA

if TYPE_CHECKING:
    from tests.generators.draw import Draw

ZONES = ("Europe/Berlin", "America/New_York")


def var(name: str) -> Var:
    return Var(Variable(name))


def frame(subject: str, key: IRI, filler: str) -> Frame:
    return Frame(var(subject), ((Constant(key), var(filler)),))


def exists(names: str, body: Formula) -> Exists:
    return Exists(tuple(map(Variable, names.split())), body)


@dataclass
class Parts:
    """Draws the parts of one rule.

    Attributes:
        sources: the predicates that it may read.
        head: the predicate of what it derives.
        unit: how many ticks a step of time has.
        ahead: it may look ahead.
        rare: what is seldom else is frequent in it.
        count: how many aggregates it has.
    """

    draw: Draw
    sources: tuple[IRI, ...]
    head: IRI
    unit: int
    ahead: bool
    rare: bool = False
    count: int = 0

    def key(self) -> IRI:
        return self.draw.weighted((55, DATA[0]), (25, DATA[1]), (20, self.sources[-1]))

    def pattern(self, subject: str, filler: str) -> Frame:
        return frame(subject, self.key(), filler)

    def every(self, name: str | None) -> Every:
        draw = self.draw
        time = None if name is None else var(name)
        zone, offset = None, None
        if self.unit > 1 and draw.chance(80):
            zone = draw.choice(ZONES)
            period = DurationLiteral("1", "d")
            offset = DurationLiteral(draw.choice(("0", "2", "8", "2.5")), "h")
            return Every(period, offset, zone, time)
        period = DurationLiteral(str(draw.integer(2, 6) * self.unit), "ms" if self.unit > 1 else "")
        if draw.chance(40):
            offset = DurationLiteral(
                str(draw.integer(1, 3) * self.unit), "ms" if self.unit > 1 else ""
            )
        return Every(period, offset, None, time)

    def range(self, *, infinite: bool = True) -> Interval:
        draw = self.draw
        low = draw.weighted((60, 0), (25, 1), (15, 2))
        left_closed, right_closed = not draw.chance(25), not draw.chance(15)
        if infinite and draw.chance(18):
            return Interval(Fraction(low * self.unit), None, left_closed)
        high = low + draw.weighted((10, 0), (25, 1), (25, 2), (20, 3), (20, 5))
        ends = Fraction(low * self.unit), Fraction(high * self.unit)
        found = Interval(*ends, left_closed, right_closed)
        return Interval(ends[0], ends[0]) if found.is_empty else found
