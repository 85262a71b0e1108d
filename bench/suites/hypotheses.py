"""`r4 bench hypotheses`: answers to readings that come late, how fast, and how many are held open.

The same readings are run as RDF, see `possible_answers`. The counts of output lines are compared
with those of the definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from bench.harness.benchmark import Benchmark, Findings, Request
from bench.harness.bounds import Bound, bounds_json, bounds_table
from bench.harness.counted_runs import CountedSeries
from bench.harness.process_usage import python
from bench.harness.rounds import first_wrong, paired_median, read_json, run_rounds
from bench.harness.tables import format_megabytes, tabled
from bench.suites import possible_answers
from bench.suites.memory import MOST_GROWTH
from bench.workloads.catalogue import Files
from bench.workloads.temporal.turbine_readings import FollowedCounts, Readings

LEAST_RATES: Final[Mapping[str, int]] = {"delay 0": 50_000, "delay 60": 15_000}
"""Following → readings a second of processor time that R4 means to take."""
MOST_NETWORK: Final = 5
"""How many times the time of its plain network R4 means to take where nothing is late."""
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
    """Some readings, and how they are followed."""

    delay: int  # how late readings may be
    how: str = HYPOTHESES  # for hypothetical answers, or in the plain network
    idle: int = 0  # devices that are read once; where there are, others are few, and never late
    waiting: bool = False  # whether the idle ones wait for a further reading

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


class HypothesisReport(NamedTuple):
    """The report of a program on its own run."""

    facts: int  # the readings that it read
    read: float  # seconds of processor time from bytes to slices
    match: float  # from slices to what they change
    tell: float  # from changes to the texts of lines
    write: float  # from texts to bytes, which are discarded
    later: float  # all seconds after the first half of the readings
    later_facts: int  # the readings from then on
    lines: int  # how many it wrote
    counts: FollowedCounts  # answers and withdrawals among them, and how many were open at the end
    held: int  # the most entries that were open after a batch
    idle: int  # the bytes that it had occupied at most before it read anything
    half: int  # those by the middle of the readings
    peak: int  # those at the end

    @property
    def seconds(self) -> float:
        """From bytes to bytes."""
        return self.read + self.match + self.tell + self.write

    @property
    def rate(self) -> float:
        """Readings a second, from bytes to bytes."""
        return self.facts / self.seconds

    @property
    def cost(self) -> float:
        """Seconds a reading in the second half."""
        return self.later / max(self.later_facts, 1)

    @staticmethod
    def of(counts: Sequence[int], **values: Any) -> HypothesisReport:  # noqa: ANN401
        """The report that `bench.programs.follow_readings` prints."""
        return HypothesisReport(**values, counts=FollowedCounts(*counts))


BENCHMARK: Final = Benchmark(
    {"hypotheses": "what late readings make possible, against the plain network"},
    lambda request: findings(follow(request)) + possible_answers.run(request),
)


def follow(request: Request) -> list[CountedSeries[HypothesisReport]]:
    """The runs of all works."""
    files = Files(request.folder)
    readings = {name: work.readings(request.share) for name, work in WORKS.items()}

    def expected(name: str, work: HypothesisWork) -> FollowedCounts:
        outcome = readings[name].outcome()
        return FollowedCounts(outcome.answers, 0, 0) if work.how == NETWORK else outcome

    def command(each: CountedSeries[HypothesisReport], _: int) -> tuple[str, ...]:
        given = readings[each.key]
        path = files.file(f"{given.name}.txt", given.lines)
        how = given.total, WORKS[each.key].how, *given.delays
        return python("bench.programs.follow_readings", path, *how)

    found = [
        CountedSeries[HypothesisReport](name, expected=expected(name, work))
        for name, work in WORKS.items()
    ]
    report = read_json(HypothesisReport.of)
    run_rounds(request, found, command, report, check=lambda each, _: each.check())
    return found


def hypothesis_bounds(found: Sequence[CountedSeries[HypothesisReport]]) -> Iterator[Bound]:
    """The bounds that R4 means to keep; ratios are medians over the rounds."""
    by_name = {each.key: each for each in found}
    for name, least in LEAST_RATES.items():
        yield Bound(name, "readings a second", by_name[name].best.rate, least, most=False)
    base, plain = by_name[_BASE], by_name[_PLAIN]
    whole = base.time_ratio(plain)
    yield Bound(_BASE, "time over that of the plain network", whole, MOST_NETWORK)
    match = paired_median(*([report.match for report in each.reports] for each in (base, plain)))
    yield Bound(_BASE, "the same, matching alone", match, MOST_NETWORK)
    for name, work in WORKS.items():
        if work.how == HYPOTHESES and not work.idle:
            yield Bound(name, "peak memory over that by half", by_name[name].growth, MOST_GROWTH)
    for name, fewer in _MORE_IDLE.items():
        more, less = (min(r.cost for r in by_name[each].reports) for each in (name, fewer))
        yield Bound(name, "a reading over one with fewer idle", more / less, MOST_IDLE)


def findings(found: Sequence[CountedSeries[HypothesisReport]]) -> Findings:
    """Runs, bounds."""
    title = "Bounds; ratios are medians over the rounds, with idle devices of the least times."
    table = tabled(
        "Readings of turbines, and what they make possible: the least processor time, in µs a"
        " reading; lines go nowhere.",
        (
            *("", "readings", "read", "match", "tell", "write", "readings/s", "of matching"),
            *("lines", "held at most", "peak MB", "told"),
        ),
        map(_row, found),
    )
    return Findings(
        [*table, *bounds_table(title, hypothesis_bounds(found))],
        {
            "hypotheses": [each.json() for each in found],
            "hypotheses_bounds": bounds_json(hypothesis_bounds(found)),
        },
        first_wrong(found),
    )


def _row(each: CountedSeries[HypothesisReport]) -> tuple[str, ...]:
    best = each.best
    spent = best.read, best.match, best.tell, best.write
    return (
        each.key,
        f"{best.facts:,}",
        *(f"{1e6 * seconds / best.facts:.2f}" for seconds in spent),
        f"{best.rate:,.0f}",
        f"{best.facts / best.match:,.0f}",
        f"{best.lines:,}",
        f"{max(report.held for report in each.reports):,}",
        format_megabytes(max(report.peak for report in each.reports)),
        each.wrong or "right",
    )
