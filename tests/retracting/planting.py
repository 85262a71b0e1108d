"""Planted faults: how many stories of the mix it takes to notice one.

``python -m tests.retracting.planting [CASES [NAME…]]``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Final

from tests.planted import CASES, Fault, report
from tests.retracting.faults import asserted, lost, proofs, recursion, rules
from tests.retracting.seeds import fault_of, mixed

FAULTS: Final = (*asserted.FAULTS, *rules.FAULTS, *lost.FAULTS, *recursion.FAULTS, *proofs.FAULTS)
TELLING: Final = (27, 29, 76, 95, 258, 302, 309, 377, 426, 452, 599, 621)
"""Stories that notice what few others do. A search for any that notices a fault begins here."""


def noticed(fault: Fault, cases: Iterable[int] = (*TELLING, *range(CASES))) -> int | None:
    """The first of the seeds whose story notices it; None: none does. A crash does not count."""
    for seed in cases:
        told = mixed(seed)
        with fault():
            found = fault_of(told, every=3)[1]
        if found is not None and not found.startswith("Traceback"):
            return seed
    return None


if __name__ == "__main__":
    report(FAULTS, noticed, *sys.argv[1:])
