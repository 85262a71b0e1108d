"""The file system as a state uses it; tests put one in its place that fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter, FileIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from r4.atomic_path import sync_folder
from r4.state.errors import StateLost

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

TEMPORARY: Final = ".new"
"""The suffix of a file that is not whole yet."""
_PIECE: Final = 4 << 20
"""So many bytes of a new file get on their way to the disk at once."""


class SystemFiles:
    """Files of the operating system."""

    def append(self, path: Path, *, private: bool = False) -> BinaryIO:
        """Open a file, made if it is not there, to write behind its end; nothing is held back.

        If it is made, ``private``: no other user may read it.
        """
        return open(path, "ab", buffering=0, opener=_private if private else None)

    def create(self, path: Path) -> BinaryIO:
        """Open an empty file to write to, which no other user may read.

        Much gets on its way to the disk as it is written, else the sync of a large file would let
        those of all other files wait.
        """
        return BufferedWriter(_SteadyFile(path))

    def sync(self, file: BinaryIO) -> None:
        """Return once what was written to ``file`` is on the disk."""
        file.flush()
        os.fsync(file.fileno())

    def start_sync(self, file: BinaryIO, begin: int, size: int) -> None:
        """Let ``size`` bytes of ``file`` from ``begin`` on get on their way to the disk.

        It returns at once; `sync` then has less to wait for.
        """
        _start_sync(file.fileno(), begin, size)

    def sync_folder(self, path: Path) -> None:
        """Return once the names in a folder are on the disk."""
        sync_folder(path)

    def rename(self, old: Path, new: Path) -> None:
        """Give a file another name, in place of what has that."""
        old.replace(new)

    def cut(self, file: BinaryIO, size: int) -> None:
        """Cut a file that is open for writing to ``size`` bytes, and go on writing there."""
        file.truncate(size)
        file.seek(size)

    def remove(self, path: Path) -> None:
        """Remove a file, if it is there."""
        path.unlink(missing_ok=True)

    def replace(self, path: Path, write: Callable[[BinaryIO], object]) -> None:
        """Let ``write`` make the file at ``path``, whole or not at all."""
        temporary = path.with_name(path.name + TEMPORARY)
        with self.create(temporary) as file:
            write(file)
            self.sync(file)
        self.rename(temporary, path)
        self.sync_folder(path.parent)


class _SteadyFile(FileIO):
    """An empty file whose bytes get on their way to the disk while more are written."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "wb", opener=_private)
        self._started = 0

    def write(self, data: ReadableBuffer) -> int:
        """Write some bytes of ``data``; how many."""
        count = super().write(memoryview(data)[:_PIECE])
        if (size := self.tell() - self._started) >= _PIECE:
            _start_sync(self.fileno(), self._started, size)
            self._started += size
        return count


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _start_sync(descriptor: int, begin: int, size: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError):  # a sync says why
            os.posix_fadvise(descriptor, begin, size, os.POSIX_FADV_DONTNEED)


@contextmanager
def as_lost(path: Path) -> Iterator[None]:
    """Turn an error of the system into one of the state.

    Raises:
        StateLost: the system does not take what is written, or does not give what is read.
    """
    try:
        yield
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
        hint = "once that is mended, what was begun goes on from here"
        if isinstance(error, FileExistsError | NotADirectoryError):
            hint = "a state is a folder: give one that is, or that is not there yet"
        raise StateLost(message, hint) from None
