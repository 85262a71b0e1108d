"""Planted faults: how many cases of the mix it takes to notice one.

``python -m tests.sharding.planting [CASES [NAME…]]``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from tests.planted import CASES, Fault, report
from tests.sharding.faults import FAULTS
from tests.sharding.seeds import Judge

TELLING: Final = (0, 2, 3, 4, 14, 62, 84, 288, 303)
"""Cases that notice what few others do. A search for any that notices a fault begins here."""


def noticed(fault: Fault, cases: Iterable[int] = (*TELLING, *range(CASES))) -> int | None:
    """The first of the seeds whose case notices it; None: none does. A crash does not count."""
    for seed in cases:
        found: dict[int, str] = {}
        with fault(), suppress(Exception):
            found = Judge(seed, (3,)).judge().faults
        if any(_differs(text) for text in found.values()):
            return seed
    return None


def _differs(text: str) -> bool:
    return not text.startswith(("Traceback", "exit"))


if __name__ == "__main__":
    report(FAULTS, noticed, *sys.argv[1:])
