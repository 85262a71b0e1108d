"""Possible answers of a run: found as it goes, told beside its changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from r4.api.event_clock import EventClock
from r4.api.possible_answers import NodeWording, Possible, Prospect
from r4.engine.core import Core
from r4.possible.arrival_chances import UnitLateness
from r4.possible.rewriting.expected_input import static_vocabulary
from r4.possible.rewriting.program_rewriting import HypothesisOptions, rewrite_for_hypotheses
from r4.possible.tracking.possible_answers import StatusReport
from r4.possible.tracking.reporting import CoreFactory, StampReports, start_tracking
from r4.program.program import Program
from r4.time.ticks import Tick
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rif.errors.base import RuleError
from rif.syntax.ast import Document


class PossibleTracking:
    """Waits until static data are in, for they say what may come; then it follows the run.

    Attributes:
        unfollowed: what there is to say about rules; known once time has begun.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        wish: HypothesisOptions,
        event_clock: EventClock,
        begin: CoreFactory,
    ) -> None:
        """Wait.

        Args:
            documents: the rules, the main document first.
            wish: what is asked for.
            event_clock: of the run.
            begin: makes the core of a program.
        """
        self._documents = documents
        self._wish = wish
        self._event_clock = event_clock
        self._begin = begin
        self._static: list[Rows] = []
        self._reports: StampReports | None = None
        self._wording = NodeWording(event_clock)
        self._lines: tuple[Tick, ...] = ()
        self._waiting: deque[Prospect] = deque()
        self.unfollowed: tuple[RuleError, ...] = ()

    def always(self, rows: Rows, terms: Dictionary) -> None:
        """Triples, (n, 3), that always hold."""
        terms.pin(rows.ravel())
        self._static.append(rows)

    def core(self, program: Program, terms: Dictionary) -> Core:
        """All static data are in: the core with which the run begins."""
        words = static_vocabulary(self._static, terms)
        found = rewrite_for_hypotheses(
            self._documents, self._event_clock.clock.scale, self._wish, *words
        )
        self.unfollowed = tuple(each.error for each in found.unfollowed)
        delays = UnitLateness((0,), (self._event_clock.delay,))
        core, self._reports = start_tracking(
            *(found, program, self._wish, delays, self._static, terms, self._begin)
        )
        self._static.clear()
        return core

    def reach(self) -> None:
        """Something comes; time has moved to its stamp, the core has not."""
        if self._reports is not None:
            self._tell(self._reports.reach(self._event_clock.last, self._lines))

    def completed(self) -> None:
        """It is in."""
        if self._reports is not None:
            self._lines = (self._event_clock.frontier,)
            self._reports.completed(self._lines)

    def close(self, *, drain: bool = False) -> None:
        """No more comes with this stamp; with ``drain`` no more comes at all, and all ends."""
        if self._reports is not None:
            self._tell(self._reports.close())
            if drain:
                self._tell(self._reports.drain())

    def possible(self) -> list[Possible]:
        """What is possible now."""
        found = [] if self._reports is None else self._reports.possible()
        return [self._wording.possible(each) for each in found]

    @property
    def dropped(self) -> int:
        """How many sets of hypotheses were, as there were too many."""
        return 0 if self._reports is None else self._reports.dropped

    def take(self) -> Iterator[Prospect]:
        """What became of possible facts, in order; each is told once."""
        while self._waiting:
            yield self._waiting.popleft()

    def _tell(self, found: Sequence[StatusReport]) -> None:
        self._waiting.extend(self._wording.prospects(found))
