"""Coalescing: the union of the times of equal terms; numbers for equal terms.

Rows are those of `rete.arrays.delta`: terms, then ``lo`` and ``hi`` in cells. Sorted rows are in
the order of their terms, then of ``lo``; maximal ones of a group neither overlap nor touch. All is
vectorised: one sort, O(n log n).
"""

from __future__ import annotations

import numpy as np

from rete.arrays.delta import Column, Rows


def number_rows(*matrices: Rows) -> tuple[Column, ...]:
    """One number for each row, equal where the rows are, in the order of the rows.

    The matrices have the same number of columns, 0 too; numbers are dense, from 0, over them all.
    """
    sizes = [len(matrix) for matrix in matrices]
    together = np.concatenate(matrices)
    order, begins = _ordered(together)
    found = np.empty(len(together), np.int64)
    found[order] = np.cumsum(begins) - 1
    return tuple(np.split(found, np.cumsum(sizes)[:-1]))


def _ordered(matrix: Rows) -> tuple[Column, Column]:
    """The order of rows, and where in it another row than before begins, as 1."""
    n, width = matrix.shape
    order = np.lexsort(matrix.T[::-1]) if width else np.arange(n)
    ranked = matrix[order]
    begins = np.ones(n, np.int64)
    begins[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
    return order, begins


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
