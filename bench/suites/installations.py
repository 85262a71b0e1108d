"""Peers that the user installed: how each is found at the path that is named, and run."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from os import pathsep
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from bench import peers
from bench.suites.peer import NotInstalled, StreamPeer, StreamTask, arguments


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
        program = (sys.executable, "-m", f"bench.peers.{self.module}")
        return (*program, *arguments(task), str(task.folder))


@dataclass(frozen=True, slots=True)
class FuxiPeer(StreamPeer):
    """FuXi, from a Python that has it."""

    def version(self, path: Path) -> str:
        """The version of its package, and of that Python."""
        asked = (
            "import sys, fuxi; from importlib.metadata import version; "
            "print('FuXi', version('fuxi'), 'on Python', sys.version.split()[0])"
        )
        return _output_of((str(path), "-c", asked))

    def command(self, task: StreamTask) -> tuple[str, ...]:
        """The program, on that Python."""
        program = (str(task.installation), "-m", f"bench.peers.{self.module}")
        return (*program, *arguments(task))


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
        return (_java("java"), "-cp", classes, self.module, *arguments(task))

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


def _output_of(command: tuple[str, ...]) -> str:
    """What a command prints; raises `NotInstalled` if it does not end well."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise NotInstalled(str(error)) from error
    if done.returncode != 0:
        raise NotInstalled(done.stderr.strip().rpartition("\n")[2] or f"{command[0]} fails")
    return done.stdout.strip()
