"""The history of a Since: of right rows that ended before the frontier only what may still matter.

A right row leads to later times only through a maximal interval of the left side in whose closure
it lies, and which may still go on; other rows are dropped. Of the rows in one such interval,

* if the range is infinite, the first leads to all that later ones lead to: only that is kept;
* if memory is *dense*, rows so near to each other that what they lead to overlaps or touches are
  replaced by their hull, which leads to the same: the right side holds *often enough* in it
  [Walega19, Tables 4 and 5]. So as many rows are kept as ranges fit into one another, however often
  the right side holds.

Both are exact, for rows that no later row touches: those of the SteM of the right side are such
once they ended so long ago that it may drop them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Cells, Column, Rows, concat
from rete.arrays.state_codec import Mask
from rete.nodes.metric.box import TOUCHING
from rete.storage.row_algebra import append_term, join_rows
from rete.storage.stem import Stem


class SinceHistory:
    """The right rows of a Since that its SteM has no longer.

    Attributes:
        needed: how many cells what they lead to is needed; see `rete.network.lookback`.
    """

    __slots__ = ("_condenses", "_on", "_rho", "needed", "stem")

    def __init__(
        self, width: int, on: tuple[tuple[int, int], ...], rho: Cells, *, condenses: bool
    ) -> None:
        """Begin without right rows, which have ``width`` columns.

        ``condenses``: whether rows are replaced by hulls. The range leads to the past.
        """
        self._on = on
        self._rho = rho
        self._condenses = condenses
        self.stem = Stem(width, instances=False)
        self.needed = 0

    def update(self, ended: Rows, left: Stem, bound: int) -> None:
        """Take in right rows that ended, and forget what matters no more at ``bound``.

        The left SteM has no rows that matter no more. O(n log n) in these rows.
        """
        rows = concat([self.stem.content(), ended])
        is_endless = self._rho[1] >= POS_INF
        if not is_endless:
            rows = rows[rows[:, -1] > bound - self.needed - self._rho[1] - TOUCHING]
        self.stem.clear()
        if not len(rows) or not left.n:
            return
        rows = _sorted(rows)
        pairs = self._pairs(rows, left)
        if is_endless:
            rows = _first_in_interval(rows, pairs)
        elif self._condenses:
            rows = _hulls(rows, pairs, kernels.dilate(rows, *self._rho, False))  # noqa: FBT003
        else:
            rows = rows[np.unique(pairs.rows)]
        self.stem.absorb(rows, NEG_INF)

    def _pairs(self, rows: Rows, left: Stem) -> _IntervalPairs:
        """Which rows lie in the closure of which left intervals, even in part."""
        intervals = left.content()
        lo, hi = intervals[:, -2], intervals[:, -1]
        intervals[:, -2] = np.where(lo <= NEG_INF, lo, lo & ~1)
        intervals[:, -1] = np.where(hi >= POS_INF, hi, hi | 1)
        mine = [theirs for _, theirs in self._on]
        others = [mine for mine, _ in self._on]
        keep = rows.shape[1] - 2, ~(intervals.shape[1] - 2)
        found = join_rows(
            append_term(rows, np.arange(len(rows))),
            mine,
            append_term(intervals, np.arange(len(intervals))),
            others,
            keep,
        )
        order = np.lexsort((found[:, 1], found[:, 0]))
        places, numbers = found[order, 0], found[order, 1]
        whole = (found[order, -2:] == rows[places, -2:]).all(axis=1)
        return _IntervalPairs(places, numbers, whole)


class _IntervalPairs(NamedTuple):
    """Rows with the intervals in which they lie, by row, then by interval.

    Attributes:
        rows, intervals: (n,) the positions.
        whole: (n,) whether all of the row lies in it.
    """

    rows: Column
    intervals: Column
    whole: Mask


def _sorted(rows: Rows) -> Rows:
    return rows[np.lexsort((rows[:, -2], *rows[:, :-2].T))]


def _same_terms(rows: Rows) -> Mask:
    same: Mask = (rows[1:, :-2] == rows[:-1, :-2]).all(axis=1)
    return same


def _first_in_interval(rows: Rows, pairs: _IntervalPairs) -> Rows:
    groups = np.concatenate([[0], np.cumsum(~_same_terms(rows))])[pairs.rows]
    order = np.lexsort((pairs.rows, groups, pairs.intervals))
    group, interval = groups[order], pairs.intervals[order]
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = (group[1:] != group[:-1]) | (interval[1:] != interval[:-1])
    return rows[np.unique(pairs.rows[order[is_first]])]


def _hulls(rows: Rows, pairs: _IntervalPairs, reached: Rows) -> Rows:
    """The rows in intervals; neighbours in the same ones, if what they reach touches, as a hull.

    ``reached`` are the times that each row leads to.
    """
    counts = np.bincount(pairs.rows, minlength=len(rows))
    in_part = np.bincount(pairs.rows[~pairs.whole], minlength=len(rows)) > 0
    begins = np.cumsum(counts) - counts
    joins = _same_terms(rows) & (counts[1:] == counts[:-1]) & (counts[1:] > 0)
    joins &= ~in_part[1:] & ~in_part[:-1] & (reached[:-1, -1] >= reached[1:, -2])
    # Those of equal counts are compared interval by interval.
    asked = np.flatnonzero(joins)
    places = np.repeat(np.arange(len(asked)), counts[asked])
    steps = np.arange(len(places)) - np.repeat(
        np.cumsum(counts[asked]) - counts[asked], counts[asked]
    )
    mine = pairs.intervals[begins[asked][places] + steps]
    theirs = pairs.intervals[begins[asked + 1][places] + steps]
    joins[asked[np.unique(places[mine != theirs])]] = False
    is_last = np.append(~joins, True)
    is_first = np.concatenate([[True], ~joins])
    found = rows[is_first]
    found[:, -1] = rows[is_last, -1]
    kept: Rows = found[counts[is_first] > 0]
    return kept
