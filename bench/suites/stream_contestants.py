"""Who takes part in a comparison on streams: R4 on a workload, and the peers on the same file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from bench.harness.graph_marks import GraphLatency
from bench.harness.process_usage import python
from bench.harness.rounds import Series
from bench.suites.stream_peers import PEERS, Check, StreamTask
from bench.workloads.catalogue import TRIPLES, WORKLOADS, Files, Workload
from bench.workloads.expected_answers import Outcome
from bench.workloads.stream_terms import milliseconds

MOST_MARKED: Final = 5000
"""Graphs whose latency is measured at most: enough for a hundredth part."""


class ContestantKey(NamedTuple):
    """Identifies a contestant; ``window`` is empty where none matters."""

    runner: str
    workload: str
    window: str
    graphs: int

    def __str__(self) -> str:
        return " ".join(part for part in self[:3] if part)

    @property
    def triples(self) -> int:
        """The triples of its stream; stamps are not counted."""
        return self.graphs * TRIPLES


@dataclass(slots=True)
class Contestant(Series[ContestantKey, None]):
    """A program that takes part, and its runs."""

    # what is measured; it reads ``key.graphs`` elements
    command: tuple[str, ...] = field(kw_only=True)
    # the same on empty input, to see what starting a process takes
    idle: tuple[str, ...] = field(kw_only=True)
    check: Check = field(kw_only=True)  # how its output is checked
    # commands that run once before, and are not measured
    preparations: tuple[tuple[str, ...], ...] = ()
    # a command that takes the first `marked_graphs` of the stream graph by graph, and marks where
    # each begins; empty: nothing is known of its latency
    marked: tuple[str, ...] = ()
    answers: Outcome | None = None  # of the last run; None: it has none to check
    latency: GraphLatency | None = None  # how long a graph takes; None: it was not measured

    @property
    def marked_graphs(self) -> int:
        """Graphs of the run for its latency."""
        return min(self.key.graphs, MOST_MARKED)

    @property
    def rate(self) -> float:
        """Triples a second."""
        return self.key.triples / self.seconds


def contestants(  # noqa: PLR0913, PLR0917 - what, with whom, and where
    names: Sequence[str],
    windows: Sequence[str],
    triples: int,
    peers: Sequence[str],
    files: Files,
    installations: Mapping[str, Path],
) -> list[Contestant]:
    """Everybody who takes part, each once, R4 before the peers of its workload.

    A peer that is spared long streams runs against R4 on the beginning of the file.
    """
    found: dict[ContestantKey, Contestant] = {}
    for name in names:
        workload = WORKLOADS[name]
        for window in windows:
            entries = [r4_entry(workload, window, triples // TRIPLES, files)]
            for peer in peers:
                path = installations.get(peer)
                entries += _rivals(workload, window, triples, peer, path, files)
            for entry in entries:
                found.setdefault(entry.key, entry)
    return list(found.values())


def _rivals(  # noqa: PLR0913, PLR0917 - who, what, and on which file
    workload: Workload, window: str, triples: int, name: str, path: Path | None, files: Files
) -> Iterator[Contestant]:
    """A peer on a workload; before it R4 on the same part of the stream, if it reads a part."""
    peer = PEERS[name]
    if not peer.queries:
        key = ContestantKey(name, workload.stream, "", triples // TRIPLES)
    elif workload.name in peer.queries:
        count = peer.length(workload.name, triples) // TRIPLES
        if count < triples // TRIPLES:
            yield r4_entry(workload, window, count, files)
        key = ContestantKey(name, workload.name, window, count)
    else:
        return

    def task(count: int, static: str) -> StreamTask:
        made = files.folder / name / "-".join(map(str, (workload.name, window, count)))
        stream = files.stream(workload.stream, count)
        width = milliseconds(window)
        return StreamTask(workload.name, stream, files.static(static), width, made, path)

    tasks = [task(key.graphs, workload.static), task(0, "")]
    if peer.marks:
        tasks.append(task(min(key.graphs, MOST_MARKED), workload.static))
    command, idle, *marked = map(peer.command, tasks)
    yield Contestant(
        key,
        command=command,
        idle=idle,
        check=peer.check,
        preparations=tuple(filter(None, map(peer.preparation, tasks))),
        may_fail=path is not None,
        marked=marked[0] if marked else (),
    )


def r4_entry(workload: Workload, window: str, count: int, files: Files) -> Contestant:
    """``r4 run`` on the first ``count`` elements."""
    words = python("r4", "run", workload.rules, "--window", window)
    always = files.static(workload.static)
    static = ("--static", str(always)) if workload.static else ()
    part = files.stream(workload.stream, min(count, MOST_MARKED))
    return Contestant(
        ContestantKey("r4", workload.name, window, count),
        command=(*words, *static, str(files.stream(workload.stream, count))),
        idle=(*words, str(files.stream(workload.stream, 0))),
        check="lines",
        marked=python("bench.programs.add_graphs", workload.rules, window, part, always),
    )
