"""Faults where two dimensions of a run meet, each right as long as they do not."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import numpy as np

import r4.engine.core
from r4.answers.early_results import EarlyResults
from r4.answers.emitter import Emitter
from r4.answers.ledger import Ledger, PendingRows
from r4.api.run.engine_run import EngineRun
from r4.api.values.event_clock import EventClock
from r4.engine import assertions
from r4.engine.assertions import Assertions
from r4.engine.core import Core
from r4.engine.rule_set import RuleSet
from r4.run.driver import Driver
from r4.stream.elements.judged_elements import END, PLAIN, VALID_START
from r4.stream.intake import Intake
from r4.stream.watermark import Frontier, FrontierMoves
from r4.stream.windows import PredicateWindows
from r4.time.progress import TimeProgress, closing_frontier
from r4.time.ticks import NO_END
from rete.arrays.delta import NEG_INF, POS_INF, Cells, Column, Rows
from rete.inference.inference_engine import InferenceEngine
from rete.network.layers import Layers
from rete.nodes.anti_join import AntiJoinNode
from rete.retraction.loss_propagation import LossPropagation
from rete.storage.base_table import BaseTable
from rete.terms.dictionary import Dictionary
from tests.faults.detection import Fault, FaultArea
from tests.generators.meetings.histories import Meeting, random_meeting
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.history_answers import expected_lines
from tests.simulation.meetings.comparison import difference

if TYPE_CHECKING:
    from r4.program.program import Program
    from rete.graph.streams import FactTable, Stream
    from rete.network.network import Network
    from rete.storage.fact_set import FactSet
    from rete.terms.relations import Relation

Context = AbstractContextManager[object]
_ENDLESS: Final = 3_000
"""More losses than a retraction of any case has."""
_EVERYWHERE: Final = (NEG_INF, POS_INF)


def _after(owner: type, name: str, then: Callable[[Any], object]) -> Context:
    """What a method does is followed by something more."""
    right = getattr(owner, name)

    def wrong(self: Any, *args: Any, **named: Any) -> Any:
        found = right(self, *args, **named)
        then(self)
        return found

    return patch.object(owner, name, wrong)


# -- saved and loaded ----------------------------------------------------------------------


def loaded_frontier_is_the_last_stamp() -> Context:
    """Saving and a delay: what comes within the delay is late after loading."""

    def forward(clock: EventClock) -> None:
        clock.frontier = max(clock.frontier, clock.last)

    return _after(EventClock, "restore", forward)


def loaded_ledger_has_no_pending_ends() -> Context:
    """Saving and windows: what holds when an engine is saved never ends."""

    def forget(ledger: Ledger) -> None:
        ledger._ends = PendingRows(-1)

    return _after(Ledger, "restore", forget)


def loaded_ledger_has_no_pending_starts() -> Context:
    """Saving and looking ahead, or a delay: what is not final yet when saved never begins."""

    def forget(ledger: Ledger) -> None:
        ledger._starts = PendingRows(-2)

    return _after(Ledger, "restore", forget)


def loaded_facts_have_no_names() -> Context:
    """Saving and retraction: what was asserted before is never retracted."""
    right = BaseTable.saved

    def saved(table: BaseTable) -> Any:
        for relation, stem in table._stems.items():
            rows = stem.content().copy()
            rows[:, relation.arity] = 0
            table._indexed[relation] = again = type(stem)(relation.arity + 1, instances=False)
            again.absorb(rows, NEG_INF)
        return right(table)

    return patch.object(BaseTable, "saved", saved)


class DoesNotEnd(Exception):
    """What goes on for ever under a fault is ended by this."""


def loaded_losses_have_no_horizon() -> Context:
    """Saving, retraction, and rules that derive for ever: what is lost is followed without end."""
    stack, right, known = ExitStack(), LossPropagation.notify, LossPropagation.horizon
    followed: Counter[LossPropagation] = Counter()

    def notify(losses: LossPropagation, *args: Any) -> None:
        if losses in followed:
            followed[losses] += 1
            if followed[losses] > _ENDLESS:
                raise DoesNotEnd
        right(losses, *args)

    def horizon(losses: LossPropagation) -> Cells:
        return _EVERYWHERE if losses in followed else known.__get__(losses)

    def forget(engine: InferenceEngine) -> None:
        if engine._maintenance is not None and engine.horizon is not None:
            followed[engine._maintenance] = 0

    stack.enter_context(patch.object(LossPropagation, "notify", notify))
    stack.enter_context(patch.object(LossPropagation, "horizon", property(horizon)))
    stack.enter_context(_after(InferenceEngine, "restore", forget))
    return stack


# -- rules that join and leave -------------------------------------------------------------


def joined_rules_see_nothing_derived() -> Context:
    """Rules that join and other rules: what those derived before is not shown."""

    def repeat(facts: Assertions, network: Network) -> None:
        for relation, rows in facts.base.content():
            facts._inference.repeat(network, relation, rows)

    return patch.object(Assertions, "repeat", repeat)


def joined_rules_see_nothing_static() -> Context:
    """Rules that join and static data: what holds for ever is not shown."""
    right = InferenceEngine.repeat

    def repeat(engine: InferenceEngine, network: Network, relation: Relation, rows: Rows) -> None:
        right(engine, network, relation, rows[rows[:, -1] < POS_INF])

    return patch.object(InferenceEngine, "repeat", repeat)


def dropped_rules_go_on() -> Context:
    """Rules that leave and what else is derived: what a rule derived last stays."""
    right = InferenceEngine.disown

    def disown(engine: InferenceEngine, table: FactTable, rule: int, *, whole: bool) -> None:
        if len(table.of_rule(rule)) < 2:
            right(engine, table, rule, whole=whole)

    return patch.object(InferenceEngine, "disown", disown)


def rules_do_not_wait() -> Context:
    """Looking ahead and rules that join or leave: instants that are not final follow the change."""

    def add(core: Core, program: Program) -> None:
        core._rules.note(program, None)
        core._join(program, core.progress.cell)

    def drop(core: Core, rules: Any) -> None:
        core._rules.note(tuple(rules), None)
        core._leave(tuple(rules), core.progress.cell)

    return patch.multiple(Core, add=add, drop=drop)


def waiting_rules_count_late() -> Context:
    """Looking ahead and rules that join or leave: they count from where they take effect."""
    return patch.object(Emitter, "settle", lambda *_: None)


def loaded_rules_wait_a_tick_longer() -> Context:
    """Looking ahead, rules that join or leave, and saving: what waits counts a tick later."""

    def later(rules: RuleSet) -> None:
        moved = [each._replace(since=each.since + 2) for each in rules.waiting]
        rules.waiting = deque(moved)

    return _after(RuleSet, "rebuild", later)


# -- time ----------------------------------------------------------------------------------


def late_retraction_counts() -> Context:
    """Retraction and lateness: a late one counts from the frontier on."""
    right = EngineRun.retract

    def retract(run: EngineRun, data: Any, name: Any, at: Any, **_: Any) -> int:
        return right(run, data, name, at, late=True)

    return patch.object(EngineRun, "retract", retract)


def retraction_counts_before_time_moves() -> Context:
    """Retraction and windows: it counts from the frontier before its own stamp on."""
    right = Driver.retract

    def retract(one: Driver, names: Any, rows: Any, _: int, last: int) -> Any:
        return right(one, names, rows, one.core.frontier, last)

    return patch.object(Driver, "retract", retract)


def window_bounds_own_ends() -> Context:
    """A window and own ends: what ends by itself does not outlive the window."""
    right = assertions.valid_cells

    def valid(program: Program, start: Column, end: Column) -> tuple[Column, Column]:
        lo, hi = right(program, start, end)
        _, window = right(program, start, np.full(len(end), NO_END))
        return lo, np.minimum(hi, window) if program.window is not None else hi

    return patch.object(r4.engine.core, "valid_cells", valid)


def windows_of_predicates_bound_own_ends() -> Context:
    """Windows of predicates and other ends: those of elements and of sources count no more."""
    right = PredicateWindows.ends

    def ends(windows: PredicateWindows, triples: Rows, start: Column, end: Column) -> Column:
        open_ended = np.where(end < NO_END, NO_END, end)
        own = right(windows, triples, start, open_ended)
        return np.where(own < NO_END, own, end)

    return patch.object(PredicateWindows, "ends", ends)


def windows_of_sources_do_not_count() -> Context:
    """Windows of sources: an element without an end has the window of its predicates, or none."""
    return patch.object(Intake, "_ends", lambda _, table: table[:, END])


def windows_of_sources_bound_own_ends() -> Context:
    """Windows of sources and own ends: what ends by itself has the window of its source."""
    right = Intake._ends

    def ends(intake: Intake, table: Rows) -> Column:
        open_ended = table.copy()
        open_ended[:, END] = np.where(table[:, END] < NO_END, NO_END, table[:, END])
        own = right(intake, open_ended)
        return np.where(own < NO_END, own, table[:, END])

    return patch.object(Intake, "_ends", ends)


def instants_end_at_the_next_tick() -> Context:
    """Metric operators without a window: a fact holds until the next tick, not at an instant."""
    right = assertions.valid_cells

    def valid(program: Program, start: Column, end: Column) -> tuple[Column, Column]:
        lo, hi = right(program, start, end)
        instant = program.metric and program.window is None
        return lo, np.where(hi == lo + 1, hi + 1, hi) if instant else hi

    return patch.object(r4.engine.core, "valid_cells", valid)


def answers_are_final_at_once() -> Context:
    """Looking ahead: an instant is closed though later elements may still change it."""

    def close(progress: TimeProgress, frontier: int) -> bool:
        progress.frontier = max(frontier, progress.frontier)
        before, progress.final = progress.final, max(2 * progress.frontier, progress.final)
        return progress.final > before

    return patch.object(TimeProgress, "close", close)


def first_source_moves_time() -> Context:
    """Several sources: the frontier follows the largest stamp, not the least of the sources."""
    right = Frontier.advance

    def advance(frontier: Frontier, source: Column, tick: Column, until: Column) -> FrontierMoves:
        alone = np.where(np.arange(len(until)) == 0, until, 0)
        return right(frontier, np.zeros_like(source), tick, alone)

    return patch.object(Frontier, "advance", advance)


def reference_data_count_from_the_first_stamp() -> Context:
    """Reference data and time: a triple of the default graph counts from the least stamp on."""
    right = Intake._admit

    def admit(intake: Intake, *args: Any) -> Any:
        moves = right(intake, *args)
        elements = args[0]
        plain = elements.where(PLAIN) & (elements.table[:, VALID_START] > NEG_INF)
        elements.table[plain, VALID_START] = intake.least
        return moves

    return patch.object(Intake, "_admit", admit)


def static_data_end_in_the_past_too() -> Context:
    """Static data that end and operators that look back: what held before the end is not seen."""

    def end(assertions: Assertions, rows: Rows) -> int:
        return assertions.retract_rows(np.insert(rows, 3, 0, axis=1))

    return patch.object(Assertions, "end_static", end)


def static_data_end_with_elements() -> Context:
    """Static data that end and elements: what an element asserts ends with it."""
    right = Assertions.end_static

    def end(assertions: Assertions, rows: Rows) -> int:
        base = assertions.base
        for name in {row[3] for held in base.rows() for row in held.tolist() if len(row) > 5}:
            assertions.retract_rows(np.insert(rows, 3, name, axis=1))
        return right(assertions, rows)

    return patch.object(Assertions, "end_static", end)


def static_data_are_added_for_the_past_too() -> Context:
    """Static data that are added and operators that look back: they see it before it was added."""
    right = Driver.extend_static

    def extend(driver: Driver, rows: Rows, frontier: int, *more: Any) -> Any:
        return right(driver, rows, frontier - 3 if frontier > NEG_INF else frontier, *more)

    return patch.object(Driver, "extend_static", extend)


def drain_is_forgotten_early() -> Context:
    """Draining: the last tick of it is not told."""

    def closing(last: int, drain: int | None) -> int:
        return closing_frontier(last, drain) - bool(drain)

    return patch("r4.run.driver.closing_frontier", closing)


# -- what is lost --------------------------------------------------------------------------


def undone_answers_stand() -> Context:
    """The order of arrival and what is lost: an answer that is lost is not undone."""
    return patch.object(EarlyResults, "lose", lambda *_: None)


def retracted_instances_end_as_told() -> Context:
    """Retraction and instances: one that is shortened ends when its first line said."""
    right = Ledger.lose

    def lose(ledger: Ledger, table: FactSet, lost: Rows) -> None:
        if not ledger._instances:
            right(ledger, table, lost)

    return patch.object(Ledger, "lose", lose)


def opened_gates_stay_closed() -> Context:
    """Negation and retraction: what is negated is lost, and nothing passes."""

    def opened(gate: AntiJoinNode, rows: Rows) -> Rows:
        return gate._partners(rows[:0], range(gate.left.width))

    return patch.object(AntiJoinNode, "opened_by", opened)


def lost_facts_are_asserted_no_longer() -> Context:
    """What is asserted and derived: where the derivation goes, the fact does."""

    return patch.object(BaseTable, "not_asserted", lambda *args: args[-1])


def departed_facts_stay() -> Context:
    """Shards and retraction: what another shard derives no longer is kept."""
    return patch.object(Assertions, "depart", lambda *_: None)


# -- regimes, values, sweeps ---------------------------------------------------------------


def regime_sees_no_derived_triples() -> Context:
    """Entailment and rules: what rules derive does not come back to the regime."""
    right = Layers.route_derived

    def derived(layers: Layers, table: FactTable, rows: Rows) -> Iterable[tuple[Stream, Rows]]:
        if layers.background is None or not table.answers:
            return right(layers, table, rows)
        return layers._route_to_user(table.relation, rows)

    return patch.object(Layers, "route_derived", derived)


def values_of_data_alone() -> Context:
    """Literals by value and constants of rules: an encoded text alone keeps its form."""
    return patch.object(Dictionary, "_text_of", lambda _, text: text)


def sweeps_forget_what_a_batch_needs() -> Context:
    """Sweeps and batches: terms that a batch is about to use are forgotten."""
    right = Core.forget
    return patch.object(Core, "forget", lambda core, *_: right(core))


FAULTS: Final[tuple[Fault, ...]] = (
    loaded_frontier_is_the_last_stamp,
    loaded_ledger_has_no_pending_ends,
    loaded_ledger_has_no_pending_starts,
    loaded_facts_have_no_names,
    loaded_losses_have_no_horizon,
    joined_rules_see_nothing_derived,
    joined_rules_see_nothing_static,
    dropped_rules_go_on,
    rules_do_not_wait,
    waiting_rules_count_late,
    loaded_rules_wait_a_tick_longer,
    late_retraction_counts,
    retraction_counts_before_time_moves,
    window_bounds_own_ends,
    windows_of_predicates_bound_own_ends,
    windows_of_sources_do_not_count,
    windows_of_sources_bound_own_ends,
    instants_end_at_the_next_tick,
    answers_are_final_at_once,
    first_source_moves_time,
    reference_data_count_from_the_first_stamp,
    static_data_end_in_the_past_too,
    static_data_end_with_elements,
    static_data_are_added_for_the_past_too,
    drain_is_forgotten_early,
    undone_answers_stand,
    retracted_instances_end_as_told,
    opened_gates_stay_closed,
    lost_facts_are_asserted_no_longer,
    departed_facts_stay,
    regime_sees_no_derived_triples,
    values_of_data_alone,
    sweeps_forget_what_a_batch_needs,
)


@lru_cache(maxsize=2000)
def _case(seed: int) -> tuple[Meeting, list[str] | None]:
    case = random_meeting(seed)
    try:
        return case, expected_lines(case.history)
    except TooBig:
        return case, None


def _detects(seed: int, fault: Fault) -> bool:
    case, wanted = _case(seed)
    if wanted is None:
        return False
    with TemporaryDirectory() as folder, fault():
        found = difference(case, wanted, Path(folder))
    return found is not None and ("Traceback" not in found or DoesNotEnd.__name__ in found)


AREA: Final = FaultArea(FAULTS, _detects, cases=2000)
