"""Text kernels in plain Python: what `rete.kernels._text` computes, readable, for any machine.

They read and write the columns of a `rete.texts.Texts`. Where the compiled kernels probe its hash
table, these use its two dicts; everything else of the state is the same, id for id.

**Certain tokens.** `read` decides alone only what is certain: a line of tokens separated by spaces
and tabs, each known already or matched by a narrow pattern below. Everything else is `ODD` and
left to a parser. A narrow pattern costs speed on odd input; one too wide would let in what is
no RDF.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from sys import byteorder

import numpy as np

from rete.kernels.pure_columns import raw
from rete.texts import (
    ALIASES,
    BASE,
    BASE_SIZE,
    BY_VALUE,
    DONE,
    END,
    FREE,
    FULL,
    IS_ALIAS,
    IS_CHECKED,
    IS_LIVE,
    KIND_BLANK,
    KIND_IRI,
    KIND_LIST,
    KIND_LITERAL,
    KIND_SHIFT,
    LENGTH_SHIFT,
    LINE_END,
    LINES,
    LIVE,
    META,
    NO_KIND,
    ODD,
    OFFSET,
    POSITION,
    ROWS,
    SEED,
    SPANS,
    TOKENS,
    TOP,
    USED,
    VALUED,
    Bytes,
    Hashes,
    Ids,
    Rows,
    Texts,
)

VERSION = 6

_BLOCK, _BLOCKS = 1 << 10, 1 << 16
_BLANK = ord("_")
_PREDICATE, _OBJECT = 1, 2
_WIDTH = 4
_EMPTY_LINE = (-1, -1, -1, -1)
_KINDS = {60: KIND_IRI, 95: KIND_BLANK, 34: KIND_LITERAL, 76: KIND_LIST}

_A, _B = 0xA0761D6478BD642F, 0xE7037ED1A0B428DB
_WORD, _ONES = 8, (1 << 64) - 1

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


def find(store: Texts, text: bytes) -> int:
    """The id of a canonical text or of an alias, 0 if there is none. Constant time."""
    return store.index.get(text) or _tokens(store, text).get(text, 0)


def add(store: Texts, text: bytes) -> int:
    """The id of a canonical text or of an alias, added if new; -1: no room. Constant time."""
    term = find(store, text)
    if not term:
        new = _New(store)
        term = new.term(text)
        new.enter()
    return term


def add_many(store: Texts, texts: Sequence[bytes], start: int, out: Ids) -> int:
    """`add` for ``texts[start:]`` into ``out``; where it stopped for want of room, else the end."""
    new = _New(store)
    for position in range(start, len(texts)):
        text = texts[position]
        out[position] = find(store, text) or new.term(text)
    new.enter()
    return len(texts)


def accept(store: Texts, token: bytes, target: int) -> bool:
    """Let ``token`` of N-Quads stand for the term ``target`` from now on; False: no room.

    ``token`` is a valid IRI or literal as it is spelled; if it is not the canonical text of its
    term it becomes an alias.
    """
    tokens = _tokens(store, token)
    if token not in tokens:
        if store.index.get(token) == target:
            store.entries[target, META] |= IS_CHECKED
        else:
            new = _New(store)
            new.alias(token, target)
            new.enter()
        tokens[token] = target
    return True


def read(
    store: Texts,
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
    new = _New(store)
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
    new: _New, lines: list[bytes], rows: Rows, cursor: Ids, prefix: bytes, *, triples: bool
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


def _split_line(new: _New, line: bytes, prefix: bytes, *, triples: bool) -> tuple[int, ...] | None:
    """The row of a line, ``()`` of a comment; None: odd, and nothing was added."""
    split = _SPLIT.fullmatch(line) if len(line) < _LONG else None
    if split is None or (triples and split[4]):
        return None
    if split[1] is None:
        return () if b"#" in line else _EMPTY_LINE
    tokens = split.groups() if split[4] else split.groups()[:3]
    return _learn(new, tokens, prefix)


def _learn(new: _New, tokens: Sequence[bytes], prefix: bytes) -> tuple[int, ...] | None:
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


def _tokens(store: Texts, token: bytes) -> dict[bytes, int]:
    return store.iris if token[:1] == b"<" else store.literals


def hashes(store: Texts, ids: Ids, out: Hashes) -> None:
    """The hashes of the texts of living ``ids``, under the seed of the dictionary, into ``out``."""
    seed = int(store.state[SEED])
    out[:] = [_hash(text, seed) for text in raw(store, ids)]


def _hash(text: bytes, seed: int) -> int:
    """What the compiled back end has in its table: words of 8 bytes, mixed as wyhash does."""
    size = len(text)
    mixed = seed ^ _fold(seed ^ _A, size ^ _B)
    if size > 2 * _WORD:
        for at in range(0, size - 2 * _WORD, 2 * _WORD):
            mixed = _fold(_word(text, at) ^ _A, _word(text, at + _WORD) ^ mixed)
        first, second = _word(text, size - 2 * _WORD), _word(text, size - _WORD)
    elif size >= _WORD:
        first, second = _word(text, 0), _word(text, size - _WORD)
    else:
        first, second = _word(text.ljust(_WORD, b"\0"), 0), 0
    return _fold(_B ^ size, _fold(first ^ _A, second ^ mixed))


def _fold(a: int, b: int) -> int:
    product = a * b
    return (product ^ product >> 64) & _ONES


def _word(text: bytes, at: int) -> int:
    return int.from_bytes(text[at : at + _WORD], byteorder)


def reindex(store: Texts) -> None:
    """Make the index anew from the entries. Costs O(terms), here those of the base too."""
    store.index = {}
    store.iris = {}
    store.literals = {}
    ids = np.flatnonzero(store.entries[: store.state[TOP], META] & IS_LIVE)
    texts = raw(store, ids)
    metas = store.entries[ids, META].tolist()
    targets = np.where(ids <= store.state[BASE], ids, store.target[ids]).tolist()
    for text, meta, target in zip(texts, metas, targets, strict=True):
        if not meta & IS_ALIAS:
            store.index[text] = target
        if meta & IS_CHECKED:
            _tokens(store, text)[text] = target


def compact(store: Texts, texts: Bytes) -> None:
    """Move the texts of all own entries into ``texts``, which is large enough.

    The entries say afterwards where they stand behind the texts of the base: they must be put there
    (`Texts.replace`).
    """
    base, size = store.state[BASE : BASE_SIZE + 1].tolist()
    own = store.entries[base + 1 : store.state[TOP]]
    ids = np.flatnonzero(own[:, META] & IS_LIVE) + base + 1
    joined = np.frombuffer(b"".join(raw(store, ids)), np.uint8)
    texts[: len(joined)] = joined
    sizes = store.entries[ids, META] >> LENGTH_SHIFT
    store.entries[ids, OFFSET] = size + np.cumsum(sizes) - sizes
    store.state[USED] = size + len(joined)


class _New:
    """Entries on their way into a store: in its dicts at once, in its arrays on `enter`."""

    __slots__ = (
        "_free",
        "_ids",
        "_metas",
        "_targets",
        "_texts",
        "_top",
        "by_value",
        "store",
        "valued",
    )

    def __init__(self, store: Texts) -> None:
        self.store = store
        self.by_value = bool(store.state[BY_VALUE])
        self.valued = False
        self._free = int(store.state[FREE])
        self._top = int(store.state[TOP])
        self._ids: list[int] = []
        self._texts: list[bytes] = []
        self._metas: list[int] = []
        self._targets: list[int] = []

    def term(self, text: bytes, flags: int = 0) -> int:
        """A new term of this canonical text."""
        term = self._entry(text, flags)
        self._targets.append(term)
        self.store.index[text] = term
        return term

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
            _tokens(self.store, token)[token] = term
        return term

    def alias(self, token: bytes, target: int) -> None:
        """A new entry: ``token`` stands for ``target``."""
        self._entry(token, IS_ALIAS | IS_CHECKED)
        self._targets.append(target)

    def _entry(self, text: bytes, flags: int) -> int:
        if self._free:
            self._free -= 1
            term = int(self.store.free[self._free])
        else:
            term = self._top
            self._top += 1
        kind = _KINDS.get(text[0], NO_KIND) if text else NO_KIND
        self._ids.append(term)
        self._texts.append(text)
        self._metas.append(len(text) << LENGTH_SHIFT | kind << KIND_SHIFT | flags | IS_LIVE)
        return term

    def enter(self) -> None:
        """Write what is new into the arrays."""
        count = len(self._ids)
        if not count:
            return
        store = self.store
        joined = np.frombuffer(b"".join(self._texts), np.uint8)
        store.reserve(count, len(joined))
        used = int(store.state[USED])
        store.arena[used : used + len(joined)] = joined
        metas = np.array(self._metas, np.int64)
        ends = np.cumsum(metas >> LENGTH_SHIFT)
        ids = np.array(self._ids, np.int64)
        store.entries[ids, OFFSET] = used + ends - (metas >> LENGTH_SHIFT)
        store.entries[ids, META] = metas
        store.target[ids] = self._targets
        store.state[USED] += len(joined)
        store.state[TOP] = self._top
        store.state[FREE] = self._free
        store.state[LIVE] += count
        store.state[ALIASES] += sum(meta & IS_ALIAS != 0 for meta in self._metas)
        self._ids, self._texts, self._metas, self._targets = [], [], [], []
