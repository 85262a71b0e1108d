"""How times are written: as numbers, or as dates with durations; a program and its data alike.

A notation is the class of the intervals of facts. None is that of what would be the same in all of
them: no times, infinite ones, and ranges of 0.
"""

from __future__ import annotations

from typing import TypeAlias

from temporal.errors import MixedTimes
from temporal.intervals.dates import SECONDS_OF_DAY, DateInterval, DateTimeInterval
from temporal.intervals.durations import DurationInterval, in_units
from temporal.intervals.interval import End, Interval

Notation: TypeAlias = type[Interval]


def common_notation(one: Notation | None, other: Notation | None) -> Notation | None:
    """The notation of both; days and times of day are written with times of day.

    Raises:
        MixedTimes: one has numbers, the other has not.
    """
    if one is None or other is None or one is other:
        return one or other
    if Interval not in {one, other}:
        return DateTimeInterval
    kinds = ["numbers", "dates and durations"]
    here, before = kinds if other is Interval else kinds[::-1]
    message = f"this is in {here}, what stands before it in {before}"
    raise MixedTimes(message)


def notation_of_fact(interval: Interval) -> Notation | None:
    """That of an interval of a fact."""
    return None if interval.left is None and interval.right is None else type(interval)


def notation_of_range(rho: Interval) -> Notation | None:
    """That of facts which rules of this range may be about."""
    ends = [end for end in (rho.left, rho.right) if end]
    if not isinstance(rho, DurationInterval):
        return Interval if ends else None
    return DateTimeInterval if any(end % SECONDS_OF_DAY for end in ends) else DateInterval


def format_distance(length: End, notation: Notation | None) -> str:
    """A distance as text: a number, or a duration where times are dates; ``inf``."""
    if notation is None or notation is Interval:
        return "inf" if length is None else str(length)
    return str(in_units(length))
