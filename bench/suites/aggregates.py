"""`r4 bench aggregates`: aggregates of windows over readings, and of one large group.

Alarms of `r4 run` are compared with those of brute force. Libraries for tables compute the same
aggregates beside it: all readings are in columns before, and they have no stream to follow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from bench.harness.benchmark import Benchmark, Findings, Request
from bench.harness.bounds import verdict
from bench.harness.peer import Peer
from bench.harness.process_usage import Usage, measure_process, python
from bench.harness.rounds import OUTPUT, Series, first_wrong, read_json, run_rounds
from bench.harness.tables import Json, TextTable, format_megabytes, tabled
from bench.workloads.catalogue import Files
from bench.workloads.expected_answers import outcome
from bench.workloads.readings import (
    AGGREGATES,
    SENSORS,
    changes,
    is_above,
    readings,
    rules,
    stream,
)

WINDOWS: Final = (10, 60, 600)
"""The windows in seconds, the shortest first."""
LEAST_RATE: Final = 300_000
"""Readings a second that R4 means to take under each of them."""
MOST_OVER: Final = 1.3
"""How much longer than the shortest window another one means to take at most."""
MEMORY: Final = (*(("avg", seconds) for seconds in WINDOWS), ("avg", None), ("last", None))
"""Whose memory is measured; without a window it is the aggregate of all time."""
TIMES: Final = 2
"""How much longer the longer stream is on which memory is measured."""
MOST_GROWTH: Final = 1.1
"""How much more memory R4 means to need for it at most."""
MEMBER_AGGREGATES: Final = (
    *("count", "sum", "avg", "min", "max", "median", "quantile 0.95", "stddev"),
    *("first", "last", "last 10", "avg last 10"),
)
"""What is measured of one group; a list of all members costs their number."""
MEMBERS: Final = (1_000, 10_000, 100_000)
"""How many members that group has."""
MOST_MICROSECONDS: Final = 20
"""Microseconds that a member means to cost at most that comes or goes."""
MOST_OVER_FEWEST: Final = 2
"""How much more than one of the fewest members one of the most means to cost at most."""
PEERS: Final = {
    "pandas": Peer("column_windows", "pandas, rolling windows of columns", "pandas"),
    "polars": Peer("column_windows", "polars, rolling windows of columns, one thread", "polars"),
    "duckdb": Peer("column_windows", "DuckDB, window functions of SQL, one thread", "duckdb"),
}


class WindowContestant(NamedTuple):
    """Who computes what, under which window."""

    runner: str
    aggregate: str
    window: int  # in seconds

    def __str__(self) -> str:
        return f"{self.runner} {self.aggregate} {self.window} s"


class PeerReport(NamedTuple):
    """The report of a peer on its own run."""

    seconds: float  # processor time of the aggregate alone
    wall: float  # the same as a clock on the wall has it
    above: int  # readings after which it is above the limit


@dataclass(slots=True)
class WindowRuns(Series[WindowContestant, PeerReport | None]):
    """The runs of one contestant."""

    command: tuple[str, ...] = field(kw_only=True)  # what is measured
    idle: tuple[str, ...] = field(kw_only=True)  # the same on next to nothing
    count: int = field(kw_only=True)  # readings

    @property
    def taken(self) -> float:
        """Seconds of processor time of the best run: of R4 all but the start of the process."""
        return min([each.seconds for each in self.reports if each is not None] or self.work)

    @property
    def wall(self) -> float:
        """The same as a clock on the wall has it."""
        return min([each.wall for each in self.reports if each is not None] or self.after_start)


@dataclass(frozen=True, slots=True)
class WindowMemory:
    """The memory that R4 used for an aggregate of a window over a stream of some length."""

    aggregate: str
    seconds: int | None  # None: of all time
    count: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class GroupCost:
    """The cost of one change of a group."""

    aggregate: str
    members: int
    microseconds: float


def run(request: Request) -> Findings:
    """Windows, the memory they need, then one group."""
    count = _whole(request.triples)
    files = Files(request.folder)
    path, nothing = _readings(files, count), files.file("nothing.nq", lambda: iter(()))
    found = [
        WindowRuns(
            WindowContestant(runner, aggregate, seconds),
            command=_command(runner, aggregate, seconds, files, path, count),
            idle=_command(runner, aggregate, seconds, files, nothing, SENSORS),
            count=count,
        )
        for aggregate in AGGREGATES
        for seconds in WINDOWS
        for runner in ("r4", *(name for name in request.peers if name in PEERS))
    ]
    values = readings(count)

    def check(each: WindowRuns, _: int) -> str:
        runner, aggregate, seconds = each.key
        above = is_above(aggregate, values, seconds, runner)
        report = each.reports[-1]
        if report is not None:
            wanted = int(above.sum())
            return "" if report.above == wanted else f"{report.above} above instead of {wanted}"
        with (request.folder / OUTPUT).open("rb") as lines:
            given = outcome(lines).counts
        right = (0, *changes(above))
        return "" if given == right else f"{given} instead of {right} answers"

    def read(output: Path) -> PeerReport | None:
        is_report = output.read_bytes()[:12] == b'{"seconds": '
        return read_json(PeerReport)(output) if is_report else None

    run_rounds(
        request, found, lambda each, _: each.command, read, idle=lambda each: each.idle, check=check
    )
    memory = [*_memory(request, files)]
    return findings(found, memory, [*_groups(request)])


def _whole(count: int) -> int:
    """As many readings in whole elements."""
    return max(count // SENSORS, 1) * SENSORS


def _readings(files: Files, count: int) -> Path:
    return files.file(f"readings-{count}.nq", lambda: stream(count))


def _command(  # noqa: PLR0913, PLR0917 - who computes what of which file
    runner: str, aggregate: str, seconds: int, files: Files, path: Path, count: int
) -> tuple[str, ...]:
    if runner != "r4":
        return python(PEERS[runner].program, runner, aggregate, seconds, count)
    return _run(aggregate, seconds, files, path)


def _run(aggregate: str, seconds: int | None, files: Files, path: Path) -> tuple[str, ...]:
    text = rules(aggregate, seconds)
    return python("r4", "run", files.file(f"{aggregate}-{seconds}.rif", lambda: iter([text])), path)


def _memory(request: Request, files: Files) -> Iterator[WindowMemory]:
    output = request.folder / OUTPUT
    for aggregate, seconds in MEMORY:
        for count in (_whole(request.triples), TIMES * _whole(request.triples)):
            window = "of all time" if seconds is None else f"{seconds} s"
            request.say(f"aggregates: memory of {aggregate} {window}, {count:,} readings")
            command = _run(aggregate, seconds, files, _readings(files, count))
            yield WindowMemory(aggregate, seconds, count, measure_process(command, output))
    output.unlink(missing_ok=True)


def _groups(request: Request) -> Iterator[GroupCost]:
    output = request.folder / OUTPUT
    for members in MEMBERS:
        request.say(f"aggregates: a group of {members:,} members")
        rounds = 1 + 2 * request.rounds
        measure_process(python("bench.programs.follow_groups", members, rounds), output)
        for values in json.loads(output.read_text(encoding="utf-8")):
            yield GroupCost(**values)
    output.unlink(missing_ok=True)


def findings(
    found: Sequence[WindowRuns], memory: Sequence[WindowMemory], costs: Sequence[GroupCost]
) -> Findings:
    """What all of it says."""
    figures: dict[str, Json] = {
        "aggregates": [
            each.json(readings=each.count, seconds=each.taken, wall=each.wall) for each in found
        ],
        "aggregate_memory": [*map(asdict, memory)],
        "aggregate_groups": [*map(asdict, costs)],
    }
    tables = [*_window_table(found), *_memory_table(memory), *_group_table(costs)]
    return Findings(tables, figures, first_wrong(found))


def _window_table(found: Sequence[WindowRuns]) -> Iterator[TextTable]:
    taken = {each.key: each.taken for each in found}
    return tabled(
        f"Aggregates of windows over readings of {SENSORS:,} sensors, without the start of a"
        " process, the best run. R4 reads N-Quads and tells alarms; the others have columns, and"
        " tell nothing.",
        (
            *("", "readings", "a second of CPU", "bound", "a second"),
            *(f"time over {WINDOWS[0]} s", "bound", "R4 over it", "peak MB", "answers"),
        ),
        (_window_row(each, taken) for each in found),
    )


def _window_row(each: WindowRuns, taken: Mapping[WindowContestant, float]) -> tuple[str, ...]:
    rate = each.count / each.taken
    over = each.taken / taken[each.key._replace(window=WINDOWS[0])]
    kept = "kept" if rate >= LEAST_RATE else "missed"
    rate_bound, over_bound, ours_over = f"{LEAST_RATE:,} {kept}", verdict(over, MOST_OVER), ""
    if each.key.runner != "r4":
        rate_bound = over_bound = ""
        ours_over = f"{taken[each.key._replace(runner='r4')] / each.taken:.2f}"
    return (
        *(str(each.key), f"{each.count:,}"),
        *(f"{rate:,.0f}", rate_bound, f"{each.count / each.wall:,.0f}"),
        *(f"{over:.2f}", over_bound, ours_over),
        *(format_megabytes(each.peak), each.wrong or "right"),
    )


def _memory_table(memory: Sequence[WindowMemory]) -> Iterator[TextTable]:
    rows = (
        (
            f"{short.aggregate} {'of all time' if short.seconds is None else f'{short.seconds} s'}",
            f"{short.count:,}",
            *(format_megabytes(each.usage.peak) for each in (short, long)),
            f"{long.usage.peak / short.usage.peak:.2f}",
            verdict(long.usage.peak / short.usage.peak, MOST_GROWTH),
        )
        for short, long in zip(memory[::2], memory[1::2], strict=True)
    )
    heads = ("", "readings", "peak MB", f"of {TIMES} times as many", "ratio", "bound")
    return tabled("Memory as the stream grows.", heads, rows)


def _group_table(costs: Sequence[GroupCost]) -> Iterator[TextTable]:
    by_key = {(each.aggregate, each.members): each.microseconds for each in costs}
    found = ([by_key[words, members] for members in MEMBERS] for words in MEMBER_AGGREGATES)
    rows = (
        (
            words,
            *(f"{each:.2f}" for each in each_size),
            verdict(max(each_size), MOST_MICROSECONDS),
            f"{each_size[-1] / each_size[0]:.2f}",
            verdict(each_size[-1] / each_size[0], MOST_OVER_FEWEST),
        )
        for words, each_size in zip(MEMBER_AGGREGATES, found, strict=True)
    )
    return tabled(
        "One group: µs of processor time a member that comes or goes, with the value after it, in"
        " batches of 1,000.",
        ("", *(f"{members:,} members" for members in MEMBERS), "bound", "last over first", "bound"),
        rows,
    )


BENCHMARK: Final = Benchmark(
    {"aggregates": "aggregates of windows over readings, and of one large group"}, run, peers=PEERS
)
