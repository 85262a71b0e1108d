"""The instants that matter: points, and the open gaps between them, in which nothing changes.

Cell 0 is the time before the first point, cell 1 that point, cell 2 the gap behind it, and so on;
the last cell is the time after the last point. If the ends of ranges lead from points to points,
what holds at one time of a gap holds at all of it, so a gap is judged at its middle.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from temporal.intervals.durations import Durations
from tests.oracles.rdf.exact_values import exact
from tests.oracles.rules.formulas import Time, TooBig

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporal.intervals.interval import Interval

PAST, FUTURE = -1, 1
"""The side to which an operator looks."""
MOST_POINTS = 1_500
INFINITE = 10**30
"""More than all distances."""


@dataclass(frozen=True, slots=True)
class Range:
    """Distances in ticks; ``high`` None is infinite."""

    low: int
    high: int | None
    low_closed: bool
    high_closed: bool

    @property
    def has_zero(self) -> bool:
        return self.low == 0 and self.low_closed

    @property
    def is_empty(self) -> bool:
        if self.high is None:
            return False
        both = self.low_closed and self.high_closed
        return self.low > self.high or (self.low == self.high and not both)


def range_of(rho: Interval, right: int | None = None) -> Range:
    """In ticks, perhaps with another right end: a second is a thousand of them."""
    scale = 1000 if isinstance(rho, Durations) and not rho.in_ticks else 1
    assert rho.left is not None
    low, high = rho.left * scale, None if rho.right is None else rho.right * scale
    high = high if right is None else Fraction(right)
    assert low.denominator == 1
    assert high is None or high.denominator == 1
    return Range(int(low), None if high is None else int(high), rho.left_closed, rho.right_closed)


def ticks_of(term: str, clock: str) -> int | None:
    """How many ticks a term is as the end of a range; None: it is none.

    That is a duration, or where stamps are integers an integer.
    """
    value = exact(term)
    if value is None or not isinstance(value.amount, Fraction):
        return None
    if clock == "integer":
        return int(value.amount) if value.datatype == "integer" else None
    ticks = value.amount * 1000
    return int(ticks) if value.kind == "dayTimeDuration" and ticks.denominator == 1 else None


def closed_points(
    base: Iterable[int], ends: Iterable[int], rounds: int | None, low: int, high: int
) -> list[int]:
    """The points between ``low`` and ``high`` to which so many steps lead, or any number.

    A step is an end of a range, forth or back; or one of ``ends`` that is 1: to the next tick.
    """
    found = {point for point in base if low <= point <= high}
    new, steps = set(found), {step for end in ends for step in (end, -end) if end}
    while new and rounds != 0:
        new = {point + step for point in new for step in steps} - found
        new = {point for point in new if low <= point <= high}
        found |= new
        rounds = None if rounds is None else rounds - 1
        if len(found) > MOST_POINTS:
            raise TooBig
    return sorted(found)


class Timeline:
    """The cells of some points."""

    def __init__(self, points: Sequence[int]) -> None:
        self.points = list(points)
        self.size = 2 * len(self.points) + 1
        self._seen: dict[tuple[int, Range, int], list[int]] = {}
        self._spread: dict[tuple[int, Range, int], list[int]] = {}

    def ends(self, cell: int) -> tuple[int | None, int | None]:
        """A point twice, or the points around a gap; None: there is none."""
        place, is_point = divmod(cell, 2)
        if is_point:
            return self.points[place], self.points[place]
        low = self.points[place - 1] if place else None
        return low, self.points[place] if place < len(self.points) else None

    def here(self, cell: int) -> int:
        """The time at which a cell is judged, in half ticks."""
        low, high = self.ends(cell)
        if low is None or high is None:
            return 2 * high - 1 if high is not None else 2 * low + 1 if low is not None else 0
        return low + high

    def cell_of(self, tick: Time) -> int:
        place = bisect_left(self.points, tick)
        return 2 * place + (place < len(self.points) and self.points[place] == tick)

    def between(self, start: Time, end: Time) -> list[int]:
        """The cells in which what holds from ``start`` to ``end`` holds throughout."""
        found = []
        for cell in range(self.size):
            low, high = self.ends(cell)
            begins = start == -float("inf") or (low is not None and start <= low)
            if cell % 2:
                ends = high is not None and high < end
            else:
                ends = end == float("inf") or (high is not None and high <= end)
            if begins and ends:
                found.append(cell)
        return found

    # -- ticks -----------------------------------------------------------------------------

    @cached_property
    def tick_cells(self) -> list[int]:
        """The cells with ticks in them: points, and gaps that are long enough."""
        return [cell for cell in range(self.size) if cell % 2 or not self._is_short(cell)]

    def _is_short(self, cell: int) -> bool:
        low, high = self.ends(cell)
        return low is not None and high is not None and high - low <= 1

    def tick_cell(self, cell: int) -> int:
        """The cell of the last tick that is not after a cell is judged."""
        return cell - 1 if cell % 2 == 0 and self._is_short(cell) else cell

    def first_tick(self, cell: int) -> Time:
        """The first tick of a cell that has one."""
        low, _ = self.ends(cell)
        return -float("inf") if low is None else low + (cell % 2 == 0)

    # -- what is seen ----------------------------------------------------------------------

    def seen(self, cell: int, rho: Range, side: int) -> list[int]:
        """The cells with a time at some distance in ``rho`` from where ``cell`` is judged."""
        key = cell, rho, side
        if key not in self._seen:
            near = self._near(cell, rho, side)
            self._seen[key] = [one for one in near if self._meets(one, cell, rho, side)]
        return self._seen[key]

    def _near(self, judged: int, rho: Range, side: int) -> range:
        """All cells with a time in the closure of a range, and some beside them."""
        at = self.here(judged) // 2
        far = INFINITE if rho.high is None else rho.high
        low, high = sorted((at + side * rho.low, at + side * far))
        return range(max(self.cell_of(low) - 1, 0), min(self.cell_of(high + 1) + 2, self.size))

    def spread(self, cell: int, rho: Range, side: int) -> list[int]:
        """The cells with a time at some distance in ``rho`` from some time of ``cell``."""
        key = cell, rho, side
        if key not in self._spread:
            cells = range(self.size)
            self._spread[key] = [one for one in cells if cell in self.seen(one, rho, -side)]
        return self._spread[key]

    def _meets(self, cell: int, judged: int, rho: Range, side: int) -> bool:
        at, is_point = self.here(judged), bool(cell % 2)
        low, high = self.ends(cell)
        first = -INFINITE if low is None else 2 * low
        last = INFINITE if high is None else 2 * high
        near, far = (at - last, at - first) if side == PAST else (first - at, last - at)
        begin = max((near, not is_point), (2 * rho.low, not rho.low_closed))
        end = (far, is_point)
        if rho.high is not None:
            end = min(end, (2 * rho.high, rho.high_closed))
        return begin[0] < end[0] or (begin[0] == end[0] and not begin[1] and end[1])

    def strictly_between(self, cell: int, witness: int) -> list[int]:
        """The cells with times between where ``cell`` is judged and a time of ``witness``.

        That time is another one than that where the cell is judged.
        """
        low, high = sorted((cell, witness))
        ends = {one for one in (cell, witness) if one % 2 == 0}
        return sorted({*range(low + 1, high)} | ends)

    def reaches_within(self, cell: int, rho: Range) -> bool:
        """Is there another time of the same gap at a distance in ``rho``?"""
        if cell % 2:
            return False
        low, high = self.ends(cell)
        length = INFINITE if low is None or high is None else high - low
        return 2 * rho.low < length and rho.high != 0

    # -- runs ------------------------------------------------------------------------------

    def changes(self) -> list[int]:
        """The ticks at which something may be otherwise than a tick before."""
        return sorted({tick for point in self.points for tick in (point, point + 1)})

    def __repr__(self) -> str:
        steps = [two - one for one, two in pairwise(self.points)]
        return f"Timeline({self.points[:1]} + {steps})"
