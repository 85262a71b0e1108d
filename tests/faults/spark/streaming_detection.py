"""Faults of `r4 spark`, detected by runs that stop between batches, without Spark."""

from __future__ import annotations

from typing import Final

from tests.faults.detection import Fault, FaultArea
from tests.faults.spark.streaming import FAULTS
from tests.simulation.spark.thread_hosts import disagreement


def _detects(seed: int, fault: Fault) -> bool:
    with fault():
        found = disagreement(seed, set())
    return found is not None and "Traceback" not in found


AREA: Final = FaultArea(FAULTS, _detects, cases=60, first=(0, 2, 3, 7, 8, 68))
