"""Time points, intervals and ranges on a line of DatalogMTL text: exact, or a fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from rif.cursor import shorten
from rif.lexer import MAX_NUMBER
from temporal.dates import Dates, Days
from temporal.errors import BadNumber, BadRange, EmptyInterval, MixedTimes, TooLong
from temporal.metric import Interval
from temporal.rif_ranges import Durations
from temporal.text import times
from temporal.text.scanner import Line
from temporal.text.times import NUMBER, Time, advice, parse_time

_Refused: TypeAlias = Mapping[type[Interval] | None, str]

_CHUNK: Final = re.compile(r"[^\s,()\[\]#@]+")
_UNIT: Final = re.compile(r"(?:ns|us|ms|s|m|h|d)\b")

_NO_POINT: Final[_Refused] = {Durations: "a duration and no time point"}
_NO_DISTANCE: Final[_Refused] = dict.fromkeys((Dates, Days), "a date and no distance")


def point(line: Line) -> Time:
    """The number or date that comes next on the line."""
    return _time(line, _NO_POINT)


def interval(line: Line) -> Interval | None:
    """The interval of a fact that comes next: ``[a,b]``, its ends open or closed, or ``[a]``.

    None if it has no time point, or mixes numbers and dates: that is noted, and the line can be
    read on.
    """
    return _between(line, _NO_POINT, times.interval)


def distances(line: Line) -> Interval | None:
    """The range of an operator that comes next, in numbers or durations, as `interval`."""
    return _between(line, _NO_DISTANCE, times.distances)


def begins_interval(line: Line) -> bool:
    """Does a bracket come next?"""
    return line.looks_at("[") or line.looks_at("(")


def _between(
    line: Line,
    refused: _Refused,
    between: Callable[[Time, Time, bool, bool], Interval | None],
) -> Interval | None:
    start = line.begin()
    left_closed = line.accept("[")
    if not left_closed:
        line.expect("(", "or [ for an interval", BadRange.default_hint)
    left = right = _time(line, refused)
    if line.accept(","):
        right = _time(line, refused)
    elif not (left_closed and line.looks_at("]")):
        end = max(line.taken, line.begin() + 1)
        line.fail(BadRange, "an interval has two ends", start, end)
    right_closed = line.accept("]")
    if not right_closed:
        line.expect(")", "or ] behind an interval")
    try:
        found = between(left, right, left_closed, right_closed)
    except MixedTimes as fault:
        line.note(MixedTimes, fault.message, start, line.taken)
        return None
    if found is None:
        written = line.text[start : line.taken]
        message = f"{shorten(written)} has no time point"
        line.note(EmptyInterval, message, start, line.taken)
    return found


def _time(line: Line, refused: _Refused) -> Time:
    start = line.begin()
    chunk = line.match(_CHUNK)
    if chunk is None:
        line.unexpected("expected a number", BadNumber.default_hint)
    if chunk.endswith(".") and line.at_end():
        chunk = chunk[:-1]
        line.at = line.taken = line.taken - 1
    if NUMBER.fullmatch(chunk):
        chunk += line.match(_UNIT) or ""
    found = parse_time(chunk)
    if found is None:
        if len(chunk) > MAX_NUMBER and NUMBER.fullmatch(chunk):
            message = f"this number has {len(chunk)} characters, at most {MAX_NUMBER} are read"
            line.fail(TooLong, message, start, line.taken)
        message = f"{shorten(chunk)} is no number"
        line.fail(BadNumber, message, start, line.taken, advice(chunk))
    if found.kind in refused:
        line.fail(BadNumber, f"{shorten(chunk)} is {refused[found.kind]}", start, line.taken, "")
    return found
