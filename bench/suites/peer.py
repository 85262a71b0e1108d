"""What a peer is: what it can answer, on which length of stream, and how it is run."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from r4.time.ticks import TimeScale

Check: TypeAlias = Literal["lines", "seconds", "intervals", "nothing"]
"""How an output is checked: every line, the counts at full seconds, the intervals that it has for
each answer, or that it is empty."""


def milliseconds(window: str) -> int:
    """A window as a number of milliseconds; raises what `TimeScale.duration` does."""
    return TimeScale().duration(window)


class NotInstalled(Exception):
    """What is missing where a peer was said to be."""


class Installation(NamedTuple):
    """Where the user installed a peer, and which version of it."""

    path: Path
    version: str


class StreamTask(NamedTuple):
    """What a peer is to do, and with which files.

    Attributes:
        query: the workload, which says the rules.
        stream, static: files; ``static`` may be empty.
        window: in milliseconds.
        folder: for what is made from these files.
        installation: where the peer is, if the user installed it.
    """

    query: str
    stream: Path
    static: Path
    window: int
    folder: Path
    installation: Path | None = None


@dataclass(frozen=True, slots=True)
class Peer:
    """A program that R4 is compared with.

    Attributes:
        module: the program, in `bench.peers`.
        description: one line on what it does.
        needs: the package of the extra ``bench`` that it needs; empty: none.
        path: what the user names to have it, such as a folder; empty: it needs no installation.
    """

    module: str
    description: str
    needs: str = ""
    path: str = ""

    def version(self, path: Path) -> str:
        """What is installed at a path.

        Raises:
            NotInstalled: it is not there.
        """
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class StreamPeer(Peer):
    """A peer that reads the stream of a workload.

    Attributes:
        queries: what it can answer; empty where it answers nothing.
        lacks: workload → why it has no answer to that.
        most: the longest stream that it is to read, in triples; 0 where there is no bound.
        less: query → the longest stream, where that is shorter.
        check: how its output is checked.
        marks: whether it marks where a graph begins, for its latency.
    """

    queries: tuple[str, ...] = ()
    lacks: Mapping[str, str] = field(default_factory=dict)
    most: int = 0
    less: Mapping[str, int] = field(default_factory=dict)
    check: Check = "lines"
    marks: bool = False

    def length(self, query: str, triples: int) -> int:
        """How many triples it is to read of a stream of so many."""
        return min(triples, self.less.get(query, triples), self.most or triples)

    def command(self, task: StreamTask) -> tuple[str, ...]:
        """What is measured."""
        program = (sys.executable, "-m", f"bench.peers.{self.module}")
        if self.check == "seconds":
            return (*program, *arguments(task))
        width = (str(task.window),) if self.queries else ()
        return (*program, str(task.stream), *width)

    def preparation(self, _task: StreamTask, /) -> tuple[str, ...]:
        """What runs once before, and is not measured; empty: nothing."""
        return ()


def arguments(task: StreamTask) -> tuple[str, ...]:
    """What the programs take that read static data, too."""
    return task.query, str(task.stream), str(task.static), str(task.window)
