"""Sources through a driver, batch by batch: what `r4 run` does with its streams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from r4.answers.output_order import Changes
from r4.run.driver import Driver
from r4.run.pattern_coverage import PatternCoverage
from r4.run.reference_data import ReferenceData
from r4.stream.intake import Intake
from r4.time.ticks import StampFormat, Tick

if TYPE_CHECKING:  # a run without possible answers does not load them
    from r4.possible.stamp_reports import StampReports
    from temporal.hypothetical.rif_rules.reports.status_reports import StatusReports


_MOST_STAMPS: Final = 64
"""So many stamps are reported at once, at most: then a report costs little more than its lines."""


@dataclass(frozen=True, slots=True)
class RunOutput:
    """One output of a run, to be written at once: its ids hold until the next one is made.

    Attributes:
        reports: what became of possible answers; they come before the changes. None: nothing.
        changes: answers that began or ceased to hold, in order.
        before: they come behind reports of stamps before this one, of a later output; None: there
            will be none.
    """

    reports: StatusReports | None = None
    changes: Sequence[Changes] = ()
    before: Tick | None = None


class StreamRun:
    """A run over streams; the core of the driver has the static data already.

    Attributes:
        driver: of the program.
        intake: the streams.
        clock: how stamps are written; the kind of the first one settles it.
        reports: of possible answers; None: they are not followed.
        references: static data and rules that may change; None: they cannot.
        unmatched: is notified of what is asserted; None: nobody asks, or static data or rules were
            read again.
    """

    def __init__(
        self,
        driver: Driver,
        intake: Intake,
        clock: StampFormat,
        reports: StampReports | None = None,
    ) -> None:
        self.driver = driver
        self.intake = intake
        self.clock = clock
        self.reports = reports
        self.unmatched: PatternCoverage | None = None
        self.references: ReferenceData | None = None

    def outputs(self) -> Iterator[RunOutput]:
        """The outputs, batch by batch, to the end of the streams.

        Raises:
            BadData: at the first bad datum, in strict mode.
            SourceLost: the system stops delivering a source.
            LimitReached: rules derive more than the limit.
        """
        reports = self.reports
        for batch in self.intake:
            self.clock.kind = self.intake.kind
            if batch.references is not None and self.references is not None:
                self.unmatched = None  # its patterns may be of rules that leave
                apply = self.references.apply
                yield RunOutput(changes=apply(self.driver, batch.references, batch))
                continue
            if self.unmatched is not None:
                self.unmatched.note(batch.rows)
            if reports is None:
                yield RunOutput(changes=self.driver.step(batch))
                continue
            reports.reach(batch.last, batch.late_before)
            try:
                changes = self.driver.step(batch)
            except BaseException:
                yield RunOutput(reports=reports.take())
                raise
            if not batch.more or reports.waiting >= _MOST_STAMPS:
                yield RunOutput(reports=reports.take())
            yield RunOutput(changes=changes, before=reports.at if reports.waiting else None)
            if batch.completes:
                reports.completed(batch.late_after)

    def finish(self, drain: int | None) -> Iterator[RunOutput]:
        """The outputs at the end of the streams; ``drain`` as of `Driver.finish`.

        Raises:
            LimitReached: rules derive more than the limit.
        """
        if self.reports is not None:
            self.reports.close()
            yield RunOutput(reports=self.reports.take())
            if drain != 0:
                yield RunOutput(reports=self.reports.drain())
        yield RunOutput(changes=(self.driver.finish(self.intake.last, drain),))
