"""An `Engine` with a state goes on where it was, or says why not."""

from __future__ import annotations

import errno
import json
import os
import warnings
from pathlib import Path
from typing import BinaryIO
from unittest.mock import patch

import pytest
from rdflib import Literal

from r4 import Engine
from r4.api import ChangeTable, CheckpointFailed, StateError
from r4.state.files import SystemFiles
from tests.r4.api.state.state_engine import EX, MORE, RULES, crash, shown
from tests.simulation.command import call


def test_what_came_out_behind_the_checkpoint_comes_again_with_its_number(state: Path) -> None:
    engine = Engine.from_text(RULES, state=state)
    engine.add([(EX.a, EX.p, EX.b)], at=1)
    engine.add([(EX.a, EX.p, EX.c)], at=8)
    before = shown(engine)
    assert before == [(1, "+", 1), (2, "-", 6)]
    crash(engine)
    with Engine.from_text(RULES, state=state) as engine:
        assert engine.calls == 2
        assert shown(engine) == before
    with Engine.from_text(RULES, state=state) as engine:
        assert engine.calls == 2
        engine.finish(None)
        assert shown(engine) == [(3, "+", 8), (4, "-", 13)]


@pytest.mark.usefixtures("due")
def test_a_change_in_hand_comes_again(state: Path) -> None:
    engine = Engine.from_text(RULES, state=state)
    engine.add([(EX.a, EX.p, EX.b)], at=1)
    engine.add([(EX.b, EX.p, EX.c)], at=8)
    for change in engine.changes():
        engine.add([(EX.c, EX.p, EX.d)], at=20)
        if change.seq == 2:
            crash(engine)
            break
    with Engine.from_text(RULES, state=state) as engine:
        assert engine.calls == 4
        assert [seq for seq, _, _ in shown(engine)] == [2, 3, 4]


@pytest.mark.usefixtures("due")
def test_of_several_that_take_changes_each_has_one_in_hand(state: Path) -> None:
    engine = Engine.from_text(RULES, state=state)
    engine.add([(EX.a, EX.p, EX[f"o{n}"]) for n in range(9)], at=1)
    engine.finish(None)
    first, second, third = (engine.changes() for _ in range(3))
    taken = [next(each).seq for each in (first, second, second, second, third, second)]
    assert taken == [1, 2, 3, 4, 5, 6]
    third.close()  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="has ended"):
        engine.advance(99)  # writes a checkpoint before that
    crash(engine)
    with Engine.from_text(RULES, state=state) as engine:
        assert [seq for seq, _, _ in shown(engine)] == [1, 6, *range(7, 19)]


@pytest.mark.usefixtures("due")
def test_what_is_taken_behind_a_checkpoint_does_not_come_behind_close(state: Path) -> None:
    with Engine.from_text(RULES, state=state) as engine:
        engine.add([(EX.a, EX.p, EX.b)], at=1)
        engine.finish(None)
        with pytest.raises(ValueError, match="has ended"):
            engine.advance(99)
        assert len(shown(engine)) == 2
    with Engine.from_text(RULES, state=state) as engine:
        assert not shown(engine)


class _FullFiles(SystemFiles):
    """A system that takes the journal, and no other file as long as it is full.

    Attributes:
        error: why it does not; 0: it does.
        journal: whether it takes no new segment of the journal either.
    """

    def __init__(self) -> None:
        self.error = 0
        self.journal = False

    def _check(self) -> None:
        if self.error:
            raise OSError(self.error, os.strerror(self.error))

    def sync(self, file: BinaryIO) -> None:
        if str(file.name).endswith(".new"):
            self._check()
        super().sync(file)

    def append(self, path: Path, *, private: bool = False) -> BinaryIO:
        if self.journal:
            self._check()
        return super().append(path, private=private)


@pytest.mark.usefixtures("due")
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EMFILE, errno.EIO])
def test_without_checkpoints_the_engine_goes_on_with_its_journal(state: Path, error: int) -> None:
    files = _FullFiles()
    wanted = [(1, "+", 1), (2, "+", 2), (3, "+", 3), (4, "+", 4), (5, "-", 6)]
    with patch("r4.state.folder.SystemFiles", lambda: files):
        engine = Engine.from_text(RULES, state=state)
        engine.add([(EX.a, EX.p, Literal(1))], at=1)
        files.error, files.journal = error, error == errno.EMFILE
        with pytest.warns(CheckpointFailed, match=os.strerror(error)) as told:
            engine.add([(EX.a, EX.p, Literal(2))], at=2)
        engine.add([(EX.a, EX.p, Literal(3))], at=3)  # warns no second time
        assert [Path(each.filename).name for each in told] == [Path(__file__).name]
        assert not list(state.glob("*.new"))
        assert engine.calls == 3
        with pytest.raises(StateError, match=os.strerror(error)):
            engine.close()
        files.error = 0
        engine = Engine.from_text(RULES, state=state)
        assert engine.calls == 3
        engine.add([(EX.a, EX.p, Literal(4))], at=4)
        crash(engine)
    with Engine.from_text(RULES, state=state) as engine:
        engine.advance(6)
        assert shown(engine) == wanted


