"""Planted faults: how many cases of the mix it takes to notice one.

``python -m tests.spark.planting [CASES [NAME…]]``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Final

from tests.planted import Fault, report
from tests.spark.faults import FAULTS
from tests.spark.playing import disagreement

CASES: Final = 60
TELLING: Final = (0, 2, 3, 7, 8, 68)
"""Cases that notice what few others do. A search for any that notices a fault begins here."""


def noticed(fault: Fault, cases: Iterable[int] = (*TELLING, *range(CASES))) -> int | None:
    """The first of the seeds whose case notices it; None: none does. A crash does not count."""
    for seed in cases:
        with fault():
            found = disagreement(seed, set())
        if found is not None and "Traceback" not in found:
            return seed
    return None


if __name__ == "__main__":
    report(FAULTS, noticed, *sys.argv[1:])
