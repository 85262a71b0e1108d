"""Locations of imports: from the location in the text to a file that may be read.

Rules are not trusted, so a location opens nothing but what the user named: files of the catalogue,
and plain files in the folder of the importing document or in the import folder, beneath which no
``..``, no escape and no symbolic link leads out. No connection is ever opened.
"""

from __future__ import annotations

import os
import re
import stat
from collections import UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Final
from urllib.parse import unquote

from r4.imports.errors import (
    BadLocation,
    NotAFileLocation,
    NotAPlainFile,
    NotFound,
    OutsideFolder,
    Unreadable,
)
from r4.rdf.files import STDIN
from rif.errors.base import Span
from rif.syntax import ast
from rif.syntax.iri import is_absolute, resolve

RULES: Final = (".rif", ".rifps")
GRAPHS: Final = (".rdf", ".ttl", ".nt", ".owl")
STREAMS: Final = (".nq", ".trig", ".nt", ".ttl")

_FILE = re.compile(r"file:(?://(?:localhost)?(?=/))?(/(?!/)[^?#]*)\Z", re.IGNORECASE)
_SHOWN = 100


@dataclass(frozen=True, slots=True)
class DocumentPlace:
    """Where a document stands.

    Attributes:
        path: What to open; ``-`` for standard input, ``""`` for a text that is no file.
        iri: The IRI it is known by: relative ones in it are resolved against that.
        key: What it is: two places of one key are one file.
    """

    path: str
    iri: str
    key: str

    @classmethod
    def of(cls, path: str | None, iri: str | None = None) -> DocumentPlace:
        """The place of a file named by the user, who is trusted."""
        if path is None or path == STDIN:
            return cls(path or "", iri or "", path or "")
        return cls(path, iri or _absolute(Path(path)).as_uri(), os.path.realpath(path))

    @property
    def file(self) -> Path | None:
        """Its path without links and dots, but for its name; None if it is no file."""
        return None if self.path in {"", STDIN} else _absolute(Path(self.path))


@dataclass(frozen=True, slots=True)
class Importer:
    """A document whose imports are looked for, with what is the same for all of them.

    Attributes:
        place: where it stands.
        base: what relative locations are resolved against; "": they lead nowhere.
        folders: what may be read, links followed.
        named: the same by all names.
    """

    place: DocumentPlace
    base: str
    folders: Sequence[Path]
    named: Sequence[Path]


@dataclass(frozen=True, slots=True)
class Locations:
    """What imports may reach.

    Attributes:
        root: A folder that all documents may import from, beside their own.
        catalogue: Files by location: what ``--import-map IRI=FILE`` says.
    """

    root: Path | None = None
    catalogue: Mapping[str, Path] = field(default_factory=dict)

    def importer(self, place: DocumentPlace) -> Importer:
        """The document at ``place``, for `find`. Looks at the disk."""
        file, root = place.file, self.root
        base = "" if root is None else root.resolve().as_uri() + "/"
        allowed = [] if file is None else [file.parent]
        allowed += [] if root is None else [root]
        folders = [folder.resolve() for folder in allowed]
        named = [*folders, *(folder.absolute() for folder in allowed)]
        return Importer(place, base if file is None else file.as_uri(), folders, named)

    def find(
        self, directive: ast.Import, importer: Importer, suffixes: Sequence[str]
    ) -> DocumentPlace:
        """The file that an import in the document ``importer`` names.

        First the catalogue is asked for the location: as written, then resolved against the IRI
        of the importing document. Otherwise it must be a ``file:`` IRI, or relative: then it is
        resolved against the file of that document [RFC3986, 5.2], or against the import folder
        if the document is no file. Of a location without suffix the ``suffixes`` are tried too.

        Raises:
            RuleError: it leads to nothing that may be read; R4301 to R4306.
        """
        location, span = directive.location, directive.span
        if self.catalogue and (found := self._in_catalogue(location, importer.place)):
            return found
        target = location
        if not is_absolute(location):
            if not importer.base:
                message = f"{_shown(location)} is relative, and the document is no file"
                raise NotFound(message, span, "name a folder with --import-root DIR")
            target = resolve(location, importer.base)
        path = _path_of(target, span)
        folder: NotAPlainFile | None = None
        for candidate in _with_suffixes(path, suffixes):
            try:
                if real := _readable(candidate, importer, span):
                    return DocumentPlace(str(candidate), candidate.as_uri(), str(real))
            except NotAPlainFile as fault:
                folder = folder or fault  # beside a folder of that name the file may still lie
        raise folder or NotFound(f"there is no file {path}", span, self._hint(location, importer))

    def _hint(self, location: str, importer: Importer) -> str | None:
        """How relative locations are resolved, for who expects them in the import folder."""
        if self.root is None or importer.place.file is None or is_absolute(location):
            return None
        return (
            "relative locations start at the folder of the document; --import-root permits to read "
            "elsewhere, but nothing is looked for there: give --import-map IRI=FILE"
        )

    def _in_catalogue(self, location: str, importer: DocumentPlace) -> DocumentPlace | None:
        names = [location]
        if importer.iri:
            names.append(resolve(location, importer.iri))
        for name in names:
            if name in self.catalogue:
                iri = name if is_absolute(name) else None
                return DocumentPlace.of(str(self.catalogue[name]), iri)
        return None


