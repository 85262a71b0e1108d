"""Dates, times and durations of XSD 1.1: their lexical space, and a key of their value.

The key of a date or time is its fields [XSD 1.1 D.2.1]: the same instant in two zones is equal in
time but not the same value. Seconds are exact, of any number of digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from decimal import Decimal
from typing import Final

from rif.numbers import EXACT

MAX_DIGITS = 20
"""Digits of the longest number in a date or duration; a longer one is no value here."""

_ZONE = r"(Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"
_DATE = r"(-?(?:[1-9][0-9]{3,}|0[0-9]{3}))-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_TIME = r"(?:([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9](?:\.[0-9]+)?)|(24):(00):(00(?:\.0+)?))"

_DATE_TIME = re.compile(f"{_DATE}T{_TIME}{_ZONE}")
_DATE_ONLY = re.compile(f"{_DATE}{_ZONE}")
_TIME_ONLY = re.compile(f"{_TIME}{_ZONE}")
_MONTHS = re.compile(r"(-?)P(?=[0-9])(?:([0-9]+)Y)?(?:([0-9]+)M)?")
_SECONDS = re.compile(
    r"(-?)P(?=[0-9T])(?:([0-9]+)D)?(?:T(?=[0-9])(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+(?:\.[0-9]+)?)S)?)?"
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_FEBRUARY = 2


def days_in(year: int, month: int) -> int:
    """Days of a month, in the proleptic Gregorian calendar."""
    leap = month == _FEBRUARY and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return _DAYS[month - 1] + leap


def _too_long(lexical: str) -> bool:
    return any(len(digits) > MAX_DIGITS for digits in re.split(r"[^0-9]+", lexical))


def _date(year: str, month: str, day: str) -> tuple[int, int, int] | None:
    fields = int(year), int(month), int(day)
    return fields if fields[2] <= days_in(fields[0], fields[1]) else None


def _next_day(year: int, month: int, day: int) -> tuple[int, int, int]:
    if day < days_in(year, month):
        return year, month, day + 1
    return (year, month + 1, 1) if month < 12 else (year + 1, 1, 1)  # noqa: PLR2004


def _zone(text: str | None) -> int | None:
    """Minutes east of UTC."""
    if text is None or text == "Z":
        return None if text is None else 0
    minutes = int(text[1:3]) * 60 + int(text[4:6])
    return -minutes if text[0] == "-" else minutes


def _time(found: re.Match[str], group: int) -> tuple[int, int, Decimal] | None:
    """Hour, minute, second; None for the end of the day."""
    if found[group] is None:
        return None
    return int(found[group]), int(found[group + 1]), Decimal(found[group + 2])


def date_time(lexical: str) -> Hashable:
    """The key of a dateTime; 24:00:00 is 00:00:00 of the next day."""
    found = _DATE_TIME.fullmatch(lexical)
    date = _date(found[1], found[2], found[3]) if found and not _too_long(lexical) else None
    if found is None or date is None:
        return None
    time = _time(found, 4)
    if time is None:
        date, time = _next_day(*date), (0, 0, Decimal(0))
    return "dateTime", *date, *time, _zone(found[10])


def date_time_stamp(lexical: str) -> Hashable:
    """The key of a dateTime with a zone."""
    found = _DATE_TIME.fullmatch(lexical)
    return date_time(lexical) if found and found[10] else None


def date(lexical: str) -> Hashable:
    """The key of a date."""
    found = _DATE_ONLY.fullmatch(lexical)
    fields = _date(found[1], found[2], found[3]) if found and not _too_long(lexical) else None
    return None if found is None or fields is None else ("date", *fields, _zone(found[4]))


def time(lexical: str) -> Hashable:
    """The key of a time; 24:00:00 is 00:00:00."""
    found = _TIME_ONLY.fullmatch(lexical)
    if found is None or _too_long(lexical):
        return None
    return "time", *(_time(found, 1) or (0, 0, Decimal(0))), _zone(found[7])


def year_month_duration(lexical: str) -> Hashable:
    """The key of a duration of months."""
    found = _MONTHS.fullmatch(lexical)
    if found is None or _too_long(lexical):
        return None
    months = int(found[2] or 0) * 12 + int(found[3] or 0)
    return "duration", -months if found[1] else months, Decimal(0)


def day_time_duration(lexical: str) -> Hashable:
    """The key of a duration of seconds."""
    found = _SECONDS.fullmatch(lexical)
    if found is None or _too_long(lexical):
        return None
    whole = (int(found[2] or 0) * 24 + int(found[3] or 0)) * 60 + int(found[4] or 0)
    seconds = EXACT.add(Decimal(whole * 60), Decimal(found[5] or 0))
    return "duration", 0, seconds.copy_negate() if found[1] else seconds


VALUES: Final[dict[str, Callable[[str], Hashable]]] = {
    "dateTime": date_time,
    "dateTimeStamp": date_time_stamp,
    "date": date,
    "time": time,
    "yearMonthDuration": year_month_duration,
    "dayTimeDuration": day_time_duration,
}
"""Per datatype, from a text to the key of its value; None outside the lexical space."""
