"""Stage 1: a split of a file, to portions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from typing import Final

import pyarrow as pa

from r4.errors import SAMPLES
from r4.rdf.chunks import Chunk
from r4.rdf.documents import Format, RdfDocument, read_chunks
from r4.rdf.nquads import LineReader
from r4.spark.jobs.atomic_files import Json, save_arrow
from r4.spark.jobs.file_slices import SlicedBytes
from r4.spark.loading.inputs import FileSplit
from r4.spark.loading.portions import Portions
from r4.spark.loading.work_folder import WorkFolder

FAULTS: Final = pa.schema([("line", pa.int64()), ("code", pa.string()), ("reason", pa.string())])


def read_split(work: WorkFolder, number: int, split: FileSplit, seed: int) -> Json:
    """Read a split; its report: portions, lines, and what was left out.

    Raises:
        InputError: it cannot be opened.
        SourceLost: the system stops delivering it.
    """
    portions = Portions(work, number, seed)
    document = RdfDocument(split.path, split.number, Format[split.format])
    if split.end < 0:
        with closing(document.open()) as source:
            return take(work, number, portions, read_chunks(document, source, portions.terms))
    triples = document.format == Format.N_TRIPLES
    reader = LineReader(portions.terms, document.number, triples=triples)
    with closing(SlicedBytes(split.path, split.begin, split.end)) as source:
        report = take(work, number, portions, reader.chunks(source))
    return {**report, "lines": reader.line - 1}


def take(
    work: WorkFolder, number: int, portions: Portions, chunks: Iterable[Chunk]
) -> dict[str, Json]:
    """The same for chunks, whose lines are counted from 1 on in this split."""
    bad: Counter[str] = Counter()
    samples: list[tuple[int, str, str]] = []
    rejected: list[pa.RecordBatch] = []
    for chunk in chunks:
        for fault in chunk.faults:
            bad[fault.flaw.code] += 1
            if bad[fault.flaw.code] <= SAMPLES:
                samples.append((fault.line, fault.flaw.code, fault.message))
        if len(chunk.faults):
            rows = [(each.line, each.flaw.code, each.message) for each in chunk.faults]
            columns = list(map(pa.array, zip(*rows, strict=True)))
            rejected.append(pa.record_batch(columns, schema=FAULTS))
        if len(chunk.rows):
            portions.add(chunk.rows[chunk.rows[:, 0] > 0])
    portions.end()
    if rejected:
        save_arrow(work.faults(number), pa.Table.from_batches(rejected))
    return {"portions": portions.written, "lines": 0, "bad": dict(bad), "samples": samples}
