"""Net changes: what relations have gained and lost in the end, whatever came and went meanwhile."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, TypeVar

from rete.arrays.delta import Cells, Rows, concat, empty
from rete.kernels import concatenate, reaches_beyond
from rete.storage.row_algebra import subtract
from temporal.mtl.ast import PredicateKey
from temporal.periods.atom_tails import common_period
from temporal.periods.periodic_model import PeriodicModel, outer_cell
from temporal.periods.unfolding import coalesce
from temporal.periods.windows import Repetition

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class ModelChange:
    """A model before and after an update, without some of what is the same in both.

    The difference is made when it is asked for: where both sides repeat, it is written out for a
    common period.
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
    return replace(side, is_empty=not holds, is_constant=side.is_constant or not holds)


class _Net(NamedTuple):
    """Rows gained and lost; all are disjoint."""

    gained: Rows
    lost: Rows


class NetChange:
    """What the facts of one relation gained and lost since the last `clear`: disjoint, as sets.

    Observes a table (`rete.storage.derived_facts.TableObserver`): each gain is of what the table
    did not have, each loss of what it had. So nothing is compared until the result is asked for:
    O(n log k) in the rows, where gains follow losses, or losses gains, k times.

    Attributes:
        rows_gained, rows_lost: how many rows it was told of.
        is_any: whether it was told of any.
    """

    __slots__ = ("_arity", "_log", "is_any", "rows_gained", "rows_lost")

    def __init__(self, arity: int) -> None:
        self._arity = arity
        self.clear()

    def clear(self) -> None:
        """Begin anew: nothing has changed."""
        self._log: list[tuple[bool, Rows]] = []
        self.rows_gained = self.rows_lost = 0
        self.is_any = False

    def gain(self, rows: Rows) -> None:
        """Facts that it has from now on."""
        self.is_any = True
        self.rows_gained += len(rows)
        self._log.append((True, rows))

    def lose(self, rows: Rows) -> None:
        """Facts that it has no longer."""
        self.is_any = True
        self.rows_lost += len(rows)
        self._log.append((False, rows))

    def found(self, within: Cells | None = None) -> tuple[Rows, Rows] | None:
        """What it has gained, and what it has lost, disjoint; rows may touch. None: nothing.

        Given the cells ``within``, what came or went there may be amiss: only others are asked for.
        """
        log = self._log
        if within is not None:
            log = [each for each in log if reaches_beyond(each[1], *within)]
        if not log:
            return None
        none, parts = empty(self._arity), []
        for gained, run in groupby(log, itemgetter(0)):
            rows = concat([each for _, each in run])
            parts.append(_Net(rows, none) if gained else _Net(none, rows))
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=False)
            parts = [*(_united(*pair) for pair in pairs), *parts[len(parts) & ~1 :]]
        return parts[0]


def _united(first: _Net, second: _Net) -> _Net:
    """Two changes, one after the other."""
    return _Net(
        concatenate([subtract(first.gained, second.lost), subtract(second.gained, first.lost)]),
        concatenate([subtract(first.lost, second.gained), subtract(second.lost, first.gained)]),
    )
