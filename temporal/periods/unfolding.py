"""Unfolding: the rows of one period, repeated over a stretch of time; united, reflected.

All functions take the rows of one relation and look to the right; the left side is the mirror
image (`reflect`). Rows are maximal, and so are all results but those of `repeat_rows`.
"""

from __future__ import annotations

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.kernels import clip


def coalesce(rows: Rows) -> Rows:
    """The maximal intervals of equal terms [Bohlen96], in the order of terms, then of ``lo``.

    One sort, O(n log n).
    """
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


def repeat_rows(rows: Rows, source: tuple[int, int], lo: int, hi: int) -> Rows:
    """The content of ``source`` in all its repetitions behind it, clipped to ``lo`` to ``hi``.

    Only repetitions that meet ``lo..hi`` are written. O(results).
    """
    begin, period = source[0], source[1] - source[0]
    part = clip(rows, *source)
    first, last = max(1, (lo - begin) // period), (hi - 1 - begin) // period
    if not len(part) or first > last:
        return part[:0]
    repetitions = np.arange(first, last + 1)
    found = np.repeat(part, len(repetitions), axis=0)
    found[:, -2:] += np.tile(repetitions * period, len(part))[:, None]
    return clip(found, lo, hi)


def continue_rows(rows: Rows, source: tuple[int, int], until: int) -> Rows:
    """Rows to the end of ``source``; then for ever what holds in all of it, to ``until`` the rest.

    Rows that do not reach so far stay what they are; nothing is copied if none does.
    """
    if not (rows[:, -1] > source[0]).any():
        return rows
    known = clip(rows, int(rows[:, -2].min()), source[1]).copy()
    lasts = (known[:, -2] <= source[0]) & (known[:, -1] >= source[1])
    known[lasts, -1] = POS_INF
    more = repeat_rows(known[~lasts], source, source[1], until)
    return coalesce(np.concatenate([known, more])) if len(more) else known


def reflect_end(cell: int) -> int:
    """The end of a stretch of cells that is reflected, from its begin; and the other way round."""
    return POS_INF if cell <= NEG_INF else NEG_INF if cell >= POS_INF else 1 - cell


def reflect(rows: Rows) -> Rows:
    """The instant t becomes -t; infinite ends stay so. Its own inverse."""
    found = rows.copy()
    lo, hi = rows[:, -2], rows[:, -1]
    found[:, -2] = np.where(hi >= POS_INF, NEG_INF, 1 - hi)
    found[:, -1] = np.where(lo <= NEG_INF, POS_INF, 1 - lo)
    return found
