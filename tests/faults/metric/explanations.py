"""Faults of explanations of models, detected by random facts that are explained."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from r4.explain.datalog_mtl import explainer, model_explanation
from r4.explain.datalog_mtl.data_sets import DataSets
from r4.explain.datalog_mtl.notation_writer import NotationWriter
from r4.explain.datalog_mtl.places import Place, places
from r4.explain.justification.temporal_justifications import TemporalJustifications
from rete.nodes.metric.box import Erode
from rete.nodes.metric.since import Since
from tests.faults.detection import Fault, FaultArea
from tests.simulation.metric.explanations import compare

if TYPE_CHECKING:
    from r4.explain.datalog_mtl.model_explanation import DataUse
    from r4.explain.explanation import ProofTree
    from rete.graph.plan import Witness
    from temporal.periods.periodic_model import PeriodicModel


def right_side_alone() -> AbstractContextManager[object]:
    """Of Since and Until only the right side is a reason."""
    right = Since.witnesses

    def witnesses(*args: Any) -> Iterator[Witness]:
        return (found._replace(needs=found.needs[:1]) for found in right(*args))

    return patch.object(Since, "witnesses", witnesses)


def box_needs_its_first_cell() -> AbstractContextManager[object]:
    """Of what a box is about one cell is a reason, not all its time."""
    right = Erode.witnesses

    def witnesses(*args: Any) -> Iterator[Witness]:
        for found in right(*args):
            ((number, (lo, _)),) = found.needs
            yield found._replace(needs=((number, (lo, lo + 1)),))

    return patch.object(Erode, "witnesses", witnesses)


def sets_are_not_minimal() -> AbstractContextManager[object]:
    """The leaves of any proof are said to be a minimal set."""
    return patch.object(TemporalJustifications, "_least", lambda _, proof: proof)


def nearest_place_counts() -> AbstractContextManager[object]:
    """What is found near the data is not verified for the fact far away."""
    return patch.object(DataSets, "is_minimal", lambda *_: True)


def a_tick_beside() -> AbstractContextManager[object]:
    """A fact far away is explained a tick beside the time that repeats it."""

    def moved(model: PeriodicModel[Any], when: tuple[int, int]) -> Iterator[Place]:
        for place in places(model, when):
            by = 2 * bool(place.shift)
            yield replace(place, when=(place.when[0] + by, place.when[1] + by))

    return patch.object(explainer, "places", moved)


def rules_of_the_network() -> AbstractContextManager[object]:
    """A rule is named by its number among those that matter, not by that in the program."""
    return patch.object(NotationWriter, "number", lambda _, rule: rule)


def used_cells_are_one_too_few() -> AbstractContextManager[object]:
    """Of the data that a proof uses the last cell is left out."""
    right = model_explanation.data_of

    def fewer(tree: ProofTree, writer: NotationWriter) -> tuple[DataUse, ...]:
        found = []
        for each in right(tree, writer):
            used = tuple((lo, max(lo + 1, hi - 1)) for lo, hi in each.used)
            found.append(replace(each, used=used))
        return tuple(found)

    return patch.object(explainer, "data_of", fewer)


def what_is_deleted_is_not_marked() -> AbstractContextManager[object]:
    """An explanation before an update does not say which data go."""
    return patch.object(NotationWriter, "change_of", lambda *_: "")


def _detects(seed: int, fault: Fault) -> bool:
    with fault():
        try:
            compare(seed)
        except AssertionError:
            return True
    return False


FAULTS: Final = (
    right_side_alone,
    box_needs_its_first_cell,
    sets_are_not_minimal,
    nearest_place_counts,
    a_tick_beside,
    rules_of_the_network,
    used_cells_are_one_too_few,
    what_is_deleted_is_not_marked,
)
AREA: Final = FaultArea(FAULTS, _detects)
