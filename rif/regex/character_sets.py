"""Sets of code points as ranges: sorted, apart from each other, both ends included.

So the difference of two classes is exact, and costs what its ranges are, not its characters.

Flag i adds case variants [XPath-Functions 5.6.2, flag i]. Two characters are variants if their
lower cases are the same text, or their upper cases are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cache
from typing import Final, TypeAlias

Range: TypeAlias = tuple[int, int]
Ranges: TypeAlias = tuple[Range, ...]

LAST: Final = 0x10FFFF
"""The last code point of Unicode."""

ALL: Final[Ranges] = ((0, LAST),)


def union(ranges: Iterable[Range]) -> Ranges:
    """The set of all code points in ``ranges``, which may overlap and stand in any order."""
    merged: list[Range] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            if high > merged[-1][1]:
                merged[-1] = merged[-1][0], high
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    """All other code points."""
    rest: list[Range] = []
    start = 0
    for low, high in ranges:
        if start < low:
            rest.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        rest.append((start, LAST))
    return tuple(rest)


def subtract(left: Ranges, right: Ranges) -> Ranges:
    """The code points of ``left`` that are not in ``right``."""
    return complement(union((*complement(left), *right)))


def intersect(left: Ranges, right: Ranges) -> Ranges:
    """The code points in both."""
    return complement(union((*complement(left), *complement(right))))


_LAST_CASED: Final = 0x1FFFF
"""Beyond stand ideographs, tags and private characters."""


@cache
def _variants() -> tuple[list[int], dict[int, tuple[int, ...]]]:
    """The characters that have variants, in order, and those of each; some 0.04 s, once."""
    same: dict[tuple[bool, str], set[int]] = {}
    cased: list[tuple[int, str, str]] = []
    for code in range(_LAST_CASED + 1):
        char = chr(code)
        lower, upper = char.lower(), char.upper()
        if not lower == char == upper:
            cased.append((code, lower, upper))
            same.setdefault((False, lower), set()).add(code)
            same.setdefault((True, upper), set()).add(code)
    variants: dict[int, tuple[int, ...]] = {}
    for code, lower, upper in cased:
        others = (same[False, lower] | same[True, upper]) - {code}
        if others:
            variants[code] = tuple(sorted(others))
    return list(variants), variants


def add_case_variants(ranges: Ranges) -> Ranges:
    """``ranges`` and the variants of their characters; linear in those that have any."""
    codes, variants = _variants()
    added: list[Range] = []
    for low, high in ranges:
        for code in codes[bisect_left(codes, low) : bisect_right(codes, high)]:
            added += [(other, other) for other in variants[code] if not low <= other <= high]
    return union((*ranges, *added)) if added else ranges
