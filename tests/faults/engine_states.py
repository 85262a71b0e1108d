"""Faults of engines with a state: what a crash leaves, and how an engine goes on from it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from r4.api.state.engine_state import EngineState
from r4.api.values.change import ChangeQueue
from tests.faults.detection import Fault, FaultArea
from tests.faults.states import (
    checkpoint_not_synced,
    journal_not_synced,
    torn_record_accepted,
    torn_tail_stays,
)
from tests.simulation.state.killed_engine import difference, killed_engine


def journal_after_changes() -> AbstractContextManager[object]:
    """A call is recorded once the next one is made, so what it gives comes out before."""
    right = EngineState.append

    def append(state: EngineState, content: bytes) -> None:
        waiting = state.__dict__.pop("waiting", None)
        state.__dict__["waiting"] = content
        if waiting is not None:
            right(state, waiting)

    return patch.object(EngineState, "append", append)


def numbers_begin_anew() -> AbstractContextManager[object]:
    """Changes behind a checkpoint are counted from those in it."""
    right = ChangeQueue.number

    def number(queue: ChangeQueue, count: int, numbers: Sequence[int] = ()) -> None:
        del count
        right(queue, len(numbers), range(1, len(numbers) + 1))

    return patch.object(ChangeQueue, "number", number)


def changes_forgotten() -> AbstractContextManager[object]:
    """A checkpoint lacks the changes that were not taken out."""
    right = EngineState._saved

    def saved(state: EngineState) -> dict[str, Any]:
        found: dict[str, Any] = right(state)
        engine = {**found["engine"], "changes": []}
        return {**found, "engine": engine, "numbers": np.array([], np.int64)}

    return patch.object(EngineState, "_saved", saved)


def last_call_not_counted() -> AbstractContextManager[object]:
    """A checkpoint counts the calls before the last one."""
    right = EngineState._saved

    def saved(state: EngineState) -> dict[str, Any]:
        return {**right(state), "calls": max(0, state.calls - 1)}

    return patch.object(EngineState, "_saved", saved)


FAULTS: Final[tuple[Fault, ...]] = (
    journal_not_synced,
    journal_after_changes,
    checkpoint_not_synced,
    torn_record_accepted,
    torn_tail_stays,
    numbers_begin_anew,
    changes_forgotten,
    last_call_not_counted,
)


def _detects(seed: int, fault: Fault) -> bool:
    with TemporaryDirectory() as folder:
        return difference(killed_engine(seed), Path(folder), fault)[0] is not None


AREA: Final = FaultArea(FAULTS, _detects)
"""What comes out of a killed engine, once it has gone on."""