def _absolute(path: Path) -> Path:
    """Where a file lies; if it is a link, where the link does."""
    return path.parent.resolve() / path.name


def _path_of(target: str, span: Span) -> Path:
    scheme = target.partition(":")[0]
    if scheme.lower() != "file":
        message = f"{_shown(target)} is no file, and no connection is opened"
        raise NotAFileLocation(message, span)
    found = _FILE.match(target)
    if found is None:
        message = f"{_shown(target)} names no file of this machine"
        raise BadLocation(message, span)
    segments = [_decoded(segment) for segment in found[1].split("/")]
    if any(segment is None or segment in {".", ".."} for segment in segments):
        message = f"{_shown(target)} is no plain path"
        raise BadLocation(message, span)
    path = "/".join(segment for segment in segments if segment is not None)
    return Path(path[1:] if os.name == "nt" else path)


def _decoded(segment: str) -> str | None:
    """A segment of a path without percent-encoding; None if that hides what is no name."""
    try:
        name = unquote(segment, errors="strict")
    except UnicodeDecodeError:
        return None
    return None if set(name) & {"/", "\\", "\0"} else name


def _with_suffixes(path: Path, suffixes: Sequence[str]) -> Iterator[Path]:
    yield path
    if path.name and not PurePath(path.name).suffix:
        for suffix in suffixes:
            yield path.with_name(path.name + suffix)


def _readable(path: Path, importer: Importer, span: Span) -> Path | None:
    """The plain file that ``path`` is, links followed; None: there is none.

    The text of the path is judged before the disk is asked, so that nothing outside is touched.
    """
    if not any(path.is_relative_to(folder) for folder in importer.named):
        message = f"{path} lies outside the folders that may be imported from"
        raise OutsideFolder(message, span)
    try:
        real = path.resolve(strict=True)
        if not any(real.is_relative_to(folder) for folder in importer.folders):
            message = f"{path} is a link out of the folders that may be imported from"
            raise OutsideFolder(message, span)
        kind = real.stat().st_mode
    except FileNotFoundError:
        return None
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, before Python 3.13
        reason = getattr(error, "strerror", None) or error
        message = f"{path}: {reason}"
        raise Unreadable(message, span) from error
    if stat.S_ISREG(kind):
        return real
    message = f"{path} is no plain file"
    raise NotAPlainFile(message, span)


def _shown(location: str) -> str:
    return f"<{location if len(location) <= _SHOWN else location[:_SHOWN] + '…'}>"


class Catalogue(UserDict[str, Path]):
    """Files by location; remembers which were used."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        super().__init__(files)
        self._used: set[str] = set()

    def __getitem__(self, location: str) -> Path:
        file = super().__getitem__(location)
        self._used.add(location)
        return file

    @property
    def unused(self) -> list[str]:
        """The locations whose files were not used."""
        return [location for location in self if location not in self._used]


def locations_of(pairs: Iterable[str], root: str | None, expand: Callable[[str], str]) -> Locations:
    """The catalogue of ``IRI=FILE`` pairs, with an import folder beside it.

    The last ``=`` of a pair parts it: IRIs have such characters more often than files. ``expand``
    gives the IRI that a name stands for, without angle brackets.

    Raises:
        ValueError: A pair is none, a file or the folder is not there, or an IRI is given twice.
    """
    catalogue: dict[str, Path] = {}
    for pair in pairs:
        name, equals, file = pair.rpartition("=")
        iri = expand(name)
        if not (iri and equals and file):
            message = f"{pair!r} is not of the form IRI=FILE"
            raise ValueError(message)
        path = Path(file)
        if file != STDIN and (not path.exists() or path.is_dir()):
            message = f"{pair}: there is no file {file}"
            raise ValueError(message)
        if catalogue.setdefault(iri, path) != path:
            message = f"{iri} is given two files, {catalogue[iri]} and {file}"
            raise ValueError(message)
    folder = None if root is None else Path(root)
    if folder is not None and not folder.is_dir():
        message = f"{root} is no folder"
        raise ValueError(message)
    return Locations(folder, Catalogue(catalogue))
