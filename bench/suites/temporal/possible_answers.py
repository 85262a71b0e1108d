"""Possible answers: the cost of `r4 run --hypotheses` over `r4 run`, on the same readings."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from bench.harness.bounds import Bound
from bench.harness.rounds import CheckedSeries, run_rounds
from bench.suites.memory_growth import MOST_GROWTH
from bench.workloads.catalogue import Files
from bench.workloads.temporal.turbine_rdf import (
    RULES,
    StatusCounts,
    expected_counts,
    quads,
    static,
)
from bench.workloads.temporal.turbine_readings import Readings

COUNT: Final = 200_000
DEVICES: Final = 1000
CERTAIN: Final = "certain"
POSSIBLE: Final = "possible"
LEAST_RATE: Final = 50_000
"""Readings a second of processor time that R4 means to take with hypotheses, many a stamp."""
SINGLE_COUNT: Final = 2_000
LEAST_SINGLE_RATE: Final = 500
"""The same with one reading a stamp."""


@dataclass(frozen=True, slots=True)
class PossibleWork:
    """Some readings, and how they are run.

    Attributes:
        delay: how late they may be.
        how: `CERTAIN` or `POSSIBLE`.
        devices: how many are read at a stamp.
        count: readings of the whole workload.
        least_rate: readings a second that R4 means to take with hypotheses.
    """

    delay: int
    how: str
    devices: int = DEVICES
    count: int = COUNT
    least_rate: int = LEAST_RATE

    def readings(self, share: float) -> Readings:
        """The readings of a share of the workload."""
        moments = max(1, round(self.count * share / self.devices))
        return Readings(moments * self.devices, self.devices, self.delay)


WORKS: Final[Mapping[str, PossibleWork]] = {
    f"run{' --hypotheses' * (how == POSSIBLE)}, delay {delay}": PossibleWork(delay, how)
    for delay in (0, 5)
    for how in (CERTAIN, POSSIBLE)
} | {
    f"run{' --hypotheses' * (how == POSSIBLE)}, one reading a stamp": PossibleWork(
        0, how, 1, SINGLE_COUNT, LEAST_SINGLE_RATE
    )
    for how in (CERTAIN, POSSIBLE)
}
"""By name, in the order in which they run."""


@dataclass(frozen=True, slots=True)
class PossibleReport:
    """What a program reports of its own run.

    Attributes:
        readings: how many there were.
        seconds: of processor time, from files to a file.
        lines: how many it wrote.
        size: their bytes.
        counts: how many of each kind.
        idle, half, peak: the bytes that it had occupied at most before it read anything, by the
            middle of the readings, and at the end.
    """

    readings: int
    seconds: float
    lines: int
    size: int
    counts: StatusCounts
    idle: int
    half: int
    peak: int

    @property
    def rate(self) -> float:
        """Readings a second."""
        return self.readings / self.seconds

    @staticmethod
    def read_from(output: Path) -> PossibleReport:
        """From the output of `bench.programs.temporal.run_with_hypotheses`."""
        values = json.loads(output.read_text(encoding="utf-8"))
        return PossibleReport(**{**values, "counts": StatusCounts(*values["counts"])})


PossibleSeries: TypeAlias = CheckedSeries[PossibleReport]


def run_possible(
    share: float, rounds: int, folder: Path, say: Callable[[str], None]
) -> list[PossibleSeries]:
    """Each work once a round, on a share of the readings; a process each.

    Raises:
        RunFailed: a program ended with an error.
    """
    files = Files(folder)
    readings = {work: work.readings(share) for work in WORKS.values()}
    right = {each: expected_counts(each) for each in set(readings.values())}

    def expected(work: PossibleWork) -> StatusCounts:
        counts = right[readings[work]]
        return StatusCounts(counts.answers, 0, 0, 0) if work.how == CERTAIN else counts

    def command(series: PossibleSeries, _: int) -> tuple[str, ...]:
        work = WORKS[series.key]
        each = readings[work]
        paths = (
            files.file("turbines.rif", lambda: iter([RULES])),
            files.file(f"turbines-{work.devices}.nt", partial(static, each)),
            files.file(f"{each.name}.nq", partial(quads, each)),
        )
        program = (
            sys.executable,
            "-m",
            "bench.programs.temporal.run_with_hypotheses",
            str(each.count),
            work.how,
        )
        return (*program, str(work.delay), *map(str, paths))

    found = [PossibleSeries(name, expected=expected(work)) for name, work in WORKS.items()]
    run_rounds(found, command, PossibleReport.read_from, rounds, folder, say)
    return found


def cost_ratio(series: PossibleSeries, found: Sequence[PossibleSeries]) -> float:
    """The time of a run over that of the run without hypotheses; the median over the rounds."""
    work = WORKS[series.key]
    certain = replace(work, how=CERTAIN)
    (plain,) = (each for each in found if WORKS[each.key] == certain)
    return series.time_ratio(plain)


def possible_bounds(found: Sequence[PossibleSeries]) -> Iterator[Bound]:
    """What R4 means to keep; ratios are medians over the rounds."""
    for series in found:
        work = WORKS[series.key]
        if work.how == POSSIBLE:
            rate = series.best.rate
            yield Bound(series.key, "readings a second", rate, work.least_rate, most=False)
            says = "peak memory over that by half"
            yield Bound(series.key, says, series.growth, MOST_GROWTH)
