"""Faults of following a stream of facts, detected by the answers of each prefix."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from functools import cache
from typing import Final
from unittest.mock import PropertyMock, patch

import numpy as np

from rete.arrays.delta import POS_INF, Column, Rows
from rete.nodes.metric import since_history
from rete.nodes.metric.since import SinceNode
from rete.nodes.metric.since_history import SinceHistory
from rete.storage.stem import Stem
from temporal.streaming import stream_evaluation, stream_query
from temporal.streaming.output_points import MultiplePoints, MultipleWindow, TickWindow
from temporal.streaming.stream_evaluation import StreamEvaluation
from temporal.streaming.stream_run import StreamRun
from tests.faults.detection import Fault, FaultArea
from tests.generators.metric.fact_streams import StreamCase, case_of
from tests.oracles.metric.prefix_answers import Expected, prefix_answers
from tests.simulation.metric.fact_streams import answers_of, lookahead_of, run_of


def final_a_cell_early() -> AbstractContextManager[object]:
    """Answers at the frontier are taken for certain, though facts with its stamp may come."""
    certain = property(lambda found: found.frontier - found.lateness + 1)
    return patch.object(StreamEvaluation, "certain", certain)


def lookahead_is_not_waited_for() -> AbstractContextManager[object]:
    """Answers before the frontier are certain, wherever rules look."""
    return patch.object(StreamEvaluation, "lateness", PropertyMock(return_value=0))


def horizon_lags_behind() -> AbstractContextManager[object]:
    """What is parked beyond an earlier horizon does not come when the frontier passes it."""
    right = StreamEvaluation._widen

    def widen(found: StreamEvaluation, until: int) -> None:
        if found._inference.horizon is None or until >= POS_INF:
            right(found, until)

    return patch.object(StreamEvaluation, "_widen", widen)


def delay_is_ignored() -> AbstractContextManager[object]:
    """The frontier is the largest stamp."""
    return patch.object(StreamRun, "_frontier", lambda _, last: 2 * last)


def equal_stamps_are_late() -> AbstractContextManager[object]:
    """A stamp at the frontier is late."""
    right = StreamRun._note_stamps

    def note(run: StreamRun, stamps: Column, lines: Column) -> object:
        found = right(run, stamps, lines)
        at = stamps == (run._last - run._delay)
        return found | (at & (lines != lines.min()))

    return patch.object(StreamRun, "_note_stamps", note)


def gaps_become_instants() -> AbstractContextManager[object]:
    """With finer ticks an open end is a closed one."""

    def rescaled(rows: Rows, factor: int) -> Rows:
        found = rows.copy()
        found[:, -2:] *= np.where(np.abs(rows[:, -2:]) < POS_INF, factor, 1)
        return found

    return patch.object(stream_evaluation, "rescale_rows", rescaled)


def finer_ticks_lose_what_is_parked() -> AbstractContextManager[object]:
    """What waits beyond the horizon is not moved when ticks become finer."""
    right = stream_evaluation._move_rows

    def move(before: object, after: object, factor: int) -> None:
        right(before, after, factor)  # type: ignore[arg-type]
        for table in after.tables:  # type: ignore[attr-defined]
            table.parked = {}

    return patch.object(stream_evaluation, "_move_rows", move)


def history_of_no_interval() -> AbstractContextManager[object]:
    """Right rows are kept, and joined, wherever left rows begin."""

    def pairs(_: SinceHistory, rows: Rows, __: Stem) -> since_history._IntervalPairs:
        return since_history._IntervalPairs(
            np.arange(len(rows)), np.zeros(len(rows), np.int64), np.ones(len(rows), np.bool_)
        )

    return patch.object(SinceHistory, "_pairs", pairs)


def hulls_over_gaps() -> AbstractContextManager[object]:
    """Right rows are joined though what they lead to does not touch."""
    right = since_history._hulls

    def hulls(rows: Rows, pairs: since_history._IntervalPairs, reached: Rows) -> Rows:
        wide = reached.copy()
        wide[:, -1] += 64
        return right(rows, pairs, wide)

    return patch.object(since_history, "_hulls", hulls)


def last_of_an_interval_for_the_first() -> AbstractContextManager[object]:
    """Of an endless range the last right row is kept, not the first."""
    right = since_history._first_in_interval

    def last(rows: Rows, pairs: since_history._IntervalPairs) -> Rows:
        places, intervals, whole = (each[::-1] for each in pairs)
        turned = since_history._IntervalPairs(len(rows) - 1 - places, intervals, whole)  # type: ignore[arg-type]
        return right(rows[::-1].copy(), turned)

    return patch.object(since_history, "_first_in_interval", last)


def history_ends_with_the_near_end() -> AbstractContextManager[object]:
    """Right rows are forgotten when the near end of the range has passed them."""
    right = SinceHistory.update

    def update(history: SinceHistory, ended: Rows, left: Stem, bound: int) -> None:
        lo, hi = history._rho
        history._rho = (lo, lo + 1) if hi < POS_INF else (lo, hi)
        try:
            right(history, ended, left, bound)
        finally:
            history._rho = lo, hi

    return patch.object(SinceHistory, "update", update)


def history_is_not_probed() -> AbstractContextManager[object]:
    """A left row that goes on does not find right rows that ended."""

    def keep(node: SinceNode, *, condenses: bool) -> None:
        plan = node._plan
        node.history = SinceHistory(plan.right.width, plan.on, plan.rho, condenses=condenses)

    return patch.object(SinceNode, "keep_history", keep)


def boxes_forget_at_once() -> AbstractContextManager[object]:
    """An interval that ends at the frontier is dropped, though it may go on."""
    right = Stem.expire

    def expire(stem: Stem, bound: int) -> None:
        stem.retention, kept = 0, stem.retention
        right(stem, bound)
        stem.retention = kept

    def release(found: StreamEvaluation) -> None:
        found._inference.bound = found.frontier
        found._update_histories()
        found.forget()

    stack = patch.object(Stem, "expire", expire)
    return _both(stack, patch.object(StreamEvaluation, "release", release))


def rules_of_the_head_only() -> AbstractContextManager[object]:
    """Only rules with the predicate of the query run."""
    right = stream_query.relevant_rules

    def relevant(program: object, wanted: tuple[str, int]) -> list[object]:
        rules = right(program, wanted)  # type: ignore[arg-type]
        return [
            rule
            for rule in rules
            if any(stream_query._key(atom) == wanted for atom in stream_query._head_atoms(rule))
        ]

    return patch.object(stream_query, "relevant_rules", relevant)


def buffered_facts_are_not_retracted() -> AbstractContextManager[object]:
    """A retraction sees only what the frontier has passed."""
    return patch.object(stream_evaluation, "subtract", lambda rows, _: rows)


def the_first_multiple_is_missed() -> AbstractContextManager[object]:
    """A first stamp that is a multiple itself is no output point."""
    right = MultiplePoints.stamp

    def stamp(points: MultiplePoints, ticks: Column) -> None:
        right(points, ticks + 1 if points._next is None else ticks)

    return patch.object(MultiplePoints, "stamp", stamp)


def open_ends_are_closed_at_points() -> AbstractContextManager[object]:
    """An answer holds at the point at which it ends."""
    listed, multiple = TickWindow.before, MultipleWindow.before
    return _both(
        patch.object(TickWindow, "before", lambda found, cells: listed(found, cells | 1)),
        patch.object(MultipleWindow, "before", lambda found, cells: multiple(found, cells | 1)),
    )


def _both(*contexts: AbstractContextManager[object]) -> AbstractContextManager[object]:
    stack = ExitStack()
    for context in contexts:
        stack.enter_context(context)
    return stack


@cache
def _expected_of(seed: int) -> tuple[StreamCase, Expected] | None:
    """A case, and what it is to give; None: it is refused."""
    case = case_of(seed)
    try:
        run = run_of(case)
    except Exception:  # noqa: BLE001 - it is no case
        return None
    return case, prefix_answers(
        case.program,
        case.query,
        case.lines,
        case.points,
        case.delay,
        lookahead_of(run),
        is_dense=run.evaluation.is_dense,
    )


def _differs(seed: int, fault: Fault) -> bool:
    """Are the answers others than those of the prefixes?"""
    known = _expected_of(seed)
    if known is None:
        return False
    case, expected = known
    with fault():
        run = run_of(case)
        return answers_of(case, run) != expected.answers


AREA: Final = FaultArea(
    (
        final_a_cell_early,
        lookahead_is_not_waited_for,
        horizon_lags_behind,
        delay_is_ignored,
        equal_stamps_are_late,
        gaps_become_instants,
        finer_ticks_lose_what_is_parked,
        history_of_no_interval,
        hulls_over_gaps,
        last_of_an_interval_for_the_first,
        history_ends_with_the_near_end,
        history_is_not_probed,
        boxes_forget_at_once,
        rules_of_the_head_only,
        buffered_facts_are_not_retracted,
        the_first_multiple_is_missed,
        open_ends_are_closed_at_points,
    ),
    _differs,
)
