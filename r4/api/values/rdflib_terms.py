"""The edge to rdflib, which is slow to load: nodes as canonical texts, and those as nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import pyoxigraph as ox
import rdflib
from rdflib.term import Node

from r4.api.values.term_texts import (
    DATA,
    FORBIDDEN,
    Statement,
    Statements,
    iri,
    literal,
    parsed_texts,
    term_text,
)
from rif.syntax.terms import (
    IRI,
    RDF_LANG_STRING,
    XSD_STRING,
    BlankNode,
    Literal,
    parse_canonical,
)


def node_texts(data: Statements) -> list[str] | None:
    """The terms of the triples of ``data``, three for each; None: it is a text.

    Raises:
        TypeError: an item is no statement of RDF 1.1.
    """
    statements: Iterable[Statement]
    if isinstance(data, str):
        if isinstance(data, Node):
            message = f"one term is no statement: {data!r}"
            raise TypeError(message)
        return None
    if isinstance(data, ox.Triple | ox.Quad) or _is_triple(data):
        statements = (cast("Statement", data),)
    elif isinstance(data, rdflib.Dataset):
        statements = data.quads()
    else:
        statements = cast("Iterable[Statement]", data)
    return [text for statement in statements for text in _texts(statement)]


def node_lines(data: object) -> str | None:
    """Triples of rdflib as a text that may be N-Triples; see `plain_lines` of `graph_terms`."""
    if type(data) is not rdflib.Graph and not isinstance(data, list | tuple):
        return None
    given = (data,) if _is_triple(data) else data
    try:
        return "".join([_line(each) for each in given])
    except (TypeError, ValueError):  # what is wrong with it, if it is, others say
        return None


def _line(statement: object) -> str:
    """A triple in N-Triples, if its terms are what they should be. No term ends before its end."""
    subject, predicate, value = cast("tuple[object, object, object]", statement)
    return f"{_plain(subject)} {_plain(predicate)} {_plain(value)} .\n"


def _plain(node: object) -> str:
    """A node in N-Triples, most of them without being looked at in full."""
    if type(node) is rdflib.URIRef and ">" not in node:
        return f"<{node}>"
    if type(node) is rdflib.Literal and not node.language and node.isprintable():
        lexical, datatype = str(node), node.datatype
        if not ('"' in lexical or "\\" in lexical or ">" in (datatype or "")):
            return f'"{lexical}"' if datatype is None else f'"{lexical}"^^<{datatype}>'
    return _text(node)


def _is_triple(data: object) -> bool:
    """Whether it is a single triple or quad of rdflib, and no tuple of some."""
    return isinstance(data, tuple) and bool(data) and isinstance(data[0], Node)


def _texts(statement: Statement) -> tuple[str, str, str]:
    if isinstance(statement, ox.Triple | ox.Quad):
        return parsed_texts(statement)
    s, p, o = map(_text, _nodes(statement))
    return s, p, o


def _nodes(statement: object) -> tuple[object, ...]:
    """The three terms of a triple, or of a quad, of rdflib."""
    match statement:
        case (s, p, o) | (s, p, o, None | Node() | rdflib.Graph()):
            return s, p, o
    message = f"a statement is three terms, or these and a graph, not {statement!r:.80}"
    raise TypeError(message)


def _text(node: object) -> str:
    """The canonical text of a node."""
    match node:
        case rdflib.URIRef():
            return str(iri(str(node)))
        case rdflib.BNode() if not FORBIDDEN.search(node):
            return str(BlankNode(f"d{DATA}_{node}"))
        case rdflib.Literal():
            return str(literal(str(node), node.datatype, node.language))
    return term_text(node)


def to_text(node: Node) -> str:
    """The canonical text of a node that `to_node` made."""
    match node:
        case rdflib.URIRef():
            return str(IRI(str(node)))
        case rdflib.Literal():
            return str(literal(str(node), node.datatype, node.language))
    return str(BlankNode(str(node)))


def to_node(text: str) -> Node | None:
    """The rdflib node of a canonical text; None for a list, which is no term of RDF."""
    if text[:1] == "<" and text[-1] == ">":  # most are
        return rdflib.URIRef(text[1:-1])
    term = parse_canonical(text)
    match term:
        case BlankNode():
            return rdflib.BNode(term.label)
        case Literal():
            datatype = None if term.datatype in {XSD_STRING, RDF_LANG_STRING} else term.datatype
            return rdflib.Literal(
                term.lexical,
                lang=term.language or None,
                datatype=None if datatype is None else rdflib.URIRef(datatype),
                normalize=False,
            )
    return None
