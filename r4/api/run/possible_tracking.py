"""Possible answers of a run: followed as it goes on, reported beside its changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from r4.api.values.change import take_all
from r4.api.values.event_clock import EventClock
from r4.api.values.possible_answers import NodeWording, Possible, Prospect
from r4.engine.core import Core
from r4.possible.stamp_reports import CoreFactory, StampReports, start_tracking
from r4.program.program import Program
from r4.time.ticks import Tick
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rif.errors.base import RuleError
from rif.syntax.ast import Document
from temporal.hypothetical.rif_rules.arrival_chances import UnitLateness
from temporal.hypothetical.rif_rules.errors import RetractedEarly
from temporal.hypothetical.rif_rules.reports.status_reports import StatusReports
from temporal.hypothetical.rif_rules.rewriting.expected_input import static_vocabulary
from temporal.hypothetical.rif_rules.rewriting.program_rewriting import (
    HypothesisOptions,
    rewrite_for_hypotheses,
)


class PossibleTracking:
    """Follows the possible answers of a run, once static data are in: they decide what may come."""

    def __init__(
        self,
        documents: Sequence[Document],
        options: HypothesisOptions,
        event_clock: EventClock,
        make_core: CoreFactory,
    ) -> None:
        """Start; nothing is followed yet.

        Args:
            documents: the rules, the main document first.
            options: of possible answers.
            event_clock: of the run.
            make_core: makes the core of a program.
        """
        self._documents = documents
        self._options = options
        self._event_clock = event_clock
        self._make_core = make_core
        self._static: list[Rows] = []
        self._reports: StampReports | None = None
        self._wording = NodeWording(event_clock)
        self._late_bounds: tuple[Tick, ...] = ()
        self._queued: deque[Prospect] = deque()
        self._unfollowed: tuple[RuleError, ...] = ()

    def add_static(self, rows: Rows, terms: Dictionary) -> None:
        """Keep triples, (n, 3), that always hold, until `core` is called."""
        terms.pin(rows.ravel())
        self._static.append(rows)

    def core(self, program: Program, terms: Dictionary) -> Core:
        """The core with which the run begins; called once, when all static data are in."""
        vocabulary = static_vocabulary(self._static, terms)
        rewritten = rewrite_for_hypotheses(
            self._documents, self._event_clock.clock.scale.per_second, self._options, *vocabulary
        )
        self._unfollowed = tuple(each.error for each in rewritten.unfollowed)
        delays = UnitLateness((0,), (self._event_clock.delay,))
        core, self._reports = start_tracking(
            *(rewritten, program, self._options, delays, self._static, terms, self._make_core)
        )
        self._static.clear()
        return core

    def warnings(self, core: Core) -> tuple[RuleError, ...]:
        """About rules that are left out, and about what ``core`` retracted early."""
        early = core.retracted_early
        return self._unfollowed + ((RetractedEarly.of(early),) if early else ())

    def reach(self) -> None:
        """Report what event time decides, which has moved to a new stamp; the core has not yet."""
        if self._reports is not None:
            self._reports.reach(self._event_clock.last, self._late_bounds)
            self._queue(self._reports.take())

    def completed(self) -> None:
        """Take note that the core has taken in what came with the stamp."""
        if self._reports is not None:
            self._late_bounds = (self._event_clock.frontier,)
            self._reports.completed(self._late_bounds)

    def close(self, *, drain: bool = False) -> None:
        """End the stamp; with ``drain`` the input, too: what is open ends."""
        if self._reports is not None:
            self._reports.close()
            self._queue(self._reports.take())
            if drain:
                self._queue(self._reports.drain())

    def possible(self) -> list[Possible]:
        """The answers that are possible now."""
        answers = [] if self._reports is None else self._reports.possible()
        return [self._wording.possible(each) for each in answers]

    @property
    def dropped(self) -> int:
        """How many sets of hypotheses were dropped, as there were too many."""
        return 0 if self._reports is None else self._reports.dropped

    def take(self) -> Iterator[Prospect]:
        """The changes of status of possible facts, in order; each comes out once."""
        return take_all(self._queued)

    def _queue(self, reports: StatusReports | None) -> None:
        if reports is not None:
            self._queued.extend(self._wording.prospects(reports))
