"""Dates and times moved by a duration [RIF-DTB 4.8.1; XPath-Functions 9.7; XSD E.3.3].

The zone is kept. A day that the month does not have is the last one of the month; a date is moved
from its first instant and keeps only its date; a time goes round the clock. Outside the domain is
a result whose year has more than 20 digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rif.builtins.table import Builtin
from rif.terms import FUNC, GroundTerm, Literal
from rif.timeline import DAY, Kind, Moment, moment, moment_literal, months, months_later, ticks

_DATES: tuple[Kind, ...] = ("dateTime", "date")
_ALL: tuple[Kind, ...] = ("dateTime", "date", "time")


def _ticks_later(value: Moment, amount: int) -> Moment:
    days, tick = divmod(value.tick + amount, DAY)
    return replace(value, day=value.day + days, tick=tick)


def _moved(
    name: str,
    kind: Kind,
    read: Callable[[GroundTerm], int | None],
    later: Callable[[Moment, int], Moment],
    sign: int,
) -> Builtin:
    def evaluate(start: GroundTerm, duration: GroundTerm) -> Literal | None:
        value, amount = moment(start, kind), read(duration)
        if value is None or amount is None:
            return None
        return moment_literal(later(value, sign * amount), kind)

    return Builtin(f"{FUNC}{name}-{kind}", "function", 2, 2, evaluate)


BUILTINS: tuple[Builtin, ...] = (
    *(_moved("add-yearMonthDuration-to", kind, months, months_later, 1) for kind in _DATES),
    *(_moved("add-dayTimeDuration-to", kind, ticks, _ticks_later, 1) for kind in _ALL),
    *(_moved("subtract-yearMonthDuration-from", kind, months, months_later, -1) for kind in _DATES),
    *(_moved("subtract-dayTimeDuration-from", kind, ticks, _ticks_later, -1) for kind in _ALL),
)
