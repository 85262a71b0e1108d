"""A session: everybody runs, one after the other, as many rounds as asked, and is checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import median
from typing import Final

from r4.bench.contest import Entry, Key, milliseconds
from r4.bench.expected import Outcome, expect, expect_each, outcome
from r4.bench.measure import Usage, measure
from r4.bench.workloads import TRIPLES, WORKLOADS

_BRIEF: Final = 0.01
"""Seconds below which a run is too short in any case."""


@dataclass(slots=True)
class Result:
    """One entry and its runs.

    Attributes:
        entry: who ran.
        runs: a usage a round.
        idles: the same on empty input.
        answers: of the last run.
        wrong: what is wrong with the answers of some run; empty where nothing is.
    """

    entry: Entry
    runs: list[Usage] = field(default_factory=list)
    idles: list[Usage] = field(default_factory=list)
    answers: Outcome | None = None
    wrong: str = ""

    @property
    def key(self) -> Key:
        """The name of the entry."""
        return self.entry.key

    @property
    def start(self) -> float:
        """Seconds until a process of this kind is at work: the quickest run on empty input."""
        return min(idle.seconds for idle in self.idles)

    @property
    def net(self) -> list[float]:
        """Seconds of each run without its start."""
        return [max(run.seconds - self.start, 1e-9) for run in self.runs]

    @property
    def work(self) -> list[float]:
        """Seconds of processor time of each run without that of its start."""
        start = min(idle.cpu for idle in self.idles)
        return [max(run.cpu - start, 1e-9) for run in self.runs]

    @property
    def seconds(self) -> float:
        """The median run without its start."""
        return median(self.net)

    @property
    def short(self) -> bool:
        """Whether a run takes no longer than its start varies: nothing can be said of it."""
        varies = max(idle.seconds for idle in self.idles) - self.start
        return self.seconds <= max(varies, _BRIEF)

    @property
    def rate(self) -> float:
        """Triples a second; stamps are not counted."""
        return self.key.graphs * TRIPLES / self.seconds

    @property
    def peak(self) -> int:
        """The largest resident set of any run, in bytes."""
        return max(run.peak for run in self.runs)


def hold(
    entries: Sequence[Entry], rounds: int, folder: Path, say: Callable[[str], None]
) -> list[Result]:
    """Run everybody once a round, A B C A B C …, so that what troubles the machine troubles all.

    Raises:
        RunFailed: an entry ended with an error.
    """
    results = [Result(entry) for entry in entries]
    output = folder / "output"
    for number in range(rounds):
        for result in results:
            say(f"round {number + 1} of {rounds}: {result.key}")
            result.idles.append(measure(result.entry.idle, output))
            result.runs.append(measure(result.entry.command, output))
            if result.entry.check != "nothing":
                with output.open("rb") as lines:
                    result.answers = outcome(lines)
                result.wrong = result.wrong or fault(result.entry, result.answers)
    output.unlink(missing_ok=True)
    return results


def fault(entry: Entry, found: Outcome) -> str:
    """In what the answers differ from those of brute force; empty if in nothing."""
    _, name, window, count = entry.key
    query, width = WORKLOADS[name].query, milliseconds(window)
    if entry.check == "seconds":
        right = _each(query, count, width)
        same = found.counts == (0, *right)
        return "" if same else f"{found.counts} instead of {(0, *right)} answers"
    whole = _whole(query, count, width)
    if found.counts != whole.counts:
        return f"{found.counts} instead of {whole.counts} answers"
    return "" if found == whole else "the counts are right, the lines are not"


@cache
def _whole(query: str, count: int, window: int) -> Outcome:
    return expect(query, count, window)


@cache
def _each(query: str, count: int, window: int) -> tuple[int, int]:
    return expect_each(query, count, window)
