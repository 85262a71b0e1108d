"""Blank nodes of loaded documents under the numbers that the documents have in a run.

A folder was loaded with its documents numbered from 1. In a run others may come before it, so that
its blank nodes are called otherwise; but those terms are mapped. So the blank nodes of the rows
that are asked for, and only they, get texts of their own behind all texts of the base. Their hashes
stay those of the old texts, under which nobody finds them any more, nor should: a blank node is
never looked for from outside of its document.
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


def renumber(texts: TermColumns, base: MappedTerms, rows: Sequence[Rows], further: int) -> None:
    """Let the blank nodes among ``rows`` be those of documents ``further`` numbers on.

    There are no terms yet but those of ``base``. Costs O(blank nodes) in Python.
    """
    held = np.zeros(base.count + 1, np.bool_)
    for each in rows:
        held[each[:, 0]] = held[each[:, 2]] = True
    ids = np.flatnonzero(held)
    metas = texts.entries[ids, META]
    blank = metas >> KIND_SHIFT & KIND_MASK == KIND_BLANK
    ids, metas = ids[blank], metas[blank]
    starts = texts.entries[ids, OFFSET]
    ends = starts + (metas >> LENGTH_SHIFT)
    arena = texts.arena.data
    labels = [
        renumbered(bytes(arena[start:end]), further)
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


def renumbered(text: bytes, further: int) -> bytes:
    """The canonical text of a blank node of a document so many numbers on."""
    number, _, label = text.removeprefix(b"_:d").partition(b"_")
    return b"_:d%d_%b" % (int(number) + further, label)
