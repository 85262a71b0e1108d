"""Faults of `r4 run`, detected by its output on random programs and streams."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.faults.detection import Fault, FaultArea
from tests.faults.streams import FAULTS
from tests.generators.streams.runs import random_case
from tests.oracles.streams.run import expected
from tests.simulation.stream_comparison import cut_of, difference


def _detects(seed: int, fault: Fault) -> bool:
    case = random_case(seed)
    wanted = expected(case.scenario).lines
    with TemporaryDirectory() as folder, fault():
        found = [difference(case, wanted, Path(folder), cut) for cut in (None, cut_of(seed))]
    return any(text and "\nexit 0\n" in text for text in found)


AREA: Final = FaultArea(FAULTS, _detects)
