"""Stage 2: the terms of a bucket of hashes, from all portions, each once.

A term is found again by its hash, so all its places are in one bucket, and buckets need not know of
each other: the global id of a term is its rank in its bucket, behind all terms of those before.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from r4.spark.jobs.atomic_files import Json, job_path, load_batch, save, save_arrow
from r4.spark.loading.portions import bounds
from r4.spark.loading.term_columns import split_terms
from r4.spark.loading.work_folder import WorkFolder
from r4.store.term_columns import FLAGS, write
from rete import kernels
from rete.arrays.term_columns import (
    KIND_BLANK,
    KIND_IRI,
    KIND_LITERAL,
    KIND_MASK,
    KIND_SHIFT,
    LENGTH_SHIFT,
    TermColumns,
)

MERGED = pa.schema([("hash", pa.uint64()), ("text", pa.large_string())])

Hashes = npt.NDArray[np.uint64]


def merge_bucket(work: WorkFolder, bucket: int, buckets: int, portions: Sequence[str]) -> Json:
    """Merge a bucket; how many terms it has, and how many bytes their texts are."""
    hashes, texts, sizes = _slices(work, bucket, buckets, portions)
    order, first = distinct(hashes, texts)
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.cumsum(first, dtype=np.int32) - 1
    chosen = order[first]
    words = texts.take(pa.array(chosen))
    save_arrow(work.merged(bucket), pa.record_batch([hashes[chosen], words], schema=MERGED))
    save(work.ranks(bucket), ranks)
    save(work.starts(bucket), np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]))
    return {"terms": len(chosen), "size": pc.sum(pc.binary_length(words)).as_py() or 0}


def _slices(
    work: WorkFolder, bucket: int, buckets: int, portions: Sequence[str]
) -> tuple[Hashes, pa.Array, list[int]]:
    """Hashes and texts of the bucket in all portions, and how many are of each."""
    low, *above = bounds(buckets)[bucket : bucket + 2]
    hashes, texts, sizes = [np.empty(0, np.uint64)], [pa.array([], pa.large_string())], []
    for portion in portions:
        words = load_batch(work.words(portion))
        all_hashes = words["hash"].to_numpy()
        begin = int(np.searchsorted(all_hashes, np.uint64(low)))
        end = len(all_hashes)
        if above:
            end = int(np.searchsorted(all_hashes, np.uint64(above[0])))
        hashes.append(all_hashes[begin:end])
        texts.append(words["text"].slice(begin, end - begin))
        sizes.append(end - begin)
    return np.concatenate(hashes), pa.concat_arrays(texts), sizes


def distinct(
    hashes: Hashes, texts: pa.Array
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """An order by hash, then text where needed; and which in it is the first of its text."""
    order = np.argsort(hashes, kind="stable")
    ranked = hashes[order]
    again = np.flatnonzero(ranked[1:] == ranked[:-1]) + 1
    here, before = (texts.take(pa.array(order[at])) for at in (again, again - 1))
    alike = pc.equal(here, before).to_numpy(zero_copy_only=False)
    first = np.ones(len(order), np.bool_)
    first[again] = ~alike
    for value in np.unique(ranked[again[~alike]]).tolist():  # two texts of one hash
        begin = int(np.searchsorted(ranked, np.uint64(value)))
        end = int(np.searchsorted(ranked, np.uint64(value), side="right"))
        held = {int(at): texts[int(at)].as_py().encode() for at in order[begin:end]}
        run = sorted(held, key=held.__getitem__)
        order[begin:end] = run
        first[begin:end] = [i == 0 or held[at] != held[run[i - 1]] for i, at in enumerate(run)]
    return order, first


_KINDS = np.zeros(256, np.int64)
_KINDS[[ord(char) for char in '<_"']] = KIND_IRI, KIND_BLANK, KIND_LITERAL


def name_terms(work: WorkFolder, bucket: int, first: int, at: int) -> Json:
    """Write the terms of a bucket, from the id ``first`` on, their texts from ``at`` on.

    The report is how many of them are blank nodes.
    """
    merged = load_batch(work.merged(bucket))
    texts: pa.LargeStringArray = merged["text"]
    made, count = work.made, merged.num_rows
    store = _store(texts)
    ids = np.arange(1, count + 1)
    kernels.load(kernels.BACKEND)["text._columns"].measure(store, ids)
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
            **split_terms(texts),
            "number": pa.array(values, mask=classes == 0),
        }
    )
    with job_path(made.terms(bucket)) as temporary:
        pq.write_table(table, temporary)
    return int(np.count_nonzero(entries[:, 1] >> KIND_SHIFT & KIND_MASK == KIND_BLANK))


def _store(texts: pa.LargeStringArray) -> TermColumns:
    """The texts as a dictionary has them, with ids from 1 on, not indexed."""
    _, offsets, data = texts.buffers()
    begin = texts.offset
    edges = np.frombuffer(offsets, np.int64)[begin : begin + len(texts) + 1]
    store = TermColumns(seed=0)
    store.arena = np.frombuffer(data, np.uint8)[edges[0] : edges[-1]]
    starts = edges[:-1] - edges[0]
    kinds = _KINDS[store.arena[starts]] << KIND_SHIFT
    store.entries = np.zeros((len(texts) + 1, 2), np.int64)
    store.entries[1:, 0] = starts
    store.entries[1:, 1] = np.diff(edges) << LENGTH_SHIFT | kinds | FLAGS
    store.values = np.zeros(len(texts) + 1, np.float64)
    store.classes = np.full(len(texts) + 1, -1, np.int8)
    return store
