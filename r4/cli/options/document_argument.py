"""A premise or conclusion that the command line names: rules or a graph, read once."""

from __future__ import annotations

import stat
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from r4.cli.terminal.console import read_bytes, refuse
from r4.errors import InputError, SourceLost
from r4.imports.graph_documents import GraphDocument, graph_at
from r4.imports.locations import DocumentPlace
from r4.rdf.documents import SUFFIXES
from r4.rdf.files import STDIN, ByteSource, DamagedInput, plain_suffix
from r4.rdf.format_detection import HEAD, is_graph, is_rules
from rif.errors.base import NOWHERE

_RULES: Final = frozenset({".rif", ".rifps"})
_GRAPHS: Final = SUFFIXES.keys() - {".xml"}


@dataclass(frozen=True, slots=True)
class DocumentArgument:
    """A premise or a conclusion.

    A plain file of a graph is read when it is needed; all else at once, as a pipe gives what it
    has only once.

    Attributes:
        path: A file name, or ``-`` for standard input.
        data: What it holds, decompressed; None: a plain file of a graph.
        is_rules: Whether it is RIF. The suffix says so, else how it begins: what does not begin as
            a graph is taken for RIF, an empty text too.
    """

    path: str
    data: bytes | None
    is_rules: bool

    @classmethod
    def of(cls, path: str) -> DocumentArgument | None:
        """The document at ``path``; None: it is damaged, which is reported."""
        suffix = plain_suffix(path)
        head = _head(path) if suffix in _GRAPHS and path != STDIN else None
        if head is not None and not is_rules(head):
            return cls(path, None, is_rules=False)
        data = read_bytes(path)
        if data is None:
            return None
        if suffix in _GRAPHS:
            return cls(path, data, is_rules(data))
        return cls(path, data, suffix in _RULES or not is_graph(data))

    @property
    def name(self) -> str:
        """Its name in messages."""
        return "<stdin>" if self.path == STDIN else self.path

    @property
    def text(self) -> str:
        """Its characters, for quoting; ``""`` if they are not in UTF-8."""
        try:
            return (self.data or b"").decode("utf-8-sig")
        except UnicodeDecodeError:
            return ""

    def graph(self, number: int) -> GraphDocument:
        """The graph that it is, its blank nodes those of document ``number``."""
        place = DocumentPlace.of(self.path)
        return graph_at(place, number, NOWHERE, self.data)


def _head(path: str) -> bytes | None:
    """The first bytes of a plain file; None: it is another kind of thing, or damaged."""
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            return None
        with closing(ByteSource(path, HEAD)) as source:
            return source.read()
    except OSError as error:
        refuse(f"{path}: {error.strerror or error}")
    except InputError as error:
        refuse(str(error))
    except (DamagedInput, SourceLost):
        return None
