"""A run: a program that takes in batches of elements, and reports what they change."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Final

from r4.answers.output_order import Changes
from r4.engine.core import Core
from r4.program.program import Program
from r4.run.driver import Driver, Retraction
from r4.run.findings.pattern_coverage import PatternCoverage
from r4.run.ports import NEVER, Report, Stop
from r4.run.reference_data import ReferenceData
from r4.run.run_bounds import RunBounds
from r4.run.settings import RunSettings
from r4.stream.batch import Batch
from r4.time.ticks import Tick
from rete.arrays.delta import Column, Rows
from rete.memory_limit import MemoryLimit
from rete.terms.dictionary import Dictionary

if TYPE_CHECKING:  # a run without possible answers does not load them
    from r4.possible.tracking import PossibleTracking
    from temporal.hypothetical.rif_rules.tracker import PossibleAnswerTracker


_MOST_STAMPS: Final = 64
"""The most stamps that are reported at once: then a report costs little more than its lines."""


class Run:
    """A program that runs, by the steps of its driver; what they change goes to a report.

    A batch of elements may be taken in, elements retracted, static data and rules changed, time
    moved, the input ended. With possible answers each step reports these, too: those of a stamp
    come once the next stamp is reached.

    Attributes:
        driver: takes the steps.
        references: static data and rules that may change; None: they cannot.
        coverage: is notified of what is asserted; None: nobody asks for patterns without a match,
            or static data or rules were read again.
        bounds: the bounds of memory and patience.
        tracking: follows possible answers; None: they are not followed.
    """

    def __init__(  # noqa: PLR0913 - what a run depends on
        self,
        program: Program,
        terms: Dictionary,
        settings: RunSettings,
        report: Report,
        *,
        tracking: PossibleTracking | None = None,
        stop: Stop = NEVER,
        resumes: bool = False,
    ) -> None:
        """Begin; nothing is asserted but the facts of ``program``.

        Args:
            program: what runs.
            terms: the dictionary of all ids.
            settings: those of the run.
            report: where changes go.
            tracking: of possible answers; None: they are not followed.
            stop: says whether the run is to end.
            resumes: whether a saved state is restored next.
        """
        self._program = program
        self._settings = settings
        self._report = report
        self.tracking = tracking
        self._resumes = resumes
        self._late_bounds: tuple[Tick, ...] = ()
        self.bounds = RunBounds(MemoryLimit(settings.memory), stop)
        self.terms = terms
        self.driver = Driver(self._core_of(program))
        self.references: ReferenceData | None = None
        self.coverage: PatternCoverage | None = None

    @property
    def core(self) -> Core:
        """The core of the driver."""
        return self.driver.core

    def _core_of(self, program: Program, tracker: PossibleAnswerTracker | None = None) -> Core:
        settings = self._settings
        core = Core(
            *(program, self.terms),
            instances=settings.instances,
            limit=settings.limit,
            keep=settings.keep,
            lookback=settings.lookback,
            retract_within=settings.retract_within,
            arrival=settings.arrival,
            observer=tracker,
            resumes=self._resumes,
        )
        core.watch(self.bounds.check)
        core.reported_ids = lambda: self._report.needed_ids
        return core

    @property
    def _reports(self) -> PossibleAnswerTracker | None:
        return None if self.tracking is None else self.tracking.reports

    def assert_static(self, rows: Rows) -> None:
        """Assert triples, (n, 3), that always hold; before time begins."""
        if self.tracking is None:
            self.driver.assert_static(rows)
        else:
            self.tracking.add_static(rows, self.terms)

    def track(self) -> None:
        """Follow possible answers, if they are requested, as all static data are in.

        Called once, before the first step; `begin` does it, too.
        """
        tracking = self.tracking
        if tracking is not None and tracking.reports is None:
            tracking.rewrite(self.terms, self._program.language)
            self.driver = Driver(tracking.start(self._program, self.terms, self._core_of))

    def begin(self) -> None:
        """Close static data, if that was not done: what follows from them alone is reported."""
        if not self.core.begun:
            self.track()
            self._tell([self.driver.begin()])

    def take(self, batch: Batch) -> None:
        """Take in a batch of elements; static data are closed before the first one with a time.

        Raises:
            LimitReached: rules derive more than the limit from it.
        """
        if batch.references is not None and self.references is not None:
            self.coverage = None  # its patterns may be of rules that leave
            self._tell(self.references.apply(self.driver, batch.references, batch))
            return
        if self.coverage is not None:
            self.coverage.note(batch.rows)
        reports = self._reports
        if reports is None:
            self._tell(self.driver.step(batch))
            return
        reports.reach(batch.last, batch.late_before)
        try:
            changes = self.driver.step(batch)
        except BaseException:
            self._tell_possible(reports)
            raise
        if not batch.more or reports.waiting >= _MOST_STAMPS:
            self._tell_possible(reports)
        self._tell(changes, reports.at if reports.waiting else None)
        if batch.completes:
            self._late_bounds = batch.late_after
            reports.completed(batch.late_after)

    def report_final(self) -> None:
        """Report the answers that are final as all instants before the frontier are closed."""
        self._tell([self.core.emitter.close(self.core.progress.final - 1)])

    def retract(self, names: Column, rows: Rows | None, frontier: Tick, last: Tick) -> Retraction:
        """Retract elements, or triples of theirs; the arguments are those of `Driver.retract`."""
        self.begin()
        self._reach(last)
        found = self.driver.retract(names, rows, frontier, last)
        self._tell(found.changes)
        self._complete(frontier)
        return found

    def extend_static(
        self, rows: Rows, frontier: Tick, last: Tick, needed_ids: Iterable[Rows | Column] = ()
    ) -> None:
        """Take in triples, (n, 3), that hold from ``frontier`` on; see `Driver.extend_static`."""
        if self.core.begun:
            self._tell(self.driver.extend_static(rows, frontier, last, needed_ids))
        else:
            self.assert_static(rows)

    def end_static(self, rows: Rows, frontier: Tick, last: Tick) -> Retraction:
        """Let static triples, (n, 3), hold up to ``frontier``; see `Driver.end_static`."""
        found = self.driver.end_static(rows, frontier, last)
        self._tell(found.changes)
        return found

    def drop(self, rules: Container[int], frontier: Tick) -> None:
        """Drop the rules of these numbers, from ``frontier`` on."""
        self._tell(self.driver.drop(rules, frontier))

    def advance(self, frontier: Tick, last: Tick) -> None:
        """Move time alone, to ``frontier`` and the largest stamp ``last``."""
        self.begin()
        self._reach(last)
        self._tell(self.driver.advance(frontier, last))
        self._complete(frontier)

    def close_stamp(self, *, drains: bool = False) -> None:
        """Report the possible answers of all input so far; ``drains``: those that end with it."""
        reports = self._reports
        if reports is not None:
            reports.close()
            self._tell_possible(reports)
            if drains:
                self._report.possible(reports.drain())

    def finish(self, last: Tick, drain: Tick | None) -> None:
        """End the input; the arguments are those of `Driver.finish`.

        Raises:
            LimitReached: rules derive for ever.
        """
        self.close_stamp(drains=drain != 0)
        self._tell([self.driver.finish(last, drain)])

    @property
    def late_bounds(self) -> tuple[Tick, ...]:
        """The ticks below which elements are late, as of `Batch.late_after`, of the last step."""
        return self._late_bounds

    def _reach(self, last: Tick) -> None:
        reports = self._reports
        if reports is not None:
            reports.reach(last, self._late_bounds)
            self._tell_possible(reports)

    def _complete(self, frontier: Tick) -> None:
        if self._reports is not None:
            self._late_bounds = (frontier,)
            self._reports.completed(self._late_bounds)

    def _tell(self, some: Iterable[Changes], before: Tick | None = None) -> None:
        for changes in some:
            self._report.changes(changes, before)
        self._report.advance(self.core.progress.final_tick, before)

    def _tell_possible(self, reports: PossibleAnswerTracker) -> None:
        if (found := reports.take()) is not None:
            self._report.possible(found)
