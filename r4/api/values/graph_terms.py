"""The edge to rdflib and pyoxigraph: statements as canonical texts, those as rdflib nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from decimal import Decimal
from hashlib import sha256
from itertools import islice
from typing import Final, TypeAlias, cast

import numpy as np
import pyoxigraph as ox
import rdflib
from rdflib.term import Node

from r4.rdf.gates.input_limits import DEEPEST, turtle_fault
from r4.rdf.parser_output import message_of, quad_blocks
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rete.terms.nquads import read_nquads
from rif.syntax.terms import (
    IRI,
    RDF_LANG_STRING,
    XSD_STRING,
    BlankNode,
    GroundTerm,
    Literal,
    parse_canonical,
)

DATA: Final = 1
"""What is added counts as one document: the same blank node in two graphs is one node."""
_AT_ONCE: Final = 4 << 20
"""Bytes of N-Triples that are read between two looks at signals and memory."""
_QUADS_AT_ONCE: Final = 1 << 12
_FORBIDDEN = re.compile(r'[\x00-\x20<>"{}|^`\\]')
"""Characters that no IRI has."""

_TERMS: Final = 3

_LEFT = b"_:", b"<<(", b"--ltr .\n", b"--rtl .\n"
"""What N-Triples have that are left to `statement_texts`; a literal may have the first two, too."""

_PLAIN = str, bool, int, float, Decimal, date
"""Types of Python whose values rdflib makes literals of."""

Statement: TypeAlias = (
    tuple[Node, Node, Node] | tuple[Node, Node, Node, object] | ox.Triple | ox.Quad
)
Statements: TypeAlias = rdflib.Graph | Iterable[Statement] | Statement | str
"""A graph or dataset of rdflib or pyoxigraph, triples or quads of these, one of them, or Turtle."""
Triples: TypeAlias = list[str] | bytes
"""The canonical texts of the terms of triples, three for each, or N-Triples as of `ntriples`."""


def _no_look() -> None:
    """Nothing ends the reading of a text."""


def statement_texts(
    data: Statements,
    prefixes: Iterable[tuple[str, str]] = (),
    look: Callable[[], object] = _no_look,
) -> list[str]:
    """The terms of the triples of ``data``, three for each; whatever graphs they are in.

    rdflib normalises the lexical form of literals that it knows, unless configured otherwise; here
    the form that it hands over counts. A text in Turtle may use ``prefixes``, pairs of a prefix and
    an IRI; its blank nodes are its own: the same text has the same ones again. ``look`` is called
    often while it is read, and may raise.

    Raises:
        TypeError: an item is no statement of RDF 1.1.
        ValueError: a text is no Turtle.
    """
    statements: Iterable[Statement]
    if isinstance(data, str):
        if isinstance(data, Node):
            message = f"one term is no statement: {data!r}"
            raise TypeError(message)
        return _turtle_texts(data, prefixes, look)
    if isinstance(data, ox.Triple | ox.Quad) or _is_triple(data):
        statements = (cast("Statement", data),)
    elif isinstance(data, rdflib.Dataset):
        statements = data.quads()
    else:
        statements = cast("Iterable[Statement]", data)
    return [text for statement in statements for text in _texts(statement)]


def _is_triple(data: object) -> bool:
    """Whether it is a single triple or quad of rdflib, and no tuple of some."""
    return isinstance(data, tuple) and bool(data) and isinstance(data[0], Node)


def plain_lines(data: object) -> str | None:
    """Statements as a text that may be N-Triples, in a fraction of the time of `statement_texts`.

    None: it may not be one, or only once something is used up. Nothing is checked: who reads it has
    to be certain of each token, and leaves it to `statement_texts` else.
    """
    if type(data) is str:
        return data
    if type(data) is ox.Triple:
        return f"{_line(data)} ."
    if type(data) is not rdflib.Graph and not isinstance(data, list | tuple):
        return None
    given = (data,) if _is_triple(data) else data
    try:
        return "".join([f"{_line(each)} .\n" for each in given])
    except (TypeError, ValueError):  # what is wrong with it, if it is, others say
        return None


def _line(statement: object) -> str:
    """A triple in N-Triples, if its terms are what they should be. No term ends before its end."""
    if type(statement) is ox.Triple:
        text = str(statement)
        if text.count(">") == _TERMS and text[-1] == ">":  # each IRI, or datatype, has its own
            return text
        return " ".join(_texts(statement))
    subject, predicate, value = cast("tuple[object, object, object]", statement)
    return f"{_plain(subject)} {_plain(predicate)} {_plain(value)}"


def _plain(node: object) -> str:
    """A node of rdflib in N-Triples, most of them without being looked at in full."""
    if type(node) is rdflib.URIRef and ">" not in node:
        return f"<{node}>"
    if type(node) is rdflib.Literal and not node.language and node.isprintable():
        lexical, datatype = str(node), node.datatype
        if not ('"' in lexical or "\\" in lexical or ">" in (datatype or "")):
            return f'"{lexical}"' if datatype is None else f'"{lexical}"^^<{datatype}>'
    return _text(node)


def ntriples(
    data: Statements,
    prefixes: Iterable[tuple[str, str]] = (),
    look: Callable[[], object] = _no_look,
) -> bytes | None:
    """A text in Turtle as N-Triples, for `read_ntriples`: in half the time of `statement_texts`.

    None: it is no text, or it has blank nodes, whose labels `statement_texts` makes, or terms of
    RDF 1.2, which that refuses. ``look`` as there.

    Raises:
        TypeError: it has so many triple terms that they would exhaust the parser.
        ValueError: it is no Turtle.
    """
    if type(data) is not str:
        return None
    _check_depth(data)
    header = _header(data, prefixes)
    blocks: list[bytes] = []
    try:
        for block in quad_blocks(ox.parse(header + data, ox.RdfFormat.TURTLE)):
            if blocks:  # what a short text takes is looked at when it is taken in
                look()
            if any(each in block for each in _LEFT):
                return None
            blocks.append(block)
    except SyntaxError as error:
        raise _no_turtle(error, header) from None
    return b"".join(blocks)


def read_ntriples(text: bytes, terms: Dictionary, look: Callable[[], object] = _no_look) -> Rows:
    """The ids of the triples of `ntriples`, (n, 3); ``look`` as of `statement_texts`.

    Raises:
        ValueError: a literal is too long for its parser.
    """
    parts = [np.empty((0, 3), np.int64)]
    begin = 0
    while begin < len(text):
        if begin:
            look()
        end = text.find(b"\n", begin + _AT_ONCE) + 1 or len(text)
        parts.append(_read_ntriples(text[begin:end], terms))
        begin = end
    return np.concatenate(parts)


def _read_ntriples(text: bytes, terms: Dictionary) -> Rows:
    read = read_nquads(terms, text, DATA, final=True)
    if not read.faults:
        return np.ascontiguousarray(read.rows[:, :3])
    # A prefixed name of Turtle may stand for what is no IRI, which the parser lets pass there.
    try:
        texts = statement_texts(ox.parse(text, ox.RdfFormat.N_TRIPLES, lenient=True))
    except SyntaxError as error:
        raise ValueError(message_of(error)) from None
    return terms.encode_many(texts).reshape(-1, 3)


def _check_depth(text: str) -> None:
    """Refuse a text that would exhaust the parser."""
    if turtle_fault(text.encode()):
        message = f"no term of RDF 1.1: a triple term; there are more than {DEEPEST}"
        raise TypeError(message)


def _header(text: str, prefixes: Iterable[tuple[str, str]]) -> str:
    """The prefixes that may be in a text, a line each."""
    return "".join([f"@prefix {name}: <{iri}> .\n" for name, iri in prefixes if f"{name}:" in text])


def _no_turtle(error: SyntaxError, header: str) -> ValueError:
    """What is wrong with a text behind a header."""
    line = (error.lineno or 1) - header.count("\n")
    return ValueError(f"no Turtle: line {line}: {message_of(error)}")


def _looked_at(parsed: Iterator[ox.Quad], look: Callable[[], object]) -> Iterator[ox.Quad]:
    """The same, with a look after every some thousand of them."""
    while some := list(islice(parsed, _QUADS_AT_ONCE)):
        yield from some
        if len(some) == _QUADS_AT_ONCE:
            look()


def _turtle_texts(
    text: str, prefixes: Iterable[tuple[str, str]], look: Callable[[], object]
) -> list[str]:
    """The terms of the triples of a text."""
    _check_depth(text)
    header = _header(text, prefixes)
    parsed = _looked_at(ox.parse(header + text, ox.RdfFormat.TURTLE), look)
    try:
        texts = [
            _text(term) for each in parsed for term in (each.subject, each.predicate, each.object)
        ]
    except SyntaxError as error:
        raise _no_turtle(error, header) from None
    if any(each.startswith("_:") for each in texts):
        own = sha256(text.encode()).hexdigest()[:16]
        labels: dict[str, str] = {}
        for place, each in enumerate(texts):
            if each.startswith("_:"):
                label = BlankNode(f"d{DATA}_t{own}n{len(labels) + 1}")
                texts[place] = labels.setdefault(each, str(label))
    return texts


def _texts(statement: Statement) -> tuple[str, str, str]:
    if isinstance(statement, ox.Triple | ox.Quad):
        nodes: tuple[object, ...] = (statement.subject, statement.predicate, statement.object)
    else:
        nodes = _nodes(statement)
    s, p, o = map(_text, nodes)
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
    if isinstance(node, ox.NamedNode):  # most are
        return f"<{node.value}>"
    return str(_term(node))


def _term(node: object) -> GroundTerm:
    match node:
        case rdflib.URIRef():
            return iri(str(node))
        case rdflib.BNode() if not _FORBIDDEN.search(node):
            return BlankNode(f"d{DATA}_{node}")
        case ox.BlankNode():
            return BlankNode(f"d{DATA}_{node.value}")
        case rdflib.Literal():
            return _literal(str(node), node.datatype, node.language)
        case ox.Literal() if node.direction is None:
            return _literal(node.value, node.datatype.value, node.language)
    hint = f"; rdflib.Literal({node!r:.40}) is one" if isinstance(node, _PLAIN) else ""
    message = f"no term of RDF 1.1: {node!r:.80}{hint}"
    raise TypeError(message)


def iri(text: str) -> IRI:
    """The IRI ``text``; rdflib lets anything pass as one.

    Raises:
        TypeError: it is no absolute IRI.
    """
    if _FORBIDDEN.search(text) or ":" not in text:
        message = f"no absolute IRI: {text!r}"
        raise TypeError(message)
    return IRI(text)


def _literal(lexical: str, datatype: str | None, language: str | None) -> Literal:
    if language:
        return Literal(lexical, RDF_LANG_STRING, language.lower())
    return Literal(lexical, iri(datatype).value if datatype else XSD_STRING)


def to_text(node: Node) -> str:
    """The canonical text of a node that `to_node` made."""
    match node:
        case rdflib.URIRef():
            return str(IRI(str(node)))
        case rdflib.Literal():
            return str(_literal(str(node), node.datatype, node.language))
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
