"""A file that answers are written to, which may be lost."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, Protocol, runtime_checkable

from r4.path_lock import lock

_PIECE: Final = 1 << 16
"""Bytes that are written at a time: as many as a pipe holds."""


class ByteWriter(Protocol):
    """A place that bytes are written to."""

    def write(self, data: bytes, /) -> object:
        """Write all of ``data``."""
        ...


@runtime_checkable
class NamedFile(Protocol):
    """A file that may be moved away while it is written."""

    def follow(self) -> None:
        """Begin a new file of its name if it was."""


class SinkLost(Exception):
    """The system stopped taking what was written."""


class ReaderStalls(SinkLost):
    """The reader of a pipe takes nothing, and the run is to end."""


class _Write:
    """The write that is being done, for a handler of signals: when its last piece began, or 0."""

    since = 0.0


def end_stalled_write(seconds: float) -> None:
    """Raise `ReaderStalls` if nothing was taken for some seconds of the write that is being done.

    To be called by a handler of signals, which runs while the system is waited for.
    """
    if _Write.since and time.monotonic() - _Write.since > seconds:
        message = "a reader takes nothing"
        raise ReaderStalls(message)


class SinkFile:
    """A file by name; what is written is handed to the system at once.

    `BrokenPipeError` passes through: a reader that closed the pipe wants no more, which is no loss.
    A file that was moved away is left as it is, and a new one of that name goes on.

    Attributes:
        may_move: whether that is so: a form such as Parquet has its end in the file of its begin.
    """

    __slots__ = ("_file", "_name", "may_move")

    def __init__(self, file: BinaryIO, name: str, *, may_move: bool = False) -> None:
        """Begin; ``may_move``: it is a plain file, of which a new one may have the rest."""
        self._file = file
        self._name = name
        self.may_move = may_move

    def close(self) -> None:
        """Close it."""
        with suppress(OSError):
            self._file.close()

    def follow(self) -> None:
        """Open a new file if this one was moved away.

        Raises:
            SinkLost: the system does not open it.
        """
        if not self.may_move or is_named(self._file, self._name):
            return
        try:
            before, self._file = self._file, _open_locked(self._name)
            before.close()
        except OSError as error:
            message = f"{self._name}: {error.strerror or error}"
            raise SinkLost(message) from None

    def write(self, data: bytes) -> None:
        """Write all of ``data``; raises `SinkLost` if the system does not take it."""
        self.follow()
        written, view = 0, memoryview(data)
        try:
            while written < len(data):
                _Write.since = time.monotonic()
                self._file.write(view[written : written + _PIECE])
                self._file.flush()
                written += _PIECE
            _Write.since = 0.0
        except BrokenPipeError:
            raise
        except ReaderStalls:
            self._close_stalled()
            left = len(data) - written
            message = f"{self._name}: its reader takes nothing; {left:,} bytes are not written"
            raise ReaderStalls(message) from None
        except OSError as error:
            message = f"{self._name}: {error.strerror or error}"
            raise SinkLost(message) from None
        finally:
            _Write.since = 0.0

    def _close_stalled(self) -> None:
        """Let what is buffered go nowhere, else the end of the process waits for the reader."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self._file.fileno())
        os.close(null)


def is_named(file: BinaryIO, path: str | Path) -> bool:
    """Whether an open file still has its name: it was neither moved nor removed."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))  # noqa: PTH116
    except FileNotFoundError:
        return False


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
    sink = SinkFile(file, path, may_move=stat.S_ISREG(os.fstat(file.fileno()).st_mode))
    try:
        yield sink
    finally:
        sink.close()


def _open_locked(path: str) -> BinaryIO:
    """An empty file, locked until it is closed; a pipe or a device as it is."""
    file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666), "wb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    try:
        lock(file.fileno())
    except BlockingIOError as error:
        file.close()
        raise BlockingIOError(error.errno, "another process writes it", path) from None
    file.truncate()
    return file
