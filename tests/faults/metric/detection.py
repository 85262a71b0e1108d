"""Planted faults: how many random cases it takes to notice one.

``python -m tests.faults.metric.detection [CASES [NAME…]]``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from traceback import extract_tb
from typing import Final, TypeAlias

from tests.faults.metric import operators, periods, streams
from tests.faults.report import CASES, Fault, report
from tests.generators.metric.programs import MetricCase, case_of
from tests.oracles.metric.models import Problem, problem
from tests.oracles.metric.periodic_models import Endless, Undecided, solve
from tests.simulation.metric.models import difference, materialised
from tests.simulation.metric.networks import KINDS


@cache
def expected_of(seed: int) -> tuple[MetricCase, Problem, Endless | None]:
    """A random program, and its model if the definition tells it."""
    case = case_of(seed)
    given = problem(case.program, case.facts)
    try:
        return case, given, solve(given)
    except Undecided:
        return case, given, None


def model_differs(seed: int, fault: Fault) -> bool:
    """Is the model of a random program another one?"""
    case, given, expected = expected_of(seed)
    if expected is None:
        return False
    with fault():
        model = materialised(case.program, case.facts)
        return model.limit is None and difference(given, expected, model) is not None


def stream_differs(seed: int, fault: Fault) -> bool:
    """Does a network tell something else, while facts come and go?"""
    stories = list(KINDS.values())
    with fault():
        try:
            stories[seed % len(stories)](seed)
        except AssertionError as found:
            return "tests" in extract_tb(found.__traceback__)[-1].filename
    return False


Comparison: TypeAlias = Callable[[int, Fault], bool]

DETECTED_BY: Final[dict[Fault, Comparison]] = {
    **dict.fromkeys((*operators.FAULTS, *periods.FAULTS), model_differs),
    **dict.fromkeys(streams.FAULTS, stream_differs),
}


DETECTING_SEEDS: Final[dict[Comparison, tuple[int, ...]]] = {
    model_differs: (11, 174, 0, 130, 137, 5, 155, 160),
    stream_differs: (656, 413, 28, 65, 100, 1),
}
"""Cases that notice what few others do. A search for any that notices a fault begins here."""


def first_detection(fault: Fault, cases: Iterable[int] | None = None) -> int | None:
    """The first of the seeds whose case notices it; None: none does. A crash does not count."""
    for seed in (*DETECTING_SEEDS[DETECTED_BY[fault]], *range(CASES)) if cases is None else cases:
        with suppress(Exception):
            if DETECTED_BY[fault](seed, fault):
                return seed
    return None


if __name__ == "__main__":
    report(DETECTED_BY, first_detection, *sys.argv[1:])
