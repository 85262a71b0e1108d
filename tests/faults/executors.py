"""Faults of rows that take in single elements, found where columns tell something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import r4.run.single_elements as steps
from r4.answers.ledger import Ledger
from r4.api.run.engine_run import EngineRun
from r4.engine.core import Core
from r4.run.single_elements import SingleElements, Time
from r4.time.ticks import NO_END
from rete.arrays.delta import NEG_INF, Rows
from rete.graph.streams import FactTable, Stream
from rete.inference import row_plan
from rete.inference.inference_engine import InferenceEngine
from rete.inference.row_executor import RowExecutor
from rete.inference.row_plan import (
    RowEdge,
    RowGate,
    RowPattern,
    RowPlan,
    RowRoutes,
    RowsKept,
    RowTicks,
)
from rete.nodes.anti_join import AntiJoinNode
from rete.storage.base_table import BaseTable
from rete.storage.stem import Stem
from tests.faults.detection import Fault, FaultArea
from tests.simulation.executor_turns import disagreement

if TYPE_CHECKING:
    from rete.graph.streams import Terminal
    from rete.kernels.single.interface import RowAnswer
    from rete.nodes.join import JoinSide

Context = AbstractContextManager[object]


def _changed(
    owner: object, name: str, change: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> Context:
    """``change`` of a method in its place."""
    return patch.object(owner, name, change(getattr(owner, name)))


def a_row_meets_itself_never() -> Context:
    """Both sides of a join with itself meet only rows that were there before."""

    def change(right: Callable[..., RowEdge]) -> Callable[..., RowEdge]:
        return lambda plan, side: right(plan, side)._replace(before=True)

    return _changed(RowPlan, "_side", change)


def only_the_left_side_probes() -> Context:
    """A join has one side."""

    def change(right: Callable[..., RowEdge]) -> Callable[..., RowEdge]:
        sides: dict[object, JoinSide] = {}

        def side(plan: RowPlan, one: JoinSide) -> RowEdge:
            first = sides.setdefault((id(plan), id(one.output)), one)
            return right(plan, first)

        return side

    return _changed(RowPlan, "_side", change)


def heads_are_of_one_rule() -> Context:
    """All heads derive facts by the rule of the first."""

    def change(right: Callable[..., RowEdge]) -> Callable[..., RowEdge]:
        first: dict[object, int] = {}

        def head(plan: RowPlan, terminal: Terminal) -> RowEdge:
            rule = first.setdefault(terminal.table, terminal.rule)
            return right(plan, terminal)._replace(rule=rule)

        return head

    return _changed(RowPlan, "_head", change)


def constants_do_not_count() -> Context:
    """A pattern matches all facts with its first two constants."""

    def change(right: Callable[..., Any]) -> Callable[..., Any]:
        def divided(scans: Sequence[tuple[dict[int, int], RowPattern]]) -> object:
            return right([({}, pattern) for _, pattern in scans])

        return divided

    return patch.object(RowRoutes, "_divided", staticmethod(change(RowRoutes._divided)))


def equal_places_do_not_count() -> Context:
    """A variable that stands twice in a pattern is two."""

    def change(right: Callable[..., Any]) -> Callable[..., Any]:
        def divided(scans: Sequence[tuple[dict[int, int], RowPattern]]) -> object:
            return right([(ids, pattern._replace(equal=())) for ids, pattern in scans])

        return divided

    return patch.object(RowRoutes, "_divided", staticmethod(change(RowRoutes._divided)))


def derived_facts_match_nothing() -> Context:
    """What rules derive is not read by others."""

    def change(right: Callable[..., Any]) -> Callable[..., Any]:
        return lambda plan, table, numbers: right(plan, table, numbers)._replace(relation=-1)

    return _changed(RowPlan, "_table", change)


def rows_are_dropped_early() -> Context:
    """Rows are dropped some time before they end."""

    def change(right: Callable[..., Any]) -> Callable[..., Any]:
        def of(stem: Stem, rule: int = 0) -> RowsKept:
            return right(stem, rule)._replace(retention=-8)  # type: ignore[no-any-return]

        return of

    return patch.object(RowsKept, "of", staticmethod(change(RowsKept.of)))


def windows_are_shorter() -> Context:
    """An element without an end ends a cell too early."""

    def change(right: Callable[..., int | None]) -> Callable[..., int | None]:
        return lambda program: None if (found := right(program)) is None else found - 1

    return _changed(steps, "_window", change)


def ends_of_elements_are_passed_by() -> Context:
    """An element with an end of its own holds for the window."""

    def change(right: Callable[..., Any]) -> Callable[..., Any]:
        def take(self: SingleElements, start: int, _: int, name: int, time: Time) -> object:
            return right(self, start, NO_END, name, time)

        return take

    return _changed(SingleElements, "take", change)


def what_columns_left_is_forgotten() -> Context:
    """Answers that columns left pending do not come out while rows close instants."""

    def pass_by(ledger: Ledger, limit: int) -> bool:
        ledger._limit = limit
        return True

    return patch.object(Ledger, "pass_by", pass_by)


def what_rows_left_is_forgotten() -> Context:
    """Answers that rows left pending do not come out where columns close instants."""
    return patch.object(RowExecutor, "take", lambda *_, **__: iter(()))


def ends_are_not_taken_over() -> Context:
    """Of what rows left pending, columns take over the begins alone."""

    def change(right: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        def take(self: RowExecutor, *, ends: bool, limit: int) -> Iterator[Any]:
            return iter(()) if ends else right(self, ends=ends, limit=limit)

        return take

    return _changed(RowExecutor, "take", change)


def assertions_are_not_noted() -> Context:
    """What rows asserted is in no base table."""

    def change(right: Callable[..., object]) -> Callable[..., object]:
        def queue(self: BaseTable, relation: object, rows: Rows) -> object:
            return right(self, relation, rows[:0] if self.latest is not None else rows)

        return queue

    return _changed(BaseTable, "_queue", change)


def networks_stay_as_they_were() -> Context:
    """Rows go on with networks that were changed since."""

    def renew(right: Callable[..., Any]) -> Callable[..., Any]:
        return lambda elements: None if elements._executor else right(elements)

    return _changed(SingleElements, "_renew", renew)


def _without_time(right: Callable[..., Any]) -> Callable[..., Any]:
    def take(self: SingleElements, start: int, end: int, name: int, time: Time) -> object:
        stands = SimpleNamespace(first=time.first, last=time.last, frontier=NEG_INF)
        return right(self, start, end, name, stands)

    return take


def answers_come_at_the_end() -> Context:
    """Time does not close instants as rows go on, but with the next batch."""
    return patch.object(SingleElements, "take", _without_time(SingleElements.take))


def all_have_one_name() -> Context:
    """Elements lose their names."""

    def change(right: Callable[..., Any]) -> Callable[..., Any]:
        def add(run: EngineRun, text: str, at: object, until: object, _: object) -> object:
            return right(run, text, at, until, None)

        return add

    return _changed(EngineRun, "add_rows", change)


def answers_in_the_order_of_ids() -> Context:
    """What one instant gives comes out in the opposite order."""

    def change(right: Callable[..., Any]) -> Callable[..., Any]:
        def close(self: RowExecutor, limit: int) -> Sequence[RowAnswer] | None:
            found = right(self, limit)
            return found and sorted(found, key=lambda one: (one[1], one[0], *one[7:4:-1]))

        return close

    return _changed(RowExecutor, "close", change)


def negations_close_nothing() -> Context:
    """What a negation has let pass stays, whatever comes."""
    return patch("rete.inference.row_plan._negations", lambda _: [])


def negations_let_all_pass() -> Context:
    """A negation does not look at the rows of its right side that are there."""

    def change(right: Callable[..., RowGate]) -> Callable[..., RowGate]:
        def gate(node: AntiJoinNode) -> RowGate:
            other = Stem(len(node.theirs), instances=False)
            return right(node)._replace(right=other.index(tuple(range(other.width))))

        return gate

    return _changed(row_plan, "_gate", change)


def what_is_lost_stays() -> Context:
    """What a negation lets pass no longer is not told to columns."""
    return patch.object(InferenceEngine, "deliver_losses", lambda *_: None)


def retractions_that_wait_are_passed_by() -> Context:
    """Rows go on, though something is to be retracted at a frontier to come."""
    return patch.object(Core, "waits", property(lambda core: not core._inference.is_idle))


def what_waits_is_not_handed_over() -> Context:
    """Columns are told of losses, and not of what was pending."""

    def hand_over(executor: RowExecutor) -> None:
        executor._network.pending()
        for number, rows in executor._network.losses():
            stream = executor._nodes[number]
            assert isinstance(stream, Stream)
            executor._inference.deliver_losses(stream, rows)
        executor._inference.run()

    return patch.object(RowExecutor, "_hand_over", hand_over)


def nothing_moves_in_time() -> Context:
    """A diamond lets rows pass as they are."""

    def change(right: Callable[..., RowEdge]) -> Callable[..., RowEdge]:
        return lambda plan, node: right(plan, node)._replace(range=(0, 0, False))

    return _changed(RowPlan, "_call", change)


def comparisons_are_turned() -> Context:
    """Of two numbers the greater one counts as less."""

    def change(right: Callable[..., RowEdge]) -> Callable[..., RowEdge]:
        def call(plan: RowPlan, node: object) -> RowEdge:
            edge = right(plan, node)
            return edge._replace(left=edge.right, right=edge.left)

        return call

    return _changed(RowPlan, "_call", change)


def operators_meet_nothing() -> Context:
    """Boxes, Since and Until find no rows."""
    return patch.object(row_plan, "_met", lambda _, rows: rows[:0])


def _ticks(**other: Any) -> Context:
    def change(right: Callable[..., Any]) -> Callable[..., Any]:
        def table(plan: RowPlan, node: object, numbers: object) -> object:
            found = right(plan, node, numbers)
            return found if found.ticks is None else found._replace(ticks=replaced(found.ticks))

        return table

    def replaced(ticks: RowTicks) -> RowTicks | None:
        return ticks._replace(**other) if other else None

    return _changed(RowPlan, "_table", change)


def answers_begin_between_ticks() -> Context:
    """Where answers are read at ticks, they are those of the table."""
    return _ticks()


def answers_are_final_at_once() -> Context:
    """A fact that begins before the frontier is no answer, though some are not final."""
    return _ticks(lag=0)


def rules_see_what_was_before() -> Context:
    """Rules that were added see facts from their begin on."""

    def change(right: Callable[..., Any]) -> Callable[..., Any]:
        def divided(scans: Sequence[tuple[dict[int, int], RowPattern]]) -> object:
            return right([(ids, pattern._replace(since=NEG_INF)) for ids, pattern in scans])

        return divided

    return patch.object(RowRoutes, "_divided", staticmethod(change(RowRoutes._divided)))


def facts_of_rules_stay_with_them() -> Context:
    """What rules derive is shown to no rules that were added."""

    def change(right: Callable[..., Any]) -> Callable[..., Any]:
        def table(plan: RowPlan, node: FactTable, numbers: dict[Any, int]) -> object:
            found = right(plan, node, numbers)
            own = numbers.get((node.relation, node.feeders[0][0].network), -1)
            return found if node.owner is not None else found._replace(relation=own)

        return table

    return _changed(RowPlan, "_table", change)


FAULTS: Final[tuple[Fault, ...]] = (
    negations_close_nothing,
    negations_let_all_pass,
    what_is_lost_stays,
    retractions_that_wait_are_passed_by,
    what_waits_is_not_handed_over,
    nothing_moves_in_time,
    comparisons_are_turned,
    operators_meet_nothing,
    answers_begin_between_ticks,
    answers_are_final_at_once,
    rules_see_what_was_before,
    facts_of_rules_stay_with_them,
    a_row_meets_itself_never,
    only_the_left_side_probes,
    heads_are_of_one_rule,
    constants_do_not_count,
    equal_places_do_not_count,
    derived_facts_match_nothing,
    rows_are_dropped_early,
    windows_are_shorter,
    ends_of_elements_are_passed_by,
    what_columns_left_is_forgotten,
    what_rows_left_is_forgotten,
    ends_are_not_taken_over,
    assertions_are_not_noted,
    networks_stay_as_they_were,
    answers_come_at_the_end,
    all_have_one_name,
    answers_in_the_order_of_ids,
)


def detects(seed: int, fault: Fault) -> bool:
    """Whether rows, or both in turns, tell something else while the fault is planted."""
    with fault():
        return bool(disagreement(seed, "rows" if seed % 2 else "mixed")[0])


AREA: Final = FaultArea(FAULTS, detects)
