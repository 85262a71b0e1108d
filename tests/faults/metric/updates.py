"""Faults of live models, detected by random stories of updates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import cache
from typing import Final
from unittest.mock import patch

import numpy as np

from rete.arrays.delta import Rows, columns
from rete.graph.streams import FactTable, Heads
from rete.network import components
from rete.network.layers import Layers
from rete.provenance import backward_evaluation
from rete.provenance.access_paths import AccessPath
from rete.retraction import loss_propagation
from rete.retraction.delete_rederive import DeleteRederive
from rete.retraction.loss_propagation import LossPropagation
from temporal.maintenance import net_change, tail_counts
from temporal.maintenance.end_points import EndPoints
from temporal.maintenance.explicit_data import ExplicitChange, ExplicitData, FactRows
from temporal.maintenance.fact_changes import AtomRows
from temporal.maintenance.tail_counts import ModelTails, TailCounts
from temporal.model.limits import LimitReached
from temporal.mtl.ast import PredicateKey
from temporal.periods.atom_tails import AtomTails, split_tail
from temporal.periods.tails import Tail
from temporal.periods.windows import Repetition, Ruler
from tests.faults.detection import Fault, FaultArea
from tests.generators.metric.updates import UpdateStory, story_of
from tests.simulation.metric.updates import compare_updates


def not_rederived() -> AbstractContextManager[object]:
    """What was deleted and still follows is not derived again."""
    return patch.object(LossPropagation, "reinsert", lambda *_: None)


def circular_support_counts() -> AbstractContextManager[object]:
    """A fact of a circle is kept by the others of it."""

    def not_derived(self: DeleteRederive, table: FactTable, facts: Rows) -> Rows:
        return self._losses.search.not_derived(Heads(table.feeders), facts)

    return patch.object(DeleteRederive, "_not_derived_outside", not_derived)


def parked_rows_stay() -> AbstractContextManager[object]:
    """What waits beyond the horizon is not cancelled with what it was derived from."""
    return patch.object(loss_propagation, "cancel_parked", lambda *_: False)


def deleted_though_still_derived() -> AbstractContextManager[object]:
    """What is explicit no longer is taken for lost, though it is still derived."""
    return patch.object(Layers, "withdrawn", lambda _self, _relation, rows: rows)


def boxes_looked_up_as_rows() -> AbstractContextManager[object]:
    """A box, or a diamond, is taken to hold when what it is of does."""
    return patch.object(backward_evaluation, "_operator", lambda _plan: None)


def rows_have_one_derivation() -> AbstractContextManager[object]:
    """A stream loses a row with any derivation of it."""
    return patch.object(components, "_is_injective", lambda _stream: True)


def first_rows_make_pairs() -> AbstractContextManager[object]:
    """A fact that a join derived is kept by a row of one side alone."""

    def unpaired(self: AccessPath, rows: Rows, places: tuple[int, ...]) -> Rows:
        first = self.first
        key = columns(places)[self.first_key]
        return first.uncovered(rows, key, self.first_index)

    return patch.object(AccessPath, "unpaired", unpaired)


def closed_ends_stay() -> AbstractContextManager[object]:
    """A deletion up to a closed end leaves the instant of that end."""
    right = ExplicitData._delete

    def delete(self: ExplicitData, key: PredicateKey, facts: Rows, cuts: list[Rows]) -> Rows:
        gone = facts.copy()
        gone[:, -1] -= (gone[:, -1] & 1) * (gone[:, -1] - gone[:, -2] > 1)
        return right(self, key, gone, cuts)

    return patch.object(ExplicitData, "_delete", delete)


def inserted_before_deleted() -> AbstractContextManager[object]:
    """Facts that are deleted and inserted are gone."""
    right = ExplicitData.change

    def change(self: ExplicitData, delete: FactRows, insert: FactRows) -> ExplicitChange:
        come = right(self, {}, insert)
        return replace(right(self, delete, {}), gained=come.gained)

    return patch.object(ExplicitData, "change", change)


def greatest_period_of_all() -> AbstractContextManager[object]:
    """The period of all atoms is the greatest of theirs, not the least common multiple."""
    return patch.object(tail_counts, "common_period", lambda periods: max(periods, default=0))


def old_period_kept() -> AbstractContextManager[object]:
    """Tails that went are counted on."""
    right = TailCounts._count

    def count(self: TailCounts, rows: Sequence[Rows], tail: Tail, sign: int) -> None:
        if sign > 0:
            right(self, rows, tail, sign)

    return patch.object(TailCounts, "_count", count)


def periods_not_reduced() -> AbstractContextManager[object]:
    """Each atom has the period of all, though it may repeat sooner."""

    def split(rows: Rows, count: int, first: int, onset: int, period: int) -> AtomTails:
        found = split_tail(rows, count, first, onset, period)
        return replace(found, period=np.where(found.period > 0, period, 0))

    return patch.object(tail_counts, "split_tail", split)


def ruler_not_followed() -> AbstractContextManager[object]:
    """The end points that went and came are those of before."""
    return patch.object(EndPoints, "change", lambda *_: None)


def changes_on_the_left_forgotten() -> AbstractContextManager[object]:
    """What lies before the data is not changed."""
    right = ModelTails.update

    def update(
        self: ModelTails,
        _left: Mapping[PredicateKey, AtomRows],
        changed: Mapping[PredicateKey, AtomRows],
        ruler: Ruler,
        known: tuple[int, int],
    ) -> bool:
        return right(self, {}, changed, ruler, known)

    return patch.object(ModelTails, "update", update)


def differences_not_aligned() -> AbstractContextManager[object]:
    """The difference of two models repeats from where the nearer one does."""

    def aligned(one: Repetition, _other: Repetition) -> Repetition:
        return right(one, one)

    right = net_change._aligned
    return patch.object(net_change, "_aligned", aligned)


def what_came_back_is_lost() -> AbstractContextManager[object]:
    """What was deleted and rederived counts as lost, and as gained."""

    def united(first: net_change._Net, second: net_change._Net) -> net_change._Net:
        return net_change._Net(
            np.concatenate([first.gained, second.gained]), np.concatenate([first.lost, second.lost])
        )

    return patch.object(net_change, "_united", united)


FAULTS: Final[tuple[Fault, ...]] = (
    not_rederived,
    circular_support_counts,
    parked_rows_stay,
    deleted_though_still_derived,
    boxes_looked_up_as_rows,
    rows_have_one_derivation,
    first_rows_make_pairs,
    closed_ends_stay,
    inserted_before_deleted,
    greatest_period_of_all,
    old_period_kept,
    periods_not_reduced,
    ruler_not_followed,
    changes_on_the_left_forgotten,
    differences_not_aligned,
    what_came_back_is_lost,
)


@cache
def _story_of(seed: int) -> UpdateStory:
    return story_of(seed)


def _update_differs(seed: int, fault: Fault) -> bool:
    """Is a live model another one than that which is derived anew?"""
    with suppress(LimitReached), fault():
        _, found = compare_updates(_story_of(seed), by_definition=False)
        return found is not None
    return False


AREA: Final = FaultArea(
    FAULTS, _update_differs, first=(0, 2, 9, 11, 21, 28, 77, 119, 133, 422, 657)
)
