"""Deltas: what travels on the edges of the network.

A delta is a row matrix: an int64 C-contiguous array of shape (n, k + 2), one token a row. The
first k columns are term ids, the last two the valid time ``lo``, ``hi`` in cells, half-open, with
``lo < hi``. One matrix, not a tuple of columns: a kernel call then takes one buffer, and a row of
a join lies in one cache line.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Rows: TypeAlias = npt.NDArray[np.int64]
"""A row matrix, (n, k + 2)."""
Column: TypeAlias = npt.NDArray[np.int64]
"""One column, (n,): ids, cells or positions."""
Cells: TypeAlias = tuple[int, int]
"""A half-open range of cells; of a metric operator the distances, so from 0 on."""

NEG_INF: Final = -(2**62)
POS_INF: Final = 2**62
"""The cells of minus and plus infinity; finite cells stay within ±2^61."""

UNKNOWN_LEVEL: Final = POS_INF
"""The level of a row that has none, as its parts may have different ones. Above all others."""
ROUND_BITS: Final = 20
"""The binary logarithm of the number of levels that one round of derivation has."""


@cache
def empty(width: int) -> Rows:
    """No token of ``width`` terms; always the same matrix, which has no cell to write to."""
    return np.empty((0, width + 2), np.int64)


def concat_or_empty(parts: Iterable[Rows], width: int) -> Rows:
    """All rows of ``parts``, of which there may be none, each of ``width`` terms."""
    return np.concatenate([empty(width), *parts])


def concat(parts: list[Rows]) -> Rows:
    """All rows of ``parts``, which is not empty; a single part is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def distinct(values: Column) -> Column:
    """The values in order, each once. So does `numpy.unique`, but it imports `numpy.ma` first."""
    ordered = np.sort(values, axis=None)
    is_first = np.ones(len(ordered), np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


def columns(positions: Iterable[int]) -> Column:
    """Column positions as kernels take them."""
    return np.array(list(positions), np.int64)
