"""A session: everybody runs, one after the other, as many rounds as asked, and is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import median
from typing import Final

from r4.bench.harness.process_usage import Usage, measure_process
from r4.bench.suites.contestants import Contestant, ContestantKey, milliseconds
from r4.bench.workloads.catalogue import TRIPLES, WORKLOADS
from r4.bench.workloads.expected_answers import Outcome, expect, expect_each, outcome

_BRIEF: Final = 0.01
"""Seconds below which a run is too short in any case."""


@dataclass(slots=True)
class ContestantRuns:
    """One entry and its runs.

    Attributes:
        entry: who ran.
        runs: a usage a round.
        idles: the same on empty input.
        answers: of the last run.
        wrong: what is wrong with the answers of some run; empty where nothing is.
    """

    entry: Contestant
    runs: list[Usage] = field(default_factory=list)
    idles: list[Usage] = field(default_factory=list)
    answers: Outcome | None = None
    wrong: str = ""

    @property
    def key(self) -> ContestantKey:
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


def run_comparison(
    entries: Sequence[Contestant], rounds: int, folder: Path, say: Callable[[str], None]
) -> list[ContestantRuns]:
    """Run everybody once a round, A B C A B C …, so that what troubles the machine troubles all.

    Raises:
        RunFailed: an entry ended with an error.
    """
    results = [ContestantRuns(entry) for entry in entries]
    output = folder / "output"
    for number in range(rounds):
        for result in results:
            say(f"round {number + 1} of {rounds}: {result.key}")
            result.idles.append(measure_process(result.entry.idle, output))
            result.runs.append(measure_process(result.entry.command, output))
            if result.entry.check != "nothing":
                with output.open("rb") as lines:
                    result.answers = outcome(lines)
                result.wrong = result.wrong or check_answers(result.entry, result.answers)
    output.unlink(missing_ok=True)
    return results


def check_answers(entry: Contestant, found: Outcome) -> str:
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


MOST_PEAK: Final = 250_000_000
"""Bytes that R4 means to stay below on any workload."""
OVER_PEERS: Final[Mapping[tuple[str, str], float]] = {
    ("q1", "pyoxigraph"): 1.5,
    ("q1", "python"): 1.1,
    ("q1", "store"): 1 / 5,
    ("q2", "store"): 1.0,
    ("q3", "store"): 1.0,
    ("q4", "store"): 1.0,
    ("q1", "clips"): 1 / 20,
}
"""(Workload, peer) → the largest share of the peer's time that R4 means to take."""
OVER_Q1: Final[Mapping[str, float]] = {"q2": 2.5, "q3": 2.5, "q4": 2.5, "q1-shuffled": 1.2}
"""Workload → how many times the time of q1 it is meant to take at most."""
OVER_SHORT: Final = 1.3
"""How many times the time of the shortest window the longest is meant to take at most."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """One figure over another.

    Attributes:
        over, of: what is divided by what.
        net: the median over the rounds of the ratio of times, starting a process left out.
        gross: the same of whole runs.
        work: the same of processor time, starting a process left out: what a busy machine, or
            one with idle cores, does not change.
        most: the bound R4 means to keep, on `net`; None: none.
    """

    over: ContestantKey
    of: ContestantKey
    net: float
    gross: float
    work: float
    most: float | None

    @property
    def kept(self) -> bool:
        """Whether the bound is kept; true where there is none."""
        return self.most is None or self.net <= self.most


def ratios(results: Sequence[ContestantRuns]) -> Iterator[Ratio]:
    """All pairs worth a look: R4 and a peer on one file, two workloads, two windows.

    Runs that are too `short` are left out; streams cut short for a peer serve that peer alone.
    """
    met = {result.key: result for result in results if not result.short}
    full = max((key.graphs for key in met), default=0)
    windows = sorted({key.window for key in met if key.window}, key=milliseconds)
    for key, result in met.items():
        if key.runner != "r4":
            continue
        for other in met.values():
            if other.key.runner != "r4" and _same_file(key, other.key):
                yield _ratio(result, other, OVER_PEERS.get((key.workload, other.key.runner)))
        if key.graphs < full:
            continue
        if key.workload in OVER_Q1 and (base := met.get(key._replace(workload="q1"))):
            yield _ratio(result, base, OVER_Q1[key.workload])
        if key.window == windows[-1] != windows[0]:
            base = met.get(key._replace(window=windows[0]))
            if base:
                yield _ratio(result, base, OVER_SHORT)


def _same_file(ours: ContestantKey, theirs: ContestantKey) -> bool:
    if not theirs.window:
        return theirs[1:] == (WORKLOADS[ours.workload].stream, "", ours.graphs)
    return theirs[1:] == ours[1:]


def _ratio(over: ContestantRuns, of: ContestantRuns, most: float | None) -> Ratio:
    pairs = zip(over.net, of.net, strict=True)
    whole = zip(over.runs, of.runs, strict=True)
    return Ratio(
        over.key,
        of.key,
        median(a / b for a, b in pairs),
        median(a.seconds / b.seconds for a, b in whole),
        median(a / b for a, b in zip(over.work, of.work, strict=True)),
        most,
    )
