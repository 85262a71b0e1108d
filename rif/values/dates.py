"""Dates, times and durations of XSD 1.1: from a text to its canonical form.

Two texts have the same canonical form iff they stand for the same value, which for dates and times
is their fields [XSD 1.1 D.2.1]: the same instant in two zones is equal in time, but not the same.
Seconds are exact, of any number of digits. A text outside the lexical space has no form: None.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Final

from rif.values.decimals import EXACT, canonical_exact

MAX_DIGITS = 20
"""Digits of the longest number in a date or duration; a longer one is no value here."""
LARGEST: Final[int] = 10**MAX_DIGITS - 1
"""The last year, and the most years or days of a duration."""

_ZONE = r"(Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"
_DATE = r"(-?(?:[1-9][0-9]{3,}|0[0-9]{3}))-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_TIME = r"(?:([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9](?:\.[0-9]+)?)|(24):(00):(00(?:\.0+)?))"

_DATE_TIME = f"{_DATE}T{_TIME}{_ZONE}"
_DATE_ONLY = f"{_DATE}{_ZONE}"
_TIME_ONLY = f"{_TIME}{_ZONE}"
_MONTHS = r"(-?)P(?=[0-9])(?:([0-9]+)Y)?(?:([0-9]+)M)?"
_SECONDS = (
    r"(-?)P(?=[0-9T])(?:([0-9]+)D)?(?:T(?=[0-9])(?:([0-9]+)H)?"
    r"(?:([0-9]+)M)?(?:([0-9]+(?:\.[0-9]+)?)S)?)?"
)
_pattern = cache(re.compile)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_FEBRUARY = 2
_MIDNIGHT = 0, 0, Decimal(0)


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


def date_text(year: int, month: int, day: int) -> str:
    """A date in canonical form, without a zone."""
    return f"{'-' * (year < 0)}{abs(year):04}-{month:02}-{day:02}"


def _time_text(hour: int, minute: int, second: Decimal) -> str:
    text = canonical_exact(second)
    whole, point, fraction = text.partition(".")
    return f"{hour:02}:{minute:02}:{whole:0>2}{point}{fraction}"


def _zone_text(text: str | None) -> str:
    return "Z" if text in {"+00:00", "-00:00"} else text or ""


def _time(match: re.Match[str], group: int) -> tuple[int, int, Decimal] | None:
    """Hour, minute, second; None for the end of the day."""
    if match[group] is None:
        return None
    return int(match[group]), int(match[group + 1]), Decimal(match[group + 2])


def date_time(lexical: str) -> str | None:
    """A dateTime; 24:00:00 is 00:00:00 of the next day."""
    match = _pattern(_DATE_TIME).fullmatch(lexical)
    date = _date(match[1], match[2], match[3]) if match and not _too_long(lexical) else None
    if match is None or date is None:
        return None
    time = _time(match, 4)
    if time is None:
        date, time = _next_day(*date), _MIDNIGHT
        if date[0] > LARGEST:
            return None
    return f"{date_text(*date)}T{_time_text(*time)}{_zone_text(match[10])}"


def date_time_stamp(lexical: str) -> str | None:
    """A dateTime with a zone."""
    match = _pattern(_DATE_TIME).fullmatch(lexical)
    return date_time(lexical) if match and match[10] else None


def date(lexical: str) -> str | None:
    """A date."""
    match = _pattern(_DATE_ONLY).fullmatch(lexical)
    fields = _date(match[1], match[2], match[3]) if match and not _too_long(lexical) else None
    return None if match is None or fields is None else date_text(*fields) + _zone_text(match[4])


def time(lexical: str) -> str | None:
    """A time; 24:00:00 is 00:00:00."""
    match = _pattern(_TIME_ONLY).fullmatch(lexical)
    if match is None or _too_long(lexical):
        return None
    return _time_text(*(_time(match, 1) or _MIDNIGHT)) + _zone_text(match[7])


def year_month_duration(lexical: str) -> str | None:
    """A duration of months."""
    match = _pattern(_MONTHS).fullmatch(lexical)
    if match is None or _too_long(lexical):
        return None
    text = months_text(int(match[2] or 0) * 12 + int(match[3] or 0))
    return text if text in {None, "P0M"} else f"{match[1]}{text}"


def months_text(months: int) -> str | None:
    """So many months, not fewer than 0, as a yearMonthDuration; None if they are too many years."""
    years, rest = divmod(months, 12)
    if years > LARGEST:
        return None
    return "P" + (f"{years}Y" if years else "") + (f"{rest}M" if rest or not years else "")


def day_time_duration(lexical: str) -> str | None:
    """A duration of seconds."""
    match = _pattern(_SECONDS).fullmatch(lexical)
    if match is None or _too_long(lexical):
        return None
    written = Decimal(match[5] or 0)
    whole = int(written)
    minutes, seconds = divmod(int(match[4] or 0) * 60 + whole, 60)
    hours, minutes = divmod(int(match[3] or 0) * 60 + minutes, 60)
    days, hours = divmod(int(match[2] or 0) * 24 + hours, 24)
    if days > LARGEST:
        return None
    exact = canonical_exact(EXACT.add(EXACT.subtract(written, Decimal(whole)), Decimal(seconds)))
    time = "".join(
        f"{amount}{unit}"
        for amount, unit in ((hours, "H"), (minutes, "M"), (exact, "S"))
        if str(amount) != "0"
    )
    text = (f"{days}D" if days else "") + (f"T{time}" if time else "")
    return f"{match[1]}P{text}" if text else "PT0S"


FORMS: Final[dict[str, Callable[[str], str | None]]] = {
    "dateTime": date_time,
    "dateTimeStamp": date_time_stamp,
    "date": date,
    "time": time,
    "yearMonthDuration": year_month_duration,
    "dayTimeDuration": day_time_duration,
}
"""Per datatype, from a text to its canonical form."""
