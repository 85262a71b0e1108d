"""DataFrames in place of files: what is loaded, as DataFrames and as Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from r4.errors import InputError
from r4.rdf.chunks import Chunk, StatementFault, flaw_of
from r4.spark.jobs.atomic_files import Json
from r4.spark.jobs.tasks import partitions
from r4.spark.loading.loader import BulkLoad, LoadReport, SplitReports
from r4.spark.loading.portions import Portions
from r4.spark.loading.split_reader import take
from r4.spark.loading.stages import SparkUnitRunner, unit_report
from r4.spark.loading.term_columns import are_terms
from r4.spark.loading.work_folder import WorkFolder
from r4.store.index import check_part, read_index
from r4.store.layout import FolderLayout
from rete.terms.dictionary import Dictionary
from rete.terms.nquads import read_nquads

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NAME: Final = "DataFrame"
"""What messages call the document that a DataFrame is."""
_PLACES: Final = ("s", "p", "o", "g")
_TRIPLE: Final = 3


class Tables(NamedTuple):
    """The contents of a loaded folder.

    Attributes:
        terms: id, kind, lexical form, datatype, language, number.
        triples: s, o, g and p, all of them ids; g is 0 in the default graph.
    """

    terms: DataFrame
    triples: DataFrame


def read(spark: SparkSession, folder: str | Path) -> Tables:
    """A loaded folder as DataFrames. A filter on p reads the parts of that predicate alone.

    Raises:
        InputError: nothing was loaded into it.
    """
    read_index(FolderLayout(Path(folder)))
    place = Path(folder).absolute()
    return Tables(
        *(spark.read.parquet(str(place / name)) for name in ("terms", "triples")),
    )


def to_arrow(folder: str | Path) -> pa.Table:
    """The triples of a loaded folder as Arrow: p, s, o, g. They are mapped, not held in memory.

    Raises:
        InputError: nothing was loaded into it, or it is damaged.
    """
    place = FolderLayout(Path(folder))
    tables = []
    index = read_index(place)
    for predicate, parts in index.predicates.items():
        for part, count in parts.items():
            path = place.rows(predicate, part)
            check_part(path, index)
            with pa.memory_map(str(path)) as source:
                rows = pa.ipc.open_file(source).read_all()
            tables.append(rows.add_column(0, "p", pa.repeat(pa.scalar(predicate), count)))
    names = ("p", "s", "o", "g")
    return pa.concat_tables(tables or [pa.schema([(n, pa.int64()) for n in names]).empty_table()])


def load(frame: DataFrame, into: str | Path) -> LoadReport:
    """Load statements into a folder.

    Args:
        frame: columns s, p, o, and perhaps g (null: the default graph), each the text of a term as
            in N-Quads. It is one document, so equal labels are one blank node. Its rows are read
            once; where a task is tried again, it must find the same.
        into: as for `r4 load`. A row that is no statement is left out, and its number reported.

    Raises:
        InputError: there are other columns, or the folder cannot be loaded into.
        SparkFailed: a task ended with an error.
    """
    if not {*_PLACES[:_TRIPLE]} <= {*frame.columns} <= {*_PLACES}:
        message = f"a frame of {', '.join(frame.columns)}: its columns are to be s, p, o, perhaps g"
        raise InputError(message)
    places = [place for place in _PLACES if place in frame.columns]
    runner = SparkUnitRunner(frame.sparkSession)
    bulk_load = BulkLoad(Path(into), runner)
    try:
        texts = frame.select(*(frame[place].cast("string") for place in places))
        units = partitions(texts, partial(_read, str(bulk_load.work.path), bulk_load.seed))
        found = bulk_load.stages.taken(runner.collect(units, "1 of 4: read a DataFrame"))
        return bulk_load.finish(SplitReports([NAME], [0] * len(found), found))
    finally:
        bulk_load.abandon()


def _read(place: str, seed: int, number: int, batches: Iterator[pa.RecordBatch]) -> str:
    """In a worker: a partition, which is one unit."""
    return unit_report(lambda: read_batches(WorkFolder(Path(place)), number, seed, batches))


def read_batches(
    work: WorkFolder, number: int, seed: int, batches: Iterator[pa.RecordBatch]
) -> Json:
    """Stage 1 of batches of texts; lines are rows, counted from 1 on."""
    portions = Portions(work, number, seed)
    rows = [0]
    found = take(work, number, portions, _chunks(portions.terms, batches, rows))
    return {**found, "lines": rows[0]}


def _chunks(
    terms: Dictionary, batches: Iterator[pa.RecordBatch], rows: list[int]
) -> Iterator[Chunk]:
    blank = pa.scalar(" ", pa.large_string())
    for batch in batches:
        columns = [column.cast(pa.large_string()) for column in batch.columns]
        columns[_TRIPLE:] = [pc.fill_null(column, "") for column in columns[_TRIPLE:]]
        fit = are_terms(columns)
        lines = pc.binary_join_element_wise(*columns, pa.scalar(".", pa.large_string()), blank)
        text = "\n".join(pc.if_else(fit, lines, "!").to_pylist()) + "\n"
        found = read_nquads(terms, text.encode(), 1, final=True)
        faults = [
            StatementFault(
                *(flaw_of(fault.message), fault.row, rows[0] + fault.line + 1),
                fault.message if fit[fault.line].as_py() else "a cell that is no term",
            )
            for fault in found.faults
        ]
        rows[0] += batch.num_rows
        yield Chunk(found.rows, faults)
