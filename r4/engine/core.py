"""The core: a program that runs, as the phases of a step that `r4.run.driver` puts in order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np

from r4.answers.emitter import Emitter
from r4.engine.assertions import Assertions, Validity, always_valid, valid_cells
from r4.engine.calendars import Calendars
from r4.engine.change_listener import (
    ChangeListener,
    DerivationObserver,
    derive_anew,
    recompute,
)
from r4.engine.range_ends import RangeEnds
from r4.engine.rederivation import follow_answers
from r4.engine.rule_set import RuleSet, is_answer
from r4.program.program import Program, Ticks
from r4.stream.batch import Batch
from r4.time.progress import LATEST_FRONTIER, TimeProgress
from r4.time.ticks import NO_END
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.arrays.state_codec import Mask, State, StateReader
from rete.inference.inference_engine import InferenceEngine
from rete.inference.row_executor import RowExecutor
from rete.inference.row_plan import RowPlan
from rete.memory_limit import trim_memory
from rete.network.layers import Layers
from rete.network.network import Network
from rete.nodes.builtin import called_builtins
from rete.nodes.scan import Scan
from rete.storage.valid_time_queue import ValidTimeQueue
from rete.terms.builtin_calls import DomainErrors, sum_by_builtin
from rete.terms.dictionary import Dictionary
from rete.terms.relations import ERROR, NAMED, STAMPED, TRIPLES, Relation
from rif.syntax.terms import OWL

_NO_IDS: Final = np.empty(0, np.int64)
_NO_ROWS: Final = np.empty((0, 3), np.int64)
SAME_AS: Final = f"<{OWL}sameAs>"
_MANY: Final = 1000
"""So many facts may be retracted before terms are swept for that."""
_MEANWHILE: Final = 1 << 15
"""So many static triples may come in before what the background says of them is derived."""
_MANY_STATIC: Final = 1 << 17
"""After so many static triples memory that is free goes back to the system."""
_LARGE: Final = 8 << 20
"""After a sweep of a dictionary of so many bytes it does, too: that took arrays of its size."""
_TERMS_OF_A_ROW: Final = 8
"""So many terms may be looked at for a row that ended: of a burst each has some of its own."""


class _Options(NamedTuple):
    """How networks are built; see `Core`."""

    instances: bool
    limit: int | None
    retracts: bool
    retract_within: int | None
    arrival: bool


class Core:
    """A program that runs: its networks, its facts, its answers, and how far time has come.

    It has the phases of a step; `r4.run.driver.Driver` takes them in their order. All is in ids and
    ticks; `r4.api.Engine` speaks RDF.

    Attributes:
        terms: the dictionary that all ids belong to.
        layers: its networks: nodes and their state.
        network: that of the rules it began with.
        assertions: the way in for facts.
        emitter: gives the answers that are final, or early results.
        observer: of all that rules derive, for possible answers; None: there are none.
        progress: how far time has come.
        keeps: whether rules that are added see what was asserted before.
        begun: whether all static data are in.
        needed_ids: ids that others refer to, in arrays of any shape: they stay terms.
        reported_ids: gives those of the report.
        explicit_ends: whether some element gave an end, other than never.
    """

    def __init__(  # noqa: PLR0913 - options of a run
        self,
        program: Program,
        terms: Dictionary,
        *,
        instances: bool = False,
        limit: int | None = None,
        keep: bool = False,
        lookback: int | None = None,
        retracts: bool = True,
        retract_within: int | None = None,
        arrival: bool = False,
        resumes: bool = False,
        observer: DerivationObserver | None = None,
    ) -> None:
        """Start; nothing is asserted but the facts of ``program``.

        - ``instances``: facts are kept by start instead of by maximal interval;
        - ``limit``: the most facts that may be derived at once; None: any number;
        - ``keep``: rules that are added later see what was asserted before, and retraction is quick
          from the first; ``lookback``: so many ticks after they ended facts are kept for that;
        - ``retracts``: facts may be retracted or explained; ``retract_within``: up to so many ticks
          after they begin; None: at any time;
        - ``arrival``: there are early results; then each element should be a batch of its own;
        - ``resumes``: it goes on from a saved state: `rebuild` and `restore` come next;
        - ``observer``: sees all that rules derive, for possible answers.
        """
        self.terms = terms
        terms.builtins = program.language.builtins
        self.observer = observer
        self.keeps = keep
        self._options = _Options(instances, limit, retracts, retract_within, arrival)
        self._kept = (
            0 if instances or not keep else POS_INF if lookback is None else max(2 * lookback, 1)
        )
        self.progress = TimeProgress()
        self.begun = False
        self.needed_ids: tuple[Rows, ...] = ()
        self.reported_ids: Callable[[], Column] = lambda: _NO_IDS
        self.explicit_ends = False
        self._unknown = NEG_INF
        self._valid_times = ValidTimeQueue()
        self._held: list[Rows] = []
        self._static_rows = 0
        self._watch: Callable[[], None] | None = None
        self._range_ends = RangeEnds(program, terms)
        self._build(program, resumes=resumes)

    def _build(self, program: Program, *, resumes: bool = False) -> None:
        """Begin with the networks of ``program``, and no facts but those of it."""
        options, terms, observer = self._options, self.terms, self.observer
        instances, keep = options.instances, self.keeps
        self._inference = InferenceEngine(
            program.emits,
            terms,
            background=program.background,
            same_as=SAME_AS if program.unites else None,
            instances=instances,
            answers=is_answer,
            late=dict(program.neighbours.late),
            needed=dict(program.neighbours.needed),
            limit=options.limit,
            retracts=options.retracts,
            retractable=None if options.retract_within is None else 2 * options.retract_within,
            maintains=keep,
            adapts=True,
            begins=not resumes,
        )
        self.layers: Layers = self._inference.layers
        self.network: Network = self._inference.network
        if self._watch is not None:
            self._inference.watch = self._watch
        self._rules = RuleSet(program, self._inference)
        state = bool(program.given)
        self.emitter = Emitter(
            self.layers, terms, instances=instances, arrival=options.arrival, state=state
        )
        if observer is not None:
            observer.attach(self.layers)
        self._listener = ChangeListener(self._inference, self.emitter, observer)
        on_retraction = None if observer is None else observer.take_back
        self.assertions = Assertions(self._inference, on_retraction, state=state)
        self._calendars = Calendars(self.layers, self.assertions, terms)
        self._read_at_ticks()
        self._read_events()
        is_new = not resumes and self.layers.statics is None
        self._holds = is_new and _counts_ticks(program)
        if self._holds:
            for fact in program.facts:
                terms.pin(terms.encode_many(fact.texts))
        elif is_new:
            self.assertions.facts_of(program, NEG_INF)

    def _read_events(self) -> None:
        """Let facts be asserted with their times, and names, if a rule reads these."""
        scans = {
            plan.relation
            for network in self.layers.networks
            for plan in network.streams
            if isinstance(plan, Scan)
        }
        self.assertions.stamped = STAMPED in scans
        self.assertions.named = NAMED in scans

    def _read_at_ticks(self, since: int = POS_INF) -> None:
        """Follow the lag of the rules; all before the cell ``since`` is final, if it is given."""
        if self._rules.looks_back:
            self._listener.read_at_ticks(self.progress, self.program.neighbours.lag)
            self.assertions.looks_back = True
            self.assertions.lag = self.progress.lag
            self.assertions.waits = self.observer is None  # reports are about what is known now
            self._inference.bound = min(self._inference.bound, since + self.progress.lag)
            if self.layers.base_table is not None:
                self.layers.base_table.whole = True
        if self._kept:
            self.assertions.base.kept = min(self._kept + self.progress.lag, POS_INF)
            self.assertions.base.whole = True
        if self.program.reach.derives_on:
            self._listener.limit_time(self.program.reach.total)

    def watch(self, watch: Callable[[], None]) -> None:
        """Call ``watch`` before each step of a derivation, which it may end by raising."""
        self._watch = self._inference.watch = watch

    @property
    def program(self) -> Program:
        """The program that runs, with the rules that were added and without those dropped."""
        return self._rules.program

    @property
    def negates(self) -> bool:
        """Whether some rule has, or had, a negated condition: what is derived may be lost."""
        return self._inference.negates

    def add(self, program: Program, *, sees_held: bool = False) -> None:
        """Add rules: they see what is asserted from now on; with ``keep``, all that is kept.

        With ``sees_held`` they see also what holds at the frontier, from there on: as if all of it
        had been asserted anew. An instance keeps its begin.

        What they derive, their facts included, are answers from the frontier on; with ``keep``
        these are as if the rules had been there from the first. ``program`` is compiled with the
        numbers that follow those of the rules so far; its window does not count.

        Raises:
            LimitReached: what is derived anew is more than ``limit``.
        """
        self._assert_held()  # which they do not see
        waits = self.keeps and self.assertions.is_early
        self._rules.note(program, self.progress.cell if waits else None)
        if not waits:
            self._join(program, self.progress.cell, sees_held=sees_held)

    def _join(self, program: Program, since: int, *, sees_held: bool = False) -> None:
        network = self._rules.join(program)
        self._read_events()
        self._unknown = self._known_since  # tables may be merged, or made anew
        looks_back = self.keeps and self._rules.looks_back and since > NEG_INF
        if looks_back:
            self._read_at_ticks()  # what was an answer so far stands there
            self.layers.clear()
        self._inference.admit(network, NEG_INF if looks_back else since)
        self._read_at_ticks(since)
        self.emitter.watch()
        if self.keeps and not looks_back:
            self.assertions.repeat(network)
        elif sees_held:
            self.assertions.repeat(network, since)
        self.assertions.facts_of(program, since, keep=self._kept > 0)
        if looks_back:
            recompute(self._inference, self._listener, self.derive)

    def drop(self, rules: Container[int]) -> None:
        """Drop rules and facts of these numbers, from the frontier on.

        What they derived goes as if it were retracted; answers that end by that still name them.
        """
        numbers = range(1, len(self.program.labels) + 1)
        dropped = tuple(number for number in numbers if number in rules)
        waits = self.assertions.is_early
        self._rules.note(dropped, self.progress.cell if waits else None)
        if not waits:
            self._leave(dropped, self.progress.cell)

    def _leave(self, rules: tuple[int, ...], since: int) -> None:
        self._unknown = max(self._known_since, since)
        fed = self._inference.drop(rules)
        self._read_at_ticks(since)
        for table, rule in fed:
            self._inference.disown(table, rule, whole=self.assertions.looks_back)
        self.assertions.retract_facts_of(rules)

    @property
    def may_rederive(self) -> bool:
        """Whether all is kept that what rules derived rests on, as where one of them is dropped."""
        return self.layers.retractable is None or not self._rules.looks_back

    @property
    def lookback(self) -> Ticks:
        """How many ticks after they ended facts are kept, at least, for rules that are added."""
        base = self.layers.base_table
        if base is None or self.frontier == NEG_INF:
            return math.inf
        if not self.keeps:
            return 0
        cells = base.kept if self._rules.waiting else max(base.kept, base.retention)
        return math.inf if cells >= POS_INF else (cells - self.progress.lag) // 2

    def keep_order(self) -> None:
        """From now on joins keep their order, as someone refers to their streams."""
        self._inference.keep_order()

    def assert_static(self, rows: Rows) -> None:
        """Assert triples (n, 3) that always hold; before `close_static` only."""
        assert not self.begun
        self.terms.pin(rows.ravel())
        self._range_ends.note(rows)
        self._assert_always(rows)
        before = self._static_rows
        self._static_rows += len(rows)
        if before // _MEANWHILE < self._static_rows // _MEANWHILE:
            self._derive_meanwhile()

    def _derive_meanwhile(self) -> None:
        """Derive what the background says of the static triples that came so far.

        So no more than some are on their way through its nodes at once. With a limit, or where
        ranges of rules are to end as static data say, all is derived when they are closed.
        """
        statics, waits = self.layers.statics, self._holds or self.program.open_ends is not None
        if statics is not None and not waits and self._options.limit is None:
            self.derive()

    def _assert_always(self, rows: Rows) -> None:
        if self._holds:
            self._held.append(rows)
        else:
            self.assertions.triples(rows, *always_valid(len(rows)))

    def _assert_held(self) -> None:
        """Assert what is static and was held until the kind of the stamps is known.

        Until then nobody can say whether a duration beside an integer counts ticks.
        """
        if self._holds:
            self._holds = False
            self.assertions.facts_of(self.program, NEG_INF)
            held, self._held = self._held[::-1], []
            while held:  # none is kept longer than need be
                self._assert_always(held.pop())

    def extend_static(self, rows: Rows) -> None:
        """Assert triples (n, 3) that always hold; after `close_static`, before time has begun.

        Raises:
            NewRangeEnd: a range of a rule does not end there.
        """
        self.check_range_ends(rows)
        self.terms.touch(rows, np.full(len(rows), POS_INF))
        self.assertions.triples(rows, *always_valid(len(rows)))

    def assert_part(
        self, relation: Relation, rows: Rows, start: Column, end: Column, names: Column
    ) -> None:
        """Assert facts of a relation, (n, arity), of a batch; all of them always hold, or none."""
        if len(rows) and start[0] == NEG_INF:
            self.terms.pin(rows.ravel())
            lo, hi = always_valid(len(rows))
        else:
            lo, hi = valid_cells(self.program, start, end)
            self.terms.touch(rows, hi)
            self.terms.touch(names.reshape(-1, 1), hi)
        some = lo < hi
        facts = np.column_stack((rows, lo, hi))[some]
        self.assertions.enter(relation, facts, names[some])

    def close_static(self) -> None:
        """Derive all that follows from static data alone; nothing static may come after it.

        Raises:
            LimitReached: it is more than ``limit``; called again it goes on.
            RangeEndsRefused: rules cannot be compiled with what is static.
        """
        self.close_ranges()
        self._assert_held()
        statics = self.layers.statics
        if statics is not None and statics.open:
            self.close_background()
            self.assertions.raise_statics(statics)
            self.assertions.facts_of(self.program, NEG_INF)
        self.begun = True
        self.derive()
        self.assertions.withdrawn += 1
        if self._static_rows >= _MANY_STATIC:
            trim_memory()  # what rows took on their way is not needed any more

    def close_ranges(self) -> None:
        """Let ranges end where static data say, once all are in; a second call changes nothing.

        Raises:
            LimitReached, RangeEndsRefused: as of `close_static`.
        """
        if self.program.open_ends is None:
            return
        derived = None
        if self.layers.statics is not None:  # the background may derive a value
            self.close_background()
            self.begun = False
            parts = self.layers.statics.facts()
            derived = np.concatenate([self.layers.classes.expand(part) for part in parts])
        self._build(self._range_ends.close(self.program, derived))
        self._held.clear()
        for rows in self._range_ends.take_static():
            self._assert_always(rows)

    def check_range_ends(self, rows: Rows) -> None:
        """Refuse static triples, (n, 3), with a new value for the end of a range.

        Raises:
            NewRangeEnd: there is one.
        """
        self._range_ends.check(rows)

    def close_background(self) -> None:
        """Derive what follows from static data by the background; the rules of the user come later.

        So no rule or fact that may be dropped makes terms the same for ever.

        Raises:
            LimitReached: it is more than ``limit``; called again it goes on.
        """
        self.begun = True
        self.derive()
        statics = self.layers.statics
        while statics is not None and len(again := statics.united()):
            if self.layers.base_table is not None:
                self.layers.base_table.translate(TRIPLES, self.layers.classes)
            self._inference.push(TRIPLES, again)
            self.derive()
        self.layers.forget_names()

    def derive(self, until: int = NEG_INF) -> None:
        """Derive what follows; where it has no end, up to the tick ``until`` or the last stamp.

        Raises:
            LimitReached: it is more than ``limit``; called again it goes on.
        """
        if self.program.reach.derives_on or self._inference.horizon is not None:
            self._inference.widen((NEG_INF, self.progress.horizon(until)))
        self._inference.run()

    def _derive_to_frontier(self) -> None:
        """Derive what follows, in networks that have not seen time move; then let it move on."""
        self.derive()
        self.advance(self.frontier)
        self.derive()

    def advance(self, frontier: int) -> None:
        """All that is asserted before the tick ``frontier`` is known, but for what waits."""
        if frontier > NEG_INF:
            first = self.progress.first
            begin = first if first < POS_INF else frontier
            self._inference.begin_at(2 * begin)
            if self.program.reads_marks:
                self._listener.begin_at(2 * begin)
                self._mark(begin, frontier)
            self._inference.advance(self.progress.known_before(frontier))

    def _mark(self, begin: int, until: int) -> None:
        """Assert the marks before the tick ``until``, and those to which rules look ahead."""
        ahead = self.progress.lag if self.progress.lookahead < math.inf else 0
        self._calendars.advance(begin, until, ahead)

    def know(self, tick: int) -> None:
        """Derive what rules say of time up to the tick, as if nothing more came at that one.

        What does come is still taken in, and answers wait for the frontier as ever.
        """
        if self.begun and tick > NEG_INF and self.emitter.early is None:
            if self.program.reads_marks and self.progress.first < POS_INF:
                self._mark(self.progress.first, tick + 1)
            self._inference.advance(2 * tick + 1)
            self.derive()

    def admit(self, batch: Batch) -> Validity:
        """The cells in which the triples of a batch hold; its terms are kept as long."""
        lo, hi = valid_cells(self.program, batch.start, batch.end)
        self.explicit_ends = self.explicit_ends or self._has_ends(batch)
        self.terms.touch(batch.rows, hi)
        if len(batch.names):
            self.terms.touch(batch.names.reshape(-1, 1), hi)
        return lo, hi

    def _has_ends(self, batch: Batch) -> bool:
        """Whether some element gave an end, as far as it differs from that of a window."""
        given = batch.end < NO_END
        windows = self.program.windows.lengths
        if windows:
            given &= ~np.isin(batch.end - batch.start, [*windows])
        return bool(np.count_nonzero(given))

    def assert_batch(self, batch: Batch, validity: Validity) -> None:
        """Assert the triples of a batch, where they hold at all."""
        rows, (lo, hi) = batch.rows, validity
        names = batch.names if len(batch.names) else None
        some = lo < hi
        # A window of 0 leaves nothing, nor does rounding of some intervals.
        if np.count_nonzero(some) < len(some):
            rows, lo, hi = rows[some], lo[some], hi[some]
            names = None if names is None else names[some]
        self._valid_times.add(hi)
        self.assertions.triples(rows, lo, hi, names)

    def settle(self, frontier: int) -> None:
        """Derive up to ``frontier``, where time is about to close; what waits takes effect there.

        Raises:
            LimitReached: it is more than ``limit``; called again it goes on.
        """
        self.advance(frontier)
        self.derive(frontier)
        while self._frontiers and self._frontiers[0] <= self.progress.final_after(frontier):
            self.change_waiting()
            self.derive(frontier)

    @property
    def _frontiers(self) -> list[int]:
        """The frontiers, in cells, for which retractions and changes of rules wait, in order."""
        return sorted(
            {*self.assertions.waiting.tolist(), *(each.since for each in self._rules.waiting)}
        )

    def change_waiting(self) -> None:
        """Retract and change rules as of the least frontier that waits; all before is final."""
        since, changes = self._frontiers[0], self._rules.waiting
        self.emitter.settle(since - 1)
        self.progress.settle(since)
        self._inference.bound = since + self.assertions.lag
        if since in self.assertions.waiting:
            self.assertions.retract_waiting()
        while changes and changes[0].since == since:
            change = changes.popleft().change
            if isinstance(change, tuple):
                self._leave(change, since)
            else:
                self._join(change, since)

    def release(self) -> None:
        """Let rows that end before the frontier be forgotten; answers before it are emitted."""
        self._inference.bound = self.progress.cell

    @property
    def may_be_endless(self) -> bool:
        """Whether rules may derive facts for ever as time goes on and nothing more is asserted."""
        return self.program.reach.derives_on or bool(self._inference.known_nodes)

    def limit_endless(self, most: int) -> None:
        """From now on derive at most ``most`` facts at once, if there is no limit yet."""
        if self._inference.limit is None:
            self._inference.limit = most

    def end(self) -> None:
        """End the input: nothing later can change an answer any more."""
        self.progress.ended = True

    @property
    def plans(self) -> int:
        """Another number whenever nodes are others, or may remember in other places."""
        return self._inference.plans

    @property
    def waits(self) -> bool:
        """Whether something is to be changed at a frontier to come, or emitted, or derived."""
        waiting = self.assertions.waiting.size or self._rules.waiting or self.emitter.has_settled
        return bool(waiting) or not self._inference.is_idle

    @property
    def asserted(self) -> int:
        """How many facts were asserted so far, but for some of those that came row by row."""
        return self._inference.asserted

    @property
    def is_order_due(self) -> bool:
        """Whether the order of joins is to be looked at before what comes next."""
        return self._inference.is_order_due

    def row_plan(self) -> RowPlan:
        """The networks as single rows would run them."""
        return RowPlan(self._inference)

    def read_rows(self, plan: RowPlan | None) -> RowExecutor | None:
        """From now on single elements may be taken in by such a plan; None: they are not."""
        executor = None if plan is None else RowExecutor(self._inference, plan)
        self.emitter.read_rows(executor)
        return executor

    def may_tidy(self, bound: int) -> bool:
        """Whether so much ended before the cell ``bound`` that a look at what to forget pays."""
        return self._valid_times.first <= bound

    def check(self) -> None:
        """Raise where the run is to end; see `watch`."""
        if self._watch is not None:
            self._watch()

    def note_end(self, hi: int) -> None:
        """An element came that ends at the cell ``hi``."""
        self._valid_times.note(hi)
        if hi == POS_INF and not self.assertions.withdrawn:
            self.assertions.withdrawn = 1

    def tidy(self, needed: Iterable[Column] = ()) -> None:
        """`forget`, if it is due."""
        kept = max(self.layers.retention, self._kept)
        many_ended = self._valid_times.is_due(
            self._inference.bound - kept, self.terms.survivors // _TERMS_OF_A_ROW
        )
        if many_ended or self.terms.due or self.assertions.withdrawn > max(_MANY, len(self.terms)):
            before = self.terms.texts.nbytes
            self.forget(needed)
            if many_ended or before >= _LARGE or self.terms.texts.nbytes < before // 2:
                trim_memory()
        else:
            self._inference.sum_up()

    def forget(self, needed: Iterable[Column] = ()) -> None:
        """Forget what ended, and the terms that no row can mention any more.

        Args:
            needed: ids that are to stay though no row mentions them yet, in arrays of any shape.

        Raises:
            LimitReached: rules that were added derive more than ``limit`` facts.
        """
        self._inference.run()  # what is pending mentions terms too
        # Retracted rows were to hold longer; what ended is kept, for operators or added rules.
        ever = self._rules.looks_back or self._kept > 0
        anew = ever or self.assertions.withdrawn > 0
        if anew:
            self.assertions.withdrawn = 0
        observed = () if self.observer is None else (self.observer.held,)
        others = (self.emitter.needed_ids, *self.needed_ids, self.reported_ids(), *observed)
        self._inference.forget((*needed, *others), anew=anew, ever=ever)
        self._valid_times.forgotten()

    @property
    def frontier(self) -> int:
        """Instants before it are closed; `NEG_INF` before the first."""
        return self.progress.frontier

    @property
    def lookahead(self) -> float:
        """How many ticks after an instant its answers are final; infinity: at the end."""
        return self.progress.lookahead

    @property
    def inconsistent(self) -> bool:
        """Whether ``rif:error()`` was derived, of whatever time."""
        return self.derives(ERROR)

    @property
    def derived(self) -> int:
        """How many facts were derived so far."""
        return self._inference.derived

    @property
    def overdeleted(self) -> int:
        """How many rows of facts were deleted so far, those that were derived again included."""
        return self._inference.overdeleted

    @property
    def without_effect(self) -> int:
        """How many names and triples were to be retracted and were not there."""
        return self.assertions.without_effect

    def outside(self) -> list[DomainErrors]:
        """The calls outside the domain of a built-in so far, by its IRI."""
        nodes = (part for network in self.layers.networks for part in network.outside())
        return sum_by_builtin([*nodes, *self._range_ends.outside()])

    def derives(self, relation: Relation) -> bool:
        """Whether a fact of ``relation`` was derived, of whatever time."""
        tables = (table for table in self.layers.all_tables if table.relation == relation)
        return any(len(table.facts.content()) > 0 for table in tables)

    @property
    def known_since(self) -> int:
        """The first tick at which all answers are known: no fact is forgotten that held then.

        Facts that ended are forgotten when there is need. Of a rule that was dropped nothing is
        known of before.
        """
        return (self._known_since + 1) >> 1

    @property
    def _known_since(self) -> int:
        """The latest cell at which a fact ended that may be forgotten."""
        forgotten = (table.answer_facts.facts.forgotten for table in self.layers.tables)
        return max([self._unknown, *forgotten])

    def derived_at(self, tick: int) -> Iterator[tuple[str, str, str]]:
        """Texts of the derived triples that hold at ``tick``, in no order; see `known_since`."""
        self._inference.run()
        cell = max(2 * tick, NEG_INF + 1)
        for table in self.layers.tables:
            if table.relation == TRIPLES:
                rows = table.answer_facts.facts.content()
                holds = (rows[:, -2] <= cell) & (cell < rows[:, -1])
                texts = self.terms.decode_many(np.ascontiguousarray(rows[holds, :3]).ravel())
                yield from zip(*[iter(texts)] * 3, strict=True)

    def saved(self) -> State:
        """Its state, but for its program and its terms."""
        self._inference.run()
        return {
            "frontier": self.frontier,
            "final": self.progress.final,
            "first": self.progress.first,
            "begun": self.begun,
            "own_ends": self.explicit_ends,
            "forgotten": self._known_since,
            "without_effect": self.without_effect,
            "withdrawn": self.assertions.withdrawn,
            "waiting": self.assertions.waiting,
            "history": self._rules.saved(),
            "outside": [{"builtin": each.builtin, **each.saved()} for each in self.outside()],
            **self._inference.saved(),
            "calendars": self._calendars.saved(),
            "ledger": self.emitter.saved(),
            **self._range_ends.saved(),
            **({"held": {"rows": np.concatenate([_NO_ROWS, *self._held])}} if self._holds else {}),
        }

    def rebuild(self, saved: StateReader, joined: Iterator[Program]) -> None:
        """Add and drop rules as was done until ``saved``; they derive nothing.

        Raises:
            RangeEndsRefused: as of `close_static`.
        """
        program = self._range_ends.rebuilt(self.program, saved.maybe("range_ends"))
        if program is not self.program:
            self._build(program, resumes=True)
        self._rules.rebuild(saved.parts("history"), joined)
        self._read_at_ticks()
        self.emitter.watch()

    def restore(self, saved: StateReader, alive: Mask) -> None:
        """Go on from the saved state of a core of the same rules; see `rebuild`."""
        self._inference.restore(saved, alive)
        self._restore_static(saved, alive)
        self._restore_time(saved)
        if self.layers.base_table is not None:
            for rows in self.layers.base_table.rows():
                self._valid_times.add(rows[:, -1])
        self._calendars.restore(saved.part("calendars"))
        self.emitter.restore(saved.part("ledger"), alive)

    def _restore_static(self, saved: StateReader, alive: Mask) -> None:
        self._range_ends.restore(saved.maybe("range_ends"), alive)
        held = saved.maybe("held")
        if held is not None:
            self._holds = True
            self._held = [held.array("rows", np.int64, None, 3)]
            held.living("rows", self._held[0], alive)

    def _restore_time(self, saved: StateReader) -> None:
        frontier = saved.integer("frontier", NEG_INF, LATEST_FRONTIER)
        self.begun = saved.flag("begun")
        self.explicit_ends = saved.flag("own_ends")
        self.assertions.without_effect = saved.integer("without_effect", 0)
        self.assertions.withdrawn = saved.integer("withdrawn", 0)
        self.assertions.waiting = saved.array("waiting", np.int64, None)
        self.progress.restore(frontier, saved.integer("final", NEG_INF, POS_INF))
        self.progress.first = saved.integer("first", NEG_INF, POS_INF)
        older = max(self.progress.final - 2, NEG_INF)  # of a state that does not tell
        known = saved.integer("forgotten", NEG_INF, POS_INF) if "forgotten" in saved else older
        self._unknown = known
        self._read_at_ticks()

    def take_over(self, saved: StateReader, alive: Mask) -> Counter[Relation]:
        """Go on from the state of a core that compiled the rules otherwise; see `rebuild`.

        What follows is derived anew, from what is kept. Of how many facts answers change by that.
        """
        inference = self._inference
        inference.take_over(saved, alive)
        self._restore_static(saved, alive)
        self._restore_time(saved)
        self._calendars.restore(saved.part("calendars"))
        kept = inference.bound, inference.derived, inference.limit
        inference.limit = None
        listeners = inference.on_gain, inference.on_loss
        inference.on_gain = inference.on_loss = lambda *_: None
        derive_anew(inference, self._derive_to_frontier)
        inference.on_gain, inference.on_loss = listeners
        inference.bound, inference.derived, inference.limit = kept
        changed = follow_answers(inference, self.emitter, saved, alive, self.progress.final)
        nodes = (node for network in self.layers.networks for node in network.linear_nodes())
        outside = {node.outside.builtin: node.outside for node in nodes}
        for part in saved.parts("outside"):
            if part.text("builtin") in outside:
                outside[part.text("builtin")].restore(part)
        inference.expire()
        return changed


def _counts_ticks(program: Program) -> bool:
    """Whether a rule calls a built-in for which a duration may count ticks. Linear in the plans."""
    builtins = program.language.builtins
    return any(builtins[name].in_ticks for name in called_builtins(program.emits))
