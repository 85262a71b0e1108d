"""The marks of ``Every``, by definition: counted from 1970, in local time if it names a zone."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from temporal.metric_rif.events import MONTH

if TYPE_CHECKING:
    from temporal.intervals.durations import DurationLiteral
    from temporal.metric_rif.events import Every

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - of any zone
MILLISECONDS = {
    "": Fraction(1),
    "ms": Fraction(1),
    "s": Fraction(1000),
    "m": Fraction(60_000),
    "h": Fraction(3_600_000),
    "d": Fraction(86_400_000),
    "us": Fraction(1, 1000),
    "ns": Fraction(1, 10**6),
}
DAY = 86_400_000


def marks(every: Every, low: int, high: int) -> list[int]:
    """The marks from ``low`` to ``high``, in milliseconds since 1970, or in ticks since 0."""
    offset = _ticks(every.offset) if every.offset is not None else 0
    if every.period.unit != MONTH and every.zone is None:
        period = _ticks(every.period)
        first = -((offset - low) // period)
        return [offset + period * k for k in range(first, (high - offset) // period + 1)]
    zone = ZoneInfo(every.zone or "UTC")
    # A day more on either side: no zone is further from UTC.
    first_day, last_day = (low - offset) // DAY - 1, (high - offset) // DAY + 1
    days: list[datetime] = []
    if every.period.unit == MONTH:
        months = int(every.period.amount)
        first_month = (first_day // 31 - 40) if first_day < 0 else first_day // 31 - 1
        last_month = last_day // 28 + 1 if last_day > 0 else last_day // 31 + 1
        for k in range(first_month // months - 1, last_month // months + 2):
            year, month = divmod(k * months, 12)
            days.append(EPOCH.replace(year=1970 + year, month=month + 1))
    else:
        step = Fraction(_ticks(every.period), DAY)
        assert step.denominator == 1
        first = math.floor(first_day / step)
        days = [
            EPOCH + timedelta(days=k * int(step))
            for k in range(first, math.ceil(last_day / step) + 1)
        ]
    found = {instant(day + timedelta(milliseconds=offset), zone) for day in days}
    return sorted(mark for mark in found if low <= mark <= high)


def instant(local: datetime, zone: ZoneInfo) -> int:
    """When clocks show a local time: the first time of two; if never, when they jump over it."""
    first = _since_1970(local.replace(tzinfo=zone, fold=0))
    if _shown(first, zone) == local:
        return first
    # It is skipped: before the jump clocks show less, behind it more.
    before, behind = first - 2 * DAY, first + 2 * DAY
    while behind - before > 1:
        middle = (before + behind) // 2
        if _shown(middle, zone) < local:
            before = middle
        else:
            behind = middle
    return behind


def _since_1970(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def _shown(at: int, zone: ZoneInfo) -> datetime:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at)
    return moment.astimezone(zone).replace(tzinfo=None)


def _ticks(duration: DurationLiteral) -> int:
    found = Fraction(duration.amount) * MILLISECONDS[duration.unit]
    assert found.denominator == 1
    return int(found)
