"""The lines of a part of a file."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Final

from r4.rdf.files import CHUNK, ByteSource

_BREAK: Final = b"\n"


class SlicedBytes(ByteSource):
    """The lines of a plain file that begin from ``begin`` on and before ``end``, whole."""

    __slots__ = ("_begin", "_end")

    def __init__(self, path: str, begin: int, end: int) -> None:
        """Open it; raises `InputError` if it cannot be."""
        self._begin, self._end = begin, end
        super().__init__(path)

    @property
    def whole(self) -> bool:
        """Whether it is the first slice."""
        return not self._begin

    def _open(self, path: str) -> _SliceLines:
        self.live = False
        file = self._stack.enter_context(Path(path).open("rb"))  # noqa: SIM115
        return _SliceLines(file, self._begin, self._end)


class _SliceLines:
    """Reads on from the first line that begins, until the last one that does has ended."""

    __slots__ = ("_end", "_file", "_over", "_position")

    def __init__(self, file: IO[bytes], begin: int, end: int) -> None:
        self._file, self._end = file, end
        self._position = begin
        self._over = False
        if begin:  # what stands here began before, unless a line ends right before it
            self._position -= 1
            file.seek(self._position)
            self._skip()

    def _skip(self) -> None:
        while self._position < self._end and (data := self._file.read(CHUNK)):
            found = data.find(_BREAK)
            if found >= 0:
                self._position += found + 1
                self._file.seek(self._position)
                break
            self._position += len(data)
        self._over = self._position >= self._end

    def read1(self, size: int, /) -> bytes:
        """The next bytes, none at the end."""
        if self._over:
            return b""
        within = self._end - self._position
        data = self._file.read(min(size, within) if within > 0 else size)
        if within <= 0:
            found = data.find(_BREAK)
            if found >= 0:
                data, self._over = data[: found + 1], True
        elif len(data) == within and data.endswith(_BREAK):
            self._over = True
        self._position += len(data)
        return data
