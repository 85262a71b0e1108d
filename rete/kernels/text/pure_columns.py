"""Kernels over the columns of a dictionary, in Python: as `rete.kernels.text._columns`."""

from __future__ import annotations

import numpy as np

from rete.arrays.delta import Rows
from rete.arrays.lexical_classes import UNSEEN, lexical_class
from rete.arrays.term_columns import (
    LENGTH_SHIFT,
    META,
    NEVER,
    OFFSET,
    Ids,
    TermColumns,
    classify_number,
)


def decode(store: TermColumns, ids: Ids) -> list[str]:
    """The texts of ``ids``."""
    return [text.decode() for text in raw(store, ids)]


def raw(store: TermColumns, ids: Ids) -> list[bytes]:
    """The texts of ``ids`` as UTF-8; not part of the interface of the back ends."""
    if (ids < 1).any():
        message = f"{ids.min()} is not the id of a term"
        raise IndexError(message)
    entries = store.entries[ids]
    arena = store.arena.data
    starts = entries[:, OFFSET]
    ends = starts + (entries[:, META] >> LENGTH_SHIFT)
    return [bytes(arena[a:b]) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]


def touch(last: Ids, rows: Rows, hi: Ids) -> None:
    """Raise ``last[id]`` to ``hi[i]`` for each id of row i of ``rows`` (n, k); below 1 is no id."""
    np.maximum.at(last, np.maximum(rows.ravel(), 0), np.repeat(hi, rows.shape[1]))
    last[0] = NEVER


def distinct(rows: Rows) -> tuple[Ids, Ids]:
    """Where each distinct row of ids stands first, and per row which of them it is. O(n).

    ``rows`` is (n, k). The first result is (m,) and ascending, the second (n,), from 0 to m - 1.
    """
    first: dict[tuple[int, ...], int] = {}
    at = [first.setdefault(row, i) for i, row in enumerate(map(tuple, rows.tolist()))]
    firsts = np.array(list(first.values()), np.int64)
    return firsts, np.searchsorted(firsts, np.array(at, np.int64))


def rank(store: TermColumns, ids: Ids) -> Ids:
    """Dense ranks of ``ids`` by the bytes of their texts: code point order. O(n log n)."""
    distinct, inverse = np.unique(ids, return_inverse=True)
    texts = raw(store, distinct)
    order = sorted(range(len(texts)), key=texts.__getitem__)
    ranks = np.empty(len(texts), np.int64)
    ranks[order] = np.arange(len(texts))
    return ranks[inverse]


def measure(store: TermColumns, ids: Ids) -> None:
    """Fill the ``values`` and ``classes`` of ``ids`` that have none yet; see `TermColumns`."""
    for term, text in zip(ids.tolist(), decode(store, ids), strict=True):
        if store.classes[term] < 0:
            store.values[term], store.classes[term] = classify_number(text)


def classify(store: TermColumns, ids: Ids) -> None:
    """Fill the lexical classes of ``ids`` that have none yet; see `rete.arrays.lexical_classes`."""
    for term, text in zip(ids.tolist(), decode(store, ids), strict=True):
        if store.lexical[term] == UNSEEN:
            store.lexical[term] = lexical_class(text)
