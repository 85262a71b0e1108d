"""What the user says of imports, ``IRI=FILE`` and a folder, as `Locations`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from r4.files import STDIN
from r4.imports.locations import Locations


class Catalogue(Mapping[str, Path]):
    """Files by location, which remembers what was asked for."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = files
        self._used: set[str] = set()

    def __getitem__(self, location: str) -> Path:
        file = self._files[location]
        self._used.add(location)
        return file

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, location: object) -> bool:
        return location in self._files

    @property
    def unused(self) -> list[str]:
        """The locations whose files nobody took."""
        return [location for location in self._files if location not in self._used]


def locations_of(pairs: Iterable[str], root: str | None = None) -> Locations:
    """The catalogue of ``IRI=FILE`` pairs, with an import folder beside it.

    The last ``=`` of a pair parts it: IRIs have such characters more often than files. The IRI may
    stand in angle brackets.

    Raises:
        ValueError: A pair is none, a file or the folder is not there, or an IRI is given twice.
    """
    catalogue: dict[str, Path] = {}
    for pair in pairs:
        iri, equals, file = pair.rpartition("=")
        if iri.startswith("<") and iri.endswith(">"):
            iri = iri[1:-1]
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
