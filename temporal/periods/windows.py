"""Windows on the ruler: the two stretches of time between which a period lies.

The ruler of a program and its data are the points at a multiple of the program's step from an end
point of the data [DRedMTL26, Preliminaries]. A window is closed, twice the depth long, and
begins and ends on it. All in ticks; right of the data, as the left side is its mirror image.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from temporal.periods.tails import Tail


@dataclass(frozen=True, slots=True)
class Ruler:
    """The ruler of a program and its data, and the depth of the program.

    Attributes:
        ends: (n,) ascending, none twice, at least one. The finite end points of the data.
        depth: The greatest sum of right ends of the ranges of a rule.
        step: The greatest common divisor of the program's numbers but 0; 1 unit if there are none.
    """

    ends: Column
    depth: int
    step: int

    @classmethod
    def of(cls, data: Iterable[Rows], depth: int, step: int) -> Ruler:
        """With the end points of rows; 0 if all are infinite."""
        found = [rows[:, -2:].ravel() for rows in data]
        cells = np.concatenate([np.empty(0, np.int64), *found])
        ends = np.unique(cells[(cells > NEG_INF) & (cells < POS_INF)] >> 1)
        return cls(ends if len(ends) else np.zeros(1, np.int64), depth, step)

    @property
    def width(self) -> int:
        """The number of cells of a window, less one."""
        return 4 * self.depth

    @property
    def first(self) -> int:
        """The cell of the first instant behind the data."""
        return 2 * int(self.ends[-1]) + 2

    def mirrored(self) -> Ruler:
        """With past and future exchanged."""
        return Ruler(-self.ends[::-1], self.depth, self.step)


@dataclass(frozen=True, slots=True)
class Repetition:
    """The repetition of a model on one side.

    Attributes:
        near, far: Where the two windows begin, in ticks; ``near`` is the one beside the data.
        width: How long they are.
        source: Cells, half-open, of one period of the content; one cell if it is constant.
        is_empty: Does nothing hold in them?
        is_constant: Does nothing change in them?
    """

    near: int
    far: int
    width: int
    source: tuple[int, int]
    is_empty: bool
    is_constant: bool

    @property
    def shift(self) -> int:
        """The period, in ticks."""
        return abs(self.far - self.near)

    @property
    def period(self) -> tuple[int, int]:
        """From where to where it is, in cells, half-open: ``[a,b)`` left, ``(a,b]`` right."""
        if self.far > self.near:
            return 2 * (self.near + self.width) + 1, 2 * (self.far + self.width) + 1
        return 2 * self.far, 2 * self.near

    def mirrored(self) -> Repetition:
        """The same to the other side."""
        near, far = (-at - self.width for at in (self.near, self.far))
        source = 1 - self.source[1], 1 - self.source[0]
        return Repetition(near, far, self.width, source, self.is_empty, self.is_constant)


def place_windows(tail: Tail, ruler: Ruler) -> Repetition:
    """The windows of least shift, as near to the data as they can be.

    A constant tail has the least distance of two points of the ruler as its period. O(log n) passes
    over the end points.
    """
    residues = np.unique(ruler.ends % ruler.step)
    soonest = -(-max(tail.onset, ruler.first) // 2)
    if tail.period:
        shift, begins = _shift(tail.period // 2, residues, ruler.step)
    else:
        gaps = np.diff(residues, append=residues[0] + ruler.step)
        shift = int(gaps.min())
        begins = residues[gaps == shift]
    near = soonest + int(((begins - soonest) % ruler.step).min())
    source = tail.onset, tail.onset + max(tail.period, 1)
    is_constant = not tail.period
    return Repetition(near, near + shift, 2 * ruler.depth, source, tail.is_empty, is_constant)


def _shift(period: int, residues: Column, step: int) -> tuple[int, Column]:
    """The least multiple of a period that leads from the ruler to it, and from which points.

    What changes, changes on the ruler, so it is the period, where rules and data made the tail.
    """
    shift = period
    while True:
        begins = residues[np.isin((residues + shift) % step, residues)]
        if len(begins):
            return shift, begins
        shift += period
