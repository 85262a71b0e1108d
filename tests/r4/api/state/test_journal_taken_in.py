"""Engines that are opened, and are killed while they make the calls of their journal again."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NoReturn
from unittest.mock import PropertyMock, patch

import pytest
from rdflib import Literal

from r4 import Engine
from r4.api import CheckpointFailed
from r4.state import folder as state_folder
from r4.state.checkpoint_writer import CheckpointWriter
from r4.state.files import SystemFiles
from r4.state.folder import StateFolder
from tests.generators.draw import from_seed
from tests.r4.api.state.state_engine import EX, MORE, RULES, crash, shown
from tests.seeds import soak
from tests.simulation.command import call
from tests.simulation.state.crashing_files import Crash, CrashingFiles

CALLS = 60


def _call(engine: Engine, calls: int = CALLS) -> None:
    engine.add_rules(MORE)
    for at in range(calls):
        engine.add([(EX[f"s{at % 7}"], EX.p, Literal(at % 3))], at=at)


def _wanted(calls: int = CALLS) -> list[tuple[int | None, str, object]]:
    engine = Engine.from_text(RULES)
    _call(engine, calls)
    engine.finish(drain=None)
    return [(number, *each[1:]) for number, each in enumerate(shown(engine), 1)]


def _recorded(state: Path, calls: int = CALLS) -> None:
    engine = Engine.from_text(RULES, state=state)
    _call(engine, calls)
    crash(engine)


def _left(state: Path) -> int:
    """How many calls are recorded behind the last checkpoint."""
    folder = StateFolder(state)
    manifest = folder.manifest()
    assert manifest is not None
    return len(list(folder.entries_behind(folder.checkpoints[-1], manifest).entries()))


@contextmanager
def _in(files: SystemFiles) -> Iterator[None]:
    """A checkpoint is due before each call."""
    due = PropertyMock(return_value=True)
    with (
        patch.object(CheckpointWriter, "is_due", due),
        patch.object(state_folder, "SystemFiles", lambda: files),
    ):
        yield


@pytest.mark.parametrize(
    ("calls", "kills", "power"), [(CALLS, 6, False), *soak((600, 60, False), (600, 60, True))]
)
def test_an_engine_that_is_killed_while_it_is_opened_gets_further(
    state: Path, calls: int, kills: int, power: bool
) -> None:
    _recorded(state, calls)
    draw, lefts, before = from_seed(kills + power), [_left(state)], [1]
    for _ in range(kills):
        files = CrashingFiles(draw, draw.integer(140, 600), power=power)
        with _in(files), pytest.raises(Crash):
            Engine.from_text(RULES, state=state)
        lefts.append(_left(state))
        before.append(StateFolder(state).checkpoints[-1])
        assert (lefts[-1] < lefts[-2]) == (before[-1] > before[-2])
        assert call(["state", "verify", str(state)]).code == 0
    assert lefts[-1] > 0, "all of it was made before the last kill"
    assert len(set(lefts)) > kills * 3 // 4
    engine = Engine.from_text(RULES, state=state)
    assert engine.calls == calls + 1
    engine.finish(drain=None)
    assert shown(engine) == _wanted(calls)


def test_a_segment_that_a_crash_left_without_a_record_is_begun_again(state: Path) -> None:
    _recorded(state)
    (state / "journal-00000002.r4j").write_bytes(bytes(40))
    files = CrashingFiles(from_seed(0), 900, power=False)
    with _in(files), pytest.raises(Crash):
        Engine.from_text(RULES, state=state)
    assert StateFolder(state).checkpoints[-1] > 2
    for _ in range(2):
        crash(Engine.from_text(RULES, state=state))
    engine = Engine.from_text(RULES, state=state)
    engine.finish(drain=None)
    assert shown(engine) == _wanted()


class _KillingFiles(CrashingFiles):
    """Files whose process is killed."""

    def crash(self) -> NoReturn:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


@pytest.mark.soak
def test_processes_that_are_killed_while_they_open_an_engine_get_further(state: Path) -> None:
    _recorded(state, 600)
    draw, lefts = from_seed(0), [_left(state)]
    for _ in range(20):
        at = draw.integer(140, 600)
        if not (child := os.fork()):
            with _in(_KillingFiles(draw, at, power=False)):
                Engine.from_text(RULES, state=state)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        lefts.append(_left(state))
    assert lefts[-1] > 0, "all of it was made before the last kill"
    assert all(left <= before for before, left in pairwise(lefts))
    engine = Engine.from_text(RULES, state=state)
    engine.finish(drain=None)
    assert shown(engine) == _wanted(600)


def test_without_room_for_checkpoints_an_engine_is_opened_by_its_journal(state: Path) -> None:
    _recorded(state)
    before = _left(state)

    class Full(SystemFiles):
        def create(self, path: Path) -> NoReturn:
            raise OSError(28, os.strerror(28), path)

    with _in(Full()), pytest.warns(CheckpointFailed) as told:
        engine = Engine.from_text(RULES, state=state)
    assert (len(told), _left(state)) == (1, before)
    crash(engine)
    engine = Engine.from_text(RULES, state=state)
    engine.finish(drain=None)
    assert shown(engine) == _wanted()
