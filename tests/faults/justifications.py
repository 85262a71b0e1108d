"""Faults of justifications through metric operators, detected by random runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from r4.explain.justification import proof_times, temporal_proof
from r4.explain.justification.intervals import dilate
from r4.explain.justification.proof_times import ProofTimes
from tests.faults.detection import Fault, FaultArea
from tests.simulation.explanation.metric_comparison import check

if TYPE_CHECKING:
    from r4.explain.justification.intervals import CellInterval
    from r4.explain.justification.temporal_proof import ProofStep
    from rete.planning.plan import Cells


def right_side_alone() -> AbstractContextManager[object]:
    """Of Since and Until only the right side is a reason."""
    right = temporal_proof._chains

    def chains(*args: Any) -> Iterator[ProofStep]:
        return (piece._replace(goals=piece.goals[:1]) for piece in right(*args))

    return patch.object(temporal_proof, "_chains", chains)


def no_end() -> AbstractContextManager[object]:
    """Nothing is said to end."""
    return patch.object(ProofTimes, "_endings", lambda _: iter(()))


def too_long() -> AbstractContextManager[object]:
    """What an operator dilates ends a tick too late."""

    def later(pair: CellInterval, rho: Cells, *, future: bool) -> CellInterval:
        lo, hi = dilate(pair, rho, future=future)
        return lo, hi + 2

    return patch.object(proof_times, "dilate", later)


def _detects(seed: int, fault: Fault) -> bool:
    with fault():
        try:
            check(seed)
        except AssertionError:
            return True
    return False


AREA: Final = FaultArea((right_side_alone, no_end, too_long), _detects, cases=200)
