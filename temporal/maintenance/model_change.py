"""The net change of a model: what holds now that did not, and what held that does not.

The two models have different periods, which begin at different places. Both are extended to the
least common multiple of their periods (Ext), from the outer one of the two places on (Aln); from
there on their difference has that period, too [DRedMTL26, Algorithms 3 and 4]. Where a model is
constant it has any period.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypeVar

from rete.arrays.delta import Rows
from rete.storage.row_algebra import subtract
from temporal.mtl.ast import PredicateKey
from temporal.periods.atom_tails import common_period
from temporal.periods.periodic_model import PeriodicModel, outer_cell
from temporal.periods.unfolding import coalesce
from temporal.periods.windows import Repetition

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class ModelChange:
    """A model before and after an update, without what is the same in both.

    Some of it may still be the same. The difference is made when it is asked for: where both sides
    repeat, it is written out for a common period.

    Attributes:
        before: what held, explicit and derived.
        after: what holds.
    """

    before: PeriodicModel[PredicateKey]
    after: PeriodicModel[PredicateKey]

    @property
    def gained(self) -> PeriodicModel[PredicateKey]:
        """What holds now and did not before; a periodic model itself."""
        return subtract_models(self.after, self.before)

    @property
    def lost(self) -> PeriodicModel[PredicateKey]:
        """What held before and does not now."""
        return subtract_models(self.before, self.after)


def subtract_models(one: PeriodicModel[K], other: PeriodicModel[K]) -> PeriodicModel[K]:
    """What holds in ``one`` only (⊖).

    O(n) in the rows of both, written out for a common period on each side.
    """
    past = _aligned(one.left.mirrored(), other.left.mirrored())
    right = _aligned(one.right, other.right)
    begin, end = 1 - outer_cell(past), outer_cell(right)
    found: dict[K, Rows] = {}
    for name, of in one.facts.items():
        mine, less = (
            model.unfold_relation(name, begin, end, of.shape[1]) for model in (one, other)
        )
        rows = coalesce(subtract(mine, less))
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
