"""Faults of retraction, detected by stories of the mix."""

from __future__ import annotations

from typing import Final

from tests.faults.detection import Fault, FaultArea
from tests.faults.retraction import (
    base_table,
    proof_programs,
    recursion,
    rule_changes,
    view_maintenance,
)
from tests.simulation.retraction.seeds import disagreement_of, story_of_seed


def _detects(seed: int, fault: Fault) -> bool:
    story = story_of_seed(seed)
    with fault():
        found = disagreement_of(story, every=3)[1]
    return found is not None and not found.startswith("Traceback")


AREA: Final = FaultArea(
    (
        *base_table.FAULTS,
        *rule_changes.FAULTS,
        *view_maintenance.FAULTS,
        *recursion.FAULTS,
        *proof_programs.FAULTS,
    ),
    _detects,
    first=(27, 29, 76, 95, 258, 302, 309, 377, 452, 599, 621, 1385),
)
