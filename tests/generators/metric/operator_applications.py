"""Random applications of metric operators: rows beside what the definition says of each group."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Rows
from temporal.intervals.interval import Interval
from temporal.periods.unfolding import coalesce
from tests.oracles.metric.operators import CellRange, Stretch, Truth

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tests.generators.draw import Draw

STRETCH: Final = Stretch(-45, 45)
"""Ends of intervals lie within ±`SPAN`, of ranges within `REACH`: results are constant beyond."""
SPAN: Final = 9
REACH: Final = 7


@dataclass(frozen=True, slots=True)
class Input:
    """Rows, maximal and sorted, and what they say of each group."""

    rows: Rows
    truths: Mapping[tuple[int, ...], Truth]


def rho(draw: Draw) -> Interval:
    """A range with any ends, the point and the infinite among them."""
    left = Fraction(draw.integer(0, REACH))
    if draw.chance(15):
        return Interval(left, None, draw.chance(50))
    right = Fraction(draw.integer(int(left), REACH))
    found = Interval(left, right, draw.chance(60), draw.chance(60))
    return Interval(left, right) if found.is_empty else found


def runs(draw: Draw) -> list[tuple[int, int]]:
    """Runs of cells that may overlap and touch; few or none, and near or far from each other."""
    found: list[tuple[int, int]] = []
    for _ in range(draw.integer(0, 5)):
        lo = draw.integer(-2 * SPAN, 2 * SPAN)
        length = draw.weighted((3, 1), (3, draw.integer(1, 4)), (2, draw.integer(1, 16)))
        hi = min(lo + length, 2 * SPAN + 1)
        lo = NEG_INF if draw.chance(4) else lo
        found.append((lo, POS_INF if draw.chance(4) else hi))
    return found


def drawn(draw: Draw, groups: Iterable[tuple[int, ...]], width: int) -> Input:
    """Some intervals for each group, coalesced."""
    rows: list[tuple[int, ...]] = []
    truths: dict[tuple[int, ...], Truth] = {}
    for terms in groups:
        found = runs(draw)
        rows += [(*terms, lo, hi) for lo, hi in found]
        truth = 0
        for lo, hi in found:
            truth |= STRETCH.between(None if lo == NEG_INF else lo, None if hi == POS_INF else hi)
        if truth:
            truths[terms] = truth
    order = draw.some(rows, len(rows), len(rows))
    return Input(coalesce(np.array(order, np.int64).reshape(-1, width + 2)), truths)


def truths_of(rows: Rows) -> dict[tuple[int, ...], Truth]:
    """What rows say, group by group."""
    found: dict[tuple[int, ...], Truth] = {}
    for *terms, lo, hi in rows.tolist():
        key = tuple(terms)
        truth = STRETCH.between(None if lo == NEG_INF else lo, None if hi == POS_INF else hi)
        found[key] = found.get(key, 0) | truth
    return found


def of_range(interval: Interval) -> CellRange:
    return CellRange.of(interval, 1)


def without_empty(
    truths: Iterable[tuple[tuple[int, ...], Truth]],
) -> dict[tuple[int, ...], Truth]:
    """Their union by group, those that never hold left out."""
    found: dict[tuple[int, ...], Truth] = {}
    for terms, truth in truths:
        if truth:
            found[terms] = found.get(terms, 0) | truth
    return found


def groups(draw: Draw, domains: Sequence[int]) -> list[tuple[int, ...]]:
    """All combinations of a few terms, of each column as many as given."""
    found: list[tuple[int, ...]] = [()]
    for count in domains:
        names = [draw.integer(1, 10**6) * 10 + n for n in range(count)]
        found = [(*terms, name) for terms in found for name in names]
    return found
