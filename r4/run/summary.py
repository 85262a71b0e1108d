"""The summary of a run: what was read and written, as one line."""

from __future__ import annotations

from dataclasses import dataclass

from r4.errors import Counters
from r4.time.ticks import StampFormat, Tick


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run did.

    Attributes:
        counters: of the data.
        changes: how many beginnings and ends of answers were written.
        begin, end: the least and the largest stamp, in this order if there are any.
    """

    counters: Counters
    changes: int
    begin: Tick
    end: Tick

    def line(self, clock: StampFormat) -> str:
        """``2 elements, 4 statements; 1 change of answers; from 1 to 2; 0 late, 0 bad``."""
        counters = self.counters
        bad = sum(counters.bad.values())
        read = f"{quantity(counters.elements, 'element')}, {quantity(counters.quads, 'statement')}"
        told = f"{quantity(self.changes, 'change')} of answers" if self.changes else "no answers"
        time = "no stamps"
        if self.begin <= self.end:
            time = f"from {clock.text(self.begin)} to {clock.text(self.end)}"
        return f"{read}; {told}; {time}; {counters.late} late, {bad} bad"


def quantity(number: int, what: str) -> str:
    """``1 element``, ``2,000 elements``, ``0 elements``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
