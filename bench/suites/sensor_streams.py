"""Queries over published streams: R4, and a store that is asked anew; answers are checked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from bench.harness.rounds import Series, run_rounds
from bench.suites.contestants import PEERS
from bench.suites.peer import StreamTask
from bench.workloads.catalogue import Files
from bench.workloads.sensors.answer_tally import AnswerTally
from bench.workloads.sensors.sensor_queries import (
    SENSOR_QUERIES,
    SENSOR_STREAMS,
    SensorQuery,
)
from bench.workloads.sensors.sensor_streams import RepeatedStream

STORE: Final = "store"
"""The peer that answers any query of SPARQL."""
MOST_FOR_STORE: Final = 110_000
"""Triples of the longest stream that it reads: it is asked after each element."""


class SensorContestant(NamedTuple):
    """Who answers which query, on a stream of so many triples."""

    runner: str
    query: str
    asked: int

    def __str__(self) -> str:
        return f"{self.runner} {self.query}"


@dataclass(slots=True)
class SensorRuns(Series[SensorContestant, AnswerTally]):
    """The runs of one contestant; what each reports is what its output comes to.

    Attributes:
        triples: of the stream; stamps are not counted.
        window: in milliseconds.
        expected: what must come out.
    """

    triples: int = field(kw_only=True)
    window: int = field(kw_only=True)
    expected: AnswerTally = field(kw_only=True)

    @property
    def rate(self) -> float:
        """Triples a second."""
        return self.triples / self.seconds

    @property
    def wrong(self) -> str:
        """In what the answers of a run differ from those of brute force; empty: in nothing."""
        differences = (report.difference(self.expected) for report in self.reports)
        return next(filter(None, differences), "")


def missing_file(benchmark: str, data: Path) -> Path | None:
    """The first file that the queries of a benchmark lack in a folder; None: all are there."""
    streams = (
        SENSOR_STREAMS[query.stream]
        for query in SENSOR_QUERIES.values()
        if query.benchmark == benchmark
    )
    return next(filter(None, (stream.missing(data) for stream in streams)), None)


def run_sensors(  # noqa: PLR0913, PLR0917 - what, who, and where
    benchmarks: Sequence[str],
    data: Path,
    triples: int,
    peers: Sequence[str],
    rounds: int,
    folder: Path,
    say: Callable[[str], None],
) -> list[SensorRuns]:
    """Answer the queries of these benchmarks, round by round.

    R4 meets the store on the beginning of a long stream, and reads all of it besides.

    Raises:
        RunFailed: a program ended with an error.
    """
    queries = [query for query in SENSOR_QUERIES.values() if query.benchmark in benchmarks]
    files = Files(folder)
    nothing = files.file("nothing.nq", lambda: iter(()))
    part = min(triples, MOST_FOR_STORE)
    asked = [("r4", triples)]
    if STORE in peers:
        asked += [("r4", part)] * (part < triples) + [(STORE, part)]
    streams = {
        (name, count): _read(name, data, count, files)
        for name in dict.fromkeys(query.stream for query in queries)
        for count in dict.fromkeys(count for _, count in asked)
    }
    commands: dict[SensorContestant, _Commands] = {}
    found = []
    for query in queries:
        for runner, count in asked:
            stream, path, static = streams[query.stream, count]
            task, idle = (
                StreamTask(str(query.sparql), one, static, query.window, folder)
                for one in (path, nothing)
            )
            key = SensorContestant(runner, query.name, count)
            commands[key] = _Commands(_command(key, query, task), _command(key, query, idle))
            expected = (query.expect_at_looks if runner == STORE else query.expect)(stream)
            found.append(
                SensorRuns(key, triples=stream.triples, window=query.window, expected=expected)
            )
    run_rounds(
        found,
        lambda each, _: commands[each.key].run,
        _tally,
        rounds,
        folder,
        say,
        idle=lambda each: commands[each.key].idle,
    )
    return found


class _StreamFiles(NamedTuple):
    stream: RepeatedStream
    path: Path
    static: Path


def _read(name: str, data: Path, triples: int, files: Files) -> _StreamFiles:
    """A stream, and its files, written if they are not there."""
    published = SENSOR_STREAMS[name]
    place = published.place(data)
    stream = RepeatedStream.of(published.read(place), triples)
    static = files.file(
        f"{published.folder}.nt",
        lambda: (f"{s} {p} {o} .\n" for s, p, o in published.static(place)),
    )
    return _StreamFiles(stream, files.file(f"{name}-{triples}.nq", stream.quads), static)


class _Commands(NamedTuple):
    run: tuple[str, ...]
    idle: tuple[str, ...]


def _command(key: SensorContestant, query: SensorQuery, task: StreamTask) -> tuple[str, ...]:
    if key.runner == STORE:
        return PEERS[STORE].command(task)
    words = ("-m", "r4", "run", str(query.rules), str(task.stream), "--drain", "--quiet")
    static = ("--static", str(task.static)) if task.static.stat().st_size else ()
    return (sys.executable, *words, "--window", f"{task.window} ms", *static)


def _tally(output: Path) -> AnswerTally:
    with output.open("rb") as lines:
        return AnswerTally.of_output(lines)
