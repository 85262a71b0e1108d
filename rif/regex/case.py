"""The case variants of characters, which flag i adds [XPath-Functions 5.6.2, flag i].

Two characters are variants if their lower cases are the same text, or their upper cases are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cache
from typing import Final

from rif.regex.ranges import Range, Ranges, union

_LAST_CASED: Final = 0x1FFFF
"""Beyond stand ideographs, tags and private characters."""


@cache
def _variants() -> dict[int, tuple[int, ...]]:
    """The variants of each character that has any, in order; some 0.04 s, once."""
    same: dict[tuple[bool, str], set[int]] = {}
    cased: list[tuple[int, str, str]] = []
    for code in range(_LAST_CASED + 1):
        char = chr(code)
        lower, upper = char.lower(), char.upper()
        if not lower == char == upper:
            cased.append((code, lower, upper))
            same.setdefault((False, lower), set()).add(code)
            same.setdefault((True, upper), set()).add(code)
    found: dict[int, tuple[int, ...]] = {}
    for code, lower, upper in cased:
        others = (same[False, lower] | same[True, upper]) - {code}
        if others:
            found[code] = tuple(sorted(others))
    return found


@cache
def _codes() -> list[int]:
    return list(_variants())


def with_variants(ranges: Ranges) -> Ranges:
    """``ranges`` and the variants of their characters; linear in those that have any."""
    codes, variants = _codes(), _variants()
    added: list[Range] = []
    for low, high in ranges:
        for code in codes[bisect_left(codes, low) : bisect_right(codes, high)]:
            added += [(other, other) for other in variants[code] if not low <= other <= high]
    return union((*ranges, *added)) if added else ranges
