"""Runs with a state on the command line, and runs that end in the middle."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, cast
from unittest.mock import patch

from r4.state import folder as state_folder
from r4.state.checkpoint_writer import CheckpointWriter
from r4.state.files import SystemFiles
from tests.simulation.command import CommandOutput, call, small_batches
from tests.simulation.state.watched_file import WatchedFile

RULES = """
Document( Prefix(ex <http://ex.org/>) Window(30)
  Group( Forall ?x ?y ( ?x[ex:r -> ?y] :- And(?x[ex:p -> ?y] ?x[ex:q -> ?y]) ) ) )
"""

COUNT = 120


def stream(count: int = COUNT) -> str:
    ex, stamp = "http://ex.org/", "<http://www.w3.org/ns/prov#generatedAtTime>"
    integer = "^^<http://www.w3.org/2001/XMLSchema#integer>"
    return "".join(
        f'<urn:g{i}> {stamp} "{i}"{integer} .\n'
        f"<{ex}s{i % 7}> <{ex}{'pq'[i % 2]}> <{ex}o{i % 3}> <urn:g{i}> .\n"
        for i in range(count)
    )


def run(*more: str) -> CommandOutput:
    with small_batches(900):
        return call(["run", "r.rif", "s.nq", "--state", "state", "--checkpoint-every", "0", *more])


def plain_output() -> bytes:
    assert call(["run", "r.rif", "s.nq", "--output", "plain"]).code == 0
    return Path("plain").read_bytes()


class FullDisk(SystemFiles):
    """A system that refuses all from some operation on."""

    def __init__(self, operations: int, error: int) -> None:
        self.left = operations
        self.error = error

    def step(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise OSError(self.error, os.strerror(self.error))

    def append(self, path: Path, *, private: bool = False) -> BinaryIO:
        self.step()
        return cast(
            "BinaryIO", WatchedFile(path, super().append(path, private=private), self._write)
        )

    def _write(self, file: BinaryIO, data: bytes) -> int:
        self.step()
        return file.write(data)

    def create(self, path: Path) -> BinaryIO:
        self.step()
        return super().create(path)

    def sync(self, file: BinaryIO) -> None:
        self.step()
        super().sync(file)

    def cut(self, file: BinaryIO, size: int) -> None:
        self.step()
        super().cut(file, size)

    def replace(self, path: Path, write: Callable[[BinaryIO], object]) -> None:
        self.step()
        super().replace(path, write)


def run_on_full_disk(operations: int, error: int = errno.ENOSPC, *more: str) -> CommandOutput:
    with (
        patch.object(state_folder, "SystemFiles", lambda: FullDisk(operations, error)),
        patch("r4.state.checkpoint_writer.CheckpointWriter", EagerWriter),
    ):
        return run("--output", "out", *more)


class EagerWriter(CheckpointWriter):
    """Writes a checkpoint before each event, and the run waits."""

    def __init__(self, files: SystemFiles, every: float) -> None:
        super().__init__(files, every, forks=False)

    @property
    def is_due(self) -> bool:
        return True


def run_halfway(*more: str) -> None:
    """A run that ends somewhere in the middle."""
    assert run_on_full_disk(110, errno.ENOSPC, *more).code == 6


def contents() -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in Path().rglob("*")
        if path.is_file() and path.name != "status.json"
    }
