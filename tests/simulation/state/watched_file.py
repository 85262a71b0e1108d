"""A file that somebody else writes to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Self


class WatchedFile:
    """A file of which ``write`` does what a function does; all else is as it was.

    Attributes:
        path: where it is.
    """

    def __init__(self, path: Path, file: BinaryIO, write: Callable[[BinaryIO, bytes], int]) -> None:
        self.path = path
        self._file = file
        self._write = write

    def write(self, data: Any) -> int:
        return self._write(self._file, bytes(data))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
