"""When checkpoints are due."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.state.checkpoint_writer import CheckpointWriter
from r4.state.files import SystemFiles
from rete.arrays.state_codec import State

EVERY = 10.0


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.mark.parametrize("takes", [0.5, 3.0])
def test_a_checkpoint_is_due_by_how_long_one_takes_and_not_by_the_age(
    takes: float, tmp_path: Path
) -> None:
    clock = Clock()
    writer = CheckpointWriter(SystemFiles(), EVERY, forks=False, now=clock)

    def state() -> State:
        clock.seconds += takes
        return {"some": 1}

    def is_due(behind: float) -> bool:
        clock.seconds += behind
        return writer.is_due

    assert is_due(EVERY)
    for number in range(4):
        writer.write(tmp_path / f"checkpoint-{number}", state, lambda: None)
        assert writer.seconds == takes
        assert not is_due(max(EVERY, 10 * takes) - 0.25)
        assert is_due(0.25)
