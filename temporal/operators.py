"""Metric operators as pure functions from rows to rows.

A row is a token [`rete.delta`]: terms, then its time ``lo..hi`` in cells, half-open. A range is
``rho = (lo, hi)`` in cells too, `Interval.cells`. Infinite ends are the cells ±2^62 and stay so;
an end that would lie beyond them is infinite [decision 2]. A finite result beyond ±2^61 is for the
caller to refuse.

`dilate` (diamonds, and boxes in heads) is linear: row by row, in their order, and the results may
overlap. `erode` (boxes), `since` and `until` want the maximal intervals of each group of equal
terms, on which they are right; `erode` leaves them maximal, the others give sorted maximal rows.

The future twin of an operator is the past one between two reflections.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from rete.delta import NEG_INF, POS_INF, Column, Rows
from temporal.coalescing import coalesce, numbered

Cells: TypeAlias = tuple[int, int]
"""A range, half-open in cells."""


def reflect(rows: Rows) -> Rows:
    """Past and future exchanged: the instant t becomes -t. Its own inverse."""
    found = rows.copy()
    lo, hi = rows[:, -2], rows[:, -1]
    found[:, -2] = np.where(hi >= POS_INF, NEG_INF, 1 - hi)
    found[:, -1] = np.where(lo <= NEG_INF, POS_INF, 1 - lo)
    return found


def dilate(rows: Rows, rho: Cells, *, future: bool = False) -> Rows:
    """When a row held at some distance in ``rho`` before, or after, now: a Minkowski sum.

    Diamonds [Brandt18]. What a head under BoxPlus concludes is the past one, under BoxMinus the
    future one.
    """
    if future:
        return reflect(dilate(reflect(rows), rho))
    found = rows.copy()
    found[:, -2] = _sum(rows[:, -2], rho[0], rows[:, -2] & rho[0] & 1)
    found[:, -1] = _sum(rows[:, -1], rho[1], (rows[:, -1] | rho[1]) & 1)
    return found


def erode(rows: Rows, rho: Cells, *, future: bool = False) -> Rows:
    """When a row held at every distance in ``rho`` before, or after, now; only rows that did.

    Boxes [Brandt18]. The rows must be the maximal intervals of their groups; sorted ones stay so.
    """
    if future:
        return reflect(erode(reflect(rows), rho))
    lo, hi = rows[:, -2], rows[:, -1]
    found = rows.copy()
    found[:, -2] = _left_of_box(lo, rho[1])
    found[:, -1] = _sum(hi, rho[0], hi & rho[0] & 1)
    return found[found[:, -2] < found[:, -1]]


class Meeting(NamedTuple):
    """How the terms of two inputs belong together.

    Attributes:
        phi, psi: Columns of the one and of the other that are equal, pairwise.
    """

    phi: tuple[int, ...]
    psi: tuple[int, ...]


def since(phi: Rows, psi: Rows, on: Meeting, rho: Cells, *, future: bool = False) -> Rows:
    """``psi`` at some distance in ``rho`` before now, ``phi`` at every point strictly between.

    Since, and Until for ``future`` [Brandt18]. For each maximal interval J of phi it is
    ``dilate(psi ∩ cl J) ∩ cl J``, for between two points of the closure of J all is in J. With 0 in
    the range psi itself is enough.

    The terms of a result are those of psi, then those of phi that are not in ``on``: only the first
    if 0 is in the range, as psi alone says nothing of the others.

    ``phi`` must be maximal in its groups. Sorted maximal rows; O(n log n) in the rows and in the
    pairs of them that meet.
    """
    if future:
        return coalesce(reflect(since(reflect(phi), reflect(psi), on, rho)))
    k = psi.shape[1] - 2
    others = [at for at in range(phi.shape[1] - 2) if at not in on.phi]
    closed = phi.copy()
    closed[:, -2] = np.where(phi[:, -2] <= NEG_INF, NEG_INF, phi[:, -2] & ~1)
    closed[:, -1] = np.where(phi[:, -1] >= POS_INF, POS_INF, phi[:, -1] | 1)
    left, right = _meeting(closed, psi, on)
    inside = np.empty((len(left), k + 2), np.int64)
    inside[:, :k] = psi[right, :k]
    inside[:, -2] = np.maximum(closed[left, -2], psi[right, -2])
    inside[:, -1] = np.minimum(closed[left, -1], psi[right, -1])
    moved = dilate(inside, rho)
    moved[:, -2] = np.maximum(closed[left, -2], moved[:, -2])
    moved[:, -1] = np.minimum(closed[left, -1], moved[:, -1])
    if rho[0] == 0:
        found = np.concatenate([moved, psi])
    else:
        found = np.column_stack([moved[:, :k], closed[left][:, others], moved[:, k:]])
    return coalesce(found[found[:, -2] < found[:, -1]])


def until(phi: Rows, psi: Rows, on: Meeting, rho: Cells) -> Rows:
    """``psi`` at some distance in ``rho`` after now, ``phi`` at every point strictly between."""
    return since(phi, psi, on, rho, future=True)


def _meeting(phi: Rows, psi: Rows, on: Meeting) -> tuple[Column, Column]:
    """Positions of the pairs that agree and overlap in time.

    The intervals of a group of phi follow one another in both their ends (closures may share an
    instant), so those that meet a row of psi are a stretch of them.
    """
    key_phi, key_psi = numbered(phi[:, list(on.phi)], psi[:, list(on.psi)])
    (group,) = numbered(np.column_stack([key_phi, phi[:, :-2]]))
    order = np.lexsort((phi[:, -2], group))
    group, lo, hi = group[order], phi[order, -2], phi[order, -1]
    # Each row of psi with each group of its key, which are neighbours.
    firsts = np.flatnonzero(np.diff(group, prepend=-1))
    keys = key_phi[order][firsts]
    begin, end = np.searchsorted(keys, key_psi), np.searchsorted(keys, key_psi, "right")
    row = np.repeat(np.arange(len(psi)), end - begin)
    of = _stretches(begin, end)
    # In a group: from the first that ends behind the begin, to the last that begins before the end.
    start = _search(group, hi, of, psi[row, -2], "right")
    stop = _search(group, lo, of, psi[row, -1], "left")
    stop = np.maximum(start, stop)
    return order[_stretches(start, stop)], np.repeat(row, stop - start)


def _search(
    group: Column, ends: Column, wanted: Column, value: Column, side: Literal["left", "right"]
) -> Column:
    """Where ``value`` belongs among the ``ends`` of the group that is wanted; both ascend."""
    known = np.unique(ends)
    step = len(known) + 1
    at = np.searchsorted(known, value, side)
    place = np.searchsorted(known, ends)
    # Ends by rank, groups above one another. Behind all that are at most (right) or less (left).
    found: Column = np.searchsorted(group * step + place, wanted * step + at, "left")
    return found


def _stretches(begin: Column, end: Column) -> Column:
    """The numbers from each begin to its end, one stretch behind the other."""
    lengths = end - begin
    total = int(lengths.sum())
    skipped = np.repeat(np.cumsum(lengths) - lengths, lengths)
    found: Column = np.arange(total) - skipped + np.repeat(begin, lengths)
    return found


def _sum(ends: Column, shift: int, excess: Column) -> Column:
    """``ends + shift - excess``; infinite where one of the two is, or where it would lie beyond."""
    if shift >= POS_INF:
        return np.full_like(ends, POS_INF)
    total = np.clip(ends + shift - excess, NEG_INF, POS_INF)
    return np.where(ends <= NEG_INF, NEG_INF, np.where(ends >= POS_INF, POS_INF, total))


def _left_of_box(lo: Column, shift: int) -> Column:
    """From when on an interval reaches back far enough: −∞ only if it has no begin."""
    if shift >= POS_INF:
        return np.where(lo <= NEG_INF, NEG_INF, POS_INF)
    return _sum(lo, shift, (lo | shift) & 1)
