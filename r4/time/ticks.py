"""Stamps and durations as integer ticks and back, exactly: the one place that knows calendars.

A stamp is an ``xsd:dateTime`` (or its derived type ``xsd:dateTimeStamp``) or an ``xsd:integer``
(or a type derived from it), whose value is a tick. A dateTime without zone is UTC; the calendar is
the proleptic Gregorian one with a year 0, there are no leap seconds [XSD, dateTime]. A day, a month
or a year, as ``"2024-05"^^xsd:gYearMonth``, is its first instant, or as an end the one behind it if
that is asked for. NGSI-LD and schema.org have types of their own for the same texts, of which a
context may give ``Date`` to what is a time, or the reverse: their text says which it is.

Ticks are counted from 1970 where a tick is 1 ms or 1 µs, and from 2020 where it is 1 ns: else ±2^60
ticks would end in 2006. So nanoseconds reach from mid-1983 to mid-2056. Stamps of two kinds never
meet, therefore the origin shows nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum
from fractions import Fraction
from time import time_ns
from typing import Final, Literal, TypeAlias

from rif.syntax.terms import XSD

Tick: TypeAlias = int
TickUnit: TypeAlias = Literal["ms", "us", "ns"]
EpochUnit: TypeAlias = Literal["s", "ms", "us", "ns"]

NEG_INF: Final = -(2**62)
POS_INF: Final = 2**62
"""The ticks of minus and plus infinity."""
NO_END: Final = 2**62 - 1
"""The end of an element that gave none: the engine applies the window."""
MOST: Final = 2**60
"""No finite tick lies further out: its cell would leave what kernels can add without overflow."""

_SCHEMA: Final = ("http://schema.org/", "https://schema.org/")
_NGSI: Final = "https://uri.etsi.org/ngsi-ld/"
DATE_TIME_TYPES: Final = frozenset(
    {XSD + "dateTime", XSD + "dateTimeStamp", _NGSI + "DateTime"}
    | {schema + "DateTime" for schema in _SCHEMA}
)
DATE_TYPES: Final[Mapping[str, int]] = {
    XSD + "date": 3,
    _NGSI + "Date": 3,
    **{schema + "Date": 3 for schema in _SCHEMA},
    XSD + "gYearMonth": 2,
    XSD + "gYear": 1,
}
"""Types of days, months and years, with how many numbers their texts have."""
_BY_TEXT: Final = frozenset(
    space + name for space in (*_SCHEMA, _NGSI) for name in ("Date", "DateTime")
)
"""Types of which the text says what it is: contexts give one to times and days alike."""
_SPANS: Final = _BY_TEXT | DATE_TYPES.keys()
INTEGER_TYPES: Final[Mapping[str, tuple[int | None, int | None]]] = {
    XSD + "integer": (None, None),
    XSD + "long": (-(2**63), 2**63 - 1),
    XSD + "int": (-(2**31), 2**31 - 1),
    XSD + "short": (-(2**15), 2**15 - 1),
    XSD + "byte": (-128, 127),
    XSD + "nonNegativeInteger": (0, None),
    XSD + "positiveInteger": (1, None),
    XSD + "unsignedLong": (0, 2**64 - 1),
    XSD + "unsignedInt": (0, 2**32 - 1),
    XSD + "unsignedShort": (0, 2**16 - 1),
    XSD + "unsignedByte": (0, 255),
    XSD + "nonPositiveInteger": (None, 0),
    XSD + "negativeInteger": (None, -1),
}
"""``xsd:integer`` and its derived types with the least and the greatest value of each."""

_DIGITS: Final[Mapping[TickUnit, int]] = {"ms": 3, "us": 6, "ns": 9}
_PLACES: Final[Mapping[EpochUnit, int]] = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_PER_SECOND: Final[Mapping[TickUnit, int]] = {"ms": 10**3, "us": 10**6, "ns": 10**9}
_NANO: Final[Mapping[str, int]] = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86400 * 10**9,
}
DAY: Final = 86400
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LITERAL = re.compile(r'"([^"\\]*)"\^\^<([^<>]*)>\Z')
_DECIMAL = re.compile(r"([+-]?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?\Z", re.ASCII)
_NINES: Final = str.maketrans("0123456789", "9876543210")
_INTEGER = re.compile(r"[+-]?[0-9]+\Z", re.ASCII)
_DATE_TIME = re.compile(
    r"(-?(?:[1-9][0-9]{3,}|0[0-9]{3}))-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"T(?:([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]+))?|(24:00:00(?:\.0+)?))"
    r"(?:Z|([+-])(0[0-9]|1[0-3]|14(?=:00)):([0-5][0-9]))?\Z",
    re.ASCII,
)
_DATE = re.compile(
    r"(-?(?:[1-9][0-9]{3,}|0[0-9]{3}))(?:-([0-9]{2}))?(?:-([0-9]{2}))?"
    r"((?:Z|[+-](?:0[0-9]|1[0-3]|14(?=:00)):[0-5][0-9])?)\Z",
    re.ASCII,
)
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(ms|us|ns|s|m|h|d)?\Z", re.ASCII)
_LONGEST = 32
"""Digits before the point that no number within ±2^60 ticks has, and decimals that no whole number
of ticks has in any unit; longer numbers are never converted."""


class Kind(IntEnum):
    """What the stamps of a run are; all of them are one kind."""

    NONE = 0
    DATE_TIME = 1
    INTEGER = 2


class NotAStamp(ValueError):
    """A term that is no valid ``xsd:dateTime`` and no valid integer."""


class OutOfRange(ValueError):
    """An instant or a duration beyond ±2^60 ticks."""


class BadDuration(ValueError):
    """A text that is no duration."""


class FinerThanTick(ValueError):
    """A duration that is no whole number of ticks."""


@dataclass(frozen=True, slots=True, order=True)
class Stamp:
    """An instant as it was written, exact; order is order in time within one kind.

    Attributes:
        kind: `Kind.DATE_TIME` or `Kind.INTEGER`.
        tick: The instant, rounded down.
        rest: What rounding took: the decimal digits below the tick, without trailing zeros.
    """

    kind: Kind
    tick: Tick
    rest: str = ""


@dataclass(frozen=True, slots=True)
class TimeScale:
    """How long a tick is, and so how stamps and durations become ticks and texts again.

    Attributes:
        unit: a tick.
        epoch: what integer stamps count since 1970-01-01T00:00:00Z, as Unix time does; then
            decimals are stamps, too. None: they are ticks.
        inclusive_dates: whether an end that is a day, a month or a year includes it.
    """

    unit: TickUnit = "ms"
    epoch: EpochUnit | None = None
    inclusive_dates: bool = False

    @property
    def digits(self) -> int:
        """Decimals of a second that a tick can tell apart."""
        return _DIGITS[self.unit]

    @property
    def per_second(self) -> int:
        """Ticks in a second."""
        return _PER_SECOND[self.unit]

    @property
    def origin(self) -> int:
        """Tick 0, as days since 1970-01-01T00:00:00Z."""
        return days(2020, 1, 1) if self.unit == "ns" else 0

    @property
    def ticks_of_epoch(self) -> tuple[int, int]:
        """Ticks in a unit of ``epoch``, and units in a tick: one of both is 1."""
        shift = self.digits - _PLACES[self.epoch or "ms"]
        return 10 ** max(shift, 0), 10 ** max(-shift, 0)

    def stamp(self, term: str) -> Stamp:
        """The stamp that the canonical text ``term`` is; `stamp_columns` must agree with it.

        Raises:
            NotAStamp: The term is no literal of a fitting datatype, or ill-typed.
            OutOfRange: It lies beyond ±2^60 ticks.
        """
        found = _LITERAL.match(term)
        if found and found[2] in _BY_TEXT:
            parts = _parts_of_date(found[1])
            return self._date(found[1], parts) if parts else self._date_time(found[1], zoned=False)
        if found and found[2] in DATE_TIME_TYPES:
            return self._date_time(found[1], zoned=found[2] == XSD + "dateTimeStamp")
        if found and found[2] in DATE_TYPES:
            return self._date(found[1], DATE_TYPES[found[2]])
        if found and found[2] in INTEGER_TYPES:
            if self.epoch is not None:
                _check_integer(found[1], *INTEGER_TYPES[found[2]])
                return self._unix_time(found[1], self.epoch)
            return _integer(found[1], *INTEGER_TYPES[found[2]])
        if found and self.epoch is not None and found[2] == XSD + "decimal":
            return self._unix_time(found[1], self.epoch)
        message = f"{_short(term)} is no xsd:dateTime and no xsd:integer"
        raise NotAStamp(message)

    def end(self, term: str) -> Stamp:
        """As `stamp`, of an end: ``"2024-05"^^xsd:gYearMonth`` is 1 June with inclusive dates."""
        stamp = self.stamp(term)
        if not (self.inclusive_dates and is_date(term)):
            return stamp
        length = _length_of_date(term.split('"')[1]) * DAY * self.per_second
        return Stamp(stamp.kind, _in_range(stamp.tick + length, term))

    def at(self, when: datetime | int) -> Stamp:
        """The stamp of a Python value; a datetime without zone is UTC.

        Raises:
            OutOfRange: It lies beyond ±2^60 ticks.
        """
        if isinstance(when, int):
            return Stamp(Kind.INTEGER, _in_range(when, when))
        since = (when if when.tzinfo else when.replace(tzinfo=UTC)) - _EPOCH
        seconds = (since.days - self.origin) * DAY + since.seconds
        if not since.microseconds:
            return Stamp(Kind.DATE_TIME, _in_range(seconds * self.per_second, when))
        fraction = f"{since.microseconds:06d}"
        kept = fraction[: self.digits].ljust(self.digits, "0")
        tick = _in_range(seconds * self.per_second + int(kept), when)
        return Stamp(Kind.DATE_TIME, tick, fraction[self.digits :].rstrip("0"))

    def text(self, tick: Tick) -> str:
        """A dateTime tick as ``YYYY-MM-DDThh:mm:ss[.f]Z``, without trailing zeros."""
        seconds, below = divmod(tick, self.per_second)
        day, second = divmod(seconds, DAY)
        year, month, day_of_month = date(day + self.origin)
        shown = f"{year:04d}" if year >= 0 else f"-{-year:04d}"
        fraction = f".{below:0{self.digits}d}".rstrip("0").rstrip(".")
        minute, second = divmod(second, 60)
        return (
            f"{shown}-{month:02d}-{day_of_month:02d}"
            f"T{minute // 60:02d}:{minute % 60:02d}:{second:02d}{fraction}Z"
        )

    def duration(self, text: str) -> Tick:
        """``"5s"``, ``"1.5 m"``, or ticks, ``"10"``, as ticks.

        Raises:
            BadDuration: The text is no duration.
            FinerThanTick: It is no whole number of ticks.
            OutOfRange: It is longer than 2^60 ticks.
        """
        found = _DURATION.match(text.strip())
        if not found:
            message = f"{_short(text)} is no duration: a decimal number, then ms us ns s m h or d"
            raise BadDuration(message)
        whole, _, decimals = found[1].partition(".")
        whole, decimals = whole.lstrip("0"), decimals.rstrip("0")
        if len(whole) > _LONGEST:
            message = f"{_short(text)} is longer than 2^60 ticks"
            raise OutOfRange(message)
        if len(decimals) > _LONGEST:
            message = f"{_short(text)} is no whole number of {self.unit} ticks"
            raise FinerThanTick(message)
        return self.ticks(Fraction(f"0{whole}.{decimals}0"), found[2] or "")

    def ticks(self, number: Fraction, unit: str) -> Tick:
        """``number`` of ``unit`` (``""``: ticks) as ticks; raises what `duration` does."""
        exact = number * _NANO[unit] / _NANO[self.unit] if unit else number
        if exact.denominator != 1:
            message = f"{float(number):g}{unit or ' ticks'} is no whole number of {self.unit} ticks"
            raise FinerThanTick(message)
        return _in_range(exact.numerator, f"{_short(str(number))}{unit}")

    def _unix_time(self, lexical: str, unit: EpochUnit) -> Stamp:
        """So many units since 1970, exactly."""
        found = _DECIMAL.match(lexical)
        if not found:
            message = f"{_short(lexical)} is no xsd:decimal"
            raise NotAStamp(message)
        sign, whole, decimals = found[1], (found[2] or "").lstrip("0"), (found[3] or "").rstrip("0")
        if len(whole) > _LONGEST:
            message = f"{_short(lexical)} lies beyond 2^60 ticks"
            raise OutOfRange(message)
        within = self.digits - _PLACES[unit]
        if within >= 0:
            kept, rest = f"{whole}{decimals[:within]:0<{within}}", decimals[within:]
        else:
            whole = whole.rjust(-within, "0")
            kept, rest = whole[:within], f"{whole[within:]}{decimals}".rstrip("0")
        tick = int(f"0{kept}")
        if sign == "-":
            tick = -tick - bool(rest)
            rest = rest[:-1].translate(_NINES) + str(10 - int(rest[-1])) if rest else ""
        tick = _in_range(tick - self.origin * DAY * self.per_second, lexical)
        return Stamp(Kind.DATE_TIME, tick, rest)

    def _date(self, lexical: str, numbers: int) -> Stamp:
        """The first instant of a day, a month or a year, by so many numbers."""
        found = _DATE.match(lexical)
        if found is None or _parts_of_date(lexical) != numbers:
            message = f"{_short(lexical)} is no {('year', 'month', 'day')[numbers - 1]}"
            raise NotAStamp(message)
        first = "-".join(each or "01" for each in found.groups()[:3])
        return self._date_time(f"{first}T00:00:00{found[4]}", zoned=False)

    def _date_time(self, lexical: str, *, zoned: bool) -> Stamp:
        found = _DATE_TIME.match(lexical)
        if not found or (zoned and not (found[9] or lexical.endswith("Z"))):
            message = f"{_short(lexical)} is no xsd:dateTime{'Stamp' if zoned else ''}"
            raise NotAStamp(message)
        year, month, day, hour, minute, second, fraction, midnight, sign, zone_h, zone_m = (
            found.groups()
        )
        if len(year) > _LONGEST:
            message = f"{_short(lexical)} lies beyond 2^60 ticks"
            raise OutOfRange(message)
        y, m, d = int(year), int(month), int(day)
        if d > _month_length(y, m):
            message = f"{lexical} is no xsd:dateTime: there is no such day"
            raise NotAStamp(message)
        seconds = (days(y, m, d) - self.origin) * DAY
        seconds += DAY if midnight else int(hour) * 3600 + int(minute) * 60 + int(second)
        if sign:
            offset = int(zone_h) * 3600 + int(zone_m) * 60
            seconds -= offset if sign == "+" else -offset
        fraction = fraction or ""
        kept = fraction[: self.digits].ljust(self.digits, "0")
        tick = _in_range(seconds * self.per_second + int(kept), lexical)
        return Stamp(Kind.DATE_TIME, tick, fraction[self.digits :].rstrip("0"))


def is_date(term: str) -> bool:
    """Whether a term is a day, a month or a year, valid or not."""
    found = _LITERAL.match(term)
    if found is None or found[2] not in _SPANS:
        return False
    return _parts_of_date(found[1]) > 0


def days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a date of the proleptic Gregorian calendar.

    Years are counted from March, so that the leap day is the last of its year.
    """
    year -= month <= 2  # noqa: PLR2004 (February)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return 365 * year + year // 4 - year // 100 + year // 400 + of_year - 719468


