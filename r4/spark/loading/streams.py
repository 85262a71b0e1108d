"""A DataFrame of statements with times is written as a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa

from r4.faults import SAMPLES, InputError
from r4.spark.jobs.tasks import collect, partitions
from r4.spark.loading.elements import write_batches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_PLACES: Final = ("s", "p", "o", "g")
_TIME: Final = "t"
_TIMES: Final = frozenset({"timestamp", "timestamp_ntz", "byte", "short", "integer", "long"})
"""What its type may be."""


class Written(NamedTuple):
    """What was written.

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
    told = collect(units, "r4 write a stream", "Spark, write a stream")
    found = list(map(json.loads, told))
    samples = [sample for each in found for sample in each["samples"]]
    elements, statements, bad = (
        sum(each[name] for each in found) for name in ("elements", "statements", "bad")
    )
    return Written(elements, statements, bad, tuple(samples[:SAMPLES]))


def _write(folder: str, number: int, batches: Iterator[pa.RecordBatch]) -> str:
    """In a worker: a partition, which is one file."""
    return json.dumps(write_batches(Path(folder, f"part-{number:05}.nq"), batches))