def test_changes_that_were_left_are_in_the_checkpoint(state: Path) -> None:
    with Engine.from_text(RULES, state=state) as engine:
        engine.add([(EX.a, EX.p, EX.b)], at=1)
        engine.finish(None)
        assert next(engine.changes()).seq == 1
    with Engine.from_text(RULES, state=state) as engine:
        assert shown(engine) == [(2, "-", 6)]


def test_a_wrong_option_of_a_new_state_is_no_damage(state: Path) -> None:
    with pytest.raises(ValueError, match="nonsense"):
        Engine.from_text(RULES, state=state, keep=True, lookback="nonsense")
    Engine.from_text(RULES, state=state).close()


def test_a_closed_engine_takes_no_calls_and_gives_no_changes(state: Path) -> None:
    with Engine.from_text(RULES, state=state) as engine:
        engine.add([(EX.a, EX.p, EX.b)], at=3)
    engine.close()
    for use in (lambda: engine.advance(9), engine.sync, lambda: list(engine.changes())):
        with pytest.raises(ValueError, match="is closed"):
            use()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_forked_child_leaves_the_state_alone(state: Path) -> None:
    engine = Engine.from_text(RULES, state=state)
    engine.add([(EX.a, EX.p, EX.b)], at=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about threads
        child = os.fork()
    if not child:
        refused = 0
        try:
            for use in (lambda: engine.advance(9), engine.sync, lambda: list(engine.changes())):
                try:
                    use()
                except ValueError as error:
                    refused += "forked" in str(error)
            engine.close()
        finally:
            os._exit(refused)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    with pytest.raises(StateError, match="R4411"):
        Engine.from_text(RULES, state=state)
    engine.add([(EX.b, EX.p, EX.c)], at=8)
    crash(engine)
    with Engine.from_text(RULES, state=state) as engine:
        assert engine.calls == 2
        assert len(shown(engine)) == 2


def test_hypotheses_are_refused(state: Path) -> None:
    with pytest.raises(StateError, match="R4419"):
        Engine.from_text(RULES, state=state, hypotheses=True)


def test_other_rules_options_and_engines_are_refused_and_nothing_is_changed(state: Path) -> None:
    engine = Engine.from_text(RULES, state=state)
    engine.add([(EX.a, EX.p, EX.b)], at=3)
    with pytest.raises(StateError, match="R4411"):
        Engine.from_text(RULES, state=state)
    crash(engine)
    before = {each.name: each.read_bytes() for each in state.iterdir()}
    with pytest.raises(StateError, match="R4414 the state is of an engine with window=null"):
        Engine.from_text(RULES, state=state, window="3")
    with pytest.raises(StateError, match=r"R4414 .* other rules"):
        Engine.from_text(MORE, state=state)
    assert {each.name: each.read_bytes() for each in state.iterdir()} == before
    with Engine.from_text(RULES, state=state) as engine:
        assert engine.calls == 1


@pytest.mark.parametrize("kind", ["journal", "checkpoint", "manifest"])
def test_damage_is_refused(kind: str, state: Path) -> None:
    engine = Engine.from_text(RULES, state=state)
    for at in range(3):
        engine.add([(EX.a, EX.p, EX.b)], at=at)
    crash(engine)
    (path,) = state.glob(f"{kind}*")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(StateError, match="R4415"):
        Engine.from_text(RULES, state=state)


def test_another_version_and_other_folders_are_refused(state: Path) -> None:
    state.mkdir()
    (state / "other").touch()
    with pytest.raises(StateError, match="R4412"):
        Engine.from_text(RULES, state=state)
    (state / "other").unlink()
    Engine.from_text(RULES, state=state).close()
    manifest = state / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"version": ', '"version": 9'))
    with pytest.raises(StateError, match="R4413"):
        Engine.from_text(RULES, state=state)


def test_a_table_has_the_numbers_of_changes(state: Path) -> None:
    pytest.importorskip("pyarrow")
    with Engine.from_text(RULES, state=state) as engine:
        engine.add([(EX.a, EX.p, EX.b)], at=3)
        engine.finish(None)
        table = ChangeTable(engine.changes()).to_arrow()
    assert table.column("seq").to_pylist() == [1, 2]


def test_a_summary_counts_calls_and_changes(state: Path) -> None:
    with Engine.from_text(RULES, state=state) as engine:
        engine.add([(EX.a, EX.p, EX.b)], at=3)
        engine.advance(20)
        next(engine.changes())
    engine = Engine.from_text(RULES, state=state)
    engine.heartbeat(30)
    crash(engine)
    found = json.loads(call(["state", "show", str(state)]).out)
    counts = {name: found[name] for name in ("calls", "changes", "waiting")}
    assert counts == {"calls": 3, "changes": 2, "waiting": 1}
    assert "sources" not in found


def test_commands_show_the_state_of_an_engine_and_do_not_run_it(state: Path) -> None:
    with Engine.from_text(RULES, state=state) as engine:
        engine.add([(EX.a, EX.p, EX.b)], at=3)
    for command in ("show", "verify", "prune"):
        assert call(["state", command, str(state)]).code == 0
    assert call(["replay", str(state)]).code == 3
    rules, stream = state.parent / "rules.rif", state.parent / "s.nq"
    rules.write_text(RULES, encoding="utf-8")
    stream.touch()
    found = call(["run", str(rules), str(stream), "--state", str(state)])
    assert found.code == 3, found.err
    assert "R4414" in found.err, found.err
