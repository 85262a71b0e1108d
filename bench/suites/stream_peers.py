"""The peers that read a stream: what each can answer, where it is installed, and how it is run."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import pathsep
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Final, Literal, NamedTuple, TypeAlias

from bench import peers
from bench.harness.peer import NotInstalled, Peer
from bench.harness.process_usage import python

Check: TypeAlias = Literal["lines", "seconds", "intervals", "nothing"]
"""How an output is checked: every line, the counts at full seconds, the intervals that it has for
each answer, or that it is empty."""


class StreamTask(NamedTuple):
    """The work of a peer: the workload, which says the rules; files; the window in milliseconds."""

    query: str  # the workload
    stream: Path
    static: Path  # may be empty
    window: int  # in milliseconds
    folder: Path  # for what is made from these files
    installation: Path | None = None  # where the peer is, if the user installed it

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of the programs that read static data, too."""
        return self.query, str(self.stream), str(self.static), str(self.window)


@dataclass(frozen=True, slots=True)
class StreamPeer(Peer):
    """A peer that reads the stream of a workload."""

    queries: tuple[str, ...] = ()  # what it can answer; empty where it answers nothing
    # workload → why it has no answer to that
    lacks: Mapping[str, str] = field(default_factory=dict)
    most: int = 0  # the longest stream that it is to read, in triples; 0 where there is no bound
    # query → the longest stream, where that is shorter
    less: Mapping[str, int] = field(default_factory=dict)
    check: Check = "lines"  # how its output is checked
    marks: bool = False  # whether it marks where a graph begins, for its latency

    def length(self, query: str, triples: int) -> int:
        """The number of triples that it is to read of a stream of ``triples``."""
        return min(triples, self.less.get(query, triples), self.most or triples)

    def command(self, task: StreamTask) -> tuple[str, ...]:
        """The command that is measured."""
        if self.check == "seconds":
            return python(self.program, *task.arguments)
        width = (task.window,) if self.queries else ()
        return python(self.program, task.stream, *width)

    def preparation(self, _task: StreamTask, /) -> tuple[str, ...]:
        """The command that runs once before, and is not measured; empty: none."""
        return ()


@dataclass(frozen=True, slots=True)
class EtalisPeer(StreamPeer):
    """ETALIS on SWI-Prolog, from the folder that has its sources."""

    def version(self, path: Path) -> str:
        """The version of the Prolog; ETALIS has none."""
        _source(path)
        return _output_of((_prolog(), "--version"))

    def command(self, task: StreamTask) -> tuple[str, ...]:
        """The program in Prolog that the preparation writes."""
        assert task.installation is not None
        return (_prolog(), str(task.folder / "run.pl"), str(_source(task.installation)))

    def preparation(self, task: StreamTask, /) -> tuple[str, ...]:
        """Rules, facts and events are written in its language."""
        return python(self.program, *task.arguments, task.folder)


@dataclass(frozen=True, slots=True)
class FuxiPeer(StreamPeer):
    """FuXi, from a Python that has it."""

    def version(self, path: Path) -> str:
        """The version of its package, and of that Python."""
        return package_version(path, "fuxi", "FuXi")

    def command(self, task: StreamTask) -> tuple[str, ...]:
        """The program, on that Python."""
        program = (str(task.installation), "-m", self.program)
        return (*program, *task.arguments)


@dataclass(frozen=True, slots=True)
class JenaPeer(StreamPeer):
    """The rules of Apache Jena, from a class path of Java; its program is compiled before."""

    def version(self, path: Path) -> str:
        """The versions of Jena and of Java."""
        with TemporaryDirectory() as folder:
            try:
                _output_of(_compilation(self.module, path, Path(folder)))
            except NotInstalled as error:
                message = f"its program does not compile with the class path {path}: {error}"
                raise NotInstalled(message) from error
            return _output_of((_java("java"), "-cp", f"{path}{pathsep}{folder}", self.module))

    def command(self, task: StreamTask) -> tuple[str, ...]:
        """The program that the preparation compiles."""
        classes = f"{task.installation}{pathsep}{task.folder}"
        return (_java("java"), "-cp", classes, self.module, *task.arguments)

    def preparation(self, task: StreamTask, /) -> tuple[str, ...]:
        """It is compiled."""
        assert task.installation is not None
        return _compilation(self.module, task.installation, task.folder)


def _compilation(name: str, classes: Path, folder: Path) -> tuple[str, ...]:
    source = str(Path(peers.__file__).with_name(f"{name}.java"))
    return (_java("javac"), "-cp", str(classes), "-d", str(folder), source)


def _java(tool: str) -> str:
    found = which(tool)
    if found is None:
        message = f"there is no {tool} on the path: install a Java development kit"
        raise NotInstalled(message)
    return found


def _source(path: Path) -> Path:
    for place in (path / "src" / "etalis.P", path / "etalis.P"):
        if place.is_file():
            return place.resolve()
    message = f"{path} has no src/etalis.P"
    raise NotInstalled(message)


def _prolog() -> str:
    found = which("swipl")
    if found is None:
        message = "there is no swipl on the path: install SWI-Prolog"
        raise NotInstalled(message)
    return found


def package_version(python: Path, module: str, package: str) -> str:
    """The version of a package in some Python, and that of the Python.

    Raises:
        NotInstalled: the Python is not there, or does not have the module.
    """
    asked = (
        f"import sys, {module}; from importlib.metadata import version; "
        f"print('{package}', version('{package}'), 'on Python', sys.version.split()[0])"
    )
    return _output_of((str(python), "-c", asked))


def _output_of(command: tuple[str, ...]) -> str:
    """The output of a command; raises `NotInstalled` if it does not end well."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise NotInstalled(str(error)) from error
    if done.returncode != 0:
        raise NotInstalled(done.stderr.strip().rpartition("\n")[2] or f"{command[0]} fails")
    return done.stdout.strip()


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
"""The peers that read a stream, by name."""