def date(day: int) -> tuple[int, int, int]:
    """Year, month and day of month of a day since 1970-01-01: the inverse of `days`."""
    era, of_era = divmod(day + 719468, 146097)
    of_cycle = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * of_cycle + of_cycle // 4 - of_cycle // 100)
    march = (5 * of_year + 2) // 153
    month = (march + 2) % 12 + 1
    return (
        era * 400 + of_cycle + (month <= 2),  # noqa: PLR2004 (February)
        month,
        of_year - (153 * march + 2) // 5 + 1,
    )


def _month_length(year: int, month: int) -> int:
    return days(year + month // 12, month % 12 + 1, 1) - days(year, month, 1)


def _parts_of_date(lexical: str) -> int:
    """How many numbers a day, a month or a year has; 0: it is none."""
    found = _DATE.match(lexical)
    return 0 if found is None else sum(each is not None for each in found.groups()[:3])


def _length_of_date(lexical: str) -> int:
    """How many days a day, a month or a year has, as it is written."""
    found = _DATE.match(lexical)
    assert found is not None
    year, month, day = found.groups()[:3]
    if day:
        return 1
    if month:
        return _month_length(int(year), int(month))
    return days(int(year) + 1, 1, 1) - days(int(year), 1, 1)


def _integer(lexical: str, least: int | None, most: int | None) -> Stamp:
    return Stamp(Kind.INTEGER, _in_range(_check_integer(lexical, least, most), lexical))


def _check_integer(lexical: str, least: int | None, most: int | None) -> int:
    """The value, or a number beyond ±2^60 in place of a longer one; raises `NotAStamp`."""
    if not _INTEGER.match(lexical):
        message = f"{_short(lexical)} is no integer"
        raise NotAStamp(message)
    digits = lexical.lstrip("+-").lstrip("0") or "0"
    value = int(digits[:_LONGEST]) * (-1 if lexical[0] == "-" else 1)
    if (least is not None and value < least) or (most is not None and value > most):
        message = f"{_short(lexical)} is no value of its datatype"
        raise NotAStamp(message)
    return value


def unix_unit(stamp: int, scale: TimeScale) -> EpochUnit | None:
    """What an integer stamp may count, if it is a Unix time of the years 2001 to 2039.

    None: it looks like none, or its unit is a tick, so that durations are right.
    """
    for unit, places in _PLACES.items():
        if unit != scale.unit and stamp // 10**places in range(10**9, 22 * 10**8):
            return unit
    return None


def _in_range(tick: int, source: object) -> Tick:
    """The tick, of which ``source`` is what was written."""
    if -MOST <= tick <= MOST:
        return tick
    message = f"{_short(str(source))} lies beyond 2^60 ticks"
    raise OutOfRange(message)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"  # noqa: PLR2004 (a line of a message)


@dataclass(slots=True)
class StampFormat:
    """How ticks become text: by the kind of the first good element.

    Attributes:
        scale: the length of a tick.
        kind: the kind of stamp; None until the first good element.
    """

    scale: TimeScale = field(default_factory=TimeScale)
    kind: Kind | None = None

    @property
    def layout(self) -> tuple[int, int, int]:
        """Ticks in a second (0: ticks are integers), their decimals, tick 0 in days since 1970."""
        if self.kind is Kind.DATE_TIME:
            return self.scale.per_second, self.scale.digits, self.scale.origin
        return 0, 0, 0

    @property
    def epoch(self) -> int:
        """The tick of 1970-01-01T00:00:00Z; 0, if ticks are integers."""
        per_second, _, origin = self.layout
        return -origin * DAY * per_second

    @property
    def per_second(self) -> int:
        """Ticks in a second; of integers, too, where a duration has a unit."""
        return self.scale.per_second

    @property
    def counts(self) -> bool:
        """Whether stamps are integers."""
        return self.kind is Kind.INTEGER

    def text(self, tick: int) -> str:
        """A tick as it is printed."""
        return self.scale.text(tick) if self.kind is Kind.DATE_TIME else str(tick)

    def term(self, tick: int) -> str:
        """A tick as a literal, in canonical N-Triples."""
        kind = "dateTime" if self.kind is Kind.DATE_TIME else "integer"
        return f'"{self.text(tick)}"^^<{XSD}{kind}>'


def wall_clock(scale: TimeScale, nanoseconds: Callable[[], int] = time_ns) -> Callable[[], Tick]:
    """A clock in ticks of dateTimes, rounded down; ``nanoseconds`` are those since 1970."""
    per_tick = 10**9 // scale.per_second
    origin = scale.origin * DAY * scale.per_second
    return lambda: nanoseconds() // per_tick - origin
