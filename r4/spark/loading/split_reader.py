"""Stage 1: a split of a file, to portions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from typing import Final, Self

import pyarrow as pa

from r4.errors import SAMPLES
from r4.rdf.chunks import Chunk, StatementFault
from r4.rdf.documents import Format, RdfDocument, read_chunks
from r4.rdf.nquads import LineReader
from r4.spark.jobs.atomic_files import Json, job_path
from r4.spark.jobs.file_slices import SlicedBytes
from r4.spark.loading.inputs import FileSplit
from r4.spark.loading.portions import Portions
from r4.spark.loading.work_folder import WorkFolder

FAULTS: Final = pa.schema([("line", pa.int64()), ("code", pa.string()), ("reason", pa.string())])
_AT_ONCE: Final = 10_000


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
    with _Rejected(work, number) as rejected:
        for chunk in chunks:
            for fault in chunk.faults:
                bad[fault.flaw.code] += 1
                if bad[fault.flaw.code] <= SAMPLES:
                    samples.append((fault.line, fault.flaw.code, fault.message))
                rejected.add(fault)
            if len(chunk.rows):
                portions.add(chunk.rows[chunk.rows[:, 0] > 0])
        portions.end()
    return {"portions": portions.written, "lines": 0, "bad": dict(bad), "samples": samples}


class _Rejected:
    """The file of what is left out; there is none if nothing is."""

    def __init__(self, work: WorkFolder, number: int) -> None:
        self._path = work.faults(number)
        self._held: list[StatementFault] = []
        self._batches: list[pa.RecordBatch] = []

    def __enter__(self) -> Self:
        return self

    def add(self, fault: StatementFault) -> None:
        """One more."""
        self._held.append(fault)
        if len(self._held) >= _AT_ONCE:
            self._pack()

    def _pack(self) -> None:
        held, self._held = self._held, []
        columns = (
            [fault.line for fault in held],
            [fault.flaw.code for fault in held],
            [fault.message for fault in held],
        )
        self._batches.append(pa.record_batch(list(map(pa.array, columns)), schema=FAULTS))

    def __exit__(self, *error: object) -> None:
        self._pack()
        table = pa.Table.from_batches(self._batches)
        if len(table):
            with (
                job_path(self._path) as temporary,
                pa.ipc.new_file(str(temporary), FAULTS) as file,
            ):
                file.write_table(table)
