"""Faults of possible answers of RIF rules, detected by random worlds."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.faults.detection import Fault, FaultArea
from tests.faults.hypothetical.possible import FAULTS
from tests.faults.hypothetical.possible_ranking import RANKED
from tests.generators.hypothetical.worlds import of_seed
from tests.simulation.possible.comparison import disagreement


def _detects(seed: int, fault: Fault) -> bool:
    world = of_seed(seed)
    with TemporaryDirectory() as folder, fault():
        return disagreement(world, Path(folder)) is not None


AREA: Final = FaultArea(FAULTS, _detects, cases=150, first=(107, 112))
RANKING: Final = FaultArea(RANKED, _detects, cases=500, first=(7, 25, 91, 113, 423))
