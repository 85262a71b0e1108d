"""Dates, times and durations as whole numbers, and back to their canonical forms.

Seconds are counted in ticks of 10^-20, the last digit that `rif.values.dates` reads: sums and
differences are exact, and only a product or a quotient may have to be rounded. Days are counted
from 1 March of the year 0 in the proleptic Gregorian calendar, which has a year 0 [XSD 3.3.7].
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias
from typing import Literal as Choice

from rif.syntax.terms import XSD, GroundTerm, Literal
from rif.values.datatypes import canonical_literal
from rif.values.dates import LARGEST, MAX_DIGITS, date_text, days_in, months_text

MomentKind: TypeAlias = Choice["dateTime", "date", "time"]

SECOND: Final[int] = 10**MAX_DIGITS
"""Ticks of a second."""
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

_FIELDS = re.compile(
    r"(?:(-?[0-9]+)-([0-9]{2})-([0-9]{2}))?T?(?:([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?)?"
    r"(?:(Z)|([+-])([0-9]{2}):([0-9]{2}))?"
)
_IN_UTC = re.compile(
    r"([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):([0-5][0-9])"
    rf":([0-5][0-9])(?:\.([0-9]{{1,{MAX_DIGITS}}}))?Z"
)
_MONTHS = re.compile(r"(-?)P(?:([0-9]+)Y)?(?:([0-9]+)M)?")
_TICKS = re.compile(
    r"(-?)P(?:([0-9]+)D)?(?:T(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+)(?:\.([0-9]+))?S)?)?"
)
_DAYS_OF_400_YEARS = 146_097


@dataclass(frozen=True, slots=True)
class Moment:
    """A dateTime, a date (its first tick) or a time (of day 0), as its own clock shows it.

    Attributes:
        day: Number of the day.
        tick: Ticks since the day began, in ``0..DAY``.
        zone: Minutes ahead of UTC; None without a zone.
    """

    day: int
    tick: int
    zone: int | None

    @property
    def instant(self) -> int:
        """Ticks of UTC since day 0 began; without a zone it is taken to be in UTC."""
        return self.day * DAY + self.tick - (self.zone or 0) * MINUTE

    @property
    def date(self) -> tuple[int, int, int]:
        """Year, month and day of the month."""
        return calendar(self.day)


# days


def day_number(year: int, month: int, day: int) -> int:
    """Days from 1 March of the year 0 to a date."""
    years, months = divmod(year * 12 + month - 3, 12)  # years that begin in March
    return (
        years * 365 + years // 4 - years // 100 + years // 400 + (months * 153 + 2) // 5 + day - 1
    )


def calendar(number: int) -> tuple[int, int, int]:
    """Year, month and day of the month; the inverse of `day_number`."""
    era, day = divmod(number, _DAYS_OF_400_YEARS)
    # Leap days end a cycle of 4 years, and are missing at the end of 100 but not of 400 years.
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= year * 365 + year // 4 - year // 100
    month = (day * 5 + 2) // 153
    day -= (month * 153 + 2) // 5
    years, months = divmod(month + 2, 12)
    return era * 400 + year + years, months + 1, day + 1


def months_later(moment: Moment, months: int) -> Moment:
    """The same day so many months on, or the last of that month if it is shorter [XSD E.3.3]."""
    year, month, day = moment.date
    year, month = divmod(year * 12 + month - 1 + months, 12)
    day = min(day, days_in(year, month + 1))
    return Moment(day_number(year, month + 1, day), moment.tick, moment.zone)


# from terms


def _canonical(term: GroundTerm, datatype: str) -> str | None:
    value = canonical_literal(term) if isinstance(term, Literal) else None
    return value.lexical if value is not None and value.datatype == XSD + datatype else None


def moment(term: GroundTerm, kind: MomentKind) -> Moment | None:
    """The moment that ``term`` stands for; None if it is none of that kind."""
    text = _canonical(term, kind)
    match = None if text is None else _FIELDS.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, utc, sign, hours, minutes = match.groups()
    number = 0 if year is None else day_number(int(year), int(month), int(day))
    tick = _seconds(hour, minute, second, fraction)
    if sign is None:
        return Moment(number, tick, None if utc is None else 0)
    return Moment(number, tick, int(sign + "1") * (int(hours) * 60 + int(minutes)))


def instant_in_utc(lexical: str) -> int | None:
    """The instant of a dateTime in its usual form, as ``2024-01-31T08:00:00.5Z``; None: look there.

    As `moment` has it, in a sixth of the time.
    """
    match = _IN_UTC.fullmatch(lexical)
    if match is None:
        return None
    year, month, day, *time = match.groups()
    fields = int(year), int(month), int(day)
    if fields[2] > days_in(fields[0], fields[1]):
        return None
    return day_number(*fields) * DAY + _seconds(*time)


def _seconds(hour: str | None, minute: str | None, second: str | None, rest: str | None) -> int:
    whole = int(hour or 0) * HOUR + int(minute or 0) * MINUTE + int(second or 0) * SECOND
    return whole + int((rest or "").ljust(MAX_DIGITS, "0"))


def months(term: GroundTerm) -> int | None:
    """The months of a yearMonthDuration; the empty duration is one of no months."""
    text = _canonical(term, "yearMonthDuration")
    if text is None:
        return 0 if ticks(term) == 0 else None
    match = _MONTHS.fullmatch(text)
    assert match is not None  # the text is canonical
    return int(match[1] + "1") * (int(match[2] or 0) * 12 + int(match[3] or 0))


def ticks(term: GroundTerm) -> int | None:
    """The ticks of a dayTimeDuration; the empty duration is one of no ticks."""
    text = _canonical(term, "dayTimeDuration")
    match = None if text is None else _TICKS.fullmatch(text)
    if match is None:
        return None
    sign, days, hours, minutes, seconds, fraction = match.groups()
    return int(sign + "1") * (int(days or 0) * DAY + _seconds(hours, minutes, seconds, fraction))


# to terms


def moment_literal(value: Moment, kind: MomentKind) -> Literal | None:
    """The canonical literal; None if the year has too many digits."""
    year, month, day = value.date
    if abs(year) > LARGEST:
        return None
    date = date_text(year, month, day)
    minutes, rest = divmod(value.tick, MINUTE)
    clock = f"{minutes // 60:02}:{minutes % 60:02}:{rest // SECOND:02}{_fraction(rest)}"
    text = {"dateTime": f"{date}T{clock}", "date": date, "time": clock}[kind]
    return Literal(text + zone_text(value.zone), XSD + kind)


def _fraction(amount: int) -> str:
    rest = amount % SECOND
    return f".{rest:0{MAX_DIGITS}}".rstrip("0") if rest else ""


def zone_text(zone: int | None) -> str:
    """The zone behind a moment, from minutes ahead of UTC: ``Z``, ``+05:30``; ``""`` of none."""
    if not zone:
        return "" if zone is None else "Z"
    return f"{'-' if zone < 0 else '+'}{abs(zone) // 60:02}:{abs(zone) % 60:02}"


def months_literal(value: int) -> Literal | None:
    """The canonical yearMonthDuration; None if it has too many years."""
    text = months_text(abs(value))
    if text is None:
        return None
    return Literal(f"{'-' * (value < 0)}{text}", XSD + "yearMonthDuration")


def ticks_literal(value: int) -> Literal | None:
    """The canonical dayTimeDuration; None if it has too many days."""
    days, rest = divmod(abs(value), DAY)
    if days > LARGEST:
        return None
    hours, rest = divmod(rest, HOUR)
    minutes, rest = divmod(rest, MINUTE)
    seconds = f"{rest // SECOND}{_fraction(rest)}S" if rest or not value else ""
    clock = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "") + seconds
    text = (f"{days}D" if days else "") + (f"T{clock}" if clock else "")
    return Literal(f"{'-' * (value < 0)}P{text}", XSD + "dayTimeDuration")
