"""A portion: rows of ids that mean something in it alone, and its terms by their hashes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from r4.spark.jobs.atomic_files import save, save_arrow
from r4.spark.loading.work_folder import WorkFolder
from rete.arrays.delta import POS_INF, Rows
from rete.arrays.term_columns import IS_ALIAS, IS_LIVE, LENGTH_SHIFT, META, OFFSET, SEED, TOP, USED
from rete.terms.dictionary import Dictionary

MOST_TERMS = 1 << 20
MOST_ROWS = 1 << 22
"""A portion ends when it has as many terms, or rows."""
WORDS = pa.schema([("hash", pa.uint64()), ("id", pa.int32()), ("text", pa.large_string())])


class Portions:
    """Collects the rows of a split, portion by portion.

    Attributes:
        terms: the dictionary to read with; it begins anew with each portion.
        written: name, rows and terms of each portion so far.
    """

    __slots__ = ("_count", "_name", "_rows", "_work", "terms", "written")

    def __init__(self, work: WorkFolder, split: int, seed: int) -> None:
        """Begin; names of portions begin with the number of the split, ``seed`` is of hashes."""
        self.terms = Dictionary()
        self.terms.texts.state[SEED] = seed
        self.written: list[tuple[str, int, int]] = []
        self._work = work
        self._name = f"{split:05}"
        self._rows: list[Rows] = []
        self._count = 0

    def add(self, rows: Rows) -> None:
        """Take rows (n, 4) of ids of ``terms``; after that the portion may be another one."""
        self._rows.append(rows.astype(np.int32))
        self._count += len(rows)
        if len(self.terms) >= MOST_TERMS or self._count >= MOST_ROWS:
            self.end()

    def end(self) -> None:
        """Write what there is."""
        if not self._count:
            return
        name = f"{self._name}-{len(self.written):05}"
        words = _words(self.terms)
        save_arrow(self._work.words(name), words)
        save(self._work.rows(name), np.concatenate(self._rows))
        self.written.append((name, self._count, words.num_rows))
        self._rows, self._count = [], 0
        self.terms.sweep(POS_INF)


def _words(terms: Dictionary) -> pa.RecordBatch:
    """All terms in the order of their hashes."""
    texts = terms.texts
    top, used = int(texts.state[TOP]), int(texts.state[USED])
    metas = texts.entries[1:top, META]
    own = np.flatnonzero(metas & (IS_LIVE | IS_ALIAS) == IS_LIVE) + 1
    hashes = np.empty(len(own), np.uint64)
    terms.kernel.hashes(texts, own, hashes)
    order = np.argsort(hashes)
    ids = own[order]
    return pa.record_batch(
        [
            pa.array(hashes[order]),
            pa.array(ids.astype(np.int32)),
            texts_of(texts.entries[:top], texts.arena[:used]).take(pa.array(ids - 1)),
        ],
        schema=WORDS,
    )


def texts_of(entries: Rows, arena: np.ndarray) -> pa.Array:
    """The texts of entries 1 and on, which stand in ``arena`` one behind the other."""
    ends = entries[1:, OFFSET] + (entries[1:, META] >> LENGTH_SHIFT)
    starts = np.concatenate([np.zeros(1, np.int64), ends])
    assert np.array_equal(starts[:-1], entries[1:, OFFSET])
    buffers = [None, pa.py_buffer(starts), pa.py_buffer(np.ascontiguousarray(arena))]
    return pa.Array.from_buffers(pa.large_string(), len(ends), buffers)


def bounds(buckets: int) -> Sequence[int]:
    """Where each bucket begins among all hashes."""
    return [(number << 64) // buckets for number in range(buckets)]
