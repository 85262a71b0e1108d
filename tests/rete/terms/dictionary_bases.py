"""A base of a dictionary made from words, without any file."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rete.arrays.term_columns import (
    IS_LIVE,
    IS_PINNED,
    KIND_SHIFT,
    LENGTH_SHIFT,
    SEED,
    MappedTerms,
    classify_number,
)
from rete.terms.dictionary import Dictionary

SEEDED = 12345
_KINDS = {"<": 1, "_": 2, '"': 3, "L": 4}


def base_of(words: Iterable[str], room: int, text_room: int) -> MappedTerms:
    """The words as terms, in the order of their hashes, with so much room behind them."""
    known = Dictionary()
    known.texts.state[SEED] = SEEDED
    ids = known.encode_many(sorted(set(words)))
    hashes = np.empty(len(ids), np.uint64)
    known.kernel.hashes(known.texts, ids, hashes)
    order = np.lexsort((ids, hashes))
    texts = known.decode_many(ids[order])
    raw = [text.encode() for text in texts]
    count, rows = len(raw), len(raw) + 1 + room
    sizes = np.array(list(map(len, raw)), np.int64)
    arena = np.zeros(int(sizes.sum()) + text_room, np.uint8)
    arena[: sizes.sum()] = np.frombuffer(b"".join(raw), np.uint8)
    entries, values = np.zeros((rows, 2), np.int64), np.zeros(rows, np.float64)
    classes = np.zeros(rows, np.int8)
    entries[1 : count + 1, 0] = np.cumsum(sizes) - sizes
    kinds = np.array([_KINDS[text[0]] for text in texts], np.int64)
    entries[1 : count + 1, 1] = sizes << LENGTH_SHIFT | kinds << KIND_SHIFT | IS_LIVE | IS_PINNED
    for place, text in enumerate(texts, 1):
        values[place], classes[place] = classify_number(text)
    return MappedTerms(
        *(SEEDED, count, int(sizes.sum())),
        arena=arena,
        entries=entries,
        last=np.zeros(rows, np.int64),
        values=values,
        classes=classes,
        hashes=hashes[order] if count else np.zeros(1, np.uint64),
    )
