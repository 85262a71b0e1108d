"""Faults in what aggregates over endless time keep of rows that they have summed up."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import numpy as np

from rete.nodes.aggregate import AggregateNode
from rete.nodes.group_values import GroupValues
from rete.nodes.metric.diamond import DilateNode
from tests.faults.detection import Fault, FaultArea
from tests.simulation.summation import compare, random_case

if TYPE_CHECKING:
    from rete.arrays.delta import Rows
    from rete.arrays.state_codec import Mask

Context = AbstractContextManager[object]


def the_first_to_come_is_enough() -> Context:
    """Of each group one row is kept, whatever is chosen."""
    right = GroupValues.needed

    def needed(groups: GroupValues, rows: Rows) -> Mask:
        if groups._adds_up:
            return right(groups, rows)
        found = np.zeros(len(rows), np.bool_)
        found[0] = True
        return found

    return patch.object(GroupValues, "needed", needed)


def totals_begin_anew() -> Context:
    """What is summed up takes the place of what was before."""
    right = GroupValues.sum_up

    def sum_up(groups: GroupValues, rows: Rows) -> None:
        groups.totals.clear()
        right(groups, rows)

    return patch.object(GroupValues, "sum_up", sum_up)


def totals_are_not_saved() -> Context:
    """A state has the rows that are left alone."""
    return patch.object(AggregateNode, "_read_totals", lambda *_: {})


def all_that_lost_a_derivation_is_lost() -> Context:
    """Though nobody knows any more what else it follows from."""
    return patch.object(DilateNode, "losable", lambda _, rows: rows)


FAULTS: Final[tuple[Fault, ...]] = (
    the_first_to_come_is_enough,
    totals_begin_anew,
    totals_are_not_saved,
    all_that_lost_a_derivation_is_lost,
)


def _detects(seed: int, fault: Fault) -> bool:
    case = random_case(seed // 2, retracts=bool(seed % 2))
    with TemporaryDirectory() as folder:
        found = compare(case, seed // 2, Path(folder), fault)
    return found.found != found.wanted


AREA: Final = FaultArea(FAULTS, _detects)
