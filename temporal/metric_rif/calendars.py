"""The calendars of ``Every``, each with the text that stands for it in facts about its marks."""

from __future__ import annotations

from typing import Final

from rif.errors.checks import BadCalendar
from rif.syntax.lexical import SECONDS
from temporal.intervals.calendar import Calendar, NoCalendar, UnknownZone, calendar_of
from temporal.intervals.durations import DurationLiteral
from temporal.metric_rif.events import MONTH, Every

_OF_HOURS: Final = (
    "write Every 1 h at ?t, without a zone: zones that are whole hours apart have the same full "
    "hours; for others add offset 30 m"
)


def calendar_text(every: Every) -> str:
    """``1 d offset 8 h zone Europe/Berlin``."""
    offset = "" if every.offset is None else f" offset {every.offset}"
    return f"{every.period}{offset}{'' if every.zone is None else f' zone {every.zone}'}"


def calendar_of_text(text: str, per_second: int) -> Calendar:
    """The calendar of a text, with so many ticks to the second.

    Raises:
        NoCalendar, UnknownZone: There is none.
    """
    rest, _, zone = text.partition(" zone ")
    period, _, offset = rest.partition(" offset ")
    amount, _, unit = period.partition(" ")
    in_months = unit == MONTH
    length = int(amount) if in_months else _ticks(period, per_second)
    behind = _ticks(offset, per_second) if offset else 0
    return calendar_of(length, behind, zone or None, in_months=in_months, per_second=per_second)


def _ticks(text: str, per_second: int) -> int:
    amount, _, unit = text.partition(" ")
    number = DurationLiteral(amount, unit).number
    assert number is not None
    ticks = number * (SECONDS[unit] * per_second if unit else 1)
    if ticks.denominator != 1:
        message = f"{text} is no whole number of ticks"
        raise NoCalendar(message)
    return ticks.numerator


def calendar_error(every: Every, per_second: int) -> BadCalendar | None:
    """Why a formula names no calendar; None: it does."""
    try:
        calendar_of_text(calendar_text(every), per_second)
    except (NoCalendar, UnknownZone) as error:
        is_hour = every.zone is not None and every.period.unit == "h"
        return BadCalendar(str(error), every.span, _OF_HOURS if is_hour else None)
    return None
