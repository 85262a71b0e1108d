"""Parts of dates, times and durations [RIF-DTB 4.8.1; XPath-Functions 8.3, 9.5].

A date or time is taken as its own clock shows it, whatever its zone. A duration is taken in its
canonical form and each part has its sign; years and months are parts of a yearMonthDuration, the
others of a dayTimeDuration. All are integers, but seconds are decimals and zones durations.
Without a zone a value is outside the domain of a ``timezone-from-…``.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from rif.builtins.table import Builtin
from rif.datatypes import literal_of
from rif.numbers import EXACT
from rif.temporals import MAX_DIGITS
from rif.terms import FUNC, GroundTerm, Literal
from rif.timeline import DAY, HOUR, MINUTE, Kind, Moment, moment, months, ticks, ticks_literal


def _integer(value: int) -> Literal:
    return literal_of("integer", value)


def _seconds(amount: int) -> Literal:
    return literal_of("decimal", Decimal(amount).scaleb(-MAX_DIGITS, EXACT))


def _of_moment(name: str, kind: Kind, part: Callable[[Moment], Literal | None]) -> Builtin:
    def evaluate(term: GroundTerm) -> Literal | None:
        value = moment(term, kind)
        return None if value is None else part(value)

    return Builtin(f"{FUNC}{name}-from-{kind}", "function", 1, 1, evaluate)


def _of_duration(
    name: str,
    read: Callable[[GroundTerm], int | None],
    part: Callable[[int], int],
    literal: Callable[[int], Literal] = _integer,
) -> Builtin:
    """``part`` of the duration without its sign, which is put back."""

    def evaluate(term: GroundTerm) -> Literal | None:
        value = read(term)
        if value is None:
            return None
        return literal(part(value) if value >= 0 else -part(-value))

    return Builtin(f"{FUNC}{name}-from-duration", "function", 1, 1, evaluate)


def _zone(value: Moment) -> Literal | None:
    return None if value.zone is None else ticks_literal(value.zone * MINUTE)


_DATES: tuple[Kind, ...] = ("dateTime", "date")
_CLOCKS: tuple[Kind, ...] = ("dateTime", "time")

BUILTINS: tuple[Builtin, ...] = (
    *(_of_moment("year", kind, lambda value: _integer(value.date[0])) for kind in _DATES),
    *(_of_moment("month", kind, lambda value: _integer(value.date[1])) for kind in _DATES),
    *(_of_moment("day", kind, lambda value: _integer(value.date[2])) for kind in _DATES),
    *(_of_moment("hours", kind, lambda value: _integer(value.tick // HOUR)) for kind in _CLOCKS),
    *(
        _of_moment("minutes", kind, lambda value: _integer(value.tick // MINUTE % 60))
        for kind in _CLOCKS
    ),
    *(_of_moment("seconds", kind, lambda value: _seconds(value.tick % MINUTE)) for kind in _CLOCKS),
    *(_of_moment("timezone", kind, _zone) for kind in ("dateTime", "date", "time")),
    _of_duration("years", months, lambda value: value // 12),
    _of_duration("months", months, lambda value: value % 12),
    _of_duration("days", ticks, lambda value: value // DAY),
    _of_duration("hours", ticks, lambda value: value // HOUR % 24),
    _of_duration("minutes", ticks, lambda value: value // MINUTE % 60),
    _of_duration("seconds", ticks, lambda value: value % MINUTE, _seconds),
)
