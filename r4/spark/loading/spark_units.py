"""Units as a Spark job: a row of numbers goes out, a row of results comes back."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from r4.spark.jobs.tasks import REPORT_SCHEMA, collect, quiet, report_row
from r4.spark.loading.stages import run_unit
from r4.spark.loading.work_folder import WorkFolder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class SparkUnitRunner:
    """Runs units as tasks of a Spark session, each a task of its own.

    What they read and write are files that all machines see under the same names; through Spark
    go the reports, some numbers a unit. So the driver needs no more memory for more triples.

    Attributes:
        spark: the session.
        cores: how many it runs at once.
    """

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.cores = spark.sparkContext.defaultParallelism

    def run(self, work: WorkFolder, stage: str, says: str, units: int) -> list[str]:
        """Run them as a job with this description.

        Raises:
            SparkFailed: a unit ended with an error.
        """
        numbers = self.spark.range(0, units, 1, numPartitions=units)
        with quiet():
            frame = numbers.mapInArrow(partial(_units, str(work.path), stage), REPORT_SCHEMA)
        return self.collect(frame, says)

    def collect(self, frame: DataFrame, says: str) -> list[str]:
        """The reports on the units in ``frame``, in order.

        Raises:
            SparkFailed: a unit ended with an error.
        """
        return collect(frame, f"r4 load, {says}", f"Spark, {says}")


def _units(place: str, stage: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a worker: the units whose numbers come in."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield report_row(number, run_unit(Path(place), stage, number))
