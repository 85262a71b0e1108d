"""Facts in columns before their ticks are known: exact ends, then cells.

An end is a numerator over a denominator, as it was read. Once all data are there, the common scale
of data and rules is the least common multiple of the reduced denominators, and the ends become
cells; those that would need a tick too small for cells do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import lcm
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.kernels.text.pure_facts import (
    FLAGS,
    LEFT,
    LEFT_CLOSED,
    LEFT_INFINITE,
    LEFT_UNDER,
    RIGHT,
    RIGHT_CLOSED,
    RIGHT_INFINITE,
    RIGHT_UNDER,
)
from temporal.intervals.interval import MAX_CELL, MAX_SCALE
from temporal.mtl.ast import MetricFact

Mask: TypeAlias = npt.NDArray[np.bool_]

_MANY_LINES: Final = 2**30
"""Line numbers beyond need longer integers."""
_EXACT: Final = 2**31
"""Products of two smaller numbers are cells and no overflow."""


@dataclass(frozen=True, slots=True)
class EndColumn:
    """One end of each fact.

    Attributes:
        over: (n,) numerators.
        under: (n,) denominators, above 0; None: all are 1.
    """

    over: Column
    under: Column | None

    @classmethod
    def of(cls, over: Column, under: Column) -> EndColumn:
        """Of these columns; ``under`` is None if all are whole."""
        return cls(over.copy(), None if (under == 1).all() else under.copy())

    def scales(self) -> Iterator[int]:
        """Denominators that make all of them whole."""
        if self.under is not None:
            yield from np.unique(self.under // np.gcd(self.over, self.under)).tolist()

    def ticks(self, scale: int) -> tuple[Column, Mask]:
        """Each in ticks, and which are none within the cells."""
        if self.under is None:
            return _times(self.over, np.array([scale]))
        shared = np.gcd(self.over, self.under)
        factor, rest = np.divmod(scale, self.under // shared)
        found, beyond = _times(self.over // shared, np.maximum(factor, 1))
        return found, beyond | (rest != 0)


def _times(over: Column, factor: Column) -> tuple[Column, Mask]:
    limit = MAX_CELL // 2 // factor
    beyond = (over < -limit) | (over >= limit)
    return np.where(beyond, 0, over) * factor, beyond


@dataclass(frozen=True, slots=True)
class FactColumns:
    """Facts of one predicate.

    Attributes:
        terms: (n, k) ids of the arguments.
        left, right: their ends.
        flags: (n,) uint8, as the kernel has them.
        source: the number of the source they were read from.
        lines: (n,) their lines there.
    """

    terms: Rows
    left: EndColumn
    right: EndColumn
    flags: npt.NDArray[np.uint8]
    source: int
    lines: npt.NDArray[np.int32] | npt.NDArray[np.int64]

    def scales(self) -> Iterator[int]:
        """Denominators that make all ends whole; see `EndColumn.scales`."""
        yield from self.left.scales()
        yield from self.right.scales()

    def rows(self, scale: int) -> tuple[Rows, Mask]:
        """The facts in cells, and which of them have none."""
        n, width = self.terms.shape
        rows = np.empty((n, width + 2), np.int64)
        rows[:, :width] = self.terms
        left, early = self.left.ticks(scale)
        right, late = self.right.ticks(scale)
        rows[:, -2] = 2 * left + (self.flags & LEFT_CLOSED == 0)
        rows[:, -1] = 2 * right + (self.flags & RIGHT_CLOSED != 0)
        rows[self.flags & LEFT_INFINITE != 0, -2] = NEG_INF
        rows[self.flags & RIGHT_INFINITE != 0, -1] = POS_INF
        return rows, early | late


def empty_intervals(read: Rows) -> Mask:
    """Which rows of the kernel have no time point. Exact."""
    left, right = read[:, LEFT], read[:, RIGHT]
    over, under = read[:, LEFT_UNDER], read[:, RIGHT_UNDER]
    flags = read[:, FLAGS]
    before, same = left < right, left == right
    fractional = np.flatnonzero(over != under)
    if len(fractional):
        sides = left[fractional], under[fractional], right[fractional], over[fractional]
        if max(int(np.abs(side).max()) for side in sides) >= _EXACT:
            sides = tuple(side.astype(object) for side in sides)  # type: ignore[assignment]
        left_products, right_products = sides[0] * sides[1], sides[2] * sides[3]
        before[fractional] = left_products < right_products
        same[fractional] = left_products == right_products
    both = LEFT_CLOSED | RIGHT_CLOSED
    infinite = flags & (LEFT_INFINITE | RIGHT_INFINITE) != 0
    found: Mask = ~(infinite | before | (same & (flags & both == both)))
    return found


def select_columns(
    read: Rows, args: Column, chosen: Column, source: int, begin: int
) -> FactColumns:
    """The rows ``chosen`` of what the kernel read, all of one predicate; ``args`` are ids."""
    found = read[chosen]
    arity = int(found[0, 3])
    lines = found[:, 0] + begin
    terms = args[found[:, 2, None] + np.arange(arity)]
    return FactColumns(
        terms.reshape(len(found), arity),
        EndColumn.of(found[:, LEFT], found[:, LEFT_UNDER]),
        EndColumn.of(found[:, RIGHT], found[:, RIGHT_UNDER]),
        found[:, FLAGS].astype(np.uint8),
        source,
        lines.astype(np.int32) if begin < _MANY_LINES else lines,
    )


def choose_scale(facts: Iterable[MetricFact], parts: Iterable[FactColumns], least: int = 1) -> int:
    """The least multiple of ``least`` with which all finite ends are whole.

    Of those that would make a tick too small for cells the largest denominators are left out.
    """
    found = {scale for part in parts for scale in part.scales()}
    for fact in facts:
        for end in (fact.interval.left, fact.interval.right):
            if end is not None:
                found.add(end.denominator)
    scale = least
    for under in sorted(found):
        multiple = lcm(scale, under)
        if multiple <= MAX_SCALE:
            scale = multiple
    return scale
