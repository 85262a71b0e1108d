"""Ranges of metric operators in RIF documents: durations with a unit, or numbers of ticks.

A range is exact whatever its unit; how many cells it has is known with the tick [`cells`]. Its ends
are written back as they were.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final, NamedTuple, Self

from rif.syntax.ast import Var
from rif.syntax.lexical import MAX_NUMBER, SECONDS
from temporal.intervals.interval import End, Interval

INFINITY: Final = "inf"
"""How an infinite end is written."""


class DurationLiteral(NamedTuple):
    """An end of a range as it is written.

    Attributes:
        amount: A decimal that is not negative, or `INFINITY`.
        unit: One of `rif.syntax.lexical.SECONDS`, or ``""``: ticks.
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
    written: tuple[DurationLiteral, ...] = field(default=(), compare=False, repr=False)

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

    def _end(self, end: End) -> DurationLiteral:
        return (
            DurationLiteral(_decimal(end)) if end is not None and self.in_ticks else in_units(end)
        )


class OpenCells(tuple[int, int]):  # noqa: SLOT001 - a tuple has no slots of its own
    """The cells of a range whose right end is not known yet, as a tick long; they equal no others.

    Attributes:
        end: what the rule calls its right end.
    """

    end: str

    def __new__(cls, lo: int, hi: int, end: str) -> Self:
        """Half-open, ``lo`` to ``hi``."""
        found = super().__new__(cls, (lo, hi))
        found.end = end
        return found

    def __eq__(self, other: object) -> bool:
        """Are they those of a range with the same end?"""
        return isinstance(other, OpenCells) and (*self, self.end) == (*other, other.end)

    def __hash__(self) -> int:
        """As that of its parts."""
        return hash((*self, self.end))

    def __repr__(self) -> str:
        """``(0, 3, '?d')``."""
        return repr((*self, self.end))


@dataclass(frozen=True, slots=True)
class VariableRange(Durations):
    """A range whose right end is a variable, the values of which static data give.

    Until they are known it counts as one tick long; its own right end says nothing.

    Attributes:
        variable: the right end.
    """

    variable: Var = field(kw_only=True)

    def cells(self, scale: int = 1) -> OpenCells:
        """A tick from the left end on, ``scale`` ticks a second; raises as `Durations.cells`."""
        assert self.left is not None
        lo, _ = Interval.point(self.left).cells(1 if self.in_ticks else scale)
        end = self.variable.value.name
        return OpenCells(lo + (not self.left_closed), lo + 2 + self.right_closed, f"?{end}")

    def up_to(self, ticks: int, per_second: int, *, in_ticks: bool) -> Durations:
        """The range with its right end so many ticks away; it may be empty.

        ``in_ticks``: it is written in ticks, else in seconds.
        """
        assert self.left is not None
        left = self.left if self.in_ticks else self.left * per_second
        unit = 1 if in_ticks else per_second
        ends = left / unit, Fraction(ticks, unit)
        return Durations(*ends, self.left_closed, self.right_closed, in_ticks)

    def for_a_tick(self, per_second: int) -> Durations:
        """A constant range with the same left end, to the tick behind that."""
        assert self.left is not None
        left = self.left if self.in_ticks else self.left * per_second
        found = self.up_to(int(left) + 1, per_second, in_ticks=self.in_ticks)
        return replace(found, right_closed=True)

    def __str__(self) -> str:
        """As RIF text writes it, if the name of the variable needs no quotes: ``[0 s, ?d]``."""
        return self.text(f"?{self.variable.value.name}")

    def text(self, end: str) -> str:
        """As RIF text writes it with this right end."""
        left = self.written[0] if self.written else self._end(self.left)
        return f"{'(['[self.left_closed]}{left}, {end}{')]'[self.right_closed]}"


def in_units(seconds: End) -> DurationLiteral:
    """Seconds in the largest unit of which they are a whole number, else in seconds."""
    if seconds is None:
        return DurationLiteral(INFINITY)
    for unit, length in SECONDS.items():
        if seconds and (seconds / length).denominator == 1:
            return DurationLiteral(_decimal(seconds / length), unit)
    return DurationLiteral(_decimal(seconds), "s")


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
    text = str(int(number * 10**digits)).rjust(digits + 1, "0")
    return f"{text[:-digits]}.{text[-digits:]}"
