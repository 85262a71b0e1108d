"""Imported graphs: which format a file has, its statements, and which of them are forbidden."""

from __future__ import annotations

import stat
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from r4.errors import InputError, SourceLost
from r4.imports.errors import ForbiddenLiteral, MalformedGraph, RulesWithProfile, Unreadable
from r4.imports.locations import DocumentPlace
from r4.rdf.chunks import StatementFault
from r4.rdf.documents import CUT_OFF, SUFFIXES, Format, RdfDocument, read_chunks
from r4.rdf.files import (
    CHUNK,
    STDIN,
    UNBOUNDED,
    ByteSource,
    DamagedInput,
    HeldBytes,
    ReadingBounds,
    plain_suffix,
)
from r4.rdf.format_detection import HEAD, format_of, is_rules
from rete.arrays.delta import Rows, distinct
from rete.arrays.term_columns import KIND_LITERAL
from rete.terms.dictionary import Dictionary
from rif.errors.base import MAX_FAULTS, NOWHERE, RuleError, Span
from rif.errors.report import RuleErrors
from rif.syntax.terms import RDF, RIF

_FORBIDDEN: Final = (RIF + "iri", RIF + "local", RDF + "PlainLiteral")
_ENDINGS: Final = tuple(f"^^<{datatype}>" for datatype in _FORBIDDEN)
_QUOTED = 100
_AT_ONCE: Final = CHUNK >> 5
"""Bytes of a line format that are read at once: little, as reading stops after enough faults."""


@dataclass(frozen=True, slots=True)
class GraphDocument(RdfDocument):
    """A document that is known by an IRI, against which relative ones are resolved.

    Attributes:
        iri: That IRI.
        data: Its bytes, if they were read already.
    """

    iri: str
    data: bytes | None = None

    @property
    def base(self) -> str | None:
        """That IRI [RFC3986, 5.1.3]."""
        return self.iri or None

    def open(self, chunk: int = CHUNK) -> ByteSource:
        """Its bytes, ``chunk`` of them at once; raises `InputError` if it cannot be opened."""
        if self.data is not None:
            return HeldBytes(self.path, self.data, chunk)
        return ByteSource(self.path, chunk)


def graph_at(
    place: DocumentPlace, number: int, span: Span, data: bytes | None = None
) -> GraphDocument:
    """The graph at ``place``, its format known by the suffix, or by how it begins.

    ``number`` is that of its blank nodes, ``span`` is where its import stands, and ``data`` are its
    bytes, if they were read already. Raises `RulesWithProfile` if it is a rule document.
    """
    head = _head(place.path) if data is None else data[:HEAD]
    if is_rules(head):
        message = f"{place.path} is a rule document, no graph"
        raise RulesWithProfile(message, span)
    format_ = SUFFIXES.get(plain_suffix(place.path)) or format_of(head)
    return GraphDocument(place.path, number, format_, place.iri, data)


def _head(path: str) -> bytes:
    """The first bytes; none of what cannot be read twice, or not at all: reading reports that."""
    try:
        if path == STDIN or not stat.S_ISREG(Path(path).stat().st_mode):
            return b""
        with closing(ByteSource(path, HEAD)) as source:
            return source.read()
    except (OSError, InputError, SourceLost, DamagedInput):
        return b""


def read_graph(
    document: GraphDocument, terms: Dictionary, bounds: ReadingBounds = UNBOUNDED
) -> Rows:
    """The triples (n, 3) of a graph, as written; ``bounds`` may end the reading.

    Unlike static data an import is read whole or not at all: what rules conclude from a part of
    a graph would not be what its author said.

    Raises:
        RuleErrors: Statements are malformed, or have literals that no imported graph may have.
    """
    faults: list[RuleError] = []
    parts: list[Rows] = [np.empty((0, 3), np.int64)]
    try:
        lines = document.format in {Format.N_QUADS, Format.N_TRIPLES}
        with closing(document.open(_AT_ONCE if lines else CHUNK)) as source:
            source.bounds = bounds
            for chunk in read_chunks(document, source, terms, most=MAX_FAULTS):
                parts.append(chunk.rows[chunk.rows[:, 0] > 0][:, :3])
                faults += map(_malformed, chunk.faults)
                if len(faults) > MAX_FAULTS:  # the rest would not be reported
                    break
    except (InputError, SourceLost) as error:
        faults.append(Unreadable(str(error)))
    rows = np.ascontiguousarray(np.concatenate(parts))
    faults += _forbidden(rows, terms)
    if faults:
        raise RuleErrors(faults, name=document.name)
    return rows


def _malformed(fault: StatementFault) -> MalformedGraph:
    line = fault.line
    span = Span(line, 1, line, 1) if line else NOWHERE
    return MalformedGraph(f"{fault.flaw.code} {fault.message.removesuffix(CUT_OFF)}", span)


def _forbidden(rows: Rows, terms: Dictionary) -> list[ForbiddenLiteral]:
    """Literals typed with symbol spaces that only RIF has [RIF-RDF-OWL 3.1]."""
    objects = distinct(rows[:, 2])
    literals = objects[terms.kinds(objects) == KIND_LITERAL]
    return [
        ForbiddenLiteral(f"the graph has the literal {text[:_QUOTED]}")
        for text in sorted(terms.decode_many(literals))
        if text.endswith(_ENDINGS)
    ]
