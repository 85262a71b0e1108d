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
from tests.hypothetical.faults import entries, schemata, telling
from tests.hypothetical.seeds import case_of, told
from tests.oracles.hypothetical import TooBig
from tests.retracting.faults.fault import Fault

FAULTS: Final = (*schemata.FAULTS, *entries.FAULTS, *telling.FAULTS)
CASES: Final = 1000
"""Within how many cases each must be noticed."""
TELLING: Final = (1, 2, 6, 8, 10, 13, 68, 74, 81, 140, 153, 245)
"""Cases that notice what few others do. A search for any that notices a fault begins here."""


@cache
def _known(seed: int) -> tuple[Case, list[str] | None]:
    case = case_of(seed)
    try:
        return case, expected(case).lines
    except TooBig:
        return case, None


def noticed(fault: Fault, cases: Iterable[int] = (*TELLING, *range(CASES))) -> int | None:
    """The first of the seeds whose case notices it; None: none does. A crash does not count."""
    for seed in cases:
        case, lines = _known(seed)
        if lines is not None:
            with fault(), suppress(Exception):
                if told(case, seed)[0] != lines:
                    return seed
    return None


def main(cases: str = str(CASES), *names: str) -> None:
    """Print for each fault the seed that notices it."""
    for fault in FAULTS:
        if not names or fault.__name__ in names:
            sys.stdout.write(f"{fault.__name__:45} {noticed(fault, range(int(cases)))}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
