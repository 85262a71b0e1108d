"""Ranges of metric operators in RIF documents: durations with a unit, or numbers of ticks.

A range is exact whatever its unit; how many cells it has is known with the tick [`cells`]. Its ends
are written back as they were.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NamedTuple

from rif.ast import NOWHERE, Span
from rif.errors import RuleError
from rif.lexer import MAX_NUMBER
from rif.parse_formulas import AMOUNT, UNITS
from temporal.errors import BadRange, EmptyInterval, NegativeRange
from temporal.metric import End, Interval

INFINITY: Final = "inf"
"""How an end is written that is none."""

SECONDS: Final = {
    "ns": Fraction(1, 10**9),
    "us": Fraction(1, 10**6),
    "ms": Fraction(1, 1000),
    "s": Fraction(1),
    "m": Fraction(60),
    "h": Fraction(3600),
    "d": Fraction(86400),
}
"""Seconds of each unit of time."""

_WRITTEN: Final = re.compile(
    r"\s*([\[(])\s*([^\s,()\[\]]+(?:\s+[a-zA-Z]+)?)\s*,\s*([^\s,()\[\]]+(?:\s+[a-zA-Z]+)?)\s*([\])])\s*"
)
_DURATION: Final = re.compile(rf"({AMOUNT})\s*([a-z]*)")


class Duration(NamedTuple):
    """An end of a range as it is written.

    Attributes:
        amount: A decimal that is not negative, or `INFINITY`.
        unit: One of `SECONDS`, or ``""``: ticks.
    """

    amount: str
    unit: str = ""

    @property
    def number(self) -> End:
        """So many of the unit."""
        return None if self.amount == INFINITY else Fraction(self.amount)

    def __str__(self) -> str:
        return f"{self.amount} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Durations(Interval):
    """A range whose ends are seconds, or ticks.

    Attributes:
        in_ticks: whether its ends are numbers of ticks, not of seconds.
        written: its ends as they were written; () if it was not read.
    """

    in_ticks: bool = False
    written: tuple[Duration, ...] = field(default=(), compare=False, repr=False)

    def cells(self, scale: int = 1) -> tuple[int, int]:
        """Half-open in cells, with ``scale`` ticks to the second.

        Raises:
            OutOfBounds: a finite cell would be beyond ±2^61.
            ValueError: it is no whole number of ticks.
        """
        # Without super(): slots make another class of this one than super() would look for.
        return Interval.cells(self, 1 if self.in_ticks else scale)

    def __str__(self) -> str:
        """As RIF text writes it: ``[0 s, 10 m]``, ``(5, inf)``."""
        ends = self.written or (self._end(self.left), self._end(self.right))
        left, right = map(str, ends)
        return f"{'(['[self.left_closed]}{left}, {right}{')]'[self.right_closed]}"

    def _end(self, end: End) -> Duration:
        return Duration(_decimal(end)) if end is not None and self.in_ticks else in_units(end)


def in_units(seconds: End) -> Duration:
    """Seconds in the largest unit of which they are a whole number, else in seconds."""
    if seconds is None:
        return Duration(INFINITY)
    for unit in ("d", "h", "m", "s", "ms", "us", "ns"):
        if seconds and (seconds / SECONDS[unit]).denominator == 1:
            return Duration(_decimal(seconds / SECONDS[unit]), unit)
    return Duration(_decimal(seconds), "s")


def durations(
    left: Duration, right: Duration, span: Span, *, left_closed: bool, right_closed: bool
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


def read(text: str, span: Span = NOWHERE) -> Durations:
    """The range that ``text`` is, as `Durations` writes it.

    Raises:
        RuleError: it is none.
    """
    found = _WRITTEN.fullmatch(text)
    if found is None:
        message = "expected a range such as [0 s, 10 m] or (5 s, inf)"
        raise BadRange(message, span, "both ends, with a comma between them")
    return durations(
        duration(found[2], span),
        duration(found[3], span),
        span,
        left_closed=found[1] == "[",
        right_closed=found[4] == "]",
    )


def duration(text: str, span: Span) -> Duration:
    """One end of a range.

    Raises:
        RuleError: it is none.
    """
    if text in {INFINITY, f"+{INFINITY}"}:
        return Duration(INFINITY)
    if text.startswith("-"):
        raise negative(text, span)
    found = _DURATION.fullmatch(text)
    if found is None or len(found[1]) > MAX_NUMBER:
        message = f"{text[:40]} is no duration"
        raise BadRange(message, span, "a decimal number and ms, s, m, h or d, or inf")
    if found[2] and found[2] not in UNITS:
        message = f"{found[2][:40]} is no unit of time"
        raise BadRange(message, span, "units are ns us ms s m h d; without one it is ticks")
    return Duration(found[1], found[2])


def negative(text: str, span: Span) -> RuleError:
    """That a distance is negative."""
    hint = "ranges are distances: DiamondMinus [0 s, 5 s] looks back, DiamondPlus ahead"
    return NegativeRange(f"{text[:40]} is negative", span, hint)


def _seconds(end: Duration) -> End:
    number = end.number
    return number * SECONDS[end.unit] if number is not None and end.unit else number


def _kind(end: Duration) -> str:
    return end.unit or "ticks"


def _decimal(number: Fraction) -> str:
    """A number as a decimal; exact if it is one."""
    whole, rest = divmod(number.numerator, number.denominator)
    if not rest:
        return str(whole)
    digits = 0
    while (number * 10**digits).denominator != 1:
        digits += 1
        if digits > MAX_NUMBER:
            message = f"{number} is no decimal"
            raise ValueError(message)
    shown = str(int(number * 10**digits)).rjust(digits + 1, "0")
    return f"{shown[:-digits]}.{shown[-digits:]}"
