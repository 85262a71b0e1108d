"""The index of a loaded folder: what it holds, as JSON; and the checksums of its files.

Each byte that is used is compared with what was written. That finds damage, not forgery: whoever
can write to the folder can write a checksum.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, TypeAlias

from r4.errors import InputError
from r4.extras import MissingExtra, version_of
from r4.store.layout import FolderLayout

VERSION: Final = 2
_ARROW: Final = "pyarrow"

TripleSelection: TypeAlias = dict[str, frozenset[str] | None]
"""Canonical text of a predicate → those of the objects; None: all objects."""


@dataclass(frozen=True, slots=True)
class FolderIndex:
    """What a loaded folder holds.

    Attributes:
        seed: of the hashes of its terms.
        terms: how many there are; their ids are 1 to this.
        blanks: how many of them are blank nodes.
        size: bytes of their texts.
        room: further rows that the mapped columns have.
        triples: how many; the same one in several places counts so often.
        files: the names of what was loaded; file N has the blank nodes ``_:dN_LABEL``.
        predicates: id of a predicate → its parts, name → rows.
        bad: what was left out, by code.
        columns: checksums of the mapped columns of the terms, of what is used of each.
        parts: checksums of the parts as Arrow, by the name of the file.
    """

    seed: int
    terms: int
    blanks: int
    size: int
    room: int
    triples: int
    files: Sequence[str]
    predicates: Mapping[int, Mapping[str, int]]
    bad: Mapping[str, int]
    columns: Mapping[str, int]
    parts: Mapping[str, int]

    def write(self, path: Path) -> str:
        """Write it; the text of `_SUCCESS`, which is its checksum."""
        content = {"version": VERSION, "byteorder": sys.byteorder, **asdict(self)}
        raw = json.dumps(content, ensure_ascii=False).encode()
        path.write_bytes(raw)
        return _mark(raw)


def read_index(folder: FolderLayout) -> FolderIndex:
    """The index of a loaded folder.

    Raises:
        InputError: nothing was loaded into it, or not to the end, or by another version; or pyarrow
            is not installed.
    """
    path = folder.path
    if version_of(_ARROW) is None:
        message = f"{path}: {MissingExtra('parquet', _ARROW)}"
        raise InputError(message)
    if not folder.success.exists():
        message = f"{path}: nothing was loaded into this folder to the end: there is no _SUCCESS"
        raise InputError(message)
    try:
        raw = folder.index.read_bytes()
        content = json.loads(raw)
        version, order = content.pop("version"), content.pop("byteorder")
        if (version, order) != (VERSION, sys.byteorder):
            message = f"{path}: loaded by another version of R4, or on another kind of machine"
            raise InputError(message)
        if folder.success.read_bytes() != _mark(raw).encode():
            message = "it is not what was written"
            raise ValueError(message)  # noqa: TRY301 - reported as all damage is
        content["predicates"] = {
            int(term): {str(name): _count(rows) for name, rows in parts.items()}
            for term, parts in content["predicates"].items()
        }
        for sums in ("columns", "parts"):
            content[sums] = {str(name): _count(each) for name, each in content[sums].items()}
        index = FolderIndex(**content)
        for count in (index.seed, index.terms, index.blanks, index.size, index.room, index.triples):
            _count(count)
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
        raise InputError(message) from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        message = f"{path}: its index is damaged: {error}"
        raise InputError(message) from error
    return index


def check_part(path: Path, index: FolderIndex) -> None:
    """Raise `InputError` if a part has another checksum, or cannot be read."""
    fault = "it is not what was written"
    try:
        if checksum(path) == index.parts.get(path.stem):
            return
    except OSError as error:
        fault = error.strerror or str(error)
    message = f"{path}: damaged: {fault}"
    raise InputError(message)


def _mark(raw: bytes) -> str:
    return f"{zlib.crc32(raw):08x}\n"


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        message = f"{value!r} is no count"
        raise ValueError(message)
    return value


PIECE: Final = 1 << 20


def pieces(path: Path, size: int | None = None, begin: int = 0) -> Iterator[bytes]:
    """The bytes of a file from ``begin`` on, ``size`` of them at most, some `PIECE` at once.

    Read, not mapped, and page by page: so they do not count as memory of this process.
    """
    with path.open("rb") as file:
        if sys.platform == "linux":  # see `r4.store.term_columns.write`
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        file.seek(begin)
        left = sys.maxsize if size is None else size
        while left and (piece := file.read(min(PIECE, left))):
            left -= len(piece)
            yield piece


def checksum(path: Path, size: int | None = None) -> int:
    """CRC-32 of the first ``size`` bytes of a file, or of all. O(size): 4 GB/s were measured."""
    found = 0
    for piece in pieces(path, size):
        found = zlib.crc32(piece, found)
    return found
