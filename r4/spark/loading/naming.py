"""Stage 3: the terms of a bucket under their global ids."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from r4.loaded.columns import FLAGS, write
from r4.spark.jobs.files import Json, load_batch, whole
from r4.spark.loading.wording import worded
from r4.spark.loading.work import Work
from rete import kernels
from rete.texts import (
    KIND_BLANK,
    KIND_IRI,
    KIND_LITERAL,
    KIND_MASK,
    KIND_SHIFT,
    LENGTH_SHIFT,
    Texts,
)

_KINDS = np.zeros(256, np.int64)
_KINDS[[ord(char) for char in '<_"']] = KIND_IRI, KIND_BLANK, KIND_LITERAL


def name(work: Work, bucket: int, first: int, at: int) -> Json:
    """Write the terms of a bucket, from the id ``first`` on, their texts from ``at`` on.

    What is told is how many of them are blank nodes.
    """
    merged = load_batch(work.merged(bucket))
    texts: pa.LargeStringArray = merged["text"]
    made, count = work.made, merged.num_rows
    store = _store(texts)
    ids = np.arange(1, count + 1)
    kernels.load(kernels.BACKEND)["_columns"].measure(store, ids)
    values, classes = store.values[1:], store.classes[1:]
    entries = store.entries[1:].copy()
    entries[:, 0] += at
    write(made.column("entries"), first, entries)
    write(made.column("values"), first, values)
    write(made.column("classes"), first, classes)
    write(made.column("hashes"), first - 1, merged["hash"].to_numpy())
    write(made.column("arena"), at, store.arena)
    table = pa.table(
        {
            "id": ids + first - 1,
            **worded(texts),
            "number": pa.array(values, mask=classes == 0),
        }
    )
    with whole(made.terms(bucket)) as temporary:
        pq.write_table(table, temporary)
    return int(np.count_nonzero(entries[:, 1] >> KIND_SHIFT & KIND_MASK == KIND_BLANK))


def _store(texts: pa.LargeStringArray) -> Texts:
    """The texts as a dictionary has them, with ids from 1 on, not indexed."""
    _, offsets, data = texts.buffers()
    begin = texts.offset
    edges = np.frombuffer(offsets, np.int64)[begin : begin + len(texts) + 1]
    store = Texts(seed=0)
    store.arena = np.frombuffer(data, np.uint8)[edges[0] : edges[-1]]
    starts = edges[:-1] - edges[0]
    kinds = _KINDS[store.arena[starts]] << KIND_SHIFT
    store.entries = np.zeros((len(texts) + 1, 2), np.int64)
    store.entries[1:, 0] = starts
    store.entries[1:, 1] = np.diff(edges) << LENGTH_SHIFT | kinds | FLAGS
    store.values = np.zeros(len(texts) + 1, np.float64)
    store.classes = np.full(len(texts) + 1, -1, np.int8)
    return store
