"""The contestants of a comparison: R4 on a workload, and the peers on the same file."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from r4.bench.workloads.catalogue import TRIPLES, WORKLOADS, Files, Workload
from r4.time.ticks import TimeScale

Check: TypeAlias = Literal["lines", "seconds", "nothing"]
"""How an output is checked: every line, the counts at full seconds, or that it is empty."""


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
    """

    key: ContestantKey
    command: tuple[str, ...]
    idle: tuple[str, ...]
    check: Check


@dataclass(frozen=True, slots=True)
class Peer:
    """A program that R4 is compared with.

    Attributes:
        module: the program, in `r4.bench.peers`.
        description: one line on what it does.
        needs: the package of the extra ``bench`` that it needs; empty: none.
    """

    module: str
    description: str
    needs: str = ""


@dataclass(frozen=True, slots=True)
class StreamPeer(Peer):
    """A peer that reads the stream of a workload.

    Attributes:
        queries: what it can answer; empty where it answers nothing.
        most: the longest stream that it is to read, in triples; 0 where there is no bound.
        check: how its output is checked.
    """

    queries: tuple[str, ...] = ()
    most: int = 0
    check: Check = "lines"


PEERS: Final[Mapping[str, StreamPeer]] = {
    "pyoxigraph": StreamPeer(
        "parse_only", "pyoxigraph parses the file, and nothing is done", check="nothing"
    ),
    "python": StreamPeer(
        "hand_join", "the join of q1 by hand, in plain Python; q1 only", queries=("q1",)
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
        most=110_000,
        needs="clipspy",
    ),
}


def milliseconds(window: str) -> int:
    """A window as a number of milliseconds; raises what `TimeScale.duration` does."""
    return TimeScale().duration(window)


def contestants(
    names: Sequence[str], windows: Sequence[str], triples: int, peers: Sequence[str], files: Files
) -> list[Contestant]:
    """Everybody who takes part, each once, R4 before the peers of its workload.

    A peer that is spared long streams meets R4 on the beginning of the file.
    """
    met: dict[ContestantKey, Contestant] = {}
    for name in names:
        workload = WORKLOADS[name]
        for window in windows:
            for entry in _at(workload, window, triples, peers, files):
                met.setdefault(entry.key, entry)
    return list(met.values())


def _at(
    workload: Workload, window: str, triples: int, peers: Sequence[str], files: Files
) -> Iterator[Contestant]:
    count = triples // TRIPLES
    yield r4_entry(workload, window, count, files)
    for name in peers:
        peer = PEERS[name]
        fewer = min(triples, peer.most or triples) // TRIPLES
        if not peer.queries:
            yield _reader(name, peer, workload, count, files)
        elif workload.name in peer.queries:
            if fewer < count:
                yield r4_entry(workload, window, fewer, files)
            yield _answerer(name, peer, workload, window, fewer, files)


def r4_entry(workload: Workload, window: str, count: int, files: Files) -> Contestant:
    """``r4 run`` on the first ``count`` elements."""
    run = (sys.executable, "-m", "r4", "run", str(workload.rules), "--window", window)
    static = ("--static", str(files.static(workload.static))) if workload.static else ()
    stream = files.stream(workload.stream, count)
    return Contestant(
        ContestantKey("r4", workload.name, window, count),
        (*run, *static, str(stream)),
        (*run, str(files.stream(workload.stream, 0))),
        "lines",
    )


def _reader(
    name: str, peer: StreamPeer, workload: Workload, count: int, files: Files
) -> Contestant:
    program = (sys.executable, "-m", f"r4.bench.peers.{peer.module}")
    return Contestant(
        ContestantKey(name, workload.stream, "", count),
        (*program, str(files.stream(workload.stream, count))),
        (*program, str(files.stream(workload.stream, 0))),
        peer.check,
    )


def _answerer(  # noqa: PLR0913, PLR0917 - who, what, and on which file
    name: str, peer: StreamPeer, workload: Workload, window: str, count: int, files: Files
) -> Contestant:
    program = (sys.executable, "-m", f"r4.bench.peers.{peer.module}")
    width = str(milliseconds(window))

    def command(count: int, static: str) -> tuple[str, ...]:
        stream = str(files.stream(workload.stream, count))
        if peer.check == "seconds":
            return (*program, workload.query, stream, str(files.static(static)), width)
        return (*program, stream, width)

    return Contestant(
        ContestantKey(name, workload.name, window, count),
        command(count, workload.static),
        command(0, ""),
        peer.check,
    )
