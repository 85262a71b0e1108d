"""Imported graphs: which format a file has, its statements, and which of them are forbidden."""

from __future__ import annotations

import re
import stat
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from r4.chunks import Fault
from r4.faults import InputError, SourceLost
from r4.files import ByteSource, Damaged, plain_suffix
from r4.imports.faults import ForbiddenLiteral, MalformedGraph, Unreadable
from r4.imports.locations import Place
from r4.imports.profiles import Profile
from r4.rdf import CUT_OFF, SUFFIXES, Document, Format, read_chunks
from rete.dictionary import Dictionary
from rete.texts import Rows
from rif import ast
from rif.errors import RuleError, RuleErrors
from rif.terms import RDF, RIF

LITERAL: Final = 3
"""The kind of literals in `Dictionary.kinds`."""
_FORBIDDEN: Final = (RIF + "iri", RIF + "local", RDF + "PlainLiteral")
_ENDINGS: Final = tuple(f"^^<{datatype}>" for datatype in _FORBIDDEN)
_HEAD: Final = 4096
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!DOCTYPE|!--|[^<>]*\sxmlns)")
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*[\[{]\s*["{]')
_QUOTED = 100


@dataclass(frozen=True, slots=True)
class GraphDocument(Document):
    """A document that is known by an IRI, against which relative ones are resolved."""

    iri: str

    @property
    def base(self) -> str | None:
        """That IRI [RFC3986, 5.1.3]."""
        return self.iri or None


@dataclass(frozen=True, slots=True)
class Graph:
    """An imported graph.

    Attributes:
        document: Where it lies; its number is that of its blank nodes.
        profile: That of the first import of it; what holds is the highest of the closure.
        span: That import.
    """

    document: Document
    profile: Profile
    span: ast.Span


def graph_at(place: Place, number: int, profile: Profile, span: ast.Span) -> Graph:
    """The graph at ``place``, its format told by the suffix, or by how it begins.

    Raises:
        Unreadable: It cannot be opened.
    """
    format_ = SUFFIXES.get(plain_suffix(place.path)) or _sniffed(place.path, span)
    return Graph(GraphDocument(place.path, number, format_, place.iri), profile, span)


def _sniffed(path: str, span: ast.Span) -> Format:
    """RDF/XML, JSON-LD or Turtle, by its first bytes; Turtle what cannot be read twice."""
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            return Format.TURTLE
        with closing(ByteSource(path, _HEAD)) as source:
            head = source.read()
    except (OSError, InputError, SourceLost, Damaged) as error:
        message = f"{path}: {error}"
        raise Unreadable(message, span) from error
    if _XML.match(head):
        return Format.RDF_XML
    return Format.JSON_LD if _JSON.match(head) else Format.TURTLE


def read(graph: Graph, terms: Dictionary) -> Rows:
    """The triples (n, 3) of a graph, as written.

    Unlike static data an import is read whole or not at all: what rules conclude from a part of
    a graph would not be what its author said.

    Raises:
        RuleErrors: Statements are malformed, or have literals that no imported graph may have.
    """
    document = graph.document
    faults: list[RuleError] = []
    parts: list[Rows] = [np.empty((0, 3), np.int64)]
    try:
        with closing(document.open()) as source:
            for chunk in read_chunks(document, source, terms):
                parts.append(chunk.rows[chunk.rows[:, 0] > 0][:, :3])
                faults += map(_malformed, chunk.faults)
    except (InputError, SourceLost) as error:
        faults.append(Unreadable(str(error)))
    rows = np.ascontiguousarray(np.concatenate(parts))
    faults += _forbidden(rows, terms)
    if faults:
        raise RuleErrors(faults, name=document.name)
    return rows


def _malformed(fault: Fault) -> MalformedGraph:
    line = fault.line
    span = ast.Span(line, 1, line, 1) if line else ast.NOWHERE
    return MalformedGraph(f"{fault.flaw.code} {fault.message.removesuffix(CUT_OFF)}", span)


def _forbidden(rows: Rows, terms: Dictionary) -> list[ForbiddenLiteral]:
    """Literals typed with symbol spaces that only RIF has [RIF-RDF-OWL 3.1]."""
    objects = np.unique(rows[:, 2])
    literals = objects[terms.kinds(objects) == LITERAL]
    return [
        ForbiddenLiteral(f"the graph has the literal {text[:_QUOTED]}")
        for text in sorted(terms.decode_many(literals))
        if text.endswith(_ENDINGS)
    ]
