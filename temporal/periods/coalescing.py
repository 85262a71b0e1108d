"""Coalescing: the union of the times of equal terms; numbers for equal terms.

Rows are those of `rete.arrays.delta`: terms, then ``lo`` and ``hi`` in cells. Sorted rows are in
the order of their terms, then of ``lo``; maximal ones of a group neither overlap nor touch. All is
vectorised: one sort, O(n log n).
"""

from __future__ import annotations

import numpy as np

from rete import kernels
from rete.arrays.delta import Column, Rows


def number_rows(*matrices: Rows) -> tuple[Column, ...]:
    """One number for each row, equal where the rows are, in the order in which they come. O(n).

    The matrices have the same number of columns, 0 too; numbers are dense, from 0, over them all.
    """
    _, found = kernels.distinct(np.concatenate(matrices))
    if len(matrices) == 1:
        return (found,)
    return tuple(np.split(found, np.cumsum([len(matrix) for matrix in matrices])[:-1]))


def coalesce(rows: Rows) -> Rows:
    """The maximal intervals of each group, sorted [Bohlen96]."""
    n, width = rows.shape
    if n < 2:  # noqa: PLR2004 - one row is what it is
        return rows.copy()
    ranked = rows[np.lexsort(rows[:, :-1].T[::-1])]
    hi = ranked[:, -1]
    begins = np.ones(n, bool)
    begins[1:] = (ranked[1:, : width - 2] != ranked[:-1, : width - 2]).any(axis=1)
    # The greatest end so far in each group: ends by rank, so that a group fits above another.
    by_end = np.sort(hi)
    rank = np.searchsorted(by_end, hi)
    base = np.cumsum(begins) * n
    reached = by_end[np.maximum.accumulate(base + rank) - base]
    begins[1:] |= ranked[1:, -2] > reached[:-1]
    found = ranked[begins]
    stops = np.append(np.flatnonzero(begins)[1:], n) - 1
    found[:, -1] = reached[stops]
    return found
