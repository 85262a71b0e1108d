"""A file that answers are written to, which may be lost."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Protocol


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
    """The file at ``path``, overwritten; standard output for ``-``.

    Raises:
        OSError: it cannot be opened.
        SinkLost: it is a standard output that was closed from the start.
    """
    if path == "-":
        if sys.stdout is None:
            message = "<stdout>: closed"
            raise SinkLost(message)
        yield SinkFile(sys.stdout.buffer, "<stdout>")
        return
    file = Path(path).open("wb")  # noqa: SIM115 - a file that is lost is lost again when it is closed
    try:
        yield SinkFile(file, path)
    finally:
        with suppress(OSError):
            file.close()
