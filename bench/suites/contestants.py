"""The contestants of a comparison: R4 on a workload, and the peers on the same file."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from bench.suites.installations import EtalisPeer, FuxiPeer, JenaPeer
from bench.suites.peer import Check, StreamPeer, StreamTask, milliseconds
from bench.workloads.catalogue import TRIPLES, WORKLOADS, Files, Workload

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


@dataclass(frozen=True, slots=True)
class Contestant:
    """A program that takes part in a comparison.

    Attributes:
        key: its name; ``key.graphs`` elements are read.
        command: what is measured.
        idle: the same on empty input, to see what starting a process takes.
        check: how its output is checked.
        preparations: commands that run once before, and are not measured.
        may_fail: whether the others go on if it fails.
        marked: a command that takes the first `marked_graphs` of the stream graph by graph, and
            marks where each begins; empty: nothing is told of its latency.
    """

    key: ContestantKey
    command: tuple[str, ...]
    idle: tuple[str, ...]
    check: Check
    preparations: tuple[tuple[str, ...], ...] = ()
    may_fail: bool = False
    marked: tuple[str, ...] = ()

    @property
    def marked_graphs(self) -> int:
        """Graphs of the run for its latency."""
        return min(self.key.graphs, MOST_MARKED)


PEERS: Final[Mapping[str, StreamPeer]] = {
    "pyoxigraph": StreamPeer(
        "parse_only", "pyoxigraph parses the file, and nothing is done", check="nothing"
    ),
    "python": StreamPeer(
        "hand_join", "the join of q1 by hand, in plain Python; q1 only", queries=("q1",), marks=True
    ),
    "store": StreamPeer(
        "store_requery",
        "a pyoxigraph store asked anew at every second of event time",
        queries=("q1", "q2", "q3", "q4"),
        check="seconds",
    ),
    "clips": StreamPeer(
        "clips_rete",
        "CLIPS, fact by fact, through clipspy; q1 only, and on 110,000 triples at most",
        queries=("q1",),
        lacks=dict.fromkeys(("q2", "q3", "q4", "q1-shuffled"), "it is written for q1 alone"),
        most=110_000,
        needs="clipspy",
        marks=True,
    ),
    "etalis": EtalisPeer(
        "etalis_prolog",
        "ETALIS on SWI-Prolog, event by event; on 110,000 triples at most, q3 on 33,000; "
        "--peer etalis=FOLDER",
        queries=("q1", "q2", "q3", "q4", "q1-shuffled"),
        most=110_000,
        less={"q3": 33_000},
        check="intervals",
        path="FOLDER",
        marks=True,
    ),
    "fuxi": FuxiPeer(
        "fuxi_rete",
        "FuXi, which derives all anew at every second of event time; on 5,500 triples at most, "
        "q2 on 2,200; --peer fuxi=PYTHON",
        queries=("q1", "q2", "q3", "q4"),
        most=5_500,
        less={"q2": 2_200},
        check="seconds",
        path="PYTHON",
    ),
    "jena": JenaPeer(
        "JenaRules",
        "the rules of Apache Jena on its Rete engine, which is told at every second of event time "
        "what came and what left; on 110,000 triples at most; --peer jena=CLASSPATH",
        queries=("q1", "q2", "q3", "q4"),
        most=110_000,
        check="seconds",
        path="CLASSPATH",
    ),
}


def contestants(  # noqa: PLR0913, PLR0917 - what, with whom, and where
    names: Sequence[str],
    windows: Sequence[str],
    triples: int,
    peers: Sequence[str],
    files: Files,
    installations: Mapping[str, Path] = MappingProxyType({}),
) -> list[Contestant]:
    """Everybody who takes part, each once, R4 before the peers of its workload.

    A peer that is spared long streams meets R4 on the beginning of the file.

    Args:
        names: of workloads.
        windows: of their rules.
        triples: the length of the streams.
        peers: names of `PEERS`.
        files: the streams.
        installations: where peers are that the user installed.
    """
    met: dict[ContestantKey, Contestant] = {}
    for name in names:
        workload = WORKLOADS[name]
        for window in windows:
            met.setdefault(*_keyed(r4_entry(workload, window, triples // TRIPLES, files)))
            for peer in peers:
                path = installations.get(peer)
                for entry in _rivals(workload, window, triples, peer, path, files):
                    met.setdefault(*_keyed(entry))
    return list(met.values())


def _keyed(entry: Contestant) -> tuple[ContestantKey, Contestant]:
    return entry.key, entry


def unanswered(names: Sequence[str], peers: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Which peer has no answer to which workload, and why."""
    for peer in peers:
        for name in names:
            if reason := PEERS[peer].lacks.get(name):
                yield peer, name, reason


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

    run, idle = task(key.graphs, workload.static), task(0, "")
    marked = task(min(key.graphs, MOST_MARKED), workload.static) if peer.marks else None
    yield Contestant(
        key,
        peer.command(run),
        peer.command(idle),
        peer.check,
        tuple(filter(None, map(peer.preparation, filter(None, (run, idle, marked))))),
        may_fail=path is not None,
        marked=peer.command(marked) if marked else (),
    )


def r4_entry(workload: Workload, window: str, count: int, files: Files) -> Contestant:
    """``r4 run`` on the first ``count`` elements."""
    run = (sys.executable, "-m", "r4", "run", str(workload.rules), "--window", window)
    static = ("--static", str(files.static(workload.static))) if workload.static else ()
    stream = files.stream(workload.stream, count)
    library = (sys.executable, "-m", "bench.programs.add_graphs", str(workload.rules), window)
    always = str(files.static(workload.static))
    return Contestant(
        ContestantKey("r4", workload.name, window, count),
        (*run, *static, str(stream)),
        (*run, str(files.stream(workload.stream, 0))),
        "lines",
        marked=(*library, str(files.stream(workload.stream, min(count, MOST_MARKED))), always),
    )
