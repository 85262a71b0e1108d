"""The stages by name, run as Spark jobs: a unit starts by its number, its result is JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any, Final, Protocol

from r4.errors import InputError, SourceLost
from r4.spark.jobs import tasks
from r4.spark.jobs.atomic_files import Json, save_json
from r4.spark.loading.inputs import FileSplit
from r4.spark.loading.predicate_parts import PartUnit, rewrite_portion, write_parts, write_rejected
from r4.spark.loading.split_reader import read_split
from r4.spark.loading.term_buckets import merge_bucket, name_terms
from r4.spark.loading.work_folder import WorkFolder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


_FAULTS: Final[Mapping[str, type[Exception]]] = {"input": InputError, "lost": SourceLost}


class UnitRunner(Protocol):
    """Runs units, somewhere.

    Attributes:
        cores: how many it runs at once.
    """

    cores: int

    def run(self, work: WorkFolder, stage: str, says: str, units: int) -> list[str]:
        """Run `run_unit` for each unit of a stage; their reports, in order."""


class Stages:
    """Runs the stages of one load, one by one.

    Attributes:
        cores: how many units are run at once.
        cpu: seconds of processor time of all units so far, wherever they ran.
    """

    def __init__(self, runner: UnitRunner, work: WorkFolder) -> None:
        self._runner = runner
        self.work = work
        self.cores = runner.cores
        self.cpu = 0.0

    def run(self, stage: str, says: str, units: Sequence[Json], shared: Json = None) -> list[Any]:
        """Run the units of a stage; the report on each.

        ``units`` are the arguments of each, ``shared`` is one of all; ``says`` tells people what is
        done.

        Raises:
            InputError: an input cannot be used.
            SourceLost: the system stops delivering one.
        """
        if not units:
            return []
        save_json(self.work.units(stage), {"shared": shared, "units": units})
        return self.taken(self._runner.run(self.work, stage, says, len(units)))

    def taken(self, texts: Iterable[str]) -> list[Any]:
        """The reports of units, wherever they were run; see `run`."""
        found = []
        for text in texts:
            report = json.loads(text)
            if fault := report.get("fault"):
                raise _FAULTS[fault](report["message"])
            self.cpu += report["cpu"]
            found.append(report["told"])
        return found


def run_unit(place: Path, stage: str, number: int) -> str:
    """Run a unit; its report as JSON, or what is wrong with an input."""
    work = WorkFolder(place)
    path = work.units(stage)
    given = _given(path, path.stat().st_mtime_ns)
    return unit_report(lambda: STAGES[stage](work, number, given["units"][number], given["shared"]))


def unit_report(unit: Callable[[], Json]) -> str:
    """The report of a unit and its processor time as JSON, or what is wrong with an input."""
    began = process_time()
    try:
        report = unit()
    except InputError as error:
        return json.dumps({"fault": "input", "message": str(error)})
    except SourceLost as error:
        return json.dumps({"fault": "lost", "message": str(error)})
    return json.dumps({"told": report, "cpu": process_time() - began})


@lru_cache(maxsize=1)
def _given(path: Path, changed: int) -> Any:  # noqa: ANN401 - what this module has written
    del changed
    return json.loads(path.read_text("utf-8"))


STAGES: Final[Mapping[str, Callable[[WorkFolder, int, Any, Any], Json]]] = {
    "read": lambda work, number, unit, seed: read_split(work, number, FileSplit(**unit), seed),
    "merge": merge_bucket,
    "name": lambda work, number, unit, _: name_terms(work, number, *unit),
    "rewrite": lambda work, number, unit, firsts: rewrite_portion(work, unit, number, firsts),
    "reject": lambda work, _, unit, __: write_rejected(work, *unit),
    "part": lambda work, _, unit, __: write_parts(work, PartUnit(**unit)),
}
"""Stage → what runs a unit: where, its number, its arguments, those of all."""


class SparkUnitRunner:
    """Runs units as tasks of a Spark session, each a task of its own.

    What they read and write are files that all machines see under the same names; through Spark
    go the reports, some numbers a unit. So the driver needs no more memory for more triples.

    """

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.cores = spark.sparkContext.defaultParallelism

    def run(self, work: WorkFolder, stage: str, says: str, units: int) -> list[str]:
        """Run them as a job with this description; raises as `collect`."""
        frame = tasks.units(self.spark, units, partial(run_unit, work.path, stage))
        return self.collect(frame, says)

    def collect(self, frame: DataFrame, says: str) -> list[str]:
        """The reports on the units in ``frame``, in order.

        Raises:
            SparkFailed: a unit ended with an error.
        """
        return tasks.collect(frame, f"r4 load, {says}", f"Spark, {says}")
