"""Planted faults: how many cases of the mix it takes to notice one.

``python -m tests.faults.spark.streaming_detection [CASES [NAME…]]``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Final

from tests.faults.report import Fault, report
from tests.faults.spark.streaming import FAULTS
from tests.simulation.spark.thread_hosts import disagreement

CASES: Final = 60
DETECTING_SEEDS: Final = (0, 2, 3, 7, 8, 68)
"""Cases that notice what few others do. A search for any that notices a fault begins here."""


def first_detection(
    fault: Fault, cases: Iterable[int] = (*DETECTING_SEEDS, *range(CASES))
) -> int | None:
    """The first of the seeds whose case notices it; None: none does. A crash does not count."""
    for seed in cases:
        with fault():
            found = disagreement(seed, set())
        if found is not None and "Traceback" not in found:
            return seed
    return None


if __name__ == "__main__":
    report(FAULTS, first_detection, *sys.argv[1:])
