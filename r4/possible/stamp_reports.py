"""When possible answers are reported.

They are reported once for all that arrives while one stamp is the largest. Many stamps are written
at once, if there is more input already.
"""

from __future__ import annotations

from collections.abc import Sequence

from r4.time.ticks import NEG_INF, Tick
from temporal.hypothetical.rif_rules.reports.possible_answers import StatusReport
from temporal.hypothetical.rif_rules.reports.status_reports import StatusReports
from temporal.hypothetical.rif_rules.tracker import PossibleAnswerTracker


class StampReports:
    """Reports of the tracker, when the largest stamp grows and at the end.

    The state that is reported is that before the element with which it grows.

    Attributes:
        at: the largest stamp so far; `NEG_INF` before the first.
    """

    def __init__(self, tracker: PossibleAnswerTracker) -> None:
        self._tracker = tracker
        self._late_bounds: Sequence[Tick] = ()
        self.at = NEG_INF

    def reach(self, last: Tick, late_bounds: Sequence[Tick]) -> None:
        """An element comes and the largest stamp is ``last``: the stamp before ends.

        Elements were late below ``late_bounds`` so far.
        """
        if last <= self.at:
            return
        if self.at > NEG_INF:
            self._late_bounds = late_bounds
        self.close()
        self.at = last

    def completed(self, late_bounds: Sequence[Tick]) -> None:
        """An element is complete; others are late below ``late_bounds`` from now on."""
        self._late_bounds = late_bounds

    def close(self) -> None:
        """Report on all input so far."""
        if self.at > NEG_INF:
            self._tracker.settle(self._late_bounds)
            self._tracker.report(self.at)

    def take(self) -> StatusReports | None:
        """The reports of the stamps that ended since the last call; None: there are none."""
        return self._tracker.take()

    def drain(self) -> StatusReports:
        """The reports at the end of the input, with which what is open ends; call `take` before."""
        return self._tracker.drain(self.at)

    @property
    def waiting(self) -> int:
        """Of how many stamps reports were not taken."""
        return self._tracker.waiting

    @property
    def dropped(self) -> int:
        """How many sets of hypotheses were dropped, as there were too many."""
        return self._tracker.dropped

    def possible(self) -> list[StatusReport]:
        """What is possible by all input so far."""
        if self._late_bounds:
            self._tracker.settle(self._late_bounds)
        return self._tracker.possible(self.at)
