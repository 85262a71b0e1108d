"""Faults where facts are retracted on which metric operators look back, detected by stories."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Final
from unittest.mock import PropertyMock, patch

from r4.answers.emitter import Emitter
from r4.engine.assertions import Assertions
from rete.arrays.delta import Column, Rows
from rete.network import lookback
from rete.nodes.metric.diamond import Dilate
from rete.storage.base_table import BaseTable, FactRetention
from rete.storage.derived_facts import TickFacts, round_to_ticks
from tests.faults.detection import Fault, FaultArea
from tests.simulation.retraction.metric_stories import metric_difference

_TICK: Final = 2
"""Cells."""


def final_answers_change() -> AbstractContextManager[object]:
    """What is gained and lost before the frontier is not cut off there."""

    def opened(_: TickFacts, rows: Rows, bound: int) -> Rows:  # noqa: ARG001 - not cut there
        return round_to_ticks(rows)

    return patch.object(TickFacts, "_open", opened)


def rows_are_kept_a_tick_less() -> AbstractContextManager[object]:
    """A row that a diamond looks back on is forgotten a tick before it is out of reach."""
    right = Dilate.retention

    def retention(plan: Dilate, own: int, *, retracts: bool) -> Sequence[int]:
        return [max(want - _TICK, 0) for want in right(plan, own, retracts=retracts)]

    return patch.object(Dilate, "retention", retention)


def nested_lookbacks_are_not_added() -> AbstractContextManager[object]:
    """A row is kept for the operator that reads it, not for those above that."""
    right = lookback._need

    def need(node: Any, reader: Any, late: Any, needed: Any, losses: Any) -> int:
        operands = getattr(reader, "sources", ())
        return right(node, reader, late, late if operands else needed, losses)

    return patch.object(lookback, "_need", need)


def facts_are_kept_as_those_that_nothing_names() -> AbstractContextManager[object]:
    """Facts are not kept for patterns of their predicate."""

    def of(retention: FactRetention, facts: Rows) -> Column:
        return right(FactRetention.by_term(retention.place, {}, retention.other), facts)

    right = FactRetention.of
    return patch.object(FactRetention, "of", of)


def retractions_do_not_wait() -> AbstractContextManager[object]:
    """What is retracted counts for instants before the frontier that are not final."""
    return patch.object(Assertions, "_heir", PropertyMock(return_value=None))


def instants_before_a_retraction_stay_open() -> AbstractContextManager[object]:
    """A retraction that waited changes answers before its frontier, too."""
    return patch.object(Emitter, "settle", lambda *_: None)


def half_a_row_is_retracted() -> AbstractContextManager[object]:
    """The part of a fact before the frontier stays, and operators look back on it."""
    right = BaseTable._retract

    def retract(table: BaseTable, *args: Any) -> Rows:
        whole, table.whole = table.whole, False
        facts = right(table, *args)
        table.whole = whole
        return facts

    return patch.object(BaseTable, "_retract", retract)


FAULTS: Final[tuple[Fault, ...]] = (
    final_answers_change,
    rows_are_kept_a_tick_less,
    nested_lookbacks_are_not_added,
    facts_are_kept_as_those_that_nothing_names,
    retractions_do_not_wait,
    instants_before_a_retraction_stay_open,
    half_a_row_is_retracted,
)


def _detects(seed: int, fault: Fault) -> bool:
    with fault():
        return metric_difference(seed, negation=bool(seed % 2))[1] is not None


AREA: Final = FaultArea(FAULTS, _detects, first=(523,))
