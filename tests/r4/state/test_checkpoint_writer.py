"""When checkpoints are due, and why there is none."""

from __future__ import annotations

import errno
import os
import signal
import sys
from pathlib import Path
from typing import BinaryIO
from unittest.mock import patch

import pytest

from r4.state.checkpoint_writer import CheckpointWriter
from r4.state.errors import StateLost
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


class _Refusing(SystemFiles):
    """A system that takes nothing."""

    def sync(self, file: BinaryIO) -> None:
        del file
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not fork")
def test_why_a_child_wrote_none_is_told_and_it_leaves_nothing(tmp_path: Path) -> None:
    def killed() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def wrong() -> None:
        raise ValueError

    clock, path = Clock(), tmp_path / "checkpoint"
    for files, sync, reason in (
        (_Refusing(), lambda: None, "No space left"),
        (SystemFiles(), killed, "killed by signal 9"),
        (SystemFiles(), wrong, "failed"),
    ):
        writer = CheckpointWriter(files, EVERY, now=clock)
        assert not writer.begin(path, lambda: {"some": 1}, sync)
        with pytest.raises(StateLost, match=reason):
            writer.poll(wait=True)
        assert not writer.is_writing
        assert not writer.is_due
        assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not fork")
def test_a_child_that_was_waited_for_by_a_call_that_a_signal_cut_short_has_failed(
    tmp_path: Path,
) -> None:
    writer = CheckpointWriter(SystemFiles(), EVERY, now=Clock())
    assert not writer.begin(tmp_path / "checkpoint", lambda: {"some": 1}, lambda: None)
    waitpid = os.waitpid

    def interrupted(child: int, options: int) -> None:
        waitpid(child, options)
        raise KeyboardInterrupt

    with patch("os.waitpid", interrupted), pytest.raises(KeyboardInterrupt):
        writer.poll(wait=True)
    with pytest.raises(StateLost, match="failed"):
        writer.poll(wait=True)
    assert not writer.is_writing
    assert not list(tmp_path.iterdir())


def test_without_a_child_none_is_begun_until_the_next_is_due(tmp_path: Path) -> None:
    clock = Clock()
    writer = CheckpointWriter(SystemFiles(), EVERY, forks=True, now=clock)
    with (
        patch("os.fork", side_effect=OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))),
        pytest.raises(StateLost, match="temporarily unavailable"),
    ):
        writer.begin(tmp_path / "checkpoint", lambda: {"some": 1}, lambda: None)
    assert not writer.is_writing
    assert not writer.is_due
    clock.seconds += EVERY
    assert writer.is_due
