"""The shape of a benchmark: its names, its peers, and a function from a request to findings.

A suite is one file. It names its workload, its contestants, how their results are checked, its
bounds and its tables; `bench.harness.rounds` runs the contestants, `bench.report` writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

from bench.harness.peer import Installation, Peer
from bench.harness.tables import Json, TextTable
from r4.extras import MissingExtra
from r4.spark.jobs.session import NoJava, require


@dataclass(frozen=True, slots=True)
class Request:
    """A request: what is to be measured, and where."""

    names: Sequence[str]  # of what is measured
    windows: Sequence[str]  # of the rules over streams, the shortest first
    triples: int  # the length of the streams
    sizes: Sequence[int]  # triples of the graphs that are closed
    share: float  # how much there is of what ``--share`` concerns
    data: Path  # the folder of files that are not shipped
    peers: Sequence[str]  # whom R4 is compared with
    # where peers are that the user installed, and what is there
    installations: Mapping[str, Installation]
    rounds: int  # how often everybody runs
    folder: Path  # has all files
    say: Callable[[str], None]  # shows a line on what runs


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of a benchmark."""

    tables: Sequence[TextTable] = ()  # for people
    # the same as JSON, complete; the keys are those of the whole report
    figures: Mapping[str, Json] = field(default_factory=dict)
    wrong: str = ""  # what is wrong with the answers; empty if nothing
    pictures: Sequence[tuple[str, str]] = ()  # names of files, and the SVG that is in each

    def __add__(self, other: Findings) -> Findings:
        return Findings(
            (*self.tables, *other.tables),
            {**self.figures, **other.figures},
            self.wrong or other.wrong,
            (*self.pictures, *other.pictures),
        )


class Lack(NamedTuple):
    """Lines on what is missing for a name, and whether nothing of it can run."""

    lines: Sequence[str] = ()
    whole: bool = False


Lacks: TypeAlias = Callable[[str, Path | None], Lack]
"""The name of a benchmark, and the folder of data if there is one → what is missing."""


def _nothing(_name: str, _data: Path | None) -> Lack:
    return Lack()


def needs_spark(name: str, _data: Path | None) -> Lack:
    """Whether Spark can start."""
    try:
        require()
    except (MissingExtra, NoJava) as error:
        return Lack([f"{name}: {error}"], whole=True)
    return Lack()


def needs_files(what: str, files: Callable[[str, Path], Iterable[Path]]) -> Lacks:
    """All files that `files` gives for a name and a folder of data."""

    def lacks(name: str, data: Path | None) -> Lack:
        if data is None:
            line = f"{name}: its {what} are not shipped: name their folder, --data FOLDER"
            return Lack([line], whole=True)
        missing = next((path for path in files(name, data) if not path.exists()), None)
        return Lack() if missing is None else Lack([f"{name}: {missing} is not there"], whole=True)

    return lacks


@dataclass(frozen=True, slots=True, eq=False)
class Benchmark:
    """A benchmark: what runs for one name or several."""

    names: Mapping[str, str]  # each with a line on what it stands for
    # measures what is requested; raises `RunFailed` where a program ended with an error
    run: Callable[[Request], Findings]
    # what these names consist of, each with a line
    members: Mapping[str, str] = field(default_factory=dict)
    peers: Mapping[str, Peer] = field(default_factory=dict)  # whom R4 is compared with, by name
    lacks: Lacks = _nothing  # what is missing for one of the names
