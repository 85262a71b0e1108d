"""Difference and union of periodic models [DRedMTL26, Algorithms 3 and 4].

Two models have different periods, which begin at different places. Both are extended to the least
common multiple of their periods (Ext), from the outer one of the two places on (Aln); from there on
their difference and their union have that period, too. Where a model is constant it has any period.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeAlias, TypeVar

import numpy as np

from rete.arrays.delta import Rows
from rete.storage.row_algebra import subtract
from temporal.periods.atom_tails import common_period
from temporal.periods.coalescing import coalesce
from temporal.periods.periodic_model import PeriodicModel, outer_cell
from temporal.periods.windows import Repetition

K = TypeVar("K", bound=Hashable)
RowOperation: TypeAlias = Callable[[Rows, Rows], Rows]


def subtract_models(one: PeriodicModel[K], other: PeriodicModel[K]) -> PeriodicModel[K]:
    """What holds in ``one`` only (⊖).

    O(n) in the rows of both, written out for a common period on each side.
    """
    return _combine(one, other, one.facts, lambda mine, less: coalesce(subtract(mine, less)))


def unite_models(one: PeriodicModel[K], other: PeriodicModel[K]) -> PeriodicModel[K]:
    """What holds in one of them (⊎). Costs what `subtract_models` does."""
    names = {**one.facts, **other.facts}
    return _combine(one, other, names, lambda mine, more: coalesce(np.concatenate([mine, more])))


def _combine(
    one: PeriodicModel[K], other: PeriodicModel[K], names: Iterable[K], operation: RowOperation
) -> PeriodicModel[K]:
    past = _aligned(one.left.mirrored(), other.left.mirrored())
    right = _aligned(one.right, other.right)
    begin, end = 1 - outer_cell(past), outer_cell(right)
    found: dict[K, Rows] = {}
    for name in names:
        width = (one.facts if name in one.facts else other.facts)[name].shape[1]
        parts = [model.unfold_relation(name, begin, end, width) for model in (one, other)]
        rows = operation(*parts)
        if len(rows):
            found[name] = rows
    ahead = any((rows[:, -1] > right.source[0]).any() for rows in found.values())
    back = any((rows[:, -2] < 1 - past.source[0]).any() for rows in found.values())
    return PeriodicModel.of(found, _filled(past, back).mirrored(), _filled(right, ahead))


def _aligned(one: Repetition, other: Repetition) -> Repetition:
    """The repetition that both have, to the right: outside of both, with a common period."""
    turn = common_period([0 if side.is_constant else 2 * side.shift for side in (one, other)])
    instant = max(outer_cell(one), outer_cell(other)) // 2
    begin = 2 * instant + 1
    return Repetition(
        instant,
        instant + max(turn // 2, 1),
        0,
        (begin, begin + max(turn, 1)),
        is_empty=False,
        is_constant=not turn,
    )


def _filled(side: Repetition, holds: bool) -> Repetition:  # noqa: FBT001 - private
    return Repetition(
        side.near, side.far, side.width, side.source, not holds, side.is_constant or not holds
    )
