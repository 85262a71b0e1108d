"""The mapped columns of the terms of a loaded folder: the base of a dictionary."""

from __future__ import annotations

import os
import sys
from math import prod
from mmap import ACCESS_COPY, mmap
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from r4.errors import InputError
from r4.store.index import FolderIndex, checksum, pieces
from r4.store.layout import FolderLayout
from rete.arrays.term_columns import (
    IS_CHECKED,
    IS_LIVE,
    IS_PINNED,
    LENGTH_SHIFT,
    META,
    OFFSET,
    MappedTerms,
)

ROOM: Final = 1 << 22
"""Rows of the columns behind those of the terms; what is never written takes no place."""
TEXT_ROOM: Final = 1 << 28
"""The same of the bytes of texts."""
MOST_IDS: Final = 1 << 32
"""The index of a dictionary has 32 bits for an id."""
FLAGS: Final = IS_LIVE | IS_PINNED | IS_CHECKED
"""What all terms are: they were read from RDF, and stay."""

_WIDTH: Final = {"entries": 16, "values": 8, "classes": 1}
"""Columns with a row for each term, and one before: bytes of a row."""
_RANDOM, _NO_HUGE_PAGES = 1, 15
"""Advice of Linux: `madvise` in its manual."""

_Item = TypeVar("_Item", bound=np.generic)


def lay_out(folder: FolderLayout, terms: int, size: int) -> None:
    """Make the files of the columns, empty and with room, for units to write their parts."""
    sizes = {name: (terms + 1 + ROOM) * width for name, width in _WIDTH.items()}
    sizes |= {"arena": size + TEXT_ROOM, "hashes": max(terms, 1) * 8}
    for name, length in sizes.items():
        path = folder.column(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.truncate(length)


def write(path: Path, at: int, column: npt.NDArray[np.generic]) -> None:
    """Write a part of a column, from row ``at`` on.

    It does not stay in the memory of the system. Linux keeps what is written in pieces of up to two
    megabytes, and maps one whole for each row that is looked at; what is read again comes page by
    page. To open 5 million terms and find 200 took 540 MB so, and takes 285 MB now.
    """
    begin = at * column.itemsize * prod(column.shape[1:])
    with path.open("r+b") as file:
        file.seek(begin)
        file.write(np.ascontiguousarray(column).data)
        file.flush()
        if sys.platform == "linux":
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), begin, column.nbytes, os.POSIX_FADV_DONTNEED)


def checksums(folder: FolderLayout, terms: int, size: int) -> dict[str, int]:
    """The checksum of each column, but for its room."""
    used = {name: (terms + 1) * width for name, width in _WIDTH.items()}
    used |= {"arena": size, "hashes": terms * 8}
    return {name: checksum(folder.column(name), length) for name, length in used.items()}


def open_base(folder: FolderLayout, index: FolderIndex) -> MappedTerms:
    """The columns of a loaded folder, mapped; what is written to them stays with this process.

    Costs a look at each byte, of some 60 a term, and of 16 as kernels take them for places in
    memory. What is read so is not kept.

    Raises:
        InputError: they are damaged, or too many.
    """
    rows = index.terms + 1 + index.room
    if rows > MOST_IDS:
        message = f"{folder.path}: {index.terms:,} terms are more than one process can open"
        raise InputError(message)
    try:
        base = MappedTerms(
            *(index.seed, index.terms, index.size),
            arena=_map(folder.column("arena"), np.uint8, -1),
            entries=_map(folder.column("entries"), np.int64, rows, 2),
            last=_small_pages(mmap(-1, rows * 8), np.int64, rows),
            values=_map(folder.column("values"), np.float64, rows),
            classes=_map(folder.column("classes"), np.int8, rows),
            hashes=_map(folder.column("hashes"), np.uint64, max(index.terms, 1)),
        )
        sound = _is_sound(folder.column("entries"), index) and len(base.arena) >= index.size
    except (OSError, ValueError) as error:
        message = f"{folder.path}: the columns of its terms are damaged: {error}"
        raise InputError(message) from error
    fault = "" if sound else "their places are wrong"
    if not fault and checksums(folder, index.terms, index.size) != index.columns:
        fault = "they are not what was written"
    if fault:
        message = f"{folder.path}: the columns of its terms are damaged: {fault}"
        raise InputError(message)
    return base


def _map(path: Path, kind: type[_Item], *shape: int) -> npt.NDArray[_Item]:
    """A file as an array of this shape, written to here alone; -1: as long as it is."""
    with path.open("rb") as file:
        mapped = mmap(file.fileno(), 0, access=ACCESS_COPY)
    return _small_pages(mapped, kind, *shape)


def _small_pages(mapped: mmap, kind: type[_Item], *shape: int) -> npt.NDArray[_Item]:
    """The memory as an array of which single rows are looked at, from all over it.

    Without advice each look may map two megabytes: 200 of them took 200 MB.
    """
    if sys.platform == "linux":
        mapped.madvise(_NO_HUGE_PAGES)
        mapped.madvise(_RANDOM)
    count = -1 if shape == (-1,) else prod(shape)
    return np.frombuffer(mapped, kind, count).reshape(shape)


def _is_sound(path: Path, index: FolderIndex) -> bool:
    """Whether every text lies in the arena. Read, not mapped: so it takes no memory."""
    previous = 0
    for piece in pieces(path, index.terms * 16, begin=16):
        entries = np.frombuffer(piece, np.int64).reshape(-1, 2)
        ends = entries[:, OFFSET] + (entries[:, META] >> LENGTH_SHIFT)
        starts = np.concatenate([[previous], ends[:-1]])
        if not np.array_equal(starts, entries[:, OFFSET]) or (ends < starts).any():
            return False
        if (entries[:, META] & FLAGS != FLAGS).any():
            return False
        previous = int(ends[-1])
    return previous == index.size
