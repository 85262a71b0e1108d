"""Planted faults: how many cases of the mix it takes to notice one.

``python -m tests.faults.hypothetical.detection [CASES [NAME…]]``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import Final

from tests.faults.hypothetical import confidence, entries, output_lines, schemata
from tests.faults.report import CASES, Fault, report
from tests.generators.hypothetical.queries import QueryCase
from tests.oracles.hypothetical.definitions import DomainTooBig
from tests.simulation.hypothetical.expectation import expected
from tests.simulation.hypothetical.seeds import case_of, engine_output, without_cap

FAULTS: Final = (*schemata.FAULTS, *entries.FAULTS, *output_lines.FAULTS, *confidence.FAULTS)
DETECTING_SEEDS: Final = (1, 2, 6, 8, 10, 13, 68, 74, 81, 140, 153, 245, 591)
"""Cases that notice what few others do. A search for any that notices a fault begins here."""


@cache
def _known(seed: int) -> tuple[QueryCase, list[str] | None]:
    case = case_of(seed)
    try:
        case = without_cap(case)
        return case, expected(case).lines
    except DomainTooBig:
        return case, None


def first_detection(
    fault: Fault, cases: Iterable[int] = (*DETECTING_SEEDS, *range(CASES))
) -> int | None:
    """The first of the seeds whose case notices it; None: none does. A crash does not count."""
    for seed in cases:
        case, lines = _known(seed)
        if lines is not None:
            with fault(), suppress(Exception):
                if engine_output(case, seed).lines != lines:
                    return seed
    return None


if __name__ == "__main__":
    report(FAULTS, first_detection, *sys.argv[1:])
