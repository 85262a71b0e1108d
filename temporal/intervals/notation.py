"""Notations: times are numbers, or dates with durations; a program and its data use the same.

A notation is the class of the intervals of facts. None stands for what is the same in all
notations: no times, infinite ones, and ranges of 0.
"""

from __future__ import annotations

from typing import TypeAlias

from temporal.errors import MixedTimes
from temporal.intervals.dates import SECONDS_OF_DAY, DateInterval, DateTimeInterval
from temporal.intervals.durations import Durations, in_units
from temporal.intervals.interval import End, Interval

Notation: TypeAlias = type[Interval]


def common_notation(first: Notation | None, second: Notation | None) -> Notation | None:
    """The notation of both; days and times of day are written with times of day.

    Raises:
        MixedTimes: one has numbers, the other has not.
    """
    if first is None or second is None or first is second:
        return first or second
    if Interval not in {first, second}:
        return DateTimeInterval
    kinds = ["numbers", "dates and durations"]
    here, before = kinds if second is Interval else kinds[::-1]
    message = f"this is in {here}, what stands before it in {before}"
    raise MixedTimes(message)


def notation_of_fact(interval: Interval) -> Notation | None:
    """The notation of an interval of a fact."""
    return None if interval.left is None and interval.right is None else type(interval)


def notation_of_range(rho: Interval) -> Notation | None:
    """The notation of the facts that a rule with this range is about."""
    ends = [end for end in (rho.left, rho.right) if end]
    if not isinstance(rho, Durations):
        return Interval if ends else None
    return DateTimeInterval if any(end % SECONDS_OF_DAY for end in ends) else DateInterval


def format_distance(length: End, notation: Notation | None) -> str:
    """A distance as text: a number, or a duration where times are dates; ``inf``."""
    if notation is None or notation is Interval:
        return "inf" if length is None else str(length)
    return str(in_units(length))
