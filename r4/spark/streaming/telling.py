"""What is said of the data of a run, beside its answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from r4.faults import Flaw
from r4.spark.streaming.front import Front


class Teller:
    """Says what is wrong with the data, each sample once.

    Attributes:
        say: tells a line.
    """

    def __init__(self, say: Callable[[str], object]) -> None:
        self.say = say
        self._shown: Counter[str] = Counter()

    def samples(self, front: Front) -> None:
        """Those that have not been said yet."""
        for code, samples in front.intake.counters.samples.items():
            for sample in samples[self._shown[code] :]:
                self.say(str(sample))
            self._shown[code] = len(samples)

    def report(self, front: Front) -> bool:
        """The counts; whether an input was cut short."""
        counters = front.intake.counters
        if parts := [f"{count} × {code}" for code, count in sorted(counters.bad.items())]:
            self.say(f"left out: {', '.join(parts)}")
        if counters.late:
            self.say(f"late: {counters.late} element(s) came more than the delay behind")
        if counters.rounded:
            self.say(f"rounded down to the tick: {counters.rounded} stamp(s)")
        return counters.bad[Flaw.CUT_SHORT.code] > 0
