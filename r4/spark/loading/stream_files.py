"""A DataFrame of statements with times is written as a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from r4.errors import SAMPLES, InputError
from r4.spark.jobs.atomic_files import Json, job_path
from r4.spark.jobs.tasks import collect, partitions
from r4.spark.loading.term_columns import are_terms
from r4.stream.source import START_PREDICATE
from rif.syntax.terms import XSD

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


_PLACES: Final = ("s", "p", "o", "g")
_TIME: Final = "t"
_TIMES: Final = frozenset({"timestamp", "timestamp_ntz", "byte", "short", "integer", "long"})
"""What its type may be."""


class Written(NamedTuple):
    """The counts of a stream that was written.

    Attributes:
        elements, statements: how many.
        bad: how many rows were left out: a cell of theirs is no term, or they have no time.
        samples: the first of them.
    """

    elements: int
    statements: int
    bad: int
    samples: tuple[str, ...]


def write_stream(frame: DataFrame, into: str | Path) -> Written:
    """Write statements with times as a folder of N-Quads, as `r4 spark --input` reads it.

    The files are in order of time by their names. Statements of one g and one t are an element.

    Args:
        frame: columns s, p, o, g, each the text of a term as in N-Quads, and t, a timestamp or a
            whole number: since when the statement holds. It is sorted by time, so it is read more
            than once, and must say the same. A blank node of several elements is one only where
            they are in one file.
        into: a folder that is made, or is empty.

    Raises:
        InputError: there are other columns, t is of another type, or something is in ``into``.
        SparkFailed: a task ended with an error.
    """
    if {*frame.columns} != {*_PLACES, _TIME}:
        message = f"a frame of {', '.join(frame.columns)}: its columns are to be s, p, o, g, t"
        raise InputError(message)
    kind = frame.schema[_TIME].dataType.typeName()
    if kind not in _TIMES:
        message = f"a frame with t of {kind}: it is to be a timestamp or a whole number"
        raise InputError(message)
    folder = Path(into).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        message = f"{into} is not empty"
        raise InputError(message)
    texts = (frame[place].cast("string").alias(place) for place in _PLACES)
    ordered = (
        frame.select(*texts, _TIME).repartitionByRange(_TIME, "g").sortWithinPartitions(_TIME, "g")
    )
    units = partitions(ordered, partial(_write, str(folder)))
    reports = collect(units, "r4 write a stream", "Spark, write a stream")
    found = list(map(json.loads, reports))
    samples = [sample for each in found for sample in each["samples"]]
    elements, statements, bad = (
        sum(each[name] for each in found) for name in ("elements", "statements", "bad")
    )
    return Written(elements, statements, bad, tuple(samples[:SAMPLES]))


def _write(folder: str, number: int, batches: Iterator[pa.RecordBatch]) -> str:
    """In a worker: a partition, which is one file."""
    return json.dumps(write_batches(Path(folder, f"part-{number:05}.nq"), batches))


_TEXT: Final = pa.large_string()


def write_batches(path: Path, batches: Iterator[pa.RecordBatch]) -> dict[str, Json]:
    """Write batches of s, p, o, g, t, in order, as a file; none if nothing is in them."""
    writer = _ElementWriter()
    first = next(batches, None)
    if first is not None:
        with job_path(path) as temporary, temporary.open("w", encoding="utf-8") as file:
            file.writelines(map(writer.lines, chain([first], batches)))
    return {name: getattr(writer, name) for name in Written._fields}


class _ElementWriter:
    """Batches as lines: each element begins with an empty line and its stamp."""

    def __init__(self) -> None:
        self.elements = self.statements = self.bad = 0
        self.samples: list[str] = []
        self._open = ""

    def lines(self, batch: pa.RecordBatch) -> str:
        """The lines of a batch."""
        terms = [column.cast(_TEXT) for column in batch.columns[:-1]]
        stamps = _literals(batch.columns[-1])
        named = pc.not_equal(pc.fill_null(terms[-1], ""), "")
        fit = pc.and_(pc.and_(are_terms(terms), named), stamps.is_valid())
        self._leave_out([*terms, stamps], pc.invert(fit))
        *terms, names, stamps = (column.filter(fit) for column in [*terms, stamps])
        if not len(names):
            return ""
        stamped = _joined(names, f"<{START_PREDICATE}>", stamps, ".")
        before = pa.concat_arrays([pa.array([self._open], _TEXT), stamped[:-1]])
        begins = pc.not_equal(stamped, before)
        self._open = stamped[-1].as_py()
        self.elements += pc.sum(begins).as_py()
        self.statements += len(names)
        heads = pc.if_else(begins, _joined("\n", stamped, "\n", between=""), pa.scalar("", _TEXT))
        lines = _joined(*terms, names, ".")
        return "".join(_joined(heads, lines, "\n", between="").to_pylist())

    def _leave_out(self, columns: list[pa.Array], bad: pa.Array) -> None:
        self.bad += pc.sum(bad).as_py() or 0
        some = (column.filter(bad)[: SAMPLES - len(self.samples)].to_pylist() for column in columns)
        self.samples += (" ".join(map(str, row))[:200] for row in zip(*some, strict=True))


def _joined(*parts: pa.Array | str, between: str = " ") -> pa.Array:
    """Row by row, one behind the other."""
    texts = (pa.scalar(part, _TEXT) if isinstance(part, str) else part for part in parts)
    return pc.binary_join_element_wise(*texts, pa.scalar(between, _TEXT))


def _literals(times: pa.Array) -> pa.Array:
    """Times as the texts of literals."""
    if pa.types.is_timestamp(times.type):
        kind = "dateTime"
        texts = pc.strftime(times.cast(pa.timestamp("us", "UTC")), "%Y-%m-%dT%H:%M:%SZ")
    else:
        kind, texts = "integer", times.cast(pa.string())
    return _joined('"', texts.cast(_TEXT), f'"^^<{XSD}{kind}>', between="")
