"""Pieces: the parts of files that are there, batch by batch.

What a batch has is written into its offset, so a batch that is taken again has the same pieces,
whatever came to a folder meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

from r4.errors import InputError
from r4.rdf.documents import SUFFIXES
from r4.rdf.files import plain_suffix
from r4.sources.formats import STREAM_FORMATS

Seen: TypeAlias = dict[str, Any]
"""How far a source was announced: the file, where in it, its size, and how many came before."""
WHOLE: Final = -1
_SUFFIXES: Final = frozenset(
    suffix
    for suffix, format_ in SUFFIXES.items()
    if format_ in STREAM_FORMATS and STREAM_FORMATS[format_].is_live
)


@dataclass(frozen=True, slots=True)
class StreamInput:
    """A source: a file, or a folder whose files come in the order of their names.

    Attributes:
        path: of the file or folder.
        number: that of its document; of a folder, of its first.
        step: from one document of a folder to the next.
        folder: whether it is one.
    """

    path: str
    number: int
    step: int
    folder: bool


class FilePiece(NamedTuple):
    """A part of a document.

    Attributes:
        source: the number of the input, from 0.
        path: the file.
        number: that of its document.
        begin, end: of lines that begin from the one byte on and before the other; ``end`` `WHOLE`:
            the file is read whole.
        last: whether the document ends with it.
    """

    source: int
    path: str
    number: int
    begin: int
    end: int
    last: bool


def next_pieces(
    inputs: Sequence[StreamInput],
    seen: Mapping[str, Seen],
    most: int,
    upto: Sequence[str] | None = None,
) -> tuple[list[FilePiece], dict[str, Seen]]:
    """The pieces that are there after what was ``seen``, of about ``most`` bytes.

    And what is seen then. Each source has its share of the bytes, and at least one piece if it has
    any. Of each folder come only files up to that in ``upto``; None: all.

    Raises:
        InputError: a file cannot be read, or was changed meanwhile.
    """
    share = max(1, most // max(1, len(inputs)))
    pieces: list[FilePiece] = []
    now = dict(seen)
    for number, stream in enumerate(inputs):
        bound = None if upto is None else upto[number]
        found = _Announcer(number, stream, now.get(str(number), {}), share, bound)
        pieces += found.pieces()
        now[str(number)] = found.seen
    return pieces, now


class _Announcer:
    """Goes through the files of a source."""

    def __init__(
        self, source: int, stream: StreamInput, seen: Seen, most: int, upto: str | None
    ) -> None:
        self._upto = upto
        self._source = source
        self._input = stream
        self._left = most
        self.seen: Seen = dict(seen) or {"path": "", "at": WHOLE, "size": 0, "files": 0}

    def pieces(self) -> list[FilePiece]:
        found: list[FilePiece] = []
        if self.seen["at"] != WHOLE:
            found.append(self._next(self.seen["path"]))
        for path in self._files():
            while self._left > 0 and (self.seen["at"] != WHOLE or path > self.seen["path"]):
                found.append(self._next(path))
        return found

    def _files(self) -> list[str]:
        """The files that come after the one that was seen last, by name."""
        stream = self._input
        if not stream.folder:
            if not self.seen["files"]:
                return [stream.path]
            if (size := _size(stream.path)) != self.seen["size"]:
                _refuse_changed(stream.path, self.seen["size"], size)
            return []
        paths = [path for path in files_of(stream.path) if path > self.seen["path"]]
        return paths if self._upto is None else [path for path in paths if path <= self._upto]

    def _next(self, path: str) -> FilePiece:
        """The next piece of the file that is being seen, or the first of another."""
        seen, stream = self.seen, self._input
        size = _size(path)
        first = seen["at"] == WHOLE
        if not first and size != seen["size"]:
            _refuse_changed(path, seen["size"], size)
        files = seen["files"] + first
        begin = 0 if first else seen["at"]
        end = min(begin + self._left, size) if _has_lines(path) else WHOLE
        self._left -= max(1, (size if end == WHOLE else end) - begin)
        last = end in {WHOLE, size}
        self.seen = {"path": path, "at": WHOLE if last else end, "size": size, "files": files}
        number = stream.number + (files - 1) * stream.step
        return FilePiece(self._source, path, number, begin, end, last)


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise InputError(message) from error


def _refuse_changed(path: str, was: int, size: int) -> NoReturn:
    message = (
        f"{path} was {was:,} bytes long when it was read and is {size:,}: what comes later is for "
        "a file of its own, in a folder"
    )
    raise InputError(message)


def files_of(folder: str) -> list[str]:
    """The files of a folder that are read, by name; raises `InputError` if it cannot be listed."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
    except OSError as error:
        message = f"{folder}: {error.strerror}"
        raise InputError(message) from error
    return [str(PurePath(folder, name)) for name in names if is_read(name)]


def is_read(name: str) -> bool:
    """Whether a file of a folder is read: a stream format has its suffix, and it is not hidden."""
    return name[0] not in "._" and plain_suffix(name) in _SUFFIXES


def _has_lines(path: str) -> bool:
    """Whether it can be read from any line on."""
    return PurePath(path).suffix.lower() in {".nq", ""}
