"""Tasks of Spark: rows go to them, and a row of results of each unit comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias
from warnings import catch_warnings, simplefilter

import pyarrow as pa

from r4.spark.jobs.session import SparkFailed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_REPORT_SCHEMA: Final = "unit bigint, told string"
PartitionTask: TypeAlias = Callable[[int, Iterator[pa.RecordBatch]], str]
"""The report on a partition, by its number and its rows."""


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress the warnings of packages that pyspark imports, about each other."""
    with catch_warnings():
        simplefilter("ignore")
        yield


def _report_row(number: int, text: str) -> pa.RecordBatch:
    """The report on a unit, as a row."""
    return pa.record_batch({"unit": pa.array([number], pa.int64()), "told": [text]})


def partitions(frame: DataFrame, task: PartitionTask) -> DataFrame:
    """The reports on the partitions of a frame, each of them a unit."""
    with quiet():
        return frame.mapInArrow(partial(_partition, task), _REPORT_SCHEMA)


def _partition(task: PartitionTask, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a worker: the partition that comes in."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    number = context.partitionId()
    yield _report_row(number, task(number, batches))


def units(
    spark: SparkSession, count: int, task: Callable[[int], str], *, barrier: bool = False
) -> DataFrame:
    """The reports on so many units, by number from 0, each a task; ``barrier``: all at once."""
    numbers = spark.range(0, count, 1, numPartitions=count)
    with quiet():
        return numbers.mapInArrow(partial(_units, task), _REPORT_SCHEMA, barrier=barrier)


def _units(
    task: Callable[[int], str], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """In a worker: the units whose numbers come in."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield _report_row(number, task(number))


def collect(frame: DataFrame, says: str, failed: str) -> list[str]:
    """The reports on the units in ``frame``, in order.

    ``frame`` is that of `partitions` or `units`; ``says`` describes the job, for Spark's pages, and
    ``failed`` is the beginning of the error message.

    Raises:
        SparkFailed: a unit ended with an error.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    context = frame.sparkSession.sparkContext
    before = context.getLocalProperty("spark.job.description")
    context.setJobDescription(says)
    try:
        with quiet():
            rows = frame.collect()
    except (PySparkException, Py4JError) as error:
        message = f"{failed}: {cause(str(error))}"
        raise SparkFailed(message) from error
    finally:
        context.setJobDescription(before or "")
    return [row["told"] for row in sorted(rows, key=lambda row: row["unit"])]


def cause(text: str) -> str:
    """The line that names the error, of a trace through two languages."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [line for line in lines if "Error: " in line and not line.startswith("at ")]
    if named:
        return named[-1]
    # Of a query that lost one of its processes Spark says no more than that it ended.
    _, ended, why = lines[0].partition("terminated with exception:")
    why = why.partition("SQLSTATE")[0].strip()
    return (why or "a process of it was lost") if ended else lines[0]
