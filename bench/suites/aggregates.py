"""`r4 bench aggregates`: aggregates of windows over readings, and of one large group.

Alarms of `r4 run` are compared with those of brute force. Libraries for tables compute the same
aggregates beside it: all readings are in columns before, and they have no stream to follow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from bench.harness.benchmark import Benchmark, Findings, Request
from bench.harness.peer import Peer
from bench.harness.process_usage import measure_process, python
from bench.harness.rounds import OUTPUT, Series, first_wrong, read_json, run_rounds
from bench.harness.tables import Json, format_megabytes, tabled
from bench.workloads.catalogue import Files
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
"""The windows in seconds."""
LEAST_RATE: Final = 300_000
"""Readings a second that R4 means to take under each of them."""
MEMBER_AGGREGATES: Final = (
    *("count", "sum", "avg", "min", "max", "median", "quantile 0.95", "stddev"),
    *("first", "last", "last 10", "avg last 10"),
)
"""What is measured of one group; a list of all members costs their number."""
MEMBERS: Final = (1_000, 100_000)
"""How many members that group has."""
MOST_MICROSECONDS: Final = 20
"""Microseconds that a member means to cost at most that comes or goes."""
PEERS: Final = {
    "pandas": Peer("column_windows", "pandas, rolling windows of columns", "pandas"),
    "polars": Peer("column_windows", "polars, rolling windows of columns, one thread", "polars"),
    "duckdb": Peer("column_windows", "DuckDB, window functions of SQL, one thread", "duckdb"),
}


class WindowContestant(NamedTuple):
    """Who computes what, under which window."""

    runner: str
    aggregate: str
    seconds: int

    def __str__(self) -> str:
        return f"{self.runner} {self.aggregate} {self.seconds} s"


class PeerReport(NamedTuple):
    """The report of a peer on its own run."""

    seconds: float  # processor time of the aggregate alone
    above: int  # readings after which it is above the limit


@dataclass(slots=True)
class WindowRuns(Series[WindowContestant, PeerReport | None]):
    """The runs of one contestant."""

    command: tuple[str, ...] = field(kw_only=True)  # what is measured
    idle: tuple[str, ...] = field(kw_only=True)  # the same of R4 on an empty stream
    count: int = field(kw_only=True)  # readings

    @property
    def taken(self) -> float:
        """Seconds of processor time of the best run: of R4 all but the start of the process."""
        told = [report.seconds for report in self.reports if report is not None]
        return min(told or self.work)

    @property
    def rate(self) -> float:
        """Readings a second of processor time."""
        return self.count / max(self.taken, 1e-9)


@dataclass(frozen=True, slots=True)
class GroupCost:
    """The cost of one change of a group."""

    aggregate: str
    members: int
    microseconds: float


def run(request: Request) -> Findings:
    """Windows, then one group."""
    count = max(request.triples // SENSORS, 1) * SENSORS
    files = Files(request.folder)
    path = files.file(f"readings-{count}.nq", lambda: stream(count))
    nothing = files.file("nothing.nq", lambda: iter(()))
    found = [
        WindowRuns(
            WindowContestant(runner, aggregate, seconds),
            command=_command(runner, aggregate, seconds, path, files, count),
            idle=_command(runner, aggregate, seconds, nothing, files, SENSORS),
            count=count,
        )
        for aggregate in AGGREGATES
        for seconds in WINDOWS
        for runner in ("r4", *(name for name in request.peers if name in PEERS))
    ]
    values = readings(count)

    def check(each: WindowRuns, _: int) -> str:
        above = is_above(each.key.aggregate, values, each.key.seconds)
        report = each.reports[-1]
        if report is None:
            wanted, given = changes(above), _alarms(request.folder / OUTPUT)
            return "" if given == wanted else f"{given} instead of {wanted} answers"
        if each.key.aggregate == "p95" or report.above == above.sum():
            return ""  # of a quantile each has its own definition
        return f"{report.above} instead of {above.sum()} readings"

    def read(output: Path) -> PeerReport | None:
        return (
            read_json(PeerReport)(output) if output.read_bytes()[:12] == b'{"seconds": ' else None
        )

    run_rounds(
        request, found, lambda each, _: each.command, read, idle=lambda each: each.idle, check=check
    )
    return _window_findings(found) + _group_findings([*_groups(request)])


def _command(  # noqa: PLR0913, PLR0917 - who computes what of which file
    runner: str, aggregate: str, seconds: int, path: Path, files: Files, count: int
) -> tuple[str, ...]:
    if runner != "r4":
        return python(PEERS[runner].program, runner, aggregate, seconds, count)
    text = partial(lambda given: iter([given]), rules(aggregate, seconds))
    return python("r4", "run", "-q", files.file(f"alarm-{aggregate}-{seconds}.rif", text), path)


def _alarms(output: Path) -> tuple[int, int]:
    """How many answers begin, and how many end."""
    text = output.read_bytes()
    return text.count(b'{"op":"+"'), text.count(b'{"op":"-"')


def _groups(request: Request) -> Iterator[GroupCost]:
    output = request.folder / OUTPUT
    for members in MEMBERS:
        request.say(f"aggregates: a group of {members:,} members")
        command = python("bench.programs.follow_groups", members, max(3, request.rounds))
        measure_process(command, output)
        for values in json.loads(output.read_text(encoding="utf-8")):
            yield GroupCost(**values)
    output.unlink(missing_ok=True)


def _window_findings(found: Sequence[WindowRuns]) -> Findings:
    taken = {each.key: each.taken for each in found}
    table = tabled(
        f"Aggregates of windows over readings of {SENSORS:,} sensors: processor time without the"
        " start of a process, the best run. R4 reads N-Quads and tells alarms; the others have"
        " columns, and tell nothing.",
        (
            *("", "readings", "seconds", "readings/s", "bound", "R4 over it"),
            *("over 10 s", "peak MB", "answers"),
        ),
        (_row(each, taken) for each in found),
    )
    figures: list[Json] = [
        each.json(readings=each.count, seconds=each.taken, readings_per_second=each.rate)
        for each in found
    ]
    return Findings([*table], {"aggregates": figures}, first_wrong(found))


def _row(each: WindowRuns, taken: dict[WindowContestant, float]) -> tuple[str, ...]:
    is_ours = each.key.runner == "r4"
    ours = taken[each.key._replace(runner="r4")]
    shortest = taken[each.key._replace(seconds=WINDOWS[0])]
    return (
        str(each.key),
        f"{each.count:,}",
        f"{each.taken:.2f}",
        f"{each.rate:,.0f}",
        ("kept" if each.rate >= LEAST_RATE else "missed") if is_ours else "",
        "" if is_ours else f"{ours / max(each.taken, 1e-9):.2f}",
        f"{each.taken / max(shortest, 1e-9):.2f}",
        format_megabytes(each.peak),
        each.wrong or "right",
    )


def _group_findings(costs: Sequence[GroupCost]) -> Findings:
    by_key = {(each.aggregate, each.members): each.microseconds for each in costs}
    few, many = MEMBERS
    rows = (
        (
            words,
            f"{by_key[words, few]:.2f}",
            f"{by_key[words, many]:.2f}",
            f"{by_key[words, many] / max(by_key[words, few], 1e-9):.2f}",
            "kept" if by_key[words, many] <= MOST_MICROSECONDS else "missed",
        )
        for words in MEMBER_AGGREGATES
    )
    table = tabled(
        f"One group: µs a member that comes or goes, with the value after it, in batches of 1,000;"
        f" at most {MOST_MICROSECONDS} are meant.",
        ("", f"{few:,} members", f"{many:,} members", "ratio", "bound"),
        rows,
    )
    return Findings([*table], {"aggregate_groups": [*map(asdict, costs)]})


BENCHMARK: Final = Benchmark(
    {"aggregates": "aggregates of windows over readings, and of one large group"}, run, peers=PEERS
)
