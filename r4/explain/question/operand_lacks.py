"""Which operand of a metric operator does not hold, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from r4.explain.lacks import OperandLack
from r4.explain.question.known_state import KnownState, operand_columns
from rete.graph.plan import MetricOperator
from rete.graph.streams import Stream
from rete.nodes.metric.box import Erode
from rete.nodes.metric.since import Since
from rete.storage.interval_sets import (
    CellInterval,
    IntervalSet,
    intersect,
    intersect_sets,
    subtract,
)


@dataclass(frozen=True, slots=True)
class LackingOperand:
    """An operand that does not hold when it should.

    Attributes:
        source: its stream.
        columns: what is known of its columns.
        lack: when it does not hold, as it is told.
        pair: cells in none of which it holds.
    """

    source: Stream
    columns: Mapping[int, int]
    lack: OperandLack
    pair: CellInterval


def lacking_operand(
    known: KnownState, stream: Stream, given: Mapping[int, int], pair: CellInterval
) -> LackingOperand | None:
    """Why an operator is true in no cell of ``pair``; None: it is not known.

    ``given`` has the values of some of its inputs, by place.

    A diamond lacks its operand at all times that it looks at, a box at some of them. Since lacks
    its right side at all times, or its left side at some time after the last time of the right one
    that is in reach: an earlier one would need the left side even longer.
    """
    plan = stream.plan
    assert isinstance(plan, MetricOperator)
    if isinstance(plan, Since):
        return _of_since(known, stream, given, pair)
    (there,) = plan.reach(pair)
    columns = operand_columns(plan, 0, given)
    if isinstance(plan, Erode):
        there = intersect(there, known.known)
    return _lacking(known, stream, 0, columns, there)


def _lacking(
    known: KnownState, stream: Stream, number: int, columns: Mapping[int, int], there: CellInterval
) -> LackingOperand | None:
    """That the operand with a number does not hold in all of ``there``."""
    source = stream.sources[number]
    times = known.times(source, columns)
    gaps = subtract((there,), times) if there[0] < there[1] else ()
    if not gaps:
        return None
    lack = OperandLack(_text(known, stream, number, columns), _told(known, gaps))
    if gaps == (there,):
        lack = _with_neighbours(known, lack, times, there)
    return LackingOperand(source, columns, lack, gaps[0])


def _with_neighbours(
    known: KnownState, lack: OperandLack, times: IntervalSet, there: CellInterval
) -> OperandLack:
    """With when the operand holds last before ``there``, and next after it."""
    before = [pair for pair in times if pair[1] <= there[0]]
    after = [pair for pair in times if there[1] <= pair[0] < min(known.settled, known.known[1])]
    last = known.maximal(times, before[-1][0], there[0]) if before else None
    following = known.maximal(times, after[0][0]) if after else None
    return OperandLack(
        lack.what,
        lack.gaps,
        last=None if last is None else known.told(last),
        next=None if following is None else known.told(following),
    )


def _of_since(
    known: KnownState, stream: Stream, given: Mapping[int, int], pair: CellInterval
) -> LackingOperand | None:
    plan = stream.plan
    assert isinstance(plan, Since)
    at = _instant(pair, last=not plan.future)
    there, _ = plan.reach((at, at + 1))
    columns = operand_columns(plan, 1, given)
    right = stream.sources[1]
    queried = np.array([[*columns.values(), *there]], np.int64)
    rows = known.state.rows(right, tuple(columns), queried).tolist()
    is_known = known.known[0] <= there[0] and there[1] <= known.known[1]
    if not rows:
        return _lacking(known, stream, 1, columns, there) if is_known else None
    *values, lo, hi = min(rows, key=lambda row: row[-2]) if plan.future else _latest(rows)
    seen = lo if plan.future else hi - 1
    if not known.known[0] <= seen < known.known[1]:
        return None
    begin = plan.begins[1]
    given = {**given, **dict(enumerate(values, begin))}
    need = (at | 1, seen + (seen & 1)) if plan.future else (seen | 1, at + (at & 1))
    need = intersect(need, known.known)
    found = _lacking(known, stream, 0, operand_columns(plan, 0, given), need)
    if found is None:
        return None
    right_columns = dict(enumerate(values))
    times = known.times(right, right_columns)
    held = known.maximal(times, seen, there[1])
    if held is None:
        held = next(one for one in intersect_sets(times, (there,)) if one[0] <= seen < one[1])
    lack = OperandLack(
        found.lack.what,
        found.lack.gaps,
        other=_text(known, stream, 1, right_columns),
        held=known.told(held),
    )
    return LackingOperand(found.source, found.columns, lack, found.pair)


def _latest(rows: list[list[int]]) -> list[int]:
    return max(rows, key=lambda row: row[-1])


def _instant(pair: CellInterval, *, last: bool) -> int:
    """A cell of ``pair`` at its end or begin, an instant if there is one."""
    lo, hi = pair
    if last:
        return hi - 1 if hi & 1 or hi - 1 == lo else hi - 2
    return lo if not lo & 1 or lo + 1 == hi else lo + 1


def _told(known: KnownState, gaps: IntervalSet) -> IntervalSet:
    return tuple(map(known.told, gaps))


def _text(known: KnownState, stream: Stream, number: int, columns: Mapping[int, int]) -> str:
    """An operand in the words of the rules; "" if it is the only one."""
    plan = stream.plan
    if len(plan.sources) == 1:
        return ""
    texts = [
        known.wording.text(columns[column]) if column in columns else None
        for column in range(plan.sources[number].width)
    ]
    return known.wording.together(plan.sources[number], texts)
