"""Faults of metric time, detected by models of random programs, and by networks."""

from __future__ import annotations

from functools import cache
from traceback import extract_tb
from typing import Final

from tests.faults.detection import Fault, FaultArea
from tests.faults.metric import operators, periods, streams
from tests.generators.metric.programs import MetricCase, case_of
from tests.oracles.metric.models import Problem, problem
from tests.oracles.metric.periodic_models import Endless, Undecided, solve
from tests.simulation.metric.models import difference, materialised
from tests.simulation.metric.networks import KINDS


@cache
def _expected_of(seed: int) -> tuple[MetricCase, Problem, Endless | None]:
    """A random program, and its model if the definition tells it."""
    case = case_of(seed)
    given = problem(case.program, case.facts)
    try:
        return case, given, solve(given)
    except Undecided:
        return case, given, None


def _model_differs(seed: int, fault: Fault) -> bool:
    """Is the model of a random program another one?"""
    case, given, expected = _expected_of(seed)
    if expected is None:
        return False
    with fault():
        model = materialised(case.program, case.facts)
        return model.limit is None and difference(given, expected, model) is not None


def _network_differs(seed: int, fault: Fault) -> bool:
    """Does a network give something else, while facts come and go?"""
    stories = list(KINDS.values())
    with fault():
        try:
            stories[seed % len(stories)](seed)
        except AssertionError as found:
            return "tests" in extract_tb(found.__traceback__)[-1].filename
    return False


MODELS: Final = FaultArea(
    (*operators.FAULTS, *periods.FAULTS),
    _model_differs,
    first=(11, 174, 0, 130, 137, 5, 155, 160),
)
NETWORKS: Final = FaultArea(streams.FAULTS, _network_differs, first=(656, 413, 28, 65, 100, 1))
