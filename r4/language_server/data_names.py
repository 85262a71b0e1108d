"""The predicates and classes of data files, which completion offers."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from r4.errors import Counters, InputError, SourceLost
from r4.rdf.documents import RdfDocument, read_static
from r4.rdf.files import DamagedInput
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import IRI, RDF

MOST: Final = 1_000_000
"""Triples of a file that are read at most, rounded up to what is read at once."""

_Version: TypeAlias = tuple[int, int]


@dataclass(slots=True)
class DataNames:
    """The names in some files, each read when it is first asked for, and when it has changed.

    Attributes:
        paths: The files; relative ones stand in the folder of the rules.
        say: Is told what cannot be read, or is not read to its end.
    """

    paths: tuple[str, ...]
    say: Callable[[str], None]
    _known: dict[Path, tuple[_Version, frozenset[str]]] = field(default_factory=dict)

    def beside(self, folder: Path) -> frozenset[str]:
        """The IRIs of predicates and classes in the files, for rules in ``folder``."""
        return frozenset[str]().union(*(self._of(folder / path) for path in self.paths))

    def _of(self, path: Path) -> frozenset[str]:
        try:
            found = path.stat()
        except OSError as error:
            version: _Version = (0, 0)
            reason = f"{path}: {error.strerror or error}"
        else:
            version = (found.st_mtime_ns, found.st_size)
            reason = "" if stat.S_ISREG(found.st_mode) else f"{path}: no regular file"
        known = self._known.get(path)
        if known is None or known[0] != version:
            if reason:
                self.say(reason)
            names = frozenset[str]() if reason else read_names(path, self.say)
            self._known[path] = known = (version, names)
        return known[1]


def read_names(path: Path, say: Callable[[str], None], most: int = MOST) -> frozenset[str]:
    """The IRIs of predicates and classes of an RDF file; ``say`` is told of what is left out."""
    dictionary, counters = Dictionary(), Counters()
    type_ = dictionary.encode(str(IRI(RDF + "type")))
    found: set[int] = set()
    try:
        for rows in read_static(RdfDocument.of(str(path), 0), dictionary, counters):
            found.update(np.unique(rows[:, 1]).tolist())
            found.update(np.unique(rows[rows[:, 1] == type_, 2]).tolist())
            if counters.quads >= most:
                say(f"{path}: names of the first {counters.quads:,} triples are known")
                break
    except (InputError, SourceLost, DamagedInput) as error:
        say(str(error))
    if counters.bad:
        say(f"{path}: {sum(counters.bad.values())} statements cannot be read")
    return _iris(dictionary, found)


def _iris(dictionary: Dictionary, terms: Iterable[int]) -> frozenset[str]:
    found = map(dictionary.term, terms)
    return frozenset(term.value for term in found if isinstance(term, IRI))
