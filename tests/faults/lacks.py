"""Faults of what is said to lack where a fact does not hold, detected by random programs."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from r4.explain.question import blocking_facts, operand_lacks
from r4.explain.question.known_state import KnownState
from rete.graph.plan import MetricOperator
from rete.nodes.metric.since import Since
from rete.storage.interval_sets import coalesce, intersect, subtract
from tests.faults.detection import Fault, FaultArea
from tests.simulation.explanation import rif_lacks
from tests.simulation.metric import lacks as mtl_lacks

if TYPE_CHECKING:
    from r4.explain.lacks import OperandLack
    from rete.storage.interval_sets import CellInterval, IntervalSet

Planted = AbstractContextManager[object]


def all_of_the_time() -> Planted:
    """The operand of a box is said to lack at all times that the box is about."""
    return patch.object(operand_lacks, "subtract", lambda one, _: one)


def first_gap_alone() -> Planted:
    """Of several gaps the first is told, and the last is lost if there is but one."""
    return patch.object(operand_lacks, "subtract", lambda *given: subtract(*given)[1:])


def earliest_right_side() -> Planted:
    """Of Since the earliest time of the right side is told, not the latest."""
    return patch.object(operand_lacks, "_latest", lambda rows: min(rows, key=lambda row: row[-1]))


def a_gap_too_long() -> Planted:
    """The left side of Since is asked for at the time of the right side, too."""

    def longer(one: CellInterval, other: CellInterval) -> CellInterval:
        return intersect((one[0] - 1, one[1] + 1), other)

    return patch.object(operand_lacks, "intersect", longer)


def reach_too_short() -> Planted:
    """Diamonds and boxes are said to look a cell less far than they do."""
    right = MetricOperator.reach

    def shorter(plan: MetricOperator, pair: CellInterval) -> tuple[CellInterval, ...]:
        ((lo, hi),) = right(plan, pair)
        return ((lo + (hi - lo > 1), hi),)

    return patch.object(MetricOperator, "reach", shorter)


def reach_of_since_too_short() -> Planted:
    """Since is said not to look as far as it does."""
    right = Since.reach

    def shorter(plan: Since, pair: CellInterval) -> tuple[CellInterval, ...]:
        psi, phi = right(plan, pair)
        return ((psi[0] + 1, psi[1]), phi) if psi[1] - psi[0] > 2 else (psi, phi)

    return patch.object(Since, "reach", shorter)


def neighbours_exchanged() -> Planted:
    """What held last is told as what holds next."""
    right = operand_lacks._with_neighbours

    def exchanged(*given: Any) -> OperandLack:
        found = right(*given)
        return replace(found, last=found.next, next=found.last)

    return patch.object(operand_lacks, "_with_neighbours", exchanged)


def parts_of_intervals() -> Planted:
    """An interval is told from a cell after its begin on."""
    right = KnownState.maximal

    def later(*given: Any) -> CellInterval | None:
        found = right(*given)
        return found if found is None else (min(found[0] + 1, found[1] - 1), found[1])

    return patch.object(KnownState, "maximal", later)


def what_blocks_ends_early() -> Planted:
    """Facts that a negation forbids are looked for a cell too late."""

    def shifted(pairs: Any) -> IntervalSet:
        return tuple((lo + 1, hi + 1) for lo, hi in coalesce(pairs))

    return patch.object(blocking_facts, "coalesce", shifted)


def not_shifted() -> Planted:
    """What is far from the data is told where it was found."""
    return patch.object(KnownState, "told", lambda _, pair: pair)


def _of_rif(seed: int, fault: Fault) -> bool:
    with fault():
        try:
            rif_lacks.check(seed)
        except AssertionError:
            return True
    return False


def _of_mtl(seed: int, fault: Fault) -> bool:
    with fault():
        try:
            mtl_lacks.check(seed)
        except AssertionError:
            return True
    return False


_BOTH: Final = (
    all_of_the_time,
    a_gap_too_long,
    reach_too_short,
    reach_of_since_too_short,
    neighbours_exchanged,
    parts_of_intervals,
)
RIF: Final = FaultArea(
    (*_BOTH, first_gap_alone, earliest_right_side, what_blocks_ends_early), _of_rif, cases=400
)
MTL: Final = FaultArea((*_BOTH, not_shifted), _of_mtl, cases=400)
