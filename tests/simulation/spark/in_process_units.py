"""Units of a load one by one, in this process: a load without Spark."""

from __future__ import annotations

from r4.spark.loading.stages import run_unit
from r4.spark.loading.work_folder import WorkFolder


class LocalUnitRunner:
    """Runs units one by one, in this process."""

    cores = 1

    def run(self, work: WorkFolder, stage: str, says: str, units: int) -> list[str]:
        """Run them."""
        del says
        return [run_unit(work.path, stage, number) for number in range(units)]
