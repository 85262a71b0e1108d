"""Marks of time that repeat: so many ticks apart, or days or months of a zone.

The marks are O + k·D since 1970-01-01T00:00:00Z, for each integer k; since 0, if ticks are numbers.
With a zone, D is whole days or months that are counted from 1970-01-01 of local time, and O is
added to the local date and time before the zone is looked up. A local time that the zone skips
is the first instant after the gap, one that it repeats the first of its instants.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DAY: Final = 86400
"""Seconds of a day."""
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - of local time, whose zone is looked up
_CYCLE: Final = 146097 * DAY
"""Seconds in 400 years, after which all dates and days of the week repeat."""
_FIRST: Final = -(1969 * 365 + 400) * DAY
"""Seconds from 1970 to a day of year 1, before all changes of zones."""
_LAST: Final = (8000 * 365) * DAY
"""Seconds from 1970 to a day before year 9999, in which zones change by their last rule."""
_FARTHEST: Final = 2 * DAY
"""Seconds: local time is never so far from UTC."""


class UnknownZone(ValueError):
    """A name that is no time zone of the system."""


class NoCalendar(ValueError):
    """Periods of such a length are those of no calendar."""


def zone_of(name: str) -> ZoneInfo:
    """The time zone of a name such as ``Europe/Berlin``; raises `UnknownZone`."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        message = f"{name!r:.60} is no time zone: write a name such as Europe/Berlin or UTC"
        raise UnknownZone(message) from None


@dataclass(frozen=True, slots=True)
class Calendar:
    """The marks of a period.

    Attributes:
        period: ticks, days if there is a zone, or months; more than 0.
        offset: ticks, at least 0.
        zone: whose days or months they are; None: the period is ticks.
        in_months: whether the period is months, of a zone.
        per_second: ticks in a second.
    """

    period: int
    offset: int = 0
    zone: ZoneInfo | None = None
    in_months: bool = False
    per_second: int = 1000

    @property
    def longest(self) -> int:
        """Two marks that follow one another are at most so many ticks apart."""
        if self.zone is None:
            return self.period
        days = self.period * (31 if self.in_months else 1) + 2  # clocks jump by a day and less
        return days * DAY * self.per_second

    def at_or_after(self, tick: int, epoch: int = 0) -> int:
        """The first mark at ``tick`` or later; ``epoch`` is the tick of 1970-01-01T00:00:00Z."""
        since = tick - epoch
        if self.zone is None:
            behind = (self.offset - since) % self.period
            return tick + behind
        return epoch + next(mark for mark in self._marks(since, self.zone) if mark >= since)

    def between(self, first: int, beyond: int, epoch: int = 0) -> Iterator[int]:
        """The marks from ``first`` on, before ``beyond``, each once; ``epoch`` as above."""
        mark = self.at_or_after(first, epoch)
        while mark < beyond:
            yield mark
            mark = self.at_or_after(mark + 1, epoch)

    def _marks(self, since: int, zone: ZoneInfo) -> Iterator[int]:
        """Marks in ticks since 1970, in order, from one before ``since`` on."""
        local = since - self.offset - _FARTHEST * self.per_second
        days = local // (DAY * self.per_second)
        number = (_month_of(days) if self.in_months else days) // self.period
        while True:
            count = number * self.period
            day = _first_day(count) if self.in_months else count
            yield self._instant(day * DAY * self.per_second + self.offset, zone)
            number += 1

    def _instant(self, local: int, zone: ZoneInfo) -> int:
        """The first instant at which a zone shows ``local`` ticks since 1970, or more."""
        seconds, below = divmod(local, self.per_second)
        cycles = 0
        if seconds > _LAST:
            cycles = -((seconds - _LAST) // -_CYCLE)
        elif seconds < _FIRST:
            cycles = -((_FIRST - seconds) // _CYCLE + 1)
        seconds -= cycles * _CYCLE
        shown = (_EPOCH + timedelta(seconds=seconds)).replace(tzinfo=zone)
        before, after = _offset(shown), _offset(shown.replace(fold=1))
        found = seconds - before
        if before < after:  # the zone skips it
            found, below = _end_of_gap(seconds, seconds - after, found, zone), 0
        return (found + cycles * _CYCLE) * self.per_second + below


def calendar_of(
    period: int, offset: int, zone: str | None, *, in_months: bool, per_second: int
) -> Calendar:
    """The calendar whose marks are ``period`` ticks, or months, apart, and ``offset`` ticks later.

    Months without a zone are those of UTC.

    Raises:
        UnknownZone: there is no such zone.
        NoCalendar: there is no such period.
    """
    found = zone_of(zone or "UTC") if zone is not None or in_months else None
    if period <= 0:
        message = "marks are more than 0 apart"
        raise NoCalendar(message)
    if found is not None and not in_months:
        period, rest = divmod(period, DAY * per_second)
        if rest:
            message = (
                "with a zone it is whole days or months, as 1 d, 1 month; hours and less need none"
            )
            raise NoCalendar(message)
    return Calendar(period, offset, found, in_months, per_second)


def _end_of_gap(local: int, low: int, high: int, zone: ZoneInfo) -> int:
    """The first of the seconds after ``low``, up to ``high``, at which a zone shows ``local``."""
    while high - low > 1:
        middle = (low + high) // 2
        instant = (_EPOCH + timedelta(seconds=middle)).replace(tzinfo=zone)
        utc = zone.fromutc(instant)
        if middle + _offset(utc) >= local:
            high = middle
        else:
            low = middle
    return high


def _offset(moment: datetime) -> int:
    """Seconds by which a zone is ahead of UTC."""
    offset = moment.utcoffset()
    assert offset is not None
    return offset.days * DAY + offset.seconds


def _first_day(month: int) -> int:
    """Days from 1970-01-01 to the first day of a month, of which that of 1970-01 is 0."""
    years, of_year = divmod(month, 12)
    cycles, year = divmod(years, 400)
    return cycles * 146097 + (datetime(1970 + year, of_year + 1, 1) - _EPOCH).days  # noqa: DTZ001


def _month_of(day: int) -> int:
    """The month of a day since 1970-01-01: the inverse of `_first_day`."""
    cycles, of_cycle = divmod(day, 146097)
    date = _EPOCH + timedelta(days=of_cycle)
    return cycles * 4800 + (date.year - 1970) * 12 + date.month - 1
