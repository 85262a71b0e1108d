"""Does memory grow with the stream? R4 reads a stream from a pipe, then ten times as much of it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression
from typing import Final

from bench.harness.process_usage import Usage, measure_process, variables_of_a_run
from bench.suites.peer import milliseconds
from bench.workloads import offer_retractions
from bench.workloads.catalogue import RULES, TRIPLES
from bench.workloads.expected_answers import count_q1, outcome

TIMES: Final = 10
"""How much longer the longer stream is."""
MOST_GROWTH: Final = 1.1
"""How much more memory R4 means to need for it at most."""
_FEWEST: Final = 20
"""Seconds that a run takes at least for its slope to mean something."""


@dataclass(frozen=True, slots=True)
class EndlessStream:
    """Rules on a stream that could go on for ever.

    Attributes:
        name: of the rules in reports.
        rules: their file.
        stream: a key of `bench.workloads.catalogue.STREAMS`.
        count_answers: how many answers begin and end, of so many elements and milliseconds.
    """

    name: str
    rules: Path
    stream: str
    count_answers: Callable[[int, int], tuple[int, int]]


ENDLESS: Final[Sequence[EndlessStream]] = (
    EndlessStream("q1", RULES / "q1.rif", "offers", count_q1),
    EndlessStream(
        "lookback", RULES / "lookback.rif", "offers-retracted", offer_retractions.count_answers
    ),
)


@dataclass(frozen=True, slots=True)
class MemoryGrowth:
    """A stream of so many triples, and what reading it used.

    ``wrong``: what is wrong with the answers; empty if nothing.
    """

    name: str
    triples: int
    window: str
    usage: Usage
    wrong: str

    @property
    def slope(self) -> float | None:
        """Bytes for each million triples, over all but the first quarter; None: not known."""
        sizes = self.usage.resident
        if len(sizes) < _FEWEST:
            return None
        later = range(len(sizes) // 4, len(sizes))
        slope, _ = linear_regression(later, [sizes[second] for second in later])
        return slope * len(sizes) / self.triples * 1_000_000


def measure_growth(
    windows: tuple[str, ...], triples: int, folder: Path, say: Callable[[str], None]
) -> Iterator[MemoryGrowth]:
    """Read the shorter part of each stream, then the longer one, under each window.

    Nothing but the answers is written to disk; generator and reader run side by side, so the time
    is that of the slower one.
    """
    output = folder / "output"
    for endless in ENDLESS:
        for window in windows:
            rules = str(endless.rules)
            command = (sys.executable, "-m", "r4", "run", rules, "--window", window, "-")
            for long in (triples, TIMES * triples):
                count = long // TRIPLES
                say(f"memory: {endless.name}, {long:,} triples, window {window}")
                with subprocess.Popen(
                    (sys.executable, "-m", "bench", endless.stream, str(count)),
                    stdout=subprocess.PIPE,
                    env=variables_of_a_run(),
                ) as generator:
                    assert generator.stdout is not None
                    usage = measure_process(command, output, generator.stdout)
                with output.open("rb") as lines:
                    found = outcome(lines).counts
                right = (0, *endless.count_answers(count, milliseconds(window)))
                wrong = "" if found == right else f"{found} instead of {right} answers"
                yield MemoryGrowth(endless.name, long, window, usage, wrong)
    output.unlink(missing_ok=True)
