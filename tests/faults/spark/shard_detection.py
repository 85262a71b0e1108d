"""Faults of shards, detected by cases whose lines one network prints, too."""

from __future__ import annotations

from typing import Final

from tests.faults.detection import Fault, FaultArea
from tests.faults.spark.shards import FAULTS
from tests.simulation.shards.seeds import ShardComparison


def _detects(seed: int, fault: Fault) -> bool:
    with fault():
        found = ShardComparison(seed, (3,)).judge().faults
    return any(not text.startswith(("Traceback", "exit")) for text in found.values())


AREA: Final = FaultArea(FAULTS, _detects, first=(0, 2, 3, 4, 14, 62, 84, 288, 303))
