"""Faults of hypothetical answers, detected by the lines of random queries."""

from __future__ import annotations

from functools import cache
from typing import Final

from tests.faults.detection import Fault, FaultArea
from tests.faults.hypothetical import confidence, entries, output_lines, schemata
from tests.generators.hypothetical.queries import QueryCase
from tests.oracles.hypothetical.definitions import DomainTooBig
from tests.simulation.hypothetical.expectation import expected
from tests.simulation.hypothetical.seeds import case_of, engine_output, without_cap


@cache
def _known(seed: int) -> tuple[QueryCase, list[str] | None]:
    case = case_of(seed)
    try:
        case = without_cap(case)
        return case, expected(case).lines
    except DomainTooBig:
        return case, None


def _detects(seed: int, fault: Fault) -> bool:
    case, lines = _known(seed)
    if lines is None:
        return False
    with fault():
        return engine_output(case, seed).lines != lines


AREA: Final = FaultArea(
    (*schemata.FAULTS, *entries.FAULTS, *output_lines.FAULTS, *confidence.FAULTS),
    _detects,
    first=(1, 2, 6, 8, 10, 13, 14, 18, 26, 68, 108, 245, 591, 621),
)
