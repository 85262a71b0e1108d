"""The files that are named, and how they are split."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from r4.errors import InputError
from r4.rdf.documents import SUFFIXES, Format, RdfDocument
from r4.rdf.files import STDIN, plain_suffix
from r4.store.layout import FolderLayout

LINES: Final = frozenset({Format.N_TRIPLES, Format.N_QUADS})
"""Formats that can be read from any line on."""
MOST_BYTES: Final = 128 << 20
LEAST_BYTES: Final = 8 << 20
"""The longest split, and the shortest that a file is split for."""
_SPLITS: Final = 4
"""So many splits a core, where there is enough to split: they do not all take the same time."""


class NamedInputs(NamedTuple):
    """The inputs of a load, by the names that were given.

    Attributes:
        documents: each file once, numbered from 1 as named; those of a folder or pattern by name.
        passed: files of folders that no format has the suffix of.
    """

    documents: Sequence[RdfDocument]
    passed: Sequence[str]


@dataclass(frozen=True, slots=True)
class FileSplit:
    """A part of a file.

    Attributes:
        number: that of its document.
        format: the name of its `Format`.
        begin, end: of lines that begin from the one byte on and before the other; ``end`` -1: the
            file is read whole.
    """

    path: str
    number: int
    format: str
    begin: int
    end: int


def find_inputs(named: Sequence[str]) -> NamedInputs:
    """The files that ``named`` stands for: files, folders, patterns.

    Raises:
        InputError: one is not there, cannot be read, or is in no format that is known.
    """
    paths: dict[str, bool] = {}
    for name in named:
        if name == STDIN:
            message = "standard input cannot be split: name files"
            raise InputError(message)
        found = [name]
        if not Path(name).exists() and glob.has_magic(name):
            found = sorted(glob.glob(name, recursive=True))  # noqa: PTH207 - as it is typed
            if not found:
                message = f"{name}: no file is called so"
                raise InputError(message)
        for path in found:
            if Path(path).is_dir():
                paths.update((inner, False) for inner in _within(path) if inner not in paths)
            else:
                paths[path] = True
    passed = [path for path, sure in paths.items() if not sure and not _suffix(path)]
    left = [path for path in paths if path not in frozenset(passed)]
    if not left:
        message = f"{', '.join(named)}: no file with the suffix of an RDF format"
        raise InputError(message)
    documents = [RdfDocument.of(path, number) for number, path in enumerate(left, 1)]
    for document in documents:
        _try(document)
    return NamedInputs(documents, passed)


def _suffix(path: str) -> bool:
    """Whether a format has the suffix; a file of a folder is not N-Quads for want of one."""
    return plain_suffix(path) in SUFFIXES and SUFFIXES[plain_suffix(path)] != Format.RDF_PATCH


def _within(folder: str) -> Iterator[str]:
    """The files in a folder and those beneath, by name.

    Without hidden ones, marks of jobs, and what was made by a load, such as the last one.
    """

    def refuse(error: OSError) -> None:
        message = f"{error.filename}: {error.strerror}"
        raise InputError(message) from error

    for place, folders, files in os.walk(folder, onerror=refuse):
        if FolderLayout(Path(place)).index.exists():
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if name[0] not in "._")
        for name in sorted(files):
            if name[0] not in "._":
                yield str(PurePath(place, name))


def _try(document: RdfDocument) -> None:
    """Refuse what cannot be opened now rather than in the middle of a job."""
    if document.format == Format.RDF_PATCH:
        message = f"{document.path}: RDF Patch is a stream, and cannot be loaded"
        raise InputError(message)
    try:
        with Path(document.path).open("rb"):
            pass
    except OSError as error:
        message = f"{document.path}: {error.strerror or error}"
        raise InputError(message) from error


def splits(documents: Sequence[RdfDocument], cores: int) -> Iterator[FileSplit]:
    """The documents in parts that ``cores`` can read side by side."""
    sizes = [Path(document.path).stat().st_size for document in documents]
    step = min(max(-(-sum(sizes) // (_SPLITS * cores)), LEAST_BYTES), MOST_BYTES)
    for document, size in zip(documents, sizes, strict=True):
        path = os.path.abspath(document.path)  # noqa: PTH100 - without resolving links
        about = (path, document.number, document.format.name)
        plain = PurePath(path).suffix.lower() == plain_suffix(path)
        if document.format in LINES and plain and size > step:
            for begin in range(0, size, step):
                yield FileSplit(*about, begin, min(begin + step, size))
        else:
            yield FileSplit(*about, 0, -1)
