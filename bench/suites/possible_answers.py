"""The cost of `r4 run --hypotheses` over `r4 run`, on the readings of `hypotheses` as RDF.

The counts of output lines are compared with those of the definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple

from bench.harness.benchmark import Findings, Request
from bench.harness.bounds import Bound, bounds_json, bounds_table
from bench.harness.counted_runs import CountedSeries
from bench.harness.process_usage import python
from bench.harness.rounds import first_wrong, read_json, run_rounds
from bench.harness.tables import format_megabytes, tabled
from bench.suites.memory import MOST_GROWTH
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
    """Some readings, and how they are run."""

    delay: int  # how late they may be
    how: str  # `CERTAIN` or `POSSIBLE`
    devices: int = DEVICES  # how many are read at a stamp
    count: int = COUNT  # readings of the whole workload
    least_rate: int = LEAST_RATE  # readings a second that R4 means to take with hypotheses

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


class PossibleReport(NamedTuple):
    """The report of a program on its own run."""

    readings: int  # how many there were
    seconds: float  # of processor time, from files to a file
    lines: int  # how many it wrote
    size: int  # their bytes
    counts: StatusCounts  # how many of each kind
    idle: int  # the bytes that it had occupied at most before it read anything
    half: int  # those by the middle of the readings
    peak: int  # those at the end

    @property
    def rate(self) -> float:
        """Readings a second."""
        return self.readings / self.seconds

    @staticmethod
    def of(counts: Sequence[int], **values: Any) -> PossibleReport:  # noqa: ANN401
        """The report that `bench.programs.run_with_hypotheses` prints."""
        return PossibleReport(**values, counts=StatusCounts(*counts))


def run(request: Request) -> Findings:
    """Each work once a round, on a share of the readings; a process each."""
    return findings(run_works(request))


def run_works(request: Request) -> list[CountedSeries[PossibleReport]]:
    """The runs of all works."""
    files = Files(request.folder)
    readings = {work: work.readings(request.share) for work in WORKS.values()}
    right = {each: expected_counts(each) for each in set(readings.values())}

    def expected(work: PossibleWork) -> StatusCounts:
        counts = right[readings[work]]
        return StatusCounts(counts.answers, 0, 0, 0) if work.how == CERTAIN else counts

    def command(each: CountedSeries[PossibleReport], _: int) -> tuple[str, ...]:
        work = WORKS[each.key]
        given = readings[work]
        paths = (
            files.file("turbines.rif", lambda: iter([RULES])),
            files.file(f"turbines-{work.devices}.nt", partial(static, given)),
            files.file(f"{given.name}.nq", partial(quads, given)),
        )
        how = given.count, work.how, work.delay
        return python("bench.programs.run_with_hypotheses", *how, *paths)

    found = [
        CountedSeries[PossibleReport](name, expected=expected(work)) for name, work in WORKS.items()
    ]
    report = read_json(PossibleReport.of)
    run_rounds(request, found, command, report, check=lambda each, _: each.check())
    return found


def possible_bounds(found: Sequence[CountedSeries[PossibleReport]]) -> Iterator[Bound]:
    """The bounds that R4 means to keep; ratios are medians over the rounds."""
    for each in found:
        work = WORKS[each.key]
        if work.how == POSSIBLE:
            rate, says = each.best.rate, "peak memory over that by half"
            yield Bound(each.key, "readings a second", rate, work.least_rate, most=False)
            yield Bound(each.key, says, each.growth, MOST_GROWTH)


def findings(found: Sequence[CountedSeries[PossibleReport]]) -> Findings:
    """Runs, each over that without hypotheses, and bounds."""
    by_work = {WORKS[each.key]: each for each in found}
    over = {
        each.key: each.time_ratio(by_work[replace(work, how=CERTAIN)])
        for work, each in by_work.items()
    }
    table = tabled(
        "The same as RDF, for rules of RIF: the least processor time, from files to a file.",
        (
            *("", "readings", "µs a reading", "readings/s", "over without"),
            *("lines", "µs a line", "MB told", "half MB", "peak MB", "told"),
        ),
        (_row(each, over[each.key]) for each in found),
    )
    title = "Bounds; ratios are medians over the rounds."
    return Findings(
        [*table, *bounds_table(title, possible_bounds(found))],
        {
            "possible_answers": [each.json(over=over[each.key]) for each in found],
            "possible_answers_bounds": bounds_json(possible_bounds(found)),
        },
        first_wrong(found),
    )


def _row(each: CountedSeries[PossibleReport], ratio: float) -> tuple[str, ...]:
    best = each.best
    return (
        each.key,
        f"{best.readings:,}",
        f"{1e6 * best.seconds / best.readings:.1f}",
        f"{best.rate:,.0f}",
        f"{ratio:.1f}",
        f"{best.lines:,}",
        f"{1e6 * best.seconds / max(best.lines, 1):.0f}",
        format_megabytes(best.size),
        format_megabytes(max(report.half for report in each.reports)),
        format_megabytes(max(report.peak for report in each.reports)),
        each.wrong or "right",
    )
