"""Runs with a state that a signal, the memory, the disk or a kill ends, and that go on."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path
from typing import BinaryIO
from unittest.mock import patch

import pytest

from r4.engine.core import Core
from r4.state import folder as state_folder
from r4.state.checkpoint_writer import CheckpointWriter
from r4.state.files import SystemFiles
from tests.generators.draw import from_seed
from tests.r4.state.state_run import EagerWriter, plain_output, run, run_on_full_disk
from tests.simulation.state.crashing_files import Crash, CrashingFiles
from tests.simulation.state.killed_process import run_killed


def test_a_signal_saves_the_run_and_does_not_end_its_input(at: Path) -> None:
    wanted = plain_output()

    class Stopping(EagerWriter):
        """Sends SIGTERM before the third event."""

        @property
        def is_due(self) -> bool:
            if len(list(at.glob("state/checkpoint-*"))) == 2:
                signal.raise_signal(signal.SIGTERM)
            return True

    with patch("r4.state.checkpoint_writer.CheckpointWriter", Stopping):
        stopped = run("--output", "out")
    assert stopped.code == 128 + signal.SIGTERM
    assert "the state is saved; the same command goes on from here" in stopped.err
    assert Path("out").stat().st_size < len(wanted)
    again = run("--output", "out")
    assert again.code == 0
    assert "resumed at line" in again.err
    assert Path("out").read_bytes() == wanted


def test_a_run_without_room_is_saved_and_goes_on_with_more(at: Path) -> None:
    wanted = plain_output()
    looks = iter([10, 10, *[99] * 99])
    with (
        patch("rete.memory_limit.resident_bytes", lambda: next(looks)),
        patch("r4.run.run_bounds.PERIOD", -1.0),
        patch.object(Core, "watch", lambda *_: None),
    ):
        ended = run("--output", "out", "--memory", "100B")
    assert ended.code == 5
    assert "99 of 100 bytes of memory are in use, and nothing can be forgotten; a win" in ended.err
    assert "with more --memory the same command goes on from here" in ended.err
    assert (at / "out").stat().st_size < len(wanted)
    assert run("--output", "out").code == 0
    assert (at / "out").read_bytes() == wanted


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EMFILE, errno.EIO])
def test_a_system_that_takes_no_more_ends_the_run_with_a_code(at: Path, error: int) -> None:
    del at
    wanted = plain_output()
    for operations in (0, 1, 2, 5, 9, 14, 33, 60):
        lost = run_on_full_disk(operations, error)
        assert lost.code in {2, 6}, lost.err
        assert os.strerror(error) in lost.err
        assert "Traceback" not in lost.err
    assert run("--output", "out").code == 0
    assert Path("out").read_bytes() == wanted


class _WithoutCheckpoints(SystemFiles):
    """A system that takes all but checkpoints, and none of a child."""

    def create(self, path: Path) -> BinaryIO:
        if "checkpoint" not in path.name or "checkpoint-00000001" in path.name:
            return super().create(path)
        super().create(path).close()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class _EagerFork(CheckpointWriter):
    """The same as `EagerWriter` by a child where that can be; then one is waited for."""

    @property
    def is_due(self) -> bool:
        return not self.is_writing

    def poll(self, *, wait: bool = False) -> bool:
        del wait
        return super().poll(wait=True)


@pytest.mark.parametrize("writer", [EagerWriter, _EagerFork])
def test_without_checkpoints_the_run_goes_on_with_its_journal(
    at: Path, writer: type[CheckpointWriter]
) -> None:
    wanted = plain_output()
    with (
        patch.object(state_folder, "SystemFiles", _WithoutCheckpoints),
        patch("r4.state.checkpoint_writer.CheckpointWriter", writer),
    ):
        lost = run("--output", "out")
    assert lost.code == 6  # the end cannot be noted
    assert lost.err.count("warning: no checkpoint could be written") == 1
    assert "No space left" in lost.err
    assert Path("out").read_bytes() == wanted
    assert [each.name for each in at.glob("state/checkpoint-*")] == ["checkpoint-00000001.r4c"]
    assert run("--output", "out").code == 0
    assert Path("out").read_bytes() == wanted


@pytest.mark.parametrize("seed", range(8))
def test_a_run_over_files_goes_on_if_the_power_failed_during_a_checkpoint(
    at: Path, seed: int
) -> None:
    wanted, draw = plain_output(), from_seed(seed)

    class Rare(EagerWriter):
        """Writes a checkpoint now and then, so that there are events between two."""

        @property
        def is_due(self) -> bool:
            return draw.chance(15)

    files = CrashingFiles(draw, draw.integer(140, 500), power=True)
    with (
        patch.object(state_folder, "SystemFiles", lambda: files),
        patch("r4.state.checkpoint_writer.CheckpointWriter", Rare),
        pytest.raises(Crash),
    ):
        run("--output", "out")
    assert run("--output", "out").code == 0
    assert (at / "out").read_bytes() == wanted


@pytest.mark.slow
def test_processes_that_are_killed_go_on(at: Path) -> None:
    wanted = plain_output()
    names = [str(at / name) for name in ("r.rif", "s.nq")]
    args = ["run", *names, "--output", str(at / "out"), "--state", str(at / "state")]
    args += ["--checkpoint-every", "0"]
    for operation in (14, 31):
        killed = run_killed(operation, 2500, args)
        assert killed.returncode == -9, killed.stderr
    last = run_killed(10**9, 2500, args)
    assert last.returncode == 0, last.stderr
    assert "resumed" in last.stderr
    assert Path("out").read_bytes() == wanted
