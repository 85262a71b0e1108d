"""Planted faults: how many cases of the mix it takes to notice one.

``python -m tests.hypothetical.planting [CASES [NAME…]]``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import Final

from tests.cases.hypothetical import Case
from tests.hypothetical.expected import expected
from tests.hypothetical.faults import chances, entries, schemata, telling
from tests.hypothetical.seeds import case_of, settled, told
from tests.oracles.hypothetical import TooBig
from tests.planted import CASES, Fault, report

FAULTS: Final = (*schemata.FAULTS, *entries.FAULTS, *telling.FAULTS, *chances.FAULTS)
TELLING: Final = (1, 2, 6, 8, 10, 13, 68, 74, 81, 140, 153, 245, 591)
"""Cases that notice what few others do. A search for any that notices a fault begins here."""


@cache
def _known(seed: int) -> tuple[Case, list[str] | None]:
    case = case_of(seed)
    try:
        case = settled(case)
        return case, expected(case).lines
    except TooBig:
        return case, None


def noticed(fault: Fault, cases: Iterable[int] = (*TELLING, *range(CASES))) -> int | None:
    """The first of the seeds whose case notices it; None: none does. A crash does not count."""
    for seed in cases:
        case, lines = _known(seed)
        if lines is not None:
            with fault(), suppress(Exception):
                if told(case, seed).lines != lines:
                    return seed
    return None


if __name__ == "__main__":
    report(FAULTS, noticed, *sys.argv[1:])
