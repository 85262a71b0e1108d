"""Signatures of windows: numbers that are equal where the contents of two windows are.

The content of a window is what holds in its first cell, and what changes behind it, how far
behind. Each fact has a number drawn from a fixed seed, and a signature is the sum of those that
hold in the first cell and of those that change, times a base to the power of the distance: sums
over a window are differences of sums from the first, so no window is looked through.

Two remainders, of primes below 2^31, make 62 bits. Equal signatures are a hint, which is to be
verified; different ones are proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from rete.arrays.delta import Column
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
