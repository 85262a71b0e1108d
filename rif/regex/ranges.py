"""Sets of code points as ranges: sorted, apart from each other, both ends included.

So the difference of two classes is exact, and costs what its ranges are, not its characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

Range: TypeAlias = tuple[int, int]
Ranges: TypeAlias = tuple[Range, ...]

LAST: Final = 0x10FFFF
"""The last code point of Unicode."""

ALL: Final[Ranges] = ((0, LAST),)


def union(ranges: Iterable[Range]) -> Ranges:
    """The set of all code points in ``ranges``, which may overlap and stand in any order."""
    found: list[Range] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            if high > found[-1][1]:
                found[-1] = found[-1][0], high
        else:
            found.append((low, high))
    return tuple(found)


def complement(ranges: Ranges) -> Ranges:
    """All other code points."""
    found: list[Range] = []
    start = 0
    for low, high in ranges:
        if start < low:
            found.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        found.append((start, LAST))
    return tuple(found)


def subtract(left: Ranges, right: Ranges) -> Ranges:
    """The code points of ``left`` that are not in ``right``."""
    return complement(union((*complement(left), *right)))


def intersect(left: Ranges, right: Ranges) -> Ranges:
    """The code points in both."""
    return complement(union((*complement(left), *complement(right))))
