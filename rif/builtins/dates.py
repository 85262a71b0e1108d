"""Dates and times: comparison, difference, parts, and addition of durations [RIF-DTB 4.8].

Comparison and difference [XPath-Functions 9.4, 9.7] are of instants. A date stands for its first
instant, a time for that of one and the same day by its own clock, so 23:00:00-05:00 comes after
01:00:00Z. XPath leaves the zone of a value without one to its context; here it is UTC.

Parts [RIF-DTB 4.8.1; XPath-Functions 8.3, 9.5] are read as the value's own clock shows them,
whatever its zone. Those of a duration are here, too: it is taken in its canonical form and each
part has its sign; years and months are parts of a yearMonthDuration, the others of a
dayTimeDuration. All are integers, but seconds are decimals and zones durations. Without a zone a
value is outside the domain of a ``timezone-from-…``.

Addition of a duration [RIF-DTB 4.8.1; XPath-Functions 9.7; XSD E.3.3] keeps the zone. A day that
the month does not have becomes the last one of the month; a date is moved from its first instant
and keeps only its date; a time goes round the clock. Outside the domain is a result whose year has
more than 20 digits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from rif.builtins.signatures import Builtin
from rif.syntax.terms import FUNC, PRED, GroundTerm, Literal
from rif.values.datatypes import literal_of
from rif.values.date_arithmetic import (
    DAY,
    HOUR,
    MINUTE,
    Moment,
    MomentKind,
    moment,
    moment_literal,
    months,
    months_later,
    ticks,
    ticks_literal,
)
from rif.values.dates import MAX_DIGITS
from rif.values.decimals import EXACT

_KINDS: tuple[MomentKind, ...] = ("dateTime", "date", "time")
_DATES: tuple[MomentKind, ...] = ("dateTime", "date")
_CLOCKS: tuple[MomentKind, ...] = ("dateTime", "time")

# comparison and difference


def _comparison(kind: MomentKind, name: str, compare: Callable[[int, int], bool]) -> Builtin:
    def evaluate(left: GroundTerm, right: GroundTerm) -> bool | None:
        one, two = moment(left, kind), moment(right, kind)
        return None if one is None or two is None else compare(one.instant, two.instant)

    return Builtin(f"{PRED}{kind}-{name}", "predicate", 2, 2, evaluate)


def _difference(kind: MomentKind) -> Builtin:
    def evaluate(left: GroundTerm, right: GroundTerm) -> Literal | None:
        one, two = moment(left, kind), moment(right, kind)
        return None if one is None or two is None else ticks_literal(one.instant - two.instant)

    return Builtin(f"{FUNC}subtract-{kind}s", "function", 2, 2, evaluate)


_COMPARISONS = (
    ("equal", operator.eq),
    ("not-equal", operator.ne),
    ("less-than", operator.lt),
    ("less-than-or-equal", operator.le),
    ("greater-than", operator.gt),
    ("greater-than-or-equal", operator.ge),
)

_INSTANTS: tuple[Builtin, ...] = (
    *(_comparison(kind, *row) for kind in _KINDS for row in _COMPARISONS),
    *map(_difference, _KINDS),
)

# parts


def _integer(value: int) -> Literal:
    return literal_of("integer", value)


def _seconds(amount: int) -> Literal:
    return literal_of("decimal", Decimal(amount).scaleb(-MAX_DIGITS, EXACT))


def _of_moment(name: str, kind: MomentKind, part: Callable[[Moment], Literal | None]) -> Builtin:
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


_PARTS: tuple[Builtin, ...] = (
    *(_of_moment("year", kind, lambda value: _integer(value.date[0])) for kind in _DATES),
    *(_of_moment("month", kind, lambda value: _integer(value.date[1])) for kind in _DATES),
    *(_of_moment("day", kind, lambda value: _integer(value.date[2])) for kind in _DATES),
    *(_of_moment("hours", kind, lambda value: _integer(value.tick // HOUR)) for kind in _CLOCKS),
    *(
        _of_moment("minutes", kind, lambda value: _integer(value.tick // MINUTE % 60))
        for kind in _CLOCKS
    ),
    *(_of_moment("seconds", kind, lambda value: _seconds(value.tick % MINUTE)) for kind in _CLOCKS),
    *(_of_moment("timezone", kind, _zone) for kind in _KINDS),
    _of_duration("years", months, lambda value: value // 12),
    _of_duration("months", months, lambda value: value % 12),
    _of_duration("days", ticks, lambda value: value // DAY),
    _of_duration("hours", ticks, lambda value: value // HOUR % 24),
    _of_duration("minutes", ticks, lambda value: value // MINUTE % 60),
    _of_duration("seconds", ticks, lambda value: value % MINUTE, _seconds),
)

# addition of durations


def _ticks_later(value: Moment, amount: int) -> Moment:
    days, tick = divmod(value.tick + amount, DAY)
    return replace(value, day=value.day + days, tick=tick)


def _sum(
    name: str,
    kind: MomentKind,
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


_SUMS: tuple[Builtin, ...] = (
    *(_sum("add-yearMonthDuration-to", kind, months, months_later, 1) for kind in _DATES),
    *(_sum("add-dayTimeDuration-to", kind, ticks, _ticks_later, 1) for kind in _KINDS),
    *(_sum("subtract-yearMonthDuration-from", kind, months, months_later, -1) for kind in _DATES),
    *(_sum("subtract-dayTimeDuration-from", kind, ticks, _ticks_later, -1) for kind in _KINDS),
)

BUILTINS: tuple[Builtin, ...] = (*_INSTANTS, *_PARTS, *_SUMS)
