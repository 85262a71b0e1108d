"""Kernels of the terms of a dictionary in plain Python: what `rete.kernels.text._terms` computes.

They read and write `rete.arrays.term_columns.TermColumns`. Where the compiled kernels probe its
hash table, these use its dicts; everything else of the state is the same, id for id.
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import byteorder

import numpy as np

from rete.arrays.term_columns import (
    ALIASES,
    BASE,
    BASE_SIZE,
    FREE,
    IS_ALIAS,
    IS_CHECKED,
    IS_LIVE,
    KIND_BLANK,
    KIND_IRI,
    KIND_LIST,
    KIND_LITERAL,
    KIND_SHIFT,
    LENGTH_SHIFT,
    LIVE,
    META,
    NEVER,
    NO_KIND,
    OFFSET,
    SEED,
    TOP,
    USED,
    Bytes,
    Hashes,
    Ids,
    TermColumns,
)
from rete.kernels.text.pure_columns import raw

_KINDS = {60: KIND_IRI, 95: KIND_BLANK, 34: KIND_LITERAL, 76: KIND_LIST}

_A, _B = 0xA0761D6478BD642F, 0xE7037ED1A0B428DB
_WORD, _ONES = 8, (1 << 64) - 1


def find(store: TermColumns, text: bytes) -> int:
    """The id of a canonical text or of an alias, 0 if there is none. Constant time."""
    return store.index.get(text) or tokens_of(store, text).get(text, 0)


def add(store: TermColumns, text: bytes) -> int:
    """The id of a canonical text or of an alias, added if new; -1: no room. Constant time."""
    term = find(store, text)
    if not term:
        new = New(store)
        term = new.term(text)
        new.enter()
    return term


def add_many(store: TermColumns, texts: Sequence[str], start: int, out: Ids) -> int:
    """`add` for ``texts[start:]`` into ``out``; where it stopped for want of room, else the end."""
    new = New(store)
    for position in range(start, len(texts)):
        text = texts[position].encode()
        out[position] = find(store, text) or new.term(text)
    new.enter()
    return len(texts)


def accept(store: TermColumns, token: bytes, target: int) -> bool:
    """Let ``token`` of N-Quads stand for the term ``target`` from now on; False: no room.

    ``token`` is a valid IRI or literal as it is spelled; if it is not the canonical text of its
    term it becomes an alias.
    """
    tokens = tokens_of(store, token)
    if token not in tokens:
        if store.index.get(token) == target:
            store.entries[target, META] |= IS_CHECKED
        else:
            new = New(store)
            new.alias(token, target)
            new.enter()
        tokens[token] = target
    return True


def tokens_of(store: TermColumns, token: bytes) -> dict[bytes, int]:
    """The accepted tokens of its kind; not part of the interface of the back ends."""
    return store.iris if token[:1] == b"<" else store.literals


def hashes(store: TermColumns, ids: Ids, out: Hashes) -> None:
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


def reindex(store: TermColumns) -> None:
    """Make the index anew from the entries. Costs O(terms), here those of the base too."""
    store.index = {}
    store.iris = {}
    store.literals = {}
    ids = np.flatnonzero(store.entries[: store.state[TOP], META] & IS_LIVE)
    texts = raw(store, ids)
    metas = store.entries[ids, META].tolist()
    targets = np.where(store.is_alias()[ids], store.last[ids], ids).tolist()
    for text, meta, target in zip(texts, metas, targets, strict=True):
        if not meta & IS_ALIAS:
            store.index[text] = target
        if meta & IS_CHECKED:
            tokens_of(store, text)[text] = target


def compact(store: TermColumns, texts: Bytes) -> None:
    """Move the texts of all own entries into ``texts``, which is large enough.

    The entries say afterwards where they stand behind the texts of the base: they must be put there
    (`TermColumns.replace`).
    """
    base, size = store.state[BASE : BASE_SIZE + 1].tolist()
    own = store.entries[base + 1 : store.state[TOP]]
    ids = np.flatnonzero(own[:, META] & IS_LIVE) + base + 1
    joined = np.frombuffer(b"".join(raw(store, ids)), np.uint8)
    texts[: len(joined)] = joined
    sizes = store.entries[ids, META] >> LENGTH_SHIFT
    store.entries[ids, OFFSET] = size + np.cumsum(sizes) - sizes
    store.state[USED] = size + len(joined)


class New:
    """Entries on their way into a store: in its dicts at once, in its arrays on `enter`.

    Not part of the interface of the back ends.
    """

    __slots__ = ("_free", "_ids", "_metas", "_targets", "_texts", "_top", "store")

    def __init__(self, store: TermColumns) -> None:
        self.store = store
        self._free = int(store.state[FREE])
        self._top = int(store.state[TOP])
        self._ids: list[int] = []
        self._texts: list[bytes] = []
        self._metas: list[int] = []
        self._targets: list[int] = []

    def term(self, text: bytes, flags: int = 0) -> int:
        """A new term of this canonical text."""
        term = self._entry(text, flags)
        self._targets.append(NEVER)
        self.store.index[text] = term
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
        store.last[ids] = self._targets
        store.state[USED] += len(joined)
        store.state[TOP] = self._top
        store.state[FREE] = self._free
        store.state[LIVE] += count
        store.state[ALIASES] += sum(meta & IS_ALIAS != 0 for meta in self._metas)
        self._ids, self._texts, self._metas, self._targets = [], [], [], []
