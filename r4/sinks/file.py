"""A file that answers are written to, which may be lost."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, Protocol

from r4.path_lock import lock


class ByteWriter(Protocol):
    """A place that bytes are written to."""

    def write(self, data: bytes, /) -> object:
        """Write all of ``data``."""
        ...


class SinkLost(Exception):
    """The system stopped taking what was written."""


class SinkFile:
    """A file by name; what is written is handed to the system at once.

    `BrokenPipeError` passes through: a reader that closed the pipe wants no more, which is no loss.
    """

    __slots__ = ("_file", "_name")

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name

    def write(self, data: bytes) -> None:
        """Write all of ``data``.

        Raises:
            SinkLost: the system does not take it.
        """
        try:
            self._file.write(data)
            self._file.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            message = f"{self._name}: {error.strerror or error}"
            raise SinkLost(message) from None


@contextmanager
def open_file(path: str) -> Iterator[SinkFile]:
    """The file at ``path``, overwritten; standard output for ``-``. One process at a time has it.

    Raises:
        OSError: it cannot be opened, or another process writes it.
        SinkLost: it is a standard output that was closed from the start.
    """
    if path == "-":
        if sys.stdout is None:
            message = "<stdout>: closed"
            raise SinkLost(message)
        yield SinkFile(sys.stdout.buffer, "<stdout>")
        return
    file = _open_locked(path)
    try:
        yield SinkFile(file, path)
    finally:
        with suppress(OSError):
            file.close()


def _open_locked(path: str) -> BinaryIO:
    """An empty file, locked until it is closed; a pipe or a device as it is."""
    file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o666), "wb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    try:
        lock(file.fileno())
    except BlockingIOError as error:
        file.close()
        raise BlockingIOError(error.errno, "another process writes it", path) from None
    file.truncate()
    return file
