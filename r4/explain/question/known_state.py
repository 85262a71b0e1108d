"""A state with what is known of other instants, for what rules lack."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

import numpy as np

from r4.explain.justification.instant_state import InstantState
from r4.explain.rendering.condition_text import ConditionWriter
from rete.arrays.delta import NEG_INF, POS_INF
from rete.graph.plan import MetricOperator
from rete.graph.streams import Stream
from rete.nodes.scan import Scan
from rete.storage.interval_sets import (
    EVER,
    CellInterval,
    IntervalSet,
    coalesce,
    intersect,
    interval_at,
)
from rete.storage.row_algebra import coalesce as coalesce_rows
from rete.storage.row_algebra import project


@dataclass(frozen=True, slots=True)
class KnownState:
    """A state, how it is written, and at which times all of it is known.

    Attributes:
        known: the cells of which all is known; of others something may have been forgotten.
        settled: the cell up to which nothing can change any more.
        shift: cells from those of the state to those that are told.
        first: numbers of rules that come before others.
    """

    state: InstantState
    wording: ConditionWriter
    known: CellInterval = EVER
    settled: int = POS_INF
    shift: int = 0
    first: Container[int] = ()

    def told(self, pair: CellInterval) -> CellInterval:
        """Cells of the state as those that are told."""
        lo, hi = (end if abs(end) >= POS_INF else end + self.shift for end in pair)
        return lo, hi

    def within(self, pair: CellInterval) -> CellInterval | None:
        """The cells of ``pair`` that are known; None: a finite end is not among them."""
        found = intersect(pair, self.known)
        is_near = all(a == b or abs(b) >= POS_INF for a, b in zip(found, pair, strict=True))
        return found if is_near and found[0] < found[1] else None

    def times(self, stream: Stream, known: Mapping[int, int]) -> IntervalSet:
        """When some row of ``stream`` holds that has the ``known`` values by column."""
        queried = np.array([[*known.values(), NEG_INF, POS_INF]], np.int64)
        rows = self.state.rows(stream, tuple(known), queried)
        return coalesce((lo, hi) for lo, hi in coalesce_rows(project(rows, ())).tolist())

    def maximal(self, times: IntervalSet, cell: int, settled: int = NEG_INF) -> CellInterval | None:
        """The interval of ``times`` around a cell, as far as it is settled; None: none is known.

        It is not known, either, if it has others than the cells that are. It may be known to be
        ``settled`` farther than most.
        """
        found = interval_at(times, cell)
        if found is None or found[0] < self.known[0] or found[1] > self.known[1]:
            return None
        return found[0], min(found[1], max(settled, self.settled))

    def terms(self, stream: Stream, known: Mapping[int, int]) -> tuple[int, ...] | None:
        """The terms of the fact that a scan is about; None: some are open."""
        plan = stream.plan
        assert isinstance(plan, Scan)
        terms: dict[int, int] = {
            place: term
            for (place, _), term in zip(plan.constants, stream.constants.tolist(), strict=True)
        }
        terms |= {plan.keep[column]: term for column, term in known.items()}
        for one, other in plan.equal:
            terms |= {b: terms[a] for a, b in ((one, other), (other, one)) if a in terms}
        if len(terms) < plan.relation.arity:
            return None
        return tuple(terms[place] for place in range(plan.relation.arity))


def operand_columns(plan: MetricOperator, number: int, given: Mapping[int, int]) -> dict[int, int]:
    """What is known of the columns of a source, if inputs have the values ``given`` by place."""
    known = dict(given)
    for one, other in plan.equated:
        known |= {b: known[a] for a, b in ((one, other), (other, one)) if a in known}
    begin = plan.begins[number]
    places = range(begin, begin + plan.sources[number].width)
    return {place - begin: known[place] for place in places if place in known}
