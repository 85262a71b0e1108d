"""Numbers, dates and durations as texts: exact, and intervals between two of them.

A duration is a number with a unit, ``1.5 h``, or an xsd:dayTimeDuration, ``PT1H30M``.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final, NamedTuple

from rif.syntax.lexical import MAX_NUMBER, SECONDS
from rif.syntax.terms import XSD, Literal
from rif.values.date_arithmetic import SECOND, ticks
from rif.values.plain_numbers import NUMBER, plain_number
from temporal.errors import MixedTimes
from temporal.intervals.dates import read_date
from temporal.intervals.durations import Durations
from temporal.intervals.interval import Interval
from temporal.intervals.notation import common_notation

_INFINITIES: Final = {"-inf": -1, "inf": 1, "+inf": 1}
_EXPONENT: Final = re.compile(r"[+-]?[0-9.]+[eE][+-]?[0-9]+")
_DATE: Final = re.compile(r"[+-]?[0-9]{4,}-[0-9]{2}-")
_SHORT: Final = re.compile(r"([+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+))\s*([a-zµ]+)")


class TimeLiteral(NamedTuple):
    """A number, date or duration as it was read.

    Attributes:
        at: exact; None if it is infinite.
        kind: the class of the intervals that it is an end of; None if it is infinite.
        side: on which it is infinite, -1 or 1; else 0.
    """

    at: Fraction | None
    kind: type[Interval] | None = Interval
    side: int = 0


def parse_time(text: str) -> TimeLiteral | None:
    """The number, date or duration that ``text`` is, or None."""
    if text.isascii() and text.isdecimal() and len(text) <= MAX_NUMBER:
        return TimeLiteral(Fraction(int(text)))
    if text in _INFINITIES:
        return TimeLiteral(None, None, _INFINITIES[text])
    if len(text) > MAX_NUMBER:
        return None
    if NUMBER.fullmatch(text):
        number = plain_number(text)
        return None if number is None else TimeLiteral(number)
    return _date(text) if _DATE.match(text) else _duration(text)


def _date(text: str) -> TimeLiteral | None:
    found = read_date(text)
    return None if found is None else TimeLiteral(*found)


def _duration(text: str) -> TimeLiteral | None:
    if short := _SHORT.fullmatch(text):
        unit = SECONDS.get(short[2])
        return None if unit is None else TimeLiteral(Fraction(short[1]) * unit, Durations)
    long = ticks(Literal(text, XSD + "dayTimeDuration"))
    return None if long is None else TimeLiteral(Fraction(long, SECOND), Durations)


def parse_point(text: str) -> TimeLiteral | None:
    """The number or date that ``text`` is, or None."""
    found = parse_time(text)
    return None if found is None or found.kind is Durations else found


def make_interval(left: TimeLiteral, right: TimeLiteral, *closed: bool) -> Interval | None:
    """The interval of a fact, with the ends that are ``closed``; None: it has no time point.

    Raises:
        MixedTimes: one end is a number, the other a date.
    """
    return _interval_between(
        common_notation(left.kind, right.kind) or Interval, left, right, *closed
    )


def make_range(left: TimeLiteral, right: TimeLiteral, *closed: bool) -> Interval | None:
    """The range of an operator, as `make_interval`; 0 is 0 in all units.

    Raises:
        MixedTimes: one end is a number, the other a duration.
    """
    kinds = {end.kind for end in (left, right) if end.at}
    if len(kinds) > 1:
        message = "one end is a number, the other a duration"
        raise MixedTimes(message)
    is_long = Durations in (kinds or {left.kind, right.kind})
    return _interval_between(Durations if is_long else Interval, left, right, *closed)


def suggest_spelling(text: str) -> str | None:
    """A hint for a text that is no time here: what to write instead."""
    if _EXPONENT.fullmatch(text):
        return "exponents are not read; write the number out, or as a fraction"
    if _DATE.match(text):
        return "dates are those of XSD: 2024-01-31, 2024-01-31T08:00:00Z"
    if _SHORT.fullmatch(text) or text.startswith(("P", "-P")):
        return "durations are 10 m, in ns us ms s m h d, or PT10M"
    return None


def _interval_between(
    kind: type[Interval], left: TimeLiteral, right: TimeLiteral, *closed: bool
) -> Interval | None:
    if left.side > 0 or right.side < 0:
        return None
    found = kind(left.at, right.at, *closed)
    return None if found.is_empty else found
