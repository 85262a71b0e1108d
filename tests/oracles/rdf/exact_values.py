"""Literals as exact values of their kind, and the order of any two terms.

Terms are canonical N-Triples texts. A number is a `Fraction`, or a float where it is infinite or
no number. A moment is in seconds of UTC, a duration in seconds or in months.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import cache
from typing import NamedTuple, TypeAlias

from tests.oracles.rdf.canonical_form import _BOUNDS, _FLOAT, _TEXTS
from tests.oracles.rdf.values import XSD, parts

NUMBERS = ("integer", "decimal", "float", "double")
"""The kinds of number, in the order of promotion."""
KINDS = (
    "number",
    "dateTime",
    "date",
    "time",
    "dayTimeDuration",
    "yearMonthDuration",
    "string",
    "boolean",
)
"""What is compared with its like, in the order of terms; all other terms come last."""

Amount: TypeAlias = Fraction | float | str | bool


class Exact(NamedTuple):
    """A value: one of `KINDS`, of a number its datatype too, and how much it is."""

    kind: str
    datatype: str
    amount: Amount


_DATE = r"(?P<year>-?(?:[1-9]\d{3,}|0\d{3}))-(?P<month>\d\d)-(?P<day>\d\d)"
_CLOCK = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d(?:\.\d+)?)"
_ZONE = r"(?:Z|(?P<sign>[+-])(?P<zh>\d\d):(?P<zm>\d\d))"
_MOMENTS = {
    "dateTime": ("dateTime", f"{_DATE}T{_CLOCK}{_ZONE}?"),
    "dateTimeStamp": ("dateTime", f"{_DATE}T{_CLOCK}{_ZONE}"),
    "date": ("date", f"{_DATE}{_ZONE}?"),
    "time": ("time", f"{_CLOCK}{_ZONE}?"),
}
_SECONDS = r"(-?)P(?=[\dT])(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?"
_MONTHS = r"(-?)P(?=\d)(?:(\d+)Y)?(?:(\d+)M)?"
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@cache
def exact(term: str) -> Exact | None:  # noqa: PLR0911 - a case a datatype
    """The value of a literal; None of every other term, and of a text that is none of its type."""
    found = parts(term)
    if found is None or found[2] or not found[1].startswith(XSD):
        return None
    text, name = found[0], found[1].removeprefix(XSD)
    if name in _BOUNDS:
        return _whole(text, *_BOUNDS[name])
    if name in _TEXTS:
        return Exact("string", "", text) if re.fullmatch(_TEXTS[name], text, re.DOTALL) else None
    if name in _MOMENTS:
        kind, pattern = _MOMENTS[name]
        match = re.fullmatch(pattern, text, re.ASCII)
        moment = None if match is None else _moment(match.groupdict())
        return None if moment is None else Exact(kind, "", moment)
    match name:
        case "decimal":
            is_one = re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)", text, re.ASCII)
            return Exact("number", name, Fraction(text.rstrip("."))) if is_one else None
        case "float" | "double":
            return Exact("number", name, _float(text, name)) if re.fullmatch(_FLOAT, text) else None
        case "boolean":
            known = {"1": True, "true": True, "0": False, "false": False}
            return Exact("boolean", "", known[text]) if text in known else None
        case "dayTimeDuration":
            seconds = _seconds(text)
            return None if seconds is None else Exact(name, "", seconds)
        case "yearMonthDuration":
            months = _months(text)
            return None if months is None else Exact(name, "", months)
    return None


def order(term: str) -> tuple[int, bool, Amount, str]:
    """What any two terms are ordered by: kind, NaN last, value, then text."""
    value = exact(term)
    if value is None:
        return len(KINDS), False, "", term
    is_nan = value.amount != value.amount
    return KINDS.index(value.kind), is_nan, 0.0 if is_nan else value.amount, term


# -- one kind after the other --------------------------------------------------------------


def _whole(text: str, least: int | None, most: int | None) -> Exact | None:
    if not re.fullmatch(r"[+-]?\d+", text, re.ASCII):
        return None
    amount = int(text)
    if (least is not None and amount < least) or (most is not None and amount > most):
        return None
    return Exact("number", "integer", Fraction(amount))


def _float(text: str, name: str) -> Fraction | float:
    """The number that the text is rounded to."""
    special = {"INF": math.inf, "+INF": math.inf, "-INF": -math.inf, "NaN": math.nan}
    return special[text] if text in special else nearest(Fraction(text), name)


def nearest(number: Fraction, name: str) -> Fraction | float:
    """The nearest ``float`` or ``double``, the even one of two; infinite beyond the largest."""
    bits, least, most = (24, -149, 127) if name == "float" else (53, -1074, 1023)
    size = abs(number)
    if not size:
        return Fraction(0)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent  # now 2^exponent <= size < 2^(exponent + 1)
    unit = Fraction(2) ** max(exponent - bits + 1, least)
    rounded = round(size / unit) * unit  # round() takes the even one of two
    if rounded >= Fraction(2) ** (most + 1):
        return math.inf if number > 0 else -math.inf
    return rounded if number > 0 else -rounded


def _moment(fields: dict[str, str | None]) -> Fraction | None:
    """Seconds of UTC since 1970-01-01T00:00:00Z, of a time since midnight; without zone UTC."""
    seconds = Fraction(0)
    if fields.get("year") is not None:
        year, month, day = (int(fields[name] or 0) for name in ("year", "month", "day"))
        if not 1 <= month <= 12 or not 1 <= day <= _length(year, month):
            return None
        seconds += 86400 * (_day(year, month, day) - _day(1970, 1, 1))
    if fields.get("hour") is not None:
        hour, minute = int(fields["hour"] or 0), int(fields["minute"] or 0)
        second = Fraction(fields["second"] or 0)
        ends = hour == 24 and minute == second == 0
        if not ends and (hour > 23 or minute > 59 or second >= 60):
            return None
        is_time = fields.get("year") is None
        seconds += 0 if ends and is_time else (hour * 60 + minute) * 60 + second
    if fields.get("sign"):
        hours, minutes = int(fields["zh"] or 0), int(fields["zm"] or 0)
        if minutes > 59 or 60 * hours + minutes > 14 * 60:
            return None
        zone = 60 * (60 * hours + minutes)
        seconds -= zone if fields["sign"] == "+" else -zone
    return seconds


def _day(year: int, month: int, day: int) -> int:
    """The number of a day: days of whole years, of whole months, and in the month."""
    before = year - 1
    leaps = before // 4 - before // 100 + before // 400
    return 365 * before + leaps + sum(_length(year, one) for one in range(1, month)) + day


def _length(year: int, month: int) -> int:
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return _LENGTHS[month - 1] + leap


def _seconds(text: str) -> Fraction | None:
    found = re.fullmatch(_SECONDS, text, re.ASCII)
    if found is None:
        return None
    days, hours, minutes, seconds = (Fraction(number or 0) for number in found.groups()[1:])
    amount = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return -amount if found[1] else amount


def _months(text: str) -> Fraction | None:
    found = re.fullmatch(_MONTHS, text, re.ASCII)
    if found is None:
        return None
    amount = Fraction(12 * int(found[2] or 0) + int(found[3] or 0))
    return -amount if found[1] else amount
