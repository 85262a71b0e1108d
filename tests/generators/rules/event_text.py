"""Documents with aggregates, event times and the calendar, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rif.syntax.aggregates import Aggregate, AggregateEqual
from temporal.metric_rif.events import EventFormula, Every
from tests.generators.rules.metric import MetricWriter

if TYPE_CHECKING:
    from rif.syntax.ast import Formula, Term
    from temporal.intervals.durations import DurationLiteral


class EventWriter(MetricWriter):
    """Writes what rules have beside atoms and operators."""

    def formula(self, formula: Formula) -> str:
        match formula:
            case AggregateEqual(left, right):
                return f"{self.side(left)} = {self.side(right)}"
            case EventFormula():
                own = " ".join(map(self.term, formula.terms))
                return f"{type(formula).__name__} {own} ({self.formula(formula.body)})"
            case Every():
                return self.every(formula)
        return super().formula(formula)

    def side(self, side: Term | Aggregate) -> str:
        """A side of an equation."""
        if not isinstance(side, Aggregate):
            return self.term(side)
        words = [side.function, side.share, side.part, "" if side.size is None else str(side.size)]
        names = [str(side.value)] + ([] if side.order is None else [str(side.order)])
        if side.group or self._draw.chance(10):
            comma = self._draw.choice((" ", ", "))
            names.append(f"[{comma.join(str(one.value) for one in side.group)}]")
        inside = self.formula(side.body)
        return f"{' '.join(filter(None, words))}{{ {' '.join(names)} | {inside} }}"

    def every(self, every: Every) -> str:
        """The marks of a calendar."""
        found = f"Every {self.duration(every.period)}"
        if every.offset is not None:
            found += f" offset {self.duration(every.offset)}"
        if every.zone is not None:
            found += f' zone "{every.zone}"'
        return found if every.time is None else f"{found} at {self.term(every.time)}"

    @staticmethod
    def duration(duration: DurationLiteral) -> str:
        return str(duration)
