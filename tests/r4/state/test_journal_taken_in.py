"""Runs that go on, and are ended while they take in their journal again, over and over."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from unittest.mock import patch

import pytest

from r4.run.stream_run import StreamRun
from r4.state import folder as state_folder
from r4.state.folder import StateFolder
from tests.generators.draw import from_seed
from tests.r4.state.state_run import EagerWriter, plain_output, run, stream
from tests.seeds import soak
from tests.simulation.command import STOPPED, CommandOutput, call
from tests.simulation.state.crashing_files import Crash, CrashingFiles
from tests.simulation.state.killed_process import run_killed

_FIRST: Final = "checkpoint-00000001.r4c"


def _left() -> int:
    """How many events are recorded behind the last checkpoint."""
    folder = StateFolder(Path("state"))
    manifest = folder.manifest()
    assert manifest is not None
    return len(list(folder.entries_behind(folder.checkpoints[-1], manifest).entries()))


def _kill_at_the_end(count: int) -> bytes:
    """Kill a run that has no checkpoint but the first, late; what it was to write."""
    Path("s.nq").write_text(stream(count))
    wanted = plain_output()

    class Crashing(EagerWriter):
        """Is never due, and ends the process once enough is recorded."""

        looks = 0

        @property
        def is_due(self) -> bool:
            Crashing.looks += 1
            if Crashing.looks * 900 > Path("s.nq").stat().st_size - 3000:
                raise Crash
            return False

    with patch("r4.state.checkpoint_writer.CheckpointWriter", Crashing):
        assert _killed("--output", "out").code == STOPPED
    assert [each.name for each in Path("state").glob("checkpoint-*")] == [_FIRST]
    return wanted


def _killed(*more: str) -> CommandOutput:
    with patch("tests.r4.state.state_run.call", lambda args: call(args, Crash)):
        return run(*more)


@contextmanager
def _in(files: CrashingFiles) -> Iterator[None]:
    with (
        patch.object(state_folder, "SystemFiles", lambda: files),
        patch("r4.state.checkpoint_writer.CheckpointWriter", EagerWriter),
    ):
        yield


@pytest.mark.parametrize(
    ("count", "kills", "power"), [(300, 5, False), *soak((3000, 60, False), (3000, 60, True))]
)
def test_a_run_that_is_killed_while_it_takes_in_its_journal_gets_further(
    at: Path, count: int, kills: int, power: bool
) -> None:
    wanted, draw = _kill_at_the_end(count), from_seed(kills + power)
    lefts = [_left()]
    checkpoints = StateFolder(at / "state")
    for _ in range(kills):
        before = checkpoints.checkpoints[-1]
        with _in(CrashingFiles(draw, draw.integer(140, 600), power=power)):
            assert _killed("--output", "out").code == STOPPED
        lefts.append(_left())
        assert (lefts[-1] < lefts[-2]) == (checkpoints.checkpoints[-1] > before)
        assert call(["state", "verify", "state"]).code == 0
    assert lefts[-1] > 0, "all of it was taken in before the last kill"
    assert len(set(lefts)) > kills * 3 // 4
    assert run("--output", "out").code == 0
    assert Path("out").read_bytes() == wanted


@pytest.mark.soak
def test_processes_that_are_killed_while_they_take_in_a_journal_get_further(at: Path) -> None:
    Path("s.nq").write_text(stream(16_000))
    wanted, draw = plain_output(), from_seed(0)
    args = ["run", *(str(at / name) for name in ("r.rif", "s.nq"))]
    args += ["--output", str(at / "out"), "--state", str(at / "state"), "--checkpoint-every"]
    assert run_killed(18_000, 200, [*args, "1h"]).returncode == -signal.SIGKILL
    lefts = [_left()]
    for _ in range(50):
        killed = run_killed(draw.integer(200, 400), 200, [*args, "0"])
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        lefts.append(_left())
        assert lefts[-1] <= lefts[-2]
    assert lefts[-1] > 0, "all of it was taken in before the last kill"
    assert len(set(lefts)) > 25
    assert run_killed(10**9, 200, [*args, "1h"]).returncode == 0
    assert Path("out").read_bytes() == wanted


def test_a_signal_while_the_journal_is_taken_in_saves_the_run_there(at: Path) -> None:
    wanted, before = _kill_at_the_end(300), _left()
    check = StreamRun.check_bounds

    def stop(run: StreamRun) -> None:
        if run.counters.elements > 100:
            signal.raise_signal(signal.SIGTERM)
        check(run)

    with patch.object(StreamRun, "check_bounds", stop):
        stopped = run("--output", "out", "--checkpoint-every", "1h")
    assert stopped.code == 128 + signal.SIGTERM
    assert "the state is saved; the same command goes on from here" in stopped.err
    assert 0 < _left() < before
    assert run("--output", "out").code == 0
    assert (at / "out").read_bytes() == wanted


def test_a_run_without_room_for_its_journal_is_saved_where_it_is(at: Path) -> None:
    wanted, before = _kill_at_the_end(300), _left()
    looks = iter([10, 10, 10, 10, *[99] * 999])
    with (
        patch("rete.memory_limit.resident_bytes", lambda: next(looks)),
        patch("r4.run.run_bounds.PERIOD", -1.0),
        patch("r4.engine.core.Core.watch", lambda *_: None),
    ):
        ended = run("--output", "out", "--memory", "100B", "--checkpoint-every", "1h")
    assert ended.code == 5
    assert "with more --memory the same command goes on from here" in ended.err
    assert 0 < _left() < before
    assert run("--output", "out").code == 0
    assert (at / "out").read_bytes() == wanted


@pytest.mark.parametrize("more", [(), ("--keep-journal",)])
def test_a_recorded_run_happens_again_from_a_checkpoint_within_a_segment(
    at: Path, more: tuple[str, ...]
) -> None:
    wanted = _kill_at_the_end(300)
    with _in(CrashingFiles(from_seed(0), 600, power=False)):
        assert _killed("--output", "out", *more).code == STOPPED
    assert list(at.glob("state/checkpoint-*-in-*.r4c"))
    told = call(["replay", "state"]).out.encode()
    assert wanted.startswith(told) if more else told in wanted
    assert told
    assert run("--output", "out", *more).code == 0
    assert (at / "out").read_bytes() == wanted
    again = call(["replay", "state"])
    assert again.code == 0
    assert wanted.endswith(again.out.encode())
    assert (again.out.encode() == wanted) == bool(more)
