"""Faults of constraints, detected by random programs that have some."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

from rete.kernels import clip
from temporal.model import least_model, violations
from temporal.periods.periodic_model import PeriodicModel
from tests.faults.detection import Fault, FaultArea
from tests.simulation.metric.constraints import compare

if TYPE_CHECKING:
    from rete.arrays.delta import Rows
    from rif.syntax import ast
    from temporal.mtl.ast import PredicateKey

_named_head, _by_terms = violations._named_head, violations._by_terms


def box_of_the_head_is_forgotten() -> AbstractContextManager[object]:
    """What is inconsistent is the time of the body."""

    def bare(head: ast.Formula, number: int, names: list[str]) -> ast.Formula:
        while hasattr(head, "body"):
            head = head.body
        return _named_head(head, number, names)

    return patch.object(violations, "_named_head", bare)


def values_are_exchanged() -> AbstractContextManager[object]:
    """The values of the variables of an instance are those of others."""

    def exchanged(rows: Rows) -> Iterator[tuple[Rows, Rows]]:
        return ((terms[::-1], times) for terms, times in _by_terms(rows))

    return patch.object(violations, "_by_terms", exchanged)


def nothing_beside_the_segment() -> AbstractContextManager[object]:
    """Operators of constraints do not see what lies before and behind the segment."""

    around = PeriodicModel.around

    def inside(
        periodic: PeriodicModel[PredicateKey], lo: int, hi: int
    ) -> Iterator[tuple[PredicateKey, Rows]]:
        for key, rows in around(periodic, lo, hi):
            yield key, clip(rows, *periodic.segment)

    return patch.object(PeriodicModel, "around", inside)


def inconsistency_is_a_fact() -> AbstractContextManager[object]:
    """BOTTOM is among the facts of the model."""
    return patch.object(least_model, "BOTTOM_KEY", ("", 0))


def first_instance_alone() -> AbstractContextManager[object]:
    """Of the instances of a rule the first is said to be all."""

    def first(rows: Rows) -> Iterator[tuple[Rows, Rows]]:
        return (group for group, _ in zip(_by_terms(rows), range(1), strict=False))

    return patch.object(violations, "_by_terms", first)


def _detects(seed: int, fault: Fault) -> bool:
    with fault():
        try:
            compare(seed)
        except AssertionError:
            return True
    return False


FAULTS: Final = (
    box_of_the_head_is_forgotten,
    values_are_exchanged,
    nothing_beside_the_segment,
    inconsistency_is_a_fact,
    first_instance_alone,
)
AREA: Final = FaultArea(FAULTS, _detects)
