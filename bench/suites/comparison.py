"""Rules over streams: R4 and its peers, in turns, with their answers checked; and their ratios."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Final

from bench.harness.bounds import Ratio
from bench.harness.graph_marks import VARIABLE, GraphLatency, NoMarks, read_latency
from bench.harness.process_usage import RunFailed, measure_process
from bench.harness.rounds import OUTPUT, Series, paired_median, run_rounds
from bench.suites.contestants import Contestant, ContestantKey
from bench.suites.peer import milliseconds
from bench.workloads.catalogue import TRIPLES, WORKLOADS
from bench.workloads.detections import detected, expect_detected
from bench.workloads.expected_answers import Outcome, expect, expect_each, outcome

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


@dataclass(slots=True)
class ContestantRuns(Series[ContestantKey, None]):
    """The runs of one contestant.

    Attributes:
        entry: who ran.
        answers: of the last run; None: it has none to check.
        wrong: what is wrong with the answers of some run; empty if nothing.
        failure: how a run ended that did not end well; the last of its runs.
        latency: how long a graph takes; None: that is not told.
    """

    entry: Contestant = field(kw_only=True)
    answers: Outcome | None = None
    wrong: str = ""
    failure: str = ""
    latency: GraphLatency | None = None

    @property
    def is_done(self) -> bool:
        """Whether it failed."""
        return bool(self.failure)

    def fail(self, error: RunFailed) -> bool:
        """A peer that the user installed may fail: the others go on."""
        if not self.entry.may_fail:
            return False
        self.failure = error.summary
        return True

    @property
    def rate(self) -> float:
        """Triples a second; stamps are not counted."""
        return self.key.graphs * TRIPLES / self.seconds


def run_comparison(
    entries: Sequence[Contestant], rounds: int, folder: Path, say: Callable[[str], None]
) -> list[ContestantRuns]:
    """Run everybody, and check the answers.

    Raises:
        RunFailed: an entry ended with an error.
    """
    results = [ContestantRuns(entry.key, entry=entry) for entry in entries]

    def check(result: ContestantRuns, _: int) -> None:
        if result.entry.check != "nothing":
            with (folder / OUTPUT).open("rb") as lines:
                result.answers = read_answers(result.entry, lines)
            result.wrong = result.wrong or check_answers(result.entry, result.answers)

    for entry in entries:
        for preparation in entry.preparations:
            say(f"files for {entry.key}")
            measure_process(preparation, folder / OUTPUT)
    run_rounds(
        results,
        lambda result, _: result.entry.command,
        lambda _: None,
        rounds,
        folder,
        say,
        idle=lambda result: result.entry.idle,
        after=check,
    )
    for result in _marked(results):
        say(f"latency of {result.key}")
        try:
            result.latency = measure_latency(result.entry.marked, folder)
        except (RunFailed, NoMarks):
            if not result.entry.may_fail:
                raise
        else:
            result.wrong = result.wrong or check_marked(result.entry, folder / OUTPUT)
        (folder / OUTPUT).unlink()
    return results


def _marked(results: Sequence[ContestantRuns]) -> Iterator[ContestantRuns]:
    """Whose latency is measured: under the longest window, on each stream once."""
    windows = (result.key.window for result in results if result.key.window)
    longest = max(windows, key=milliseconds, default="")
    met = set()
    for result in results:
        key = result.key._replace(graphs=result.entry.marked_graphs)
        if result.entry.marked and not result.failure and key.window == longest and key not in met:
            met.add(key)
            yield result


def measure_latency(command: tuple[str, ...], folder: Path) -> GraphLatency:
    """How long a graph takes, from one run of a program that marks where each begins.

    Raises:
        RunFailed: it ended with an error.
        NoMarks: it made none.
    """
    marks = folder / "marks"
    measure_process(command, folder / OUTPUT, variables={VARIABLE: str(marks)})
    try:
        return read_latency(marks)
    finally:
        marks.unlink(missing_ok=True)


def check_marked(entry: Contestant, output: Path) -> str:
    """In what the answers of the run that marked differ; R4 counts its own in it."""
    part = replace(entry, key=entry.key._replace(graphs=entry.marked_graphs))
    with output.open("rb") as lines:
        if entry.key.runner != "r4":
            return check_answers(part, read_answers(part, lines))
        found = json.load(lines)
    _, name, window, count = part.key
    static, inserted, deleted = _whole(WORKLOADS[name].query, count, milliseconds(window)).counts
    right = {"+": static + inserted, "-": deleted}
    is_right = Counter(found) == Counter(right)
    return "" if is_right else f"graph by graph {found} instead of {right} answers"


def read_answers(entry: Contestant, output: Iterable[bytes]) -> Outcome:
    """What an output comes to."""
    _, name, window, count = entry.key
    if entry.check == "intervals":
        return detected(output, WORKLOADS[name].query, count, milliseconds(window))
    return outcome(output)


def check_answers(entry: Contestant, found: Outcome) -> str:
    """In what the answers differ from those of brute force; empty if in nothing."""
    _, name, window, count = entry.key
    query, width = WORKLOADS[name].query, milliseconds(window)
    if entry.check == "seconds":
        right = _each(query, count, width)
        same = found.counts == (0, *right)
        return "" if same else f"{found.counts} instead of {(0, *right)} answers"
    whole = (_detected if entry.check == "intervals" else _whole)(query, count, width)
    if found.counts != whole.counts:
        return f"{found.counts} instead of {whole.counts} answers"
    return "" if found == whole else "the counts are right, the lines are not"


@cache
def _whole(query: str, count: int, window: int) -> Outcome:
    return expect(query, count, window)


@cache
def _detected(query: str, count: int, window: int) -> Outcome:
    return expect_detected(query, count, window)


@cache
def _each(query: str, count: int, window: int) -> tuple[int, int]:
    return expect_each(query, count, window)


def ratios(results: Sequence[ContestantRuns]) -> Iterator[Ratio[ContestantKey]]:
    """All pairs worth a look: R4 and a peer on one file, two workloads, two windows.

    Runs that are too `short` are left out; streams cut short for a peer serve that peer alone.
    """
    met = {result.key: result for result in results if not (result.failure or result.short)}
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


def _ratio(over: ContestantRuns, of: ContestantRuns, most: float | None) -> Ratio[ContestantKey]:
    seconds = ([usage.seconds for usage in each.usages] for each in (over, of))
    return Ratio(
        over.key,
        of.key,
        paired_median(over.after_start, of.after_start),
        paired_median(*seconds),
        most,
        work=paired_median(over.work, of.work),
    )
