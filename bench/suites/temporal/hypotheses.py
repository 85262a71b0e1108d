"""Hypothetical answers to readings that come late: how fast, and how many entries are held."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from bench.harness.bounds import Bound
from bench.harness.rounds import CheckedSeries, paired_median, run_rounds
from bench.suites.memory_growth import MOST_GROWTH
from bench.workloads.catalogue import Files
from bench.workloads.temporal.turbine_readings import FollowedCounts, Readings

LEAST_RATES: Final[Mapping[str, int]] = {"delay 0": 50_000, "delay 60": 15_000}
"""Following → readings a second of processor time that R4 means to take."""
MOST_NETWORK: Final = 5
"""How many times what its plain network takes R4 means to take where nothing is late."""
MOST_IDLE: Final = 1.2
"""How many times as much a reading is meant to cost at most with ten times as many idle devices."""
COUNT: Final = 1_000_000
DEVICES: Final = 1000
HYPOTHESES: Final = "hypotheses"
NETWORK: Final = "network"
_BASE: Final = "delay 0"
_PLAIN: Final = "delay 0, plain network"
_FEW: Final = 10
_IDLE: Final = 1000
_TIMES: Final = 10
_SHORTER: Final = 5


@dataclass(frozen=True, slots=True)
class HypothesisWork:
    """Some readings, and how they are followed.

    Attributes:
        delay: how late readings may be.
        how: for hypothetical answers, or in the plain network.
        idle: devices that are read once; where there are, others are few, and never late.
        waiting: whether the idle ones wait for a further reading.
    """

    delay: int
    how: str = HYPOTHESES
    idle: int = 0
    waiting: bool = False

    def readings(self, share: float) -> Readings:
        """The readings, or a share of them."""
        devices = _FEW if self.idle else DEVICES
        count = COUNT // _SHORTER if self.idle else COUNT
        moments = max(1, round(count * share / devices))
        idle = round(self.idle * share)
        return Readings(moments * devices, devices, self.delay, idle=idle, waiting=self.waiting)


WORKS: Final[Mapping[str, HypothesisWork]] = {
    _BASE: HypothesisWork(0),
    _PLAIN: HypothesisWork(0, NETWORK),
    "delay 5": HypothesisWork(5),
    "delay 60": HypothesisWork(60),
    "idle, waiting": HypothesisWork(0, idle=_IDLE, waiting=True),
    "10 times idle, waiting": HypothesisWork(0, idle=_TIMES * _IDLE, waiting=True),
    "idle, done": HypothesisWork(0, idle=_IDLE),
    "10 times idle, done": HypothesisWork(0, idle=_TIMES * _IDLE),
}
"""By name, in the order in which they run."""
_MORE_IDLE: Final = {
    "10 times idle, waiting": "idle, waiting",
    "10 times idle, done": "idle, done",
}


@dataclass(frozen=True, slots=True)
class HypothesisReport:
    """What a program reports of its own run.

    Attributes:
        facts: the readings that it read.
        read: seconds of processor time from bytes to slices.
        match: from slices to what they change.
        tell: from changes to the texts of lines.
        write: from texts to bytes, which are discarded.
        later: all seconds after the first half of the readings.
        later_facts: the readings from then on.
        lines: how many it wrote.
        outcome: answers and withdrawals among them, and what was open at the end.
        held: the most entries that were open after a batch.
        idle, half, peak: the bytes that it had occupied at most before it read anything, by the
            middle of the readings, and at the end.
    """

    facts: int
    read: float
    match: float
    tell: float
    write: float
    later: float
    later_facts: int
    lines: int
    outcome: FollowedCounts
    held: int
    idle: int
    half: int
    peak: int

    @property
    def seconds(self) -> float:
        """From bytes to bytes."""
        return self.read + self.match + self.tell + self.write

    @property
    def rate(self) -> float:
        """Readings a second, from bytes to bytes."""
        return self.facts / self.seconds

    @property
    def counts(self) -> FollowedCounts:
        """How many of each kind."""
        return self.outcome

    @property
    def cost(self) -> float:
        """Seconds a reading in the second half."""
        return self.later / max(self.later_facts, 1)

    @staticmethod
    def read_from(output: Path) -> HypothesisReport:
        """From the output of `bench.programs.temporal.follow_readings`."""
        values = json.loads(output.read_text(encoding="utf-8"))
        return HypothesisReport(**{**values, "outcome": FollowedCounts(*values["outcome"])})


HypothesisSeries: TypeAlias = CheckedSeries[HypothesisReport]


def run_hypotheses(
    share: float, rounds: int, folder: Path, say: Callable[[str], None]
) -> list[HypothesisSeries]:
    """Each work once a round, on a share of the readings; a process each.

    Raises:
        RunFailed: a program ended with an error.
    """
    files = Files(folder)
    readings = {name: work.readings(share) for name, work in WORKS.items()}

    def expected(name: str, work: HypothesisWork) -> FollowedCounts:
        outcome = readings[name].outcome()
        return FollowedCounts(outcome.answers, 0, 0) if work.how == NETWORK else outcome

    def command(series: HypothesisSeries, _: int) -> tuple[str, ...]:
        each = readings[series.key]
        path = files.file(f"{each.name}.txt", each.lines)
        program = (
            sys.executable,
            "-m",
            "bench.programs.temporal.follow_readings",
            str(path),
            str(each.total),
        )
        return (*program, WORKS[series.key].how, *each.delays)

    found = [HypothesisSeries(name, expected=expected(name, work)) for name, work in WORKS.items()]
    run_rounds(found, command, HypothesisReport.read_from, rounds, folder, say)
    return found


def hypothesis_bounds(found: Sequence[HypothesisSeries]) -> Iterator[Bound]:
    """What R4 means to keep; ratios are medians over the rounds, with idle ones of the least."""
    met = {series.key: series for series in found}
    for name, least in LEAST_RATES.items():
        yield Bound(name, "readings a second", met[name].best.rate, least, most=False)
    base, plain = met[_BASE], met[_PLAIN]
    whole = base.time_ratio(plain)
    yield Bound(_BASE, "time over that of the plain network", whole, MOST_NETWORK)
    match = paired_median(*([report.match for report in each.reports] for each in (base, plain)))
    yield Bound(_BASE, "the same, matching alone", match, MOST_NETWORK)
    for name, work in WORKS.items():
        if work.how == HYPOTHESES and not work.idle:
            yield Bound(name, "peak memory over that by half", met[name].growth, MOST_GROWTH)
    for name, fewer in _MORE_IDLE.items():
        ratio = _cost(met[name]) / _cost(met[fewer])
        yield Bound(name, "a reading over one with fewer idle", ratio, MOST_IDLE)


def _cost(series: HypothesisSeries) -> float:
    """The least seconds a reading in the second half."""
    return min(report.cost for report in series.reports)
