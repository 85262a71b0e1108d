"""Ranges of metric operators in RIF documents as text: `Durations`, or a fault."""

from __future__ import annotations

import re
from typing import Final

from rif.errors.base import NOWHERE, RuleError, Span
from rif.syntax.lexical import AMOUNT_PATTERN, MAX_NUMBER, TIME_UNITS
from temporal.errors import BadRange, EmptyInterval, NegativeRange
from temporal.intervals.durations import INFINITY, SECONDS, DurationLiteral, Durations
from temporal.intervals.interval import End

_RANGE: Final = re.compile(
    r"\s*([\[(])\s*([^\s,()\[\]]+(?:\s+[a-zA-Z]+)?)\s*,\s*([^\s,()\[\]]+(?:\s+[a-zA-Z]+)?)\s*([\])])\s*"
)
_DURATION: Final = re.compile(rf"({AMOUNT_PATTERN})\s*([a-z]*)")


def make_range(
    left: DurationLiteral,
    right: DurationLiteral,
    span: Span,
    *,
    left_closed: bool,
    right_closed: bool,
) -> Durations:
    """The range with these ends; an infinite one is open, however it is written.

    Raises:
        RuleError: it has no time point, or mixes ticks with durations.
    """
    if left.number is None:
        message = "a range begins at a distance that is finite"
        raise BadRange(message, span, "such as [0 s, inf)")
    # 0 is 0, and inf is inf, in all units.
    units = {bool(end.unit) for end in (left, right) if end.number}
    if len(units) > 1:
        message = f"{left} is in {_kind(left)}, {right} in {_kind(right)}"
        raise BadRange(message, span, "give both ends a unit, or none of them")
    in_ticks = False in units or not (units or left.unit or right.unit)
    found = Durations(
        _seconds(left), _seconds(right), left_closed, right_closed, in_ticks, (left, right)
    )
    if found.is_empty:
        message = f"{found} has no time point"
        raise EmptyInterval(message, span, "the nearer end stands first; one point is [5 s, 5 s]")
    return found


def parse_range(text: str, span: Span = NOWHERE) -> Durations:
    """The range that ``text`` is, as `Durations` writes it.

    Raises:
        RuleError: it is none.
    """
    found = _RANGE.fullmatch(text)
    if found is None:
        message = "expected a range such as [0 s, 10 m] or (5 s, inf)"
        raise BadRange(message, span, "both ends, with a comma between them")
    return make_range(
        parse_duration(found[2], span),
        parse_duration(found[3], span),
        span,
        left_closed=found[1] == "[",
        right_closed=found[4] == "]",
    )


def parse_duration(text: str, span: Span) -> DurationLiteral:
    """One end of a range.

    Raises:
        RuleError: it is none.
    """
    if text in {INFINITY, f"+{INFINITY}"}:
        return DurationLiteral(INFINITY)
    if text.startswith("-"):
        raise negative_fault(text, span)
    found = _DURATION.fullmatch(text)
    if found is None or len(found[1]) > MAX_NUMBER:
        message = f"{text[:40]} is no duration"
        raise BadRange(message, span, "a decimal number and ms, s, m, h or d, or inf")
    if found[2] and found[2] not in TIME_UNITS:
        message = f"{found[2][:40]} is no unit of time"
        hint = "units are ns us ms s m h d, and m is a minute; without one it is ticks"
        raise BadRange(message, span, hint)
    return DurationLiteral(found[1], found[2])


def negative_fault(text: str, span: Span) -> RuleError:
    """The fault that a distance is negative."""
    hint = "ranges are distances: DiamondMinus [0 s, 5 s] looks back, DiamondPlus ahead"
    return NegativeRange(f"{text[:40]} is negative", span, hint)


def _seconds(end: DurationLiteral) -> End:
    number = end.number
    return number * SECONDS[end.unit] if number is not None and end.unit else number


def _kind(end: DurationLiteral) -> str:
    return end.unit or "ticks"
