"""Tails: with what period content repeats behind the data, and from which cell on.

The least period, and the first cell from which on it is one. It is found without regard to the
ruler: what changes does so again a period later, so all windows that are looked at begin where
something changes, and equal ones are neighbours when they are sorted by their signatures. What the
signatures suggest is then verified, change by change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np

from rete.arrays.delta import POS_INF, Column
from temporal.periods.change_points import ChangePoints

MODULI: Final = ((2147483647, 1103515245), (2147483629, 1103515246))
"""Primes, each with a base whose powers are all remainders but 0."""

_HALF: Final = 16


@dataclass(frozen=True, slots=True)
class WindowSignatures:
    """The signatures of all windows that begin where something changes.

    Attributes:
        cells: (m,) ascending. Where something changes.
        windows: (k,) k <= m. Of the windows that begin there, as far as they are known to the end.
    """

    cells: Column
    windows: Column


def sign_windows(found: ChangePoints, width: int) -> WindowSignatures:
    """Of windows of a cell and ``width`` more. O(m log m) in the changes, O(n) in the rows."""
    cells, begins = np.unique(found.at, return_index=True)
    known = int(np.searchsorted(cells, found.stop - width))
    ends = np.searchsorted(cells, cells[:known] + width, "right")
    windows = np.zeros(known, np.int64)
    facts = int(found.fact.max(initial=-1)) + 1
    held = np.bincount(found.fact[found.lo <= found.first], minlength=facts)
    for number, (prime, base) in enumerate(MODULI):
        weights = _random_numbers(facts, number) % prime
        value = np.where(found.what & 1, weights[found.what >> 1], -weights[found.what >> 1])
        step = (np.add.reduceat(value, begins) if len(cells) else value) % prime
        holding = (int(weights[held > 0].sum()) + np.cumsum(step)) % prime
        distance = cells - found.first
        sums = np.cumsum(step * _powers(distance, prime, base) % prime)
        behind = (sums[ends - 1] - sums[:known]) % prime
        moved = behind * _powers(-distance[:known], prime, base) % prime
        windows = (windows << 31) + (holding[:known] + moved) % prime
    return WindowSignatures(cells, windows)


def _random_numbers(count: int, stream: int) -> Column:
    """Numbers from 0 to 2^62 for the first facts, always the same: SplitMix64."""
    with np.errstate(over="ignore"):
        mixed = (np.arange(1, count + 1, dtype=np.uint64) << np.uint64(1)) + np.uint64(stream)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(2)).astype(np.int64)


def _powers(exponents: Column, prime: int, base: int) -> Column:
    """``base ** exponent % prime`` for each; negative ones are inverses."""
    low, high = _tables(prime, base)
    turned = exponents % (prime - 1)
    found: Column = low[turned & ((1 << _HALF) - 1)] * high[turned >> _HALF] % prime
    return found


@lru_cache(maxsize=len(MODULI))
def _tables(prime: int, base: int) -> tuple[Column, Column]:
    """Powers to the numbers below 2^16, and to their multiples by 2^16."""
    return _table(base, prime), _table(pow(base, 1 << _HALF, prime), prime)


def _table(base: int, prime: int) -> Column:
    """The first 2^16 powers, by doubling what is known."""
    found = np.ones(1, np.int64)
    while len(found) < 1 << _HALF:
        found = np.concatenate([found, found * pow(base, len(found), prime) % prime])
    return found


@dataclass(frozen=True, slots=True)
class Tail:
    """Content from ``onset`` on, the first cell from which on it has the ``period``.

    That is the least one, in cells, so even; 0: nothing changes.
    """

    onset: int
    period: int
    is_empty: bool


def find_tail(found: ChangePoints, width: int, settled: int, rest: int = 0) -> Tail | None:
    """The content from the first cell on, if two windows of it are equal.

    Windows are a cell and ``width`` more, none of which lies before the cell ``settled``. With
    cells up to infinity all is known, and the content is constant behind the last change. If there
    is other content, which has the period ``rest`` from ``settled`` on, windows are a multiple of
    that apart, so they are equal with all content.

    None: there are no two such windows, or not yet. O(n log n) in the rows.
    """
    constant_from = _constant_from(found, width + 1 + max(rest, 2), settled)
    if constant_from is not None:
        return Tail(constant_from, 0, not found.holds(constant_from))
    pair = _first_pair(sign_windows(found, width), settled, max(rest, 2))
    if pair is None:
        return None
    period, end = pair[1] - pair[0], pair[1] + width
    onset = _onset(found, period, end)
    # The certificate: a window, and the one a period later, with all that lies between.
    if onset is None or max(onset, settled) > end - period - width:
        return None
    return Tail(onset, period, is_empty=False)


def find_constant_tail(  # noqa: PLR0913, PLR0917 - the arguments of `find_tail`, for some times
    times: Sequence[tuple[int, int]], first: int, stop: int, width: int, settled: int, rest: int
) -> Tail | None:
    """The same of few rows, if the content is constant: one after the other.

    ``times`` are those of maximal rows in the cells from ``first`` to ``stop``.
    """
    ends = sorted({end for time in times for end in time if first < end < stop})
    cells = width + 1 + max(rest, 2)
    for begin, end in pairwise([first, *ends, stop]):
        is_long = end == stop if stop >= POS_INF else end - max(begin, settled) >= cells
        if is_long:
            return Tail(begin, 0, not any(lo <= begin < hi for lo, hi in times))
    return None


def _constant_from(found: ChangePoints, cells: int, settled: int) -> int | None:
    """From where on nothing changes for so many cells: two windows."""
    edges = np.empty(len(found.at) + 2, np.int64)  # ascending; what is equal has no length
    edges[0], edges[1:-1], edges[-1] = found.first, found.at, found.stop
    if found.stop >= POS_INF:
        return int(edges[-2])
    (long,) = (edges[1:] - np.maximum(edges[:-1], settled) >= cells).nonzero()
    return int(edges[long[0]]) if len(long) else None


def _first_pair(marks: WindowSignatures, settled: int, step: int) -> tuple[int, int] | None:
    """The equal windows of which the later one is the earliest: where they begin.

    Then their shift is the least period that is a multiple of ``step``: after a lesser one the
    window would have come back before.
    """
    known = len(marks.windows)
    start = int(np.searchsorted(marks.cells[:known], settled))
    phase = marks.cells[start:known] % step
    window = marks.windows[start:]
    order = np.lexsort((phase, window))
    same = window[order][1:] == window[order][:-1]
    same &= phase[order][1:] == phase[order][:-1]
    if not same.any():
        return None
    later = order[1:][same]
    nearest = int(np.argmin(later))
    begin, again = order[:-1][same][nearest], later[nearest]
    return int(marks.cells[start + begin]), int(marks.cells[start + again])


def _onset(found: ChangePoints, period: int, end: int) -> int | None:
    """From which cell on content is what it is a period later, as far as the cell ``end``.

    None if it is not so at the end itself. O(n).
    """
    if not np.array_equal(found.holding(end - period), found.holding(end)):
        return None
    stop = int(np.searchsorted(found.at, end - period, "right"))
    start, last = np.searchsorted(found.at, [found.first + period, end], "right")
    earlier = found.at[:stop], found.what[:stop]
    shifted = found.at[start:last] - period, found.what[start:last]
    shared = min(stop, last - start)
    differs = np.zeros(shared, bool)
    for left, right in zip(earlier, shifted, strict=True):
        differs |= left[stop - shared :] != right[len(right) - shared :]
    behind = shared - 1 - int(np.flatnonzero(differs)[-1]) if differs.any() else shared
    # From the end on they are equal so far; the later of the next two stands in one of them only.
    left_over = [int(at[len(at) - 1 - behind]) for at, _ in (earlier, shifted) if len(at) > behind]
    return max([found.first, *left_over])
