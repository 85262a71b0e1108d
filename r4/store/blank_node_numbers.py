"""Blank nodes of loaded documents under the numbers that the documents have in a run.

A folder was loaded with its documents numbered from 1. In a run other documents may come before it,
so its blank nodes need other names; but the texts of terms are mapped. So the blank nodes of the
selected rows, and only they, get new texts behind all texts of the base. Their hashes stay those of
the old texts: nothing finds them by text any more, nor should it, as a blank node is never looked
up from outside of its document.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from rete.arrays.delta import Rows
from rete.arrays.term_columns import (
    BASE_SIZE,
    KIND_BLANK,
    KIND_MASK,
    KIND_SHIFT,
    LENGTH_SHIFT,
    META,
    OFFSET,
    USED,
    MappedTerms,
    TermColumns,
)

_NOT_LENGTH: Final = (1 << LENGTH_SHIFT) - 1


def renumber(texts: TermColumns, base: MappedTerms, rows: Sequence[Rows], shift: int) -> None:
    """Move the blank nodes among ``rows`` to documents whose numbers are ``shift`` higher.

    The dictionary has no terms yet but those of ``base``. Costs O(blank nodes) in Python.
    """
    used_ids = np.zeros(base.count + 1, np.bool_)
    for each in rows:
        used_ids[each[:, 0]] = used_ids[each[:, 2]] = True
    ids = np.flatnonzero(used_ids)
    metas = texts.entries[ids, META]
    blank = metas >> KIND_SHIFT & KIND_MASK == KIND_BLANK
    ids, metas = ids[blank], metas[blank]
    starts = texts.entries[ids, OFFSET]
    ends = starts + (metas >> LENGTH_SHIFT)
    arena = texts.arena.data
    labels = [
        renumbered(bytes(arena[start:end]), shift)
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    joined = np.frombuffer(b"".join(labels), np.uint8)
    texts.reserve(0, len(joined))
    used = int(texts.state[USED])
    texts.arena[used : used + len(joined)] = joined
    sizes = np.fromiter(map(len, labels), np.int64, len(labels))
    texts.entries[ids, OFFSET] = used + np.cumsum(sizes) - sizes
    texts.entries[ids, META] = metas & _NOT_LENGTH | sizes << LENGTH_SHIFT
    texts.state[USED] = texts.state[BASE_SIZE] = used + len(joined)


def renumbered(text: bytes, shift: int) -> bytes:
    """The canonical text of a blank node when its document has a number ``shift`` higher."""
    number, _, label = text.removeprefix(b"_:d").partition(b"_")
    return b"_:d%d_%b" % (int(number) + shift, label)
