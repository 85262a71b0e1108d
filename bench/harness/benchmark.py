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
from r4.spark.jobs.requirements import NoJava, require


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be measured, and where.

    Attributes:
        names: of what is measured.
        windows: of the rules over streams, the shortest first.
        triples: the length of the streams.
        sizes: triples of the graphs that are closed.
        share: how much there is of what ``--share`` concerns.
        data: the folder of files that are not shipped.
        peers: whom R4 is compared with.
        installations: where peers are that the user installed, and what is there.
        rounds: how often everybody runs.
        folder: has all files.
        say: shows a line on what runs.
    """

    names: Sequence[str]
    windows: Sequence[str]
    triples: int
    sizes: Sequence[int]
    share: float
    data: Path
    peers: Sequence[str]
    installations: Mapping[str, Installation]
    rounds: int
    folder: Path
    say: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Findings:
    """What a benchmark found.

    Attributes:
        tables: for people.
        figures: the same as JSON, complete; the keys are those of the whole report.
        wrong: what is wrong with the answers; empty if nothing.
        pictures: names of files, and the SVG that is in each.
    """

    tables: Sequence[TextTable] = ()
    figures: Mapping[str, Json] = field(default_factory=dict)
    wrong: str = ""
    pictures: Sequence[tuple[str, str]] = ()

    def __add__(self, other: Findings) -> Findings:
        return Findings(
            (*self.tables, *other.tables),
            {**self.figures, **other.figures},
            self.wrong or other.wrong,
            (*self.pictures, *other.pictures),
        )


class Lack(NamedTuple):
    """What is missing for a name, a line each, and whether nothing of it can run."""

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
    """What runs for one name or several.

    Attributes:
        names: each with a line on what it stands for.
        run: measures what is requested.
        members: what these names consist of, each with a line.
        peers: whom R4 is compared with, by name.
        lacks: what is missing for one of the names.
    """

    names: Mapping[str, str]
    run: Callable[[Request], Findings]
    members: Mapping[str, str] = field(default_factory=dict)
    peers: Mapping[str, Peer] = field(default_factory=dict)
    lacks: Lacks = _nothing
