"""Planted faults: how many cases of the mix it takes to notice one.

``python -m tests.faults.spark.shard_detection [CASES [NAME…]]``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from tests.faults.report import CASES, Fault, report
from tests.faults.spark.shards import FAULTS
from tests.simulation.shards.seeds import ShardComparison

DETECTING_SEEDS: Final = (0, 2, 3, 4, 14, 62, 84, 288, 303)
"""Cases that notice what few others do. A search for any that notices a fault begins here."""


def first_detection(
    fault: Fault, cases: Iterable[int] = (*DETECTING_SEEDS, *range(CASES))
) -> int | None:
    """The first of the seeds whose case notices it; None: none does. A crash does not count."""
    for seed in cases:
        found: dict[int, str] = {}
        with fault(), suppress(Exception):
            found = ShardComparison(seed, (3,)).judge().faults
        if any(_differs(text) for text in found.values()):
            return seed
    return None


def _differs(text: str) -> bool:
    return not text.startswith(("Traceback", "exit"))


if __name__ == "__main__":
    report(FAULTS, first_detection, *sys.argv[1:])
