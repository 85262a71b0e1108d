"""Statements as canonical texts: texts in Turtle; those of rdflib by `rdflib_terms`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, TypeAlias

import numpy as np
import pyoxigraph as ox

from r4.api.values.term_texts import DATA, Statements, parsed_line, parsed_texts
from r4.rdf.gates.input_limits import DEEPEST, turtle_fault
from r4.rdf.parser_output import message_of, quad_blocks
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rete.terms.nquads import read_nquads
from rif.syntax.terms import BlankNode

_AT_ONCE: Final = 4 << 20
"""Bytes of N-Triples that are read between two looks at signals and memory."""
_QUADS_AT_ONCE: Final = 1 << 12
_LEFT = b"_:", b"<<(", b"--ltr .\n", b"--rtl .\n"
"""What N-Triples have that are left to `statement_texts`; a literal may have the first two, too."""

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
    if type(data) is str:
        return _turtle_texts(data, prefixes, look)
    from r4.api.values.rdflib_terms import node_texts  # noqa: PLC0415 - rdflib is slow to load

    texts = node_texts(data)
    return _turtle_texts(str(data), prefixes, look) if texts is None else texts


def plain_lines(data: object) -> str | None:
    """Statements as a text that may be N-Triples, in a fraction of the time of `statement_texts`.

    None: it may not be one, or only once something is used up. Nothing is checked: who reads it has
    to be certain of each token, and leaves it to `statement_texts` else.
    """
    if type(data) is str:
        return data
    given = [data] if type(data) is ox.Triple else data
    if not isinstance(given, list) or (given and type(given[0]) is not ox.Triple):
        from r4.api.values.rdflib_terms import node_lines  # noqa: PLC0415 - rdflib is slow to load

        return node_lines(data)
    if any(type(each) is not ox.Triple for each in given):
        return None
    try:
        return "".join(map(parsed_line, given))
    except TypeError:  # what is wrong with it others say
        return None


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
        parsed = ox.parse(text, ox.RdfFormat.N_TRIPLES, lenient=True)
        texts = [text for each in parsed for text in parsed_texts(each)]
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
        texts = [text for each in parsed for text in parsed_texts(each)]
    except SyntaxError as error:
        raise _no_turtle(error, header) from None
    if any(each.startswith("_:") for each in texts):
        from hashlib import sha256  # noqa: PLC0415 - it loads OpenSSL

        own = sha256(text.encode()).hexdigest()[:16]
        labels: dict[str, str] = {}
        for place, each in enumerate(texts):
            if each.startswith("_:"):
                label = BlankNode(f"d{DATA}_t{own}n{len(labels) + 1}")
                texts[place] = labels.setdefault(each, str(label))
    return texts
