"""Time points, intervals and ranges on a line of DatalogMTL text: exact, or a fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from rif.errors.report import shorten
from rif.syntax.lexical import MAX_NUMBER
from rif.values.plain_numbers import NUMBER
from temporal.errors import BadNumber, BadRange, EmptyInterval, MixedTimes, TooLong
from temporal.intervals import literals
from temporal.intervals.dates import DateInterval, DateTimeInterval
from temporal.intervals.durations import Durations
from temporal.intervals.interval import Interval
from temporal.intervals.literals import TimeLiteral, parse_time, suggest_spelling
from temporal.text.scanner import LineScanner

_Refused: TypeAlias = Mapping[type[Interval] | None, str]

_TOKEN: Final = re.compile(r"[^\s,()\[\]#@]+")
_UNIT: Final = re.compile(r"(?:ns|us|ms|s|m|h|d)\b")
_CLOCK: Final = re.compile(r"\s*[0-9]{1,2}:[0-9]{2}")
_OF_CLOCK: Final = "between a date and its time stands a T, as in 2024-01-31T08:00:00"

_NO_POINT: Final[_Refused] = {Durations: "a duration and no time point"}
_NO_DISTANCE: Final[_Refused] = dict.fromkeys(
    (DateTimeInterval, DateInterval), "a date and no distance"
)


def parse_point_token(line: LineScanner) -> TimeLiteral:
    """The number or date that comes next on the line."""
    return _time(line, _NO_POINT)


def parse_interval(line: LineScanner) -> Interval | None:
    """The interval of a fact that comes next: ``[a,b]``, its ends open or closed, or ``[a]``.

    None if it has no time point, or mixes numbers and dates: that is noted, and the line can be
    read on.
    """
    return _pair(line, _NO_POINT, literals.make_interval)


def parse_range(line: LineScanner) -> Interval | None:
    """The range of an operator that comes next, in numbers or durations, as `parse_interval`."""
    return _pair(line, _NO_DISTANCE, literals.make_range)


def begins_interval(line: LineScanner) -> bool:
    """Does a bracket come next?"""
    return line.looks_at("[") or line.looks_at("(")


def _pair(
    line: LineScanner,
    refused: _Refused,
    make: Callable[[TimeLiteral, TimeLiteral, bool, bool], Interval | None],
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
        has_clock = left.kind is DateInterval and _CLOCK.match(line.text, line.at)
        hint = _OF_CLOCK if has_clock else BadRange.default_hint
        line.fail(BadRange, "an interval has two ends", start, end, hint)
    right_closed = line.accept("]")
    if not right_closed:
        line.expect(
            ")", "or ] behind an interval", "an interval is written [0,2], or [0,2) without 2"
        )
    try:
        found = make(left, right, left_closed, right_closed)
    except MixedTimes as fault:
        line.note(MixedTimes, fault.message, start, line.taken)
        return None
    if found is None:
        written = line.text[start : line.taken]
        message = f"{shorten(written)} has no time point"
        line.note(EmptyInterval, message, start, line.taken)
    return found


def _time(line: LineScanner, refused: _Refused) -> TimeLiteral:
    start = line.begin()
    token = line.match(_TOKEN)
    if token is None:
        line.unexpected("expected a number", BadNumber.default_hint)
    if token.endswith(".") and line.at_end():
        token = token[:-1]
        line.at = line.taken = line.taken - 1
    if NUMBER.fullmatch(token):
        token += line.match(_UNIT) or ""
    found = parse_time(token)
    if found is None:
        if len(token) > MAX_NUMBER and NUMBER.fullmatch(token):
            message = f"this number has {len(token)} characters, at most {MAX_NUMBER} are read"
            line.fail(TooLong, message, start, line.taken)
        message = f"{shorten(token)} is no number"
        line.fail(BadNumber, message, start, line.taken, suggest_spelling(token))
    if found.kind in refused:
        line.fail(BadNumber, f"{shorten(token)} is {refused[found.kind]}", start, line.taken, "")
    return found
