"""The edge to pyoxigraph: its terms as canonical texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypeAlias

import pyoxigraph as ox

from rif.syntax.terms import IRI, RDF_LANG_STRING, XSD_STRING, BlankNode, Literal

if TYPE_CHECKING:
    import rdflib
    from rdflib.term import Node

DATA: Final = 1
"""What is added counts as one document: the same blank node in two graphs is one node."""
FORBIDDEN = re.compile(r'[\x00-\x20<>"{}|^`\\]')
"""Characters that no IRI has."""


_TERMS: Final = 3

_PLAIN = str, bool, int, float, Decimal, date
"""Types of Python whose values rdflib makes literals of."""

Statement: TypeAlias = (
    "tuple[Node, Node, Node] | tuple[Node, Node, Node, object] | ox.Triple | ox.Quad"
)
Statements: TypeAlias = "rdflib.Graph | Iterable[Statement] | Statement | str"
"""A graph or dataset of rdflib or pyoxigraph, triples or quads of these, one of them, or Turtle."""


def parsed_texts(statement: ox.Triple | ox.Quad) -> tuple[str, str, str]:
    """The canonical texts of the three terms of a statement of pyoxigraph.

    Raises:
        TypeError: one is no term of RDF 1.1.
    """
    return (
        term_text(statement.subject),
        term_text(statement.predicate),
        term_text(statement.object),
    )


def parsed_line(triple: ox.Triple) -> str:
    """A triple of pyoxigraph as a line of N-Triples, if its terms are what they should be.

    No term ends before its end.

    Raises:
        TypeError: as of `parsed_texts`.
    """
    text = str(triple)
    if text.count(">") == _TERMS and text[-1] == ">":  # each IRI, or datatype, has its own
        return f"{text} .\n"
    return f"{' '.join(parsed_texts(triple))} .\n"


def term_text(node: object) -> str:
    """The canonical text of a term of pyoxigraph.

    Raises:
        TypeError: it is no term of RDF 1.1.
    """
    match node:
        case ox.NamedNode():  # most are
            return f"<{node.value}>"
        case ox.BlankNode():
            return str(BlankNode(f"d{DATA}_{node.value}"))
        case ox.Literal() if node.direction is None:
            return str(literal(node.value, node.datatype.value, node.language))
    hint = f"; rdflib.Literal({node!r:.40}) is one" if isinstance(node, _PLAIN) else ""
    message = f"no term of RDF 1.1: {node!r:.80}{hint}"
    raise TypeError(message)


def iri(text: str) -> IRI:
    """The IRI ``text``; rdflib lets anything pass as one.

    Raises:
        TypeError: it is no absolute IRI.
    """
    if FORBIDDEN.search(text) or ":" not in text:
        message = f"no absolute IRI: {text!r}"
        raise TypeError(message)
    return IRI(text)


def literal(lexical: str, datatype: str | None, language: str | None) -> Literal:
    """The literal of a form, a datatype or none, and a language or none."""
    if language:
        return Literal(lexical, RDF_LANG_STRING, language.lower())
    return Literal(lexical, iri(str(datatype)).value if datatype else XSD_STRING)
