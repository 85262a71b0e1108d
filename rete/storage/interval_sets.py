"""Sets of cells as maximal intervals in order, as far as explanations need them.

Sets are few and short, so this is plain Python; kernels have the definition of each operator.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Final, TypeAlias

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Cells

CellInterval: TypeAlias = tuple[int, int]
"""A half-open interval of cells."""
IntervalSet: TypeAlias = tuple[CellInterval, ...]
"""Pairs that neither overlap nor touch, in order."""

EVER: Final[CellInterval] = (NEG_INF, POS_INF)


def coalesce(pairs: Iterable[CellInterval]) -> IntervalSet:
    """The maximal intervals of ``pairs``."""
    found: list[CellInterval] = []
    for lo, hi in sorted(pairs):
        if found and lo <= found[-1][1]:
            if hi > found[-1][1]:
                found[-1] = found[-1][0], hi
        elif lo < hi:
            found.append((lo, hi))
    return tuple(found)


def intersect_sets(one: IntervalSet, other: IntervalSet) -> IntervalSet:
    """What is in both."""
    if one == other or not one:
        return one
    found: list[CellInterval] = []
    i = j = 0
    while i < len(one) and j < len(other):
        (lo, hi), (begin, end) = one[i], other[j]
        begin = max(lo, begin)
        if hi < end:
            i += 1
            end = hi
        else:
            j += 1
        if begin < end:
            found.append((begin, end))
    return tuple(found)


def intersect(*pairs: CellInterval) -> CellInterval:
    """What is common to intervals; empty if its first cell is not before its end."""
    return max((lo for lo, _ in pairs), default=NEG_INF), min(
        (hi for _, hi in pairs), default=POS_INF
    )


def subtract(one: IntervalSet, other: IntervalSet) -> IntervalSet:
    """What is in ``one`` only."""
    gaps: list[CellInterval] = []
    at = NEG_INF
    for lo, hi in other:
        gaps.append((at, lo))
        at = hi
    gaps.append((at, POS_INF))
    return intersect_sets(one, tuple(pair for pair in gaps if pair[0] < pair[1]))


def interval_at(spans: IntervalSet, cell: int) -> CellInterval | None:
    """The interval that has ``cell``."""
    place = bisect_right(spans, cell, key=lambda pair: pair[0]) - 1
    return spans[place] if place >= 0 and cell < spans[place][1] else None


def dilate(pair: CellInterval, rho: Cells, *, future: bool) -> CellInterval:
    """When ``pair`` was at some distance in ``rho``.

    With the other ``future`` it is where what makes an operator true at ``pair`` may lie.
    """
    ((lo, hi),) = kernels.dilate(np.array([pair], np.int64), *rho, future).tolist()
    return lo, hi


def erode(spans: IntervalSet, rho: Cells, *, future: bool) -> IntervalSet:
    """When all of a distance in ``rho`` was in ``spans``, maximal intervals."""
    if not spans:
        return ()
    found = kernels.erode(np.array(spans, np.int64), *rho, future)
    return coalesce((lo, hi) for lo, hi in found.tolist())


def close(pair: CellInterval) -> CellInterval:
    """With its finite ends."""
    lo, hi = pair
    return lo if lo <= NEG_INF else lo & ~1, hi if hi >= POS_INF else hi | 1
