"""Intervals of the rational time line: where a fact holds, and the range of an operator.

Exact: an end is a `Fraction`, or None where there is none (−∞ on the left, ∞ on the right). An
infinite end is open. In the engine an interval is half-open in integer cells [decision 2].
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Final, TypeAlias

from rete.arrays.delta import NEG_INF, POS_INF, Rows
from temporal.errors import OutOfBounds

End: TypeAlias = Fraction | None
"""An end of an interval; None is the infinite one."""

MAX_CELL: Final = 2**61
"""Finite cells beyond this, on either side, are refused."""
MAX_SCALE: Final = MAX_CELL // 2
"""Ticks to the unit of time, at most: beyond, no number but small fractions has a cell."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A connected set of time points.

    Attributes:
        left, right: The ends.
        left_closed, right_closed: Whether they belong to it; False for infinite ones.
    """

    left: End
    right: End
    left_closed: bool = True
    right_closed: bool = True

    def __post_init__(self) -> None:
        if self.left is None and self.left_closed:
            object.__setattr__(self, "left_closed", False)
        if self.right is None and self.right_closed:
            object.__setattr__(self, "right_closed", False)

    @classmethod
    def point(cls, at: Fraction) -> Interval:
        """The instant alone."""
        return cls(at, at)

    @property
    def is_empty(self) -> bool:
        """Has it no time point: ``(1,1)``, ``[1,1)``, ``[2,1]``?"""
        if self.left is None or self.right is None:
            return False
        if self.left == self.right:
            return not (self.left_closed and self.right_closed)
        return self.left > self.right

    @property
    def is_punctual(self) -> bool:
        """Is it one instant?"""
        return self.left is not None and self.left == self.right and not self.is_empty

    @property
    def is_bounded(self) -> bool:
        """Are both ends finite?"""
        return self.left is not None and self.right is not None

    def __contains__(self, at: Fraction | int) -> bool:
        """Does the instant belong to it?"""
        after = self.left is None or self.left < at or (self.left == at and self.left_closed)
        before = self.right is None or at < self.right or (self.right == at and self.right_closed)
        return after and before

    def mirrored(self) -> Interval:
        """The same on the other side of 0."""
        return replace(
            self,
            left=None if self.right is None else -self.right,
            right=None if self.left is None else -self.left,
            left_closed=self.right_closed,
            right_closed=self.left_closed,
        )

    def cells(self, scale: int = 1) -> tuple[int, int]:
        """Half-open in cells, with ``scale`` ticks to the unit of time.

        ``scale`` is a multiple of all denominators. ∞ is the cell ±2^62.

        Raises:
            OutOfBounds: a finite cell would be beyond ±2^61.
        """
        lo = NEG_INF if self.left is None else _cell(self.left, scale) + (not self.left_closed)
        hi = POS_INF if self.right is None else _cell(self.right, scale) + self.right_closed
        return lo, hi

    @classmethod
    def of_cells(cls, lo: int, hi: int, scale: int = 1) -> Interval:
        """The interval of half-open cells; the inverse of `cells`."""
        left = None if lo <= NEG_INF else Fraction(lo >> 1, scale)
        right = None if hi >= POS_INF else Fraction(hi >> 1, scale)
        return cls(left, right, not lo & 1, bool(hi & 1))

    @staticmethod
    def text_of(at: Fraction) -> str:
        """A finite time point as text."""
        return str(at)

    def __str__(self) -> str:
        """As DatalogMTL text writes it: ``[0,7/2)``, a point ``[5,5]``, ``(-inf,inf)``."""
        left = "-inf" if self.left is None else self.text_of(self.left)
        right = "inf" if self.right is None else self.text_of(self.right)
        return f"{'(['[self.left_closed]}{left},{right}{')]'[self.right_closed]}"


def common_scale(intervals: Iterable[Interval]) -> int:
    """The least number of ticks to the unit of time with which all finite ends are integers."""
    ends = {end for each in intervals for end in (each.left, each.right) if end is not None}
    return lcm(*{end.denominator for end in ends})


def _cell(end: Fraction, scale: int) -> int:
    tick, rest = divmod(end.numerator * scale, end.denominator)
    if rest:
        message = f"{end} is no whole number of ticks of 1/{scale}"
        raise ValueError(message)
    if not -MAX_CELL <= 2 * tick < MAX_CELL:
        message = f"{end} is too far from 0: with ticks of 1/{scale} its cell is beyond 2^61"
        raise OutOfBounds(message)
    return 2 * tick


def rescale_rows(rows: Rows, factor: int) -> Rows:
    """New rows with the same times, in cells of ticks ``factor`` times as short."""
    found = rows.copy()
    ends = found[:, -2:]
    finite = (ends > NEG_INF) & (ends < POS_INF)
    ends[finite] = 2 * (ends[finite] >> 1) * factor + (ends[finite] & 1)
    return found
