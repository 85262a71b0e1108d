"""Stage 3: a portion with global ids, its rows by predicate; what was left out, by line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from r4.spark.jobs.files import Json, load, load_batch, save, whole
from r4.spark.loading.work import Work

MANY = 1 << 16
"""So many rows of one predicate in one portion are told."""


def rewrite(work: Work, portion: str, number: int, firsts: Sequence[int]) -> Json:
    """Write the rows of a portion; predicate → rows, where it has many.

    ``number`` is that of the portion among all, ``firsts`` are the first ids of the buckets.
    """
    words = load_batch(work.words(portion))
    local = words["id"].to_numpy()
    ids = np.zeros(int(local.max(initial=0)) + 1, np.int64)
    at = 0
    for bucket, first in enumerate(firsts):
        begin, end = load(work.starts(bucket), np.int64)[number : number + 2].tolist()
        ranks = load(work.ranks(bucket), np.int32)[begin:end]
        ids[local[at : at + len(ranks)]] = ranks.astype(np.int64) + first
        at += len(ranks)
    rows = load(work.rows(portion), np.int32)
    predicates = ids[rows[:, 1]]
    order = np.argsort(predicates, kind="stable")
    written = np.empty((3, len(rows)), np.int64)
    for place, column in enumerate((0, 2, 3)):
        np.take(ids, rows[order, column], out=written[place])
    found, begins = np.unique(predicates[order], return_index=True)
    save(work.rewritten(portion), written)
    save(work.runs(portion), np.stack([found, begins.astype(np.int64)]))
    counts = np.diff(np.append(begins, len(rows)))
    many = counts >= MANY
    return {str(term): int(n) for term, n in zip(found[many].tolist(), counts[many], strict=True)}


def reject(work: Work, split: int, path: str, lines: int) -> Json:
    """Write what was left out of a split that so many lines of its file come before."""
    table = pa.ipc.open_file(pa.memory_map(str(work.faults(split)))).read_all()
    line = table["line"].to_numpy()
    told = pa.table(
        {
            "file": pa.array([path] * len(table), pa.string()).dictionary_encode(),
            "line": pa.array(line + lines, mask=line == 0),
            "code": table["code"],
            "reason": table["reason"],
        }
    )
    with whole(work.made.rejected(split)) as temporary:
        pq.write_table(told, temporary)
    return None
