"""Intervals whose ends are dates: exact seconds from an origin, in the calendar of XSD.

A date is its first instant; without a zone it is in UTC.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Final

from rif.syntax.terms import XSD, Literal
from rif.values.date_arithmetic import DAY, SECOND, Moment, day_number, moment, moment_literal
from temporal.intervals.interval import Interval

SECONDS_OF_DAY: Final = DAY // SECOND

_ORIGIN: Final = day_number(2020, 1, 1)
"""Day 0: cells of nanoseconds then reach from 1983 to 2056."""
_EPOCH: Final = datetime(2020, 1, 1)  # noqa: DTZ001 - all are in UTC
_SECOND: Final = timedelta(seconds=1)

_FAST_FORM: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z?")


@dataclass(frozen=True, slots=True)
class DateTimeInterval(Interval):
    """An interval of seconds, written with times of day: ``[2024-01-01T08:00:00Z, …]``."""

    @staticmethod
    def text_of(at: Fraction) -> str:
        """A dateTime in UTC."""
        ticks = at * SECOND
        day, tick = divmod(round(ticks), DAY)
        literal = moment_literal(Moment(day + _ORIGIN, tick, 0), "dateTime")
        assert literal is not None  # cells do not reach so far
        return literal.lexical


@dataclass(frozen=True, slots=True)
class DateInterval(DateTimeInterval):
    """The same of whole days, written without times of day: ``[2024-01-01,2024-01-05)``."""

    @staticmethod
    def text_of(at: Fraction) -> str:
        """A date in UTC, without saying so."""
        literal = moment_literal(Moment(int(at) // SECONDS_OF_DAY + _ORIGIN, 0, None), "date")
        assert literal is not None
        return literal.lexical


def read_date(text: str) -> tuple[Fraction, type[DateTimeInterval]] | None:
    """The instant of an xsd:dateTime or xsd:date, and its notation; None: the text is neither.

    Most have the form `_FAST_FORM`, and the calendar of Python reads them in some 2 µs; others take
    some 40 µs.
    """
    if _FAST_FORM.fullmatch(text):
        with suppress(ValueError):  # the year 0, 24 o'clock; or there is no such day
            return Fraction(
                (datetime.fromisoformat(text[:19]) - _EPOCH) // _SECOND
            ), DateTimeInterval
    kind: type[DateTimeInterval] = DateInterval
    if "T" in text:
        found, kind = moment(Literal(text, XSD + "dateTime"), "dateTime"), DateTimeInterval
    else:
        found = moment(Literal(text, XSD + "date"), "date")
    if found is None:
        return None
    at = Fraction(found.instant, SECOND) - _ORIGIN * SECONDS_OF_DAY
    return at, DateTimeInterval if at % SECONDS_OF_DAY else kind
