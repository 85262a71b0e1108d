"""Sets of cells as maximal intervals in order, and what metric operators make of them.

Few and short, so in plain Python; what an operator does to one interval says its kernel.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Final, TypeAlias

import numpy as np

from rete import kernels
from rete.delta import NEG_INF, POS_INF
from rete.plan import Cells, Dilate, Erode, Since

Pair: TypeAlias = tuple[int, int]
"""A half-open interval of cells."""
Spans: TypeAlias = tuple[Pair, ...]
"""Pairs that neither overlap nor touch, in order."""

EVER: Final[Pair] = (NEG_INF, POS_INF)


def united(pairs: Iterable[Pair]) -> Spans:
    """The maximal intervals of ``pairs``."""
    found: list[Pair] = []
    for lo, hi in sorted(pairs):
        if found and lo <= found[-1][1]:
            if hi > found[-1][1]:
                found[-1] = found[-1][0], hi
        elif lo < hi:
            found.append((lo, hi))
    return tuple(found)


def met(one: Spans, other: Spans) -> Spans:
    """What is in both."""
    if one == other or not one:
        return one
    found: list[Pair] = []
    i = j = 0
    while i < len(one) and j < len(other):
        (lo, hi), (begin, end) = one[i], other[j]
        begin = max(lo, begin)
        if hi < end:
            i += 1
            end = hi
        else:
            j += 1
        if begin < end:
            found.append((begin, end))
    return tuple(found)


def meet(*pairs: Pair) -> Pair:
    """What is common to intervals; empty if it does not begin before it ends."""
    return max((lo for lo, _ in pairs), default=NEG_INF), min(
        (hi for _, hi in pairs), default=POS_INF
    )


def without(one: Spans, other: Spans) -> Spans:
    """What is in ``one`` only."""
    gaps: list[Pair] = []
    at = NEG_INF
    for lo, hi in other:
        gaps.append((at, lo))
        at = hi
    gaps.append((at, POS_INF))
    return met(one, tuple(pair for pair in gaps if pair[0] < pair[1]))


def run_at(spans: Spans, cell: int) -> Pair | None:
    """The interval that has ``cell``."""
    place = bisect_right(spans, cell, key=lambda pair: pair[0]) - 1
    return spans[place] if place >= 0 and cell < spans[place][1] else None


def dilated(pair: Pair, rho: Cells, *, future: bool) -> Pair:
    """When ``pair`` was at some distance in ``rho``; the same the other way is where to look."""
    ((lo, hi),) = kernels.dilate(np.array([pair], np.int64), *rho, future).tolist()
    return lo, hi


def operated(plan: Dilate | Erode, spans: Spans) -> Spans:
    """A diamond or a box."""
    if not spans:
        return ()
    kernel = kernels.dilate if isinstance(plan, Dilate) else kernels.erode
    found = kernel(np.array(spans, np.int64), *plan.rho, plan.future)
    return united((lo, hi) for lo, hi in found.tolist())


def since(plan: Since, phi: Pair | None, psi: Pair) -> Spans:
    """When ``psi`` held at a distance in the range, and ``phi``, an interval, ever since."""
    found = [psi] if plan.rho[0] == 0 else []
    if phi is not None:
        closed = closure(phi)
        inside = meet(psi, closed)
        if inside[0] < inside[1]:
            found.append(meet(dilated(inside, plan.rho, future=plan.future), closed))
    return united(found)


def closure(pair: Pair) -> Pair:
    """With its finite ends."""
    lo, hi = pair
    return lo if lo <= NEG_INF else lo & ~1, hi if hi >= POS_INF else hi | 1
