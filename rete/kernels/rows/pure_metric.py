"""Metric kernels in plain Python: what `rete.kernels.rows._metric` computes, readable.

Times are half-open in cells, and so is a range ``rho = (r_lo, r_hi)``. Infinite ends are the cells
±2^62 and stay so; an end that would lie beyond them is infinite. The future twin of an operator is
the past one between two reflections.
"""

from __future__ import annotations

import sys

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.kernels.rows.pure_matrix import matrix
from rete.kernels.rows.pure_probes import Time, pairs
from rete.kernels.rows.pure_store import Index


def dilate(rows: Rows, r_lo: int, r_hi: int, future: bool) -> Rows:  # noqa: FBT001
    """When a row held at some distance in the range before, or after, now: a Minkowski sum.

    Diamonds [Brandt18]. Row by row, in order; the results may overlap.
    """
    found = rows.copy()
    for row, time in zip(found, rows[:, -2:].tolist(), strict=True):
        row[-2:] = _reflected(_dilated(_reflected(time, future), r_lo, r_hi), future)
    return found


def erode(rows: Rows, r_lo: int, r_hi: int, future: bool) -> Rows:  # noqa: FBT001
    """When a row held at every distance in the range before, or after, now; only rows that did.

    Boxes [Brandt18]. Right for the maximal intervals of each group of equal terms; then the results
    are maximal too, and in their order.
    """
    found: list[list[int]] = []
    for *terms, begin, end in rows.tolist():
        lo, hi = _reflected(_eroded(_reflected((begin, end), future), r_lo, r_hi), future)
        if lo < hi:
            found.append([*terms, lo, hi])
    return matrix(found, rows.shape[1] - 2)


def probe_eroded(
    delta: Rows,
    delta_key: Column,
    index: Index,
    limit: int,
    keep: Column,
    r_lo: int,
    r_hi: int,
    future: bool,  # noqa: FBT001
    most: int = sys.maxsize,
) -> tuple[Rows, int]:
    """As `rete.kernels.rows.pure_probes.probe` of eroded stored rows; these must be maximal."""

    def box(_own: Time, stored: Time) -> Time:
        return _reflected(_eroded(_reflected(stored, future), r_lo, r_hi), future)

    return pairs(delta, delta[:, -2:], delta_key, index, limit, keep, box, most)


def probe_since(
    delta: Rows,
    times: Rows,
    delta_key: Column,
    index: Index,
    limit: int,
    keep: Column,
    r_lo: int,
    r_hi: int,
    future: bool,  # noqa: FBT001
    psi_is_stored: bool,  # noqa: FBT001
    most: int = sys.maxsize,
) -> tuple[Rows, int]:
    """When psi held at a distance in the range, and a maximal interval J of phi ever since.

    Since, and Until for ``future`` [Brandt18]: ``dilate(psi ∩ cl J) ∩ cl J``, for between two
    points of the closure of J all is in J. Pairs are those of
    `rete.kernels.rows.pure_probes.probe`, but need not overlap: ``delta`` has the times within
    which they are wanted, and ``times``, (n, 2), those at which its rows hold. They are psi, or the
    maximal intervals of phi if ``psi_is_stored``.
    """

    def since(own: Time, stored: Time) -> Time:
        mine, theirs = _reflected(own, future), _reflected(stored, future)
        phi, psi = (mine, theirs) if psi_is_stored else (theirs, mine)
        return _reflected(_since(phi, psi, r_lo, r_hi), future)

    return pairs(delta, times, delta_key, index, limit, keep, since, most)


def _reflected(time: Time | list[int], future: bool) -> Time:  # noqa: FBT001
    """Past and future exchanged, if it is about the future: the instant t becomes -t."""
    lo, hi = time
    if not future:
        return lo, hi
    return (NEG_INF if hi >= POS_INF else 1 - hi), (POS_INF if lo <= NEG_INF else 1 - lo)


def _dilated(time: Time, r_lo: int, r_hi: int) -> Time:
    lo, hi = time
    return _sum(lo, r_lo, lo & r_lo & 1), _sum(hi, r_hi, (hi | r_hi) & 1)


def _eroded(time: Time, r_lo: int, r_hi: int) -> Time:
    """Empty, if it does not reach back far enough: for an infinite range, if it has a begin."""
    lo, hi = time
    if r_hi >= POS_INF:
        begin = NEG_INF if lo <= NEG_INF else POS_INF
    else:
        begin = _sum(lo, r_hi, (lo | r_hi) & 1)
    end = _sum(hi, r_lo, hi & r_lo & 1)
    return (begin, end) if begin < end else (0, 0)


def _since(phi: Time, psi: Time, r_lo: int, r_hi: int) -> Time:
    lo = phi[0] if phi[0] <= NEG_INF else phi[0] & ~1
    hi = phi[1] if phi[1] >= POS_INF else phi[1] | 1
    inside = max(lo, psi[0]), min(hi, psi[1])
    if inside[0] >= inside[1]:
        return 0, 0
    begin, end = _dilated(inside, r_lo, r_hi)
    begin, end = max(lo, begin), min(hi, end)
    return (begin, end) if begin < end else (0, 0)


def _sum(end: int, shift: int, excess: int) -> int:
    if shift >= POS_INF:
        return POS_INF
    if end <= NEG_INF or end >= POS_INF:
        return max(NEG_INF, min(POS_INF, end))
    return max(NEG_INF, min(POS_INF, end + shift - excess))
