"""Kernels that read N-Quads in plain Python: what `rete.kernels.text._nquads` computes.

**Certain tokens.** `read` decides alone only what is certain: a line of tokens separated by spaces
and tabs, each known already or matched by a narrow pattern below. Everything else is `ODD` and
left to a parser. A narrow pattern costs speed on odd input; one too wide would let in what is
no RDF.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from rete.arrays.delta import Rows
from rete.arrays.term_columns import (
    BY_VALUE,
    DONE,
    END,
    FULL,
    IS_CHECKED,
    LINE_END,
    LINES,
    ODD,
    POSITION,
    ROWS,
    SPANS,
    TOKENS,
    VALUED,
    Ids,
    TermColumns,
)
from rete.kernels.text.pure_terms import New, accept, tokens_of

_BLOCK, _BLOCKS = 1 << 10, 1 << 16
_BLANK = ord("_")
_PREDICATE, _OBJECT = 1, 2
_WIDTH = 4
_EMPTY_LINE = (-1, -1, -1, -1)

_SPLIT = re.compile(
    rb"[ \t]*(?:"
    rb"(<[^>]*>|_:[A-Za-z0-9_][A-Za-z0-9_-]*(?=[ \t]))"
    rb"[ \t]*(<[^>]*>)"
    rb'[ \t]*(<[^>]*>|_:[A-Za-z0-9_][A-Za-z0-9_-]*(?=[ \t])|"[^"\\]*(?:\\.[^"\\]*)*"'
    rb"(?:@[A-Za-z0-9-]*|\^\^<[^>]*>)?)"
    rb"[ \t]*(<[^>]*>|_:[A-Za-z0-9_][A-Za-z0-9_-]*(?=[ \t]))?"
    rb"[ \t]*\.[ \t]*)?"
    rb"(?:#[\t\x20-\x7e]*)?\r?",
    re.DOTALL,
)
"""A line: three or four tokens and a dot, or none; perhaps a comment."""

_WIDE = (
    rb"\xc2[\xa0-\xbf]|[\xc3-\xdf][\x80-\xbf]"
    rb"|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
)
_PATH = rb"[A-Za-z0-9._~!$&'()*+,;=:@/-]*"
_ODD_PATH = rb"(?:(?:%[0-9A-Fa-f]{2}|" + _WIDE + rb")" + _PATH + rb")*"
_ODD_QUERY = rb"(?:(?:\?|%[0-9A-Fa-f]{2}|" + _WIDE + rb")" + _PATH + rb")*"
_IRI = (
    rb"<[A-Za-z][A-Za-z0-9+.-]*:"
    rb"(?://[A-Za-z0-9._~-]*(?::[0-9]*)?(?=[/?#>])|(?!//))"
    + (_PATH + _ODD_PATH)
    + (rb"(?:\?" + _PATH + _ODD_QUERY + rb")?")
    + (rb"(?:#" + _PATH + _ODD_QUERY + rb")?>")
)
"""Absolute IRIs of RFC 3987 with a plain authority; beyond ASCII U+00A0 to U+D7FF."""

_LITERAL = (
    rb'"[\x20\x21\x23-\x5b\x5d-\x7e]*(?:(?:\\[tbnrf"\\]|[\xc2-\xdf][\x80-\xbf]'
    rb"|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})"
    rb'[\x20\x21\x23-\x5b\x5d-\x7e]*)*"'
    rb"(?:@[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?"
    rb"|\^\^(?!<http://www\.w3\.org/2001/XMLSchema#string>"
    rb"|<http://www\.w3\.org/1999/02/22-rdf-syntax-ns#(?:langString|dirLangString)>)"
    + (_IRI + rb")?")
)
"""Literals that are their own canonical text."""

_LONG = 1 << 20
"""Lines as long as that are odd: here an expression takes a tenth of a second for a megabyte."""
_LABEL = re.compile(rb"_:[A-Za-z0-9_][A-Za-z0-9_-]*")
_CERTAIN = re.compile(_IRI + rb"|" + _LITERAL)


def read(
    store: TermColumns,
    text: bytes,
    rows: Rows,
    cursor: Ids,
    prefix: bytes,
    triples: bool,  # noqa: FBT001 - all arguments of kernels are positional
) -> int:
    """Encode lines of N-Quads from ``cursor[POSITION]`` to ``cursor[END]``, one row a statement.

    ``rows`` is (n, 4): s, p, o, g, filled from ``cursor[ROWS]`` on; g is 0 in the default graph, an
    empty line is a row of -1, a comment none. A blank node of label L has the text ``prefix`` + L.
    The cursor moves on with every line that is done. In ``triples`` (N-Triples) a fourth term is
    odd.

    Returns:
        `DONE`; `SHORT`: the dictionary must grow; `FULL`: the rows must; `ODD`: the line from
        ``POSITION`` to ``LINE_END`` (line break included) is for the parser, nothing was added for
        it; its ``TOKENS`` are at ``SPANS``, (start, end) each (0: could not be split); `VALUED`,
        if equal values are one term: the same, but only the object, a typed literal, is new, and it
        is its own canonical text; `accept` it and the line can be read.
    """
    new = _Learnt(store)
    stop = int(cursor[END])
    size = _BLOCK  # small at first: after an odd line what was split is split again
    status = DONE
    while status == DONE and cursor[POSITION] < stop:
        start = int(cursor[POSITION])
        end = text.find(b"\n", min(start + size, stop) - 1, stop) + 1 or stop
        size = min(2 * size, _BLOCKS)
        lines = text[start:end].split(b"\n")
        if not lines[-1]:
            lines.pop()
        status = _read_lines(new, lines, rows, cursor, prefix, triples=triples)
    new.enter()
    cursor[POSITION] = min(int(cursor[POSITION]), stop)
    return status


def _read_lines(
    new: _Learnt, lines: list[bytes], rows: Rows, cursor: Ids, prefix: bytes, *, triples: bool
) -> int:
    iri, literal = new.store.iris.get, new.store.literals.get
    position, first, done = int(cursor[POSITION]), int(cursor[ROWS]), 0
    room = _WIDTH * (len(rows) - first)
    found: list[int] = []
    status = DONE
    for line in lines:
        if len(found) == room:
            status = FULL
            break
        ids: Sequence[int] | None
        match line.split(b" ") if len(line) < _LONG else ():
            case [s, p, o, g, b"."] if not triples:
                ids = iri(s, 0), iri(p, 0), iri(o) or literal(o, 0), iri(g, 0)
                if 0 in ids:
                    ids = _learn(new, (s, p, o, g), prefix)
            case [s, p, o, b"."]:
                ids = iri(s, 0), iri(p, 0), iri(o) or literal(o, 0)
                ids = _learn(new, (s, p, o), prefix) if 0 in ids else (*ids, 0)
            case _:
                ids = None
        if ids is None:
            ids = _split_line(new, line, prefix, triples=triples)
        if ids is None:
            status = VALUED if new.valued else ODD
            new.valued = False
            _mark_odd(line, position, cursor)
            break
        found += ids
        position += len(line) + 1
        done += 1
    added = len(found) // _WIDTH
    rows[first : first + added] = np.array(found, np.int64).reshape(added, _WIDTH)
    cursor[POSITION] = position
    cursor[ROWS] += added
    cursor[LINES] += done
    return status


def _split_line(
    new: _Learnt, line: bytes, prefix: bytes, *, triples: bool
) -> tuple[int, ...] | None:
    """The row of a line, ``()`` of a comment; None: odd, and nothing was added."""
    split = _SPLIT.fullmatch(line) if len(line) < _LONG else None
    if split is None or (triples and split[4]):
        return None
    if split[1] is None:
        return () if b"#" in line else _EMPTY_LINE
    tokens = split.groups() if split[4] else split.groups()[:3]
    return _learn(new, tokens, prefix)


def _learn(new: _Learnt, tokens: Sequence[bytes], prefix: bytes) -> tuple[int, ...] | None:
    """The row of a line, with what is new in it; None: odd, and nothing was added."""
    store = new.store
    terms = []
    for place, token in enumerate(tokens):
        first = token[:1]
        if first == b"<":
            term = store.iris.get(token, 0)
        elif first == b"_" and place != _PREDICATE:
            term = store.index.get(prefix + token[2:], 0) if _LABEL.fullmatch(token) else -1
        elif first == b'"' and place == _OBJECT:
            term = store.literals.get(token, 0)
        else:
            return None
        if term < 0 or (not term and first != b"_" and not _CERTAIN.fullmatch(token)):
            return None
        terms.append(term)
    literal = tokens[_OBJECT]
    if new.by_value and not terms[_OBJECT] and literal[:1] == b'"' and literal[-1:] == b">":
        new.valued = True
        return None
    row = [term or new.token(token, prefix) for term, token in zip(terms, tokens, strict=True)]
    return (*row, 0)[:_WIDTH]


def _mark_odd(line: bytes, position: int, cursor: Ids) -> None:
    cursor[LINE_END] = min(position + len(line) + 1, int(cursor[END]))
    split = _SPLIT.fullmatch(line)
    spans = [split.span(g) for g in range(1, 5) if split[g]] if split else []
    cursor[TOKENS] = len(spans)
    for number, (start, end) in enumerate(spans):
        cursor[SPANS + 2 * number] = position + start
        cursor[SPANS + 2 * number + 1] = position + end


class _Learnt(New):
    """Entries that the lines of a text bring.

    Attributes:
        by_value: whether equal values are one term.
        valued: whether a line was left because its object is a new typed literal.
    """

    __slots__ = ("by_value", "valued")

    def __init__(self, store: TermColumns) -> None:
        super().__init__(store)
        self.by_value = bool(store.state[BY_VALUE])
        self.valued = False

    def token(self, token: bytes, prefix: bytes) -> int:
        """The term of a certain token."""
        known = self.store.index.get
        if token[0] == _BLANK:
            text = prefix + token[2:]
            return known(text) or self.term(text)
        if term := known(token):
            accept(self.store, token, term)
        else:
            term = self.term(token, IS_CHECKED)
            tokens_of(self.store, token)[token] = term
        return term
