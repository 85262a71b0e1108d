"""`r4 bench sensors`: queries over published streams, R4 and a store that is asked anew.

Everybody's answers are compared with those of brute force.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from bench.harness.benchmark import Benchmark, Findings, Request, needs_files
from bench.harness.process_usage import python
from bench.harness.rounds import Series, first_wrong, paired_median, run_rounds
from bench.harness.tables import Json, format_megabytes, tabled
from bench.suites.stream_peers import PEERS, StreamTask
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
NAMES: Final = tuple(dict.fromkeys(query.benchmark for query in SENSOR_QUERIES.values()))


class SensorContestant(NamedTuple):
    """Who answers which query, on a stream of a number of triples that was asked for."""

    runner: str
    query: str
    asked: int

    def __str__(self) -> str:
        return f"{self.runner} {self.query}"


@dataclass(slots=True)
class SensorRuns(Series[SensorContestant, AnswerTally]):
    """The runs of one contestant; each reports what its output comes to."""

    command: tuple[str, ...] = field(kw_only=True)  # what is measured
    idle: tuple[str, ...] = field(kw_only=True)  # the same on an empty stream
    triples: int = field(kw_only=True)  # of the stream; stamps are not counted
    window: int = field(kw_only=True)  # in milliseconds
    expected: AnswerTally = field(kw_only=True)  # the answers by brute force

    @property
    def rate(self) -> float:
        """Triples a second."""
        return self.triples / self.seconds


def _files(name: str, data: Path) -> Iterator[Path]:
    for query in SENSOR_QUERIES.values():
        if query.benchmark == name:
            stream = SENSOR_STREAMS[query.stream]
            yield from (stream.place(data) / needed for needed in stream.needs)


BENCHMARK: Final = Benchmark(
    dict.fromkeys(NAMES, "queries over published streams; see --data"),
    lambda request: findings(answer(request)),
    {name: query.description for name, query in SENSOR_QUERIES.items()},
    {STORE: PEERS[STORE]},
    needs_files("streams", _files),
)


def answer(request: Request) -> list[SensorRuns]:
    """The runs of everybody.

    R4 runs against the store on the beginning of a long stream, and reads all of it besides.
    """
    queries = [query for query in SENSOR_QUERIES.values() if query.benchmark in request.names]
    files, triples = Files(request.folder), request.triples
    nothing = files.file("nothing.nq", lambda: iter(()))
    part = min(triples, MOST_FOR_STORE)
    asked = [("r4", triples)]
    if STORE in request.peers:
        asked += [("r4", part)] * (part < triples) + [(STORE, part)]
    streams = {
        (name, count): _read(name, request.data, count, files)
        for name in dict.fromkeys(query.stream for query in queries)
        for count in dict.fromkeys(count for _, count in asked)
    }
    found = []
    for query in queries:
        for runner, count in asked:
            stream, path, static = streams[query.stream, count]
            command, idle = (
                _command(
                    runner,
                    query,
                    StreamTask(str(query.sparql), one, static, query.window, request.folder),
                )
                for one in (path, nothing)
            )
            expect = query.expect_at_looks if runner == STORE else query.expect
            found.append(
                SensorRuns(
                    SensorContestant(runner, query.name, count),
                    command=command,
                    idle=idle,
                    triples=stream.triples,
                    window=query.window,
                    expected=expect(stream),
                )
            )
    run_rounds(
        request,
        found,
        lambda each, _: each.command,
        _tally,
        idle=lambda each: each.idle,
        check=lambda each, _: each.reports[-1].difference(each.expected),
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


def _command(runner: str, query: SensorQuery, task: StreamTask) -> tuple[str, ...]:
    if runner == STORE:
        return PEERS[STORE].command(task)
    static = ("--static", task.static) if task.static.stat().st_size else ()
    words = ("--drain", "--quiet", "--window", f"{task.window} ms", *static)
    return python("r4", "run", query.rules, task.stream, *words)


def _tally(output: Path) -> AnswerTally:
    with output.open("rb") as lines:
        return AnswerTally.of_output(lines)


def findings(found: Sequence[SensorRuns]) -> Findings:
    """Runs, with the ratio to the store."""
    by_key = {each.key: each for each in found}
    ratios = {}
    for key, each in by_key.items():
        other = by_key.get(key._replace(runner=STORE), each)
        if other is not each and not (each.short or other.short):
            ratios[key] = paired_median(each.work, other.work)
    table = tabled(
        "Published streams: medians without the start of a process, which loads the static"
        " data. R4 over the store: of processor time.",
        (
            *("", "triples", "window", "seconds", "triples/s", "start", "CPU", "peak MB"),
            *("over the store", "+", "-", "answers"),
        ),
        (_row(each, ratios.get(each.key)) for each in found),
    )
    figures = [each.json(**_figures(each, ratios.get(each.key))) for each in found]
    return Findings([*table], {"sensor_streams": figures}, first_wrong(found))


def _figures(each: SensorRuns, ratio: float | None) -> dict[str, Json]:
    return {
        "triples": each.triples,
        "window": each.window,
        "seconds": each.seconds,
        "triples_per_second": each.rate,
        "start": each.start,
        "of_store_cpu_time": ratio,
        "begun": each.expected.begun,
        "ended": each.expected.ended,
    }


def _row(each: SensorRuns, ratio: float | None) -> tuple[str, ...]:
    return (
        str(each.key),
        f"{each.triples:,}",
        f"{each.window / 1000:g} s",
        "too short" if each.short else f"{each.seconds:.2f}",
        "" if each.short else f"{each.rate:,.0f}",
        f"{each.start:.2f}",
        f"{each.cpu:.2f}",
        format_megabytes(each.peak),
        "" if ratio is None else f"{ratio:.3f}",
        f"{each.expected.begun:,}",
        f"{each.expected.ended:,}",
        each.wrong or "right",
    )
