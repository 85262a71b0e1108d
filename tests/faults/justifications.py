"""Faults of justifications through metric operators, detected by random runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from r4.explain.justification.proof_times import ProofTimes
from rete.nodes.metric.diamond import Dilate
from rete.nodes.metric.since import Since
from tests.faults.detection import Fault, FaultArea
from tests.simulation.explanation.metric_comparison import check

if TYPE_CHECKING:
    from rete.graph.plan import Witness
    from rete.storage.interval_sets import IntervalSet


def right_side_alone() -> AbstractContextManager[object]:
    """Of Since and Until only the right side is a reason."""
    right = Since.witnesses

    def witnesses(*args: Any) -> Iterator[Witness]:
        return (found._replace(needs=found.needs[:1]) for found in right(*args))

    return patch.object(Since, "witnesses", witnesses)


def no_end() -> AbstractContextManager[object]:
    """Nothing is said to end."""
    return patch.object(ProofTimes, "_endings", lambda _: iter(()))


def too_long() -> AbstractContextManager[object]:
    """What a diamond makes true ends a tick too late."""
    right = Dilate.holds

    def later(plan: Dilate, *operands: IntervalSet) -> IntervalSet:
        return tuple((lo, hi + 2) for lo, hi in right(plan, *operands))

    return patch.object(Dilate, "holds", later)


def _detects(seed: int, fault: Fault) -> bool:
    with fault():
        try:
            check(seed)
        except AssertionError:
            return True
    return False


AREA: Final = FaultArea((right_side_alone, no_end, too_long), _detects, cases=200)
