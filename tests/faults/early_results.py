"""Faults of `--order arrival`, detected by stories in which facts and rules come and go."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Final
from unittest.mock import patch

import r4.answers.early_results
from r4.answers.early_results import EarlyResults
from tests.faults.detection import Fault, FaultArea
from tests.generators.draw import from_seed
from tests.generators.stories.retraction import story
from tests.simulation.retraction.early_results import fault_of


def rules_that_shift_are_not_noted() -> AbstractContextManager[object]:
    """A line keeps the rule that it was told with."""
    return patch.object(EarlyResults, "shift", lambda *_: None)


def losses_are_not_noted() -> AbstractContextManager[object]:
    """What is lost is looked at again only when something else happens to it."""
    return patch.object(EarlyResults, "lose", lambda *_: None)


def ends_are_told_at_once() -> AbstractContextManager[object]:
    """An end is due when time reaches it, not when it passes it."""
    return patch.object(r4.answers.early_results, "_AHEAD", 0)


def nothing_is_undone() -> AbstractContextManager[object]:
    """What proves untrue is not repeated."""
    right = EarlyResults.due

    def due(early: EarlyResults, *args: object) -> object:
        early._undone.clear()
        return right(early, *args)  # type: ignore[arg-type]

    return patch.object(EarlyResults, "due", due)


def what_is_final_is_undone() -> AbstractContextManager[object]:
    """What was told stays open though its instant is closed."""
    right = EarlyResults.close

    def close(early: EarlyResults, limit: int) -> object:
        emitted = dict(early._emitted)
        found = right(early, limit)
        early._emitted = emitted | early._emitted
        return found

    return patch.object(EarlyResults, "close", close)


def _detects(seed: int, fault: Fault) -> bool:
    with fault():
        _, found = fault_of(story(from_seed(seed)))
    return found is not None and "--- oracle" in found


AREA: Final = FaultArea(
    (
        rules_that_shift_are_not_noted,
        losses_are_not_noted,
        ends_are_told_at_once,
        nothing_is_undone,
        what_is_final_is_undone,
    ),
    _detects,
    cases=400,
)
