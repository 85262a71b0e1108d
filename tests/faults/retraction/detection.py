"""Planted faults: how many stories of the mix it takes to notice one.

``python -m tests.faults.retraction.detection [CASES [NAME…]]``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Final

from tests.faults.report import CASES, Fault, report
from tests.faults.retraction import (
    base_table,
    proof_programs,
    recursion,
    rule_changes,
    view_maintenance,
)
from tests.simulation.retraction.seeds import disagreement_of, story_of_seed

FAULTS: Final = (
    *base_table.FAULTS,
    *rule_changes.FAULTS,
    *view_maintenance.FAULTS,
    *recursion.FAULTS,
    *proof_programs.FAULTS,
)
DETECTING_SEEDS: Final = (27, 29, 76, 95, 258, 302, 309, 377, 426, 452, 599, 621)
"""Stories that notice what few others do. A search for any that notices a fault begins here."""


def first_detection(
    fault: Fault, cases: Iterable[int] = (*DETECTING_SEEDS, *range(CASES))
) -> int | None:
    """The first of the seeds whose story notices it; None: none does. A crash does not count."""
    for seed in cases:
        told = story_of_seed(seed)
        with fault():
            found = disagreement_of(told, every=3)[1]
        if found is not None and not found.startswith("Traceback"):
            return seed
    return None


if __name__ == "__main__":
    report(FAULTS, first_detection, *sys.argv[1:])
