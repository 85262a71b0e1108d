"""`r4 run --state`, `r4 state`, `r4 status` and `r4 replay` as users call them."""

from __future__ import annotations

import errno
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import BinaryIO, cast
from unittest.mock import patch

import pytest

from r4.cli.sessions.stream_session import StreamSession
from r4.engine.core import Core
from r4.path_lock import FolderLock
from r4.state import folder as state_folder
from r4.state.checkpoint_writer import CheckpointWriter
from r4.state.files import SystemFiles
from tests.simulation.command import CommandOutput, call, small_batches
from tests.simulation.state.killed_process import run_killed
from tests.simulation.state.watched_file import WatchedFile

RULES = """
Document( Prefix(ex <http://ex.org/>) Window(30)
  Group( Forall ?x ?y ( ?x[ex:r -> ?y] :- And(?x[ex:p -> ?y] ?x[ex:q -> ?y]) ) ) )
"""
COUNT = 120


def _stream(count: int = COUNT) -> str:
    ex, stamp = "http://ex.org/", "<http://www.w3.org/ns/prov#generatedAtTime>"
    integer = "^^<http://www.w3.org/2001/XMLSchema#integer>"
    return "".join(
        f'<urn:g{i}> {stamp} "{i}"{integer} .\n'
        f"<{ex}s{i % 7}> <{ex}{'pq'[i % 2]}> <{ex}o{i % 3}> <urn:g{i}> .\n"
        for i in range(count)
    )


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.rif").write_text(RULES)
    (tmp_path / "s.nq").write_text(_stream())
    return tmp_path


def _run(*more: str) -> CommandOutput:
    with small_batches(900):
        return call(["run", "r.rif", "s.nq", "--state", "state", "--checkpoint-every", "0", *more])


def _plain() -> bytes:
    assert call(["run", "r.rif", "s.nq", "--output", "plain"]).code == 0
    return Path("plain").read_bytes()


def test_a_run_that_has_ended_is_not_begun_again(at: Path) -> None:
    del at
    assert _run("--output", "out").code == 0
    assert Path("out").read_bytes() == _plain() != b""
    again = _run("--output", "out")
    assert (again.code, again.out) == (0, "")
    assert "the run has ended" in again.err
    assert Path("out").read_bytes() == _plain()


def test_lines_on_standard_output_have_numbers(at: Path) -> None:
    del at
    lines = [json.loads(line) for line in _run().lines()]
    assert [line.pop("seq") for line in lines] == list(range(1, len(lines) + 1))
    assert lines == [json.loads(line) for line in _plain().splitlines()]


def test_a_recorded_run_happens_again(at: Path) -> None:
    del at
    _run("--output", "out", "--keep-journal")
    assert call(["replay", "state"]).out.encode() == _plain()


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (["--output", "out", "--window", "4"], 3, "R4414 the state is of a run with --window"),
        (["--output", "other"], 3, "R4414 the state is of a run with --output out"),
        (["--output", "out", "--semantics", "instances"], 3, "R4414"),
        (["--output", "out", "--delay", "2"], 3, "a run with --delay (not given)"),
        ([], 3, "R4414"),
        (["--output", "/dev/null"], 3, "R4414"),
        (["--output", "out", "--hypotheses"], 2, "possible answers cannot be saved"),
        (["--output", "out", "--as", "parquet"], 2, "parquet"),
        (["--as", "trig"], 2, "name --output FILE"),
    ],
)
def test_another_command_is_refused(at: Path, change: list[str], code: int, message: str) -> None:
    del at
    _run("--output", "out")
    before = _files()
    refused = _run(*change)
    assert (refused.code, refused.out) == (code, "")
    assert message in refused.err
    assert _files() == before


def test_options_of_a_state_are_shown_as_they_are_given(at: Path) -> None:
    del at
    _run("--output", "out", "--delay", "2", "--delay", "urn:x=3")
    assert "R4414 the state is of a run with --delay 2 --delay urn:x=3\n" in _run().err


def _piped(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> CommandOutput:
    """A run with a pipe for standard input, whose writer ends it."""
    reading, writing = os.pipe()
    os.write(writing, sent)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        monkeypatch.setattr("sys.stdin", pipe)
        return call(["run", "r.rif", "-", "--state", "state", "--output", "out"])


def test_what_a_pipe_sends_after_the_end_of_the_run_is_refused(
    at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del at
    sent = _stream(20).encode()
    assert _piped(monkeypatch, sent).code == 0
    told, before = Path("out").read_bytes(), _files()
    refused = _piped(monkeypatch, sent)
    assert refused.code == 3
    assert "R4420 the input of this run ended at line 40; what comes now is not" in refused.err
    assert "hint: name another folder" in refused.err
    assert (Path("out").read_bytes(), _files()) == (told, before)
    ended = _piped(monkeypatch, b"")
    assert ended.code == 0
    assert "the run has ended, and all of its output is there" in ended.err


def test_a_run_that_goes_on_says_from_which_line_a_pipe_is_to_be_sent(
    at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = _stream(60).encode()
    place = whole.index(b"\n", 900) + 1
    (at / "s.nq").write_bytes(whole)
    assert call(["run", "r.rif", "s.nq", "--output", "plain"]).code == 0

    class Stopping(_EagerWriter):
        """Sends SIGTERM before the second event."""

        @property
        def is_due(self) -> bool:
            signal.raise_signal(signal.SIGTERM)
            return True

    with patch("r4.state.checkpoint_writer.CheckpointWriter", Stopping):
        assert _piped(monkeypatch, whole[: place + 30]).code == 128 + signal.SIGTERM
    again = _piped(monkeypatch, whole[place:])
    line = whole.count(b"\n", 0, place) + 1
    assert f"resumed: send <stdin> from line {line} on\n" in again.err
    assert (at / "out").read_bytes() == (at / "plain").read_bytes() != b""


def test_other_rules_are_refused(at: Path) -> None:
    _stopped()
    (at / "r.rif").write_text(RULES.replace("ex:q", "ex:t"))
    before = _files()
    refused = _run("--output", "out")
    assert refused.code == 3
    assert "R4414 the state is of other rules" in refused.err
    assert _files() == before


def test_rules_that_are_written_otherwise_are_the_same(at: Path) -> None:
    wanted = _plain()
    _stopped()
    (at / "r.rif").write_text(RULES.replace("?y", "?other"))
    assert _run("--output", "out").code == 0
    assert Path("out").read_bytes() == wanted


def test_another_input_is_refused(at: Path) -> None:
    _stopped()
    (at / "s.nq").write_text(_stream().replace("org/s", "org/z"))
    refused = _run("--output", "out")
    assert refused.code == 3
    assert "R4416 s.nq: it is not what was read of it before" in refused.err


def test_an_output_that_lacks_what_was_committed_is_refused(at: Path) -> None:
    _stopped()
    (at / "out").write_bytes(b"")
    refused = _run("--output", "out")
    assert refused.code == 3
    assert "R4417 out has 0 bytes, but" in refused.err


def test_a_refused_state_makes_no_output(at: Path) -> None:
    wanted = _plain()
    _stopped("--late", "late")
    (at / "out").rename("kept")
    (at / "late").unlink()
    before = _files()
    lost = _run("--output", "out", "--late", "late")
    (at / "r.rif").write_text(RULES.replace("ex:q", "ex:t"))
    other = _run("--output", "out", "--late", "late")
    assert (lost.code, other.code) == (3, 3)
    assert "R4417 out does not exist, but" in lost.err
    assert "R4414" in other.err
    (at / "r.rif").write_text(RULES)
    assert _files() == before
    (at / "kept").rename("out")
    assert _run("--output", "out", "--late", "late").code == 0
    assert (at / "out").read_bytes() == wanted
    assert (at / "late").read_bytes() == b""


@pytest.mark.parametrize("name", ["out", "late"])
def test_a_run_that_has_ended_without_its_output_is_refused(at: Path, name: str) -> None:
    files = ("--output", "out", "--late", "late")
    (at / "s.nq").write_text(_stream() + _stream(20))
    assert _run(*files).code == 0
    whole = (at / name).read_bytes()
    (at / name).write_bytes(whole[:-1])
    short = _run(*files)
    (at / name).unlink()
    gone = _run(*files)
    assert (short.code, gone.code) == (3, 3)
    assert f"R4417 {name} has {len(whole) - 1} bytes, but {len(whole)} were co" in short.err
    assert f"R4417 {name} does not exist, but {len(whole)} bytes were committed" in gone.err
    assert "all of its output" not in short.err + gone.err
    assert not (at / name).exists()
    (at / name).write_bytes(whole)
    assert _run(*files).code == 0
    assert call(["replay", "state"]).code == 0


def test_static_data_are_those_of_the_begin(at: Path) -> None:
    (at / "o.nt").write_text("<http://ex.org/s1> <http://ex.org/q> <http://ex.org/o1> .\n")
    static = ("--static", "o.nt", "--output", "out", "--keep-journal")
    assert call(["run", "r.rif", "s.nq", "--static", "o.nt", "--output", "plain"]).code == 0
    with patch.object(state_folder, "SystemFiles", lambda: _FullDisk(10, errno.ENOSPC)):
        assert _run(*static, "--checkpoint-every", "1h").code == 6
    (at / "o.nt").write_text("")
    assert _run(*static, "--checkpoint-every", "1h").code == 0
    assert Path("out").read_bytes() == Path("plain").read_bytes()
    assert call(["replay", "state"]).out.encode() == Path("plain").read_bytes()


def test_what_was_appended_to_the_input_meanwhile_is_read(at: Path) -> None:
    _stopped()
    (at / "s.nq").write_text(_stream(2 * COUNT))
    assert _run("--output", "out").code == 0
    assert Path("out").read_bytes() == _plain()


def test_a_folder_that_is_used_or_is_something_else_is_refused(at: Path) -> None:
    (at / "state").mkdir()
    with FolderLock(at / "state"):
        used = _run("--output", "out")
    (at / "state" / "photo.jpg").write_bytes(b"")
    other = _run("--output", "out")
    assert (used.code, other.code) == (3, 3)
    assert "R4411 another process or engine uses state" in used.err
    assert "R4412 state holds photo.jpg" in other.err
    assert call(["state", "show", "nowhere"]).code == 3
    assert call(["status", "nowhere"]).code == 3
    assert call(["replay", "nowhere"]).code == 3


def test_what_a_state_has_is_shown(at: Path) -> None:
    _stopped()
    shown = json.loads(call(["state", "show", "state"]).out)
    assert shown["ended"] is None
    (source,) = shown["sources"]
    assert source["name"] == "s.nq"
    assert 0 < source["byte"] < len(_stream())
    status = json.loads(call(["status", "state"]).out)
    assert "checkpoint" in status
    assert status["running"] is False
    with FolderLock(at / "state"):
        assert json.loads(call(["status", "state"]).out)["running"] is True
    verified = call(["state", "verify", "state"])
    assert verified.code == 0
    assert "manifest.json: whole" in verified.out
    assert "removed" in call(["state", "prune", "state"]).out
    assert len(list(Path("state").glob("checkpoint-*"))) == 1
    assert _run("--output", "out").code == 0
    assert Path("out").read_bytes() == _plain()


def test_without_its_last_checkpoint_a_run_goes_on_from_the_one_before(at: Path) -> None:
    wanted = _plain()
    _stopped()
    *_, last = sorted((at / "state").glob("checkpoint-*"))
    whole = bytearray(last.read_bytes())
    whole[len(whole) // 2] ^= 1
    last.write_bytes(whole)
    before = _files()
    refused = _run("--output", "out")
    assert refused.code == 3
    assert f"R4415 state/{last.name} is damaged" in refused.err
    assert f"remove {last.name} to go on from the checkpoint before it" in refused.err
    assert "R4415" in call(["state", "verify", "state"]).err
    assert "R4415" in call(["state", "prune", "state"]).err
    assert _files() == before
    last.unlink()
    assert _run("--output", "out").code == 0
    assert Path("out").read_bytes() == wanted


def test_a_signal_saves_the_run_and_does_not_end_its_input(at: Path) -> None:
    wanted = _plain()

    class Stopping(_EagerWriter):
        """Sends SIGTERM before the third event."""

        @property
        def is_due(self) -> bool:
            if len(list(at.glob("state/checkpoint-*"))) == 2:
                signal.raise_signal(signal.SIGTERM)
            return True

    with patch("r4.state.checkpoint_writer.CheckpointWriter", Stopping):
        stopped = _run("--output", "out")
    assert stopped.code == 128 + signal.SIGTERM
    assert "the state is saved; the same command goes on from here" in stopped.err
    assert Path("out").stat().st_size < len(wanted)
    again = _run("--output", "out")
    assert again.code == 0
    assert "resumed at line" in again.err
    assert Path("out").read_bytes() == wanted


def test_a_file_is_no_state(at: Path) -> None:
    (at / "file").write_text("")
    for state in ("file", "file/folder"):
        found = call(["run", "r.rif", "s.nq", "--state", state])
        assert (found.code, found.out) == (6, "")
        assert "R4418" in found.err
        assert "hint: a state is a folder: give one that is" in found.err


def test_a_run_without_room_is_saved_and_goes_on_with_more(at: Path) -> None:
    wanted = _plain()
    looks = iter([10, 10, *[99] * 99])
    with (
        patch("rete.memory_limit.resident_bytes", lambda: next(looks)),
        patch("r4.run.run_bounds.PERIOD", -1.0),
        patch.object(Core, "watch", lambda *_: None),
    ):
        ended = _run("--output", "out", "--memory", "100B")
    assert ended.code == 5
    assert "99 of 100 bytes of memory are in use, and nothing can be forgotten; a win" in ended.err
    assert "with more --memory the same command goes on from here" in ended.err
    assert (at / "out").stat().st_size < len(wanted)
    assert _run("--output", "out").code == 0
    assert (at / "out").read_bytes() == wanted


class _FullDisk(SystemFiles):
    """A system that refuses all from some operation on."""

    def __init__(self, operations: int, error: int) -> None:
        self.left = operations
        self.error = error

    def step(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise OSError(self.error, os.strerror(self.error))

    def append(self, path: Path) -> BinaryIO:
        self.step()
        return cast("BinaryIO", WatchedFile(path, super().append(path), self._write))

    def _write(self, file: BinaryIO, data: bytes) -> int:
        self.step()
        return file.write(data)

    def create(self, path: Path) -> BinaryIO:
        self.step()
        return super().create(path)

    def sync(self, file: BinaryIO) -> None:
        self.step()
        super().sync(file)

    def cut(self, file: BinaryIO, size: int) -> None:
        self.step()
        super().cut(file, size)

    def replace(self, path: Path, write: Callable[[BinaryIO], object]) -> None:
        self.step()
        super().replace(path, write)


def _limited(operations: int, error: int = errno.ENOSPC, *more: str) -> CommandOutput:
    with (
        patch.object(state_folder, "SystemFiles", lambda: _FullDisk(operations, error)),
        patch("r4.state.checkpoint_writer.CheckpointWriter", _EagerWriter),
    ):
        return _run("--output", "out", *more)


class _EagerWriter(CheckpointWriter):
    """Writes a checkpoint before each event, and the run waits."""

    def __init__(self, files: SystemFiles, every: float) -> None:
        super().__init__(files, every, forks=False)

    @property
    def is_due(self) -> bool:
        return True


def _stopped(*more: str) -> None:
    """A run that ends somewhere in the middle."""
    assert _limited(110, errno.ENOSPC, *more).code == 6


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EMFILE, errno.EIO])
def test_a_system_that_takes_no_more_ends_the_run_with_a_code(at: Path, error: int) -> None:
    del at
    wanted = _plain()
    for operations in (0, 1, 2, 5, 9, 14, 33, 60):
        lost = _limited(operations, error)
        assert lost.code in {2, 6}, lost.err
        assert os.strerror(error) in lost.err
        assert "Traceback" not in lost.err
    assert _run("--output", "out").code == 0
    assert Path("out").read_bytes() == wanted


class _WithoutCheckpoints(SystemFiles):
    """A system that takes all but checkpoints, and none of a child."""

    def create(self, path: Path) -> BinaryIO:
        if "checkpoint" not in path.name or "checkpoint-00000001" in path.name:
            return super().create(path)
        super().create(path).close()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class _EagerFork(CheckpointWriter):
    """The same as `_EagerWriter` by a child where that can be; then one is waited for."""

    @property
    def is_due(self) -> bool:
        return not self.is_writing

    def poll(self, *, wait: bool = False) -> bool:
        del wait
        return super().poll(wait=True)


@pytest.mark.parametrize("writer", [_EagerWriter, _EagerFork])
def test_without_checkpoints_the_run_goes_on_with_its_journal(
    at: Path, writer: type[CheckpointWriter]
) -> None:
    wanted = _plain()
    with (
        patch.object(state_folder, "SystemFiles", _WithoutCheckpoints),
        patch("r4.state.checkpoint_writer.CheckpointWriter", writer),
    ):
        lost = _run("--output", "out")
    assert lost.code == 6  # the end cannot be noted
    assert lost.err.count("warning: no checkpoint could be written") == 1
    assert "No space left" in lost.err
    assert Path("out").read_bytes() == wanted
    assert [each.name for each in at.glob("state/checkpoint-*")] == ["checkpoint-00000001.r4c"]
    assert _run("--output", "out").code == 0
    assert Path("out").read_bytes() == wanted


def test_a_checkpoint_is_written_while_nothing_comes(
    at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = _plain()
    reading, writing = os.pipe()
    monkeypatch.setattr("sys.stdin", os.fdopen(reading, encoding="utf-8"))

    ends, seen, waits = monotonic() + 10, list[bool](), [False]
    before_wait = StreamSession._before_wait

    def wait(session: StreamSession) -> None:
        waits[0] = True
        before_wait(session)
        waits[0] = False

    class Late(_EagerWriter):
        """Is due before a wait alone, not behind each event."""

        @property
        def is_due(self) -> bool:
            return waits[0]

    def is_written() -> bool:
        first = "checkpoint-00000001.r4c"  # is written before all input
        return any(path.name > first for path in at.glob("state/checkpoint-*.r4c"))

    def send() -> None:
        with os.fdopen(writing, "wb") as pipe:
            pipe.write((at / "s.nq").read_bytes())
            pipe.flush()
            while not is_written() and monotonic() < ends:
                sleep(0.01)
            seen.append(is_written())

    monkeypatch.setattr(StreamSession, "_before_wait", wait)
    with patch("r4.state.checkpoint_writer.CheckpointWriter", Late):
        sender = Thread(target=send)
        sender.start()
        found = call(["run", "r.rif", "-", "--state", "state", "--output", "out"])
        sender.join()
    assert seen == [True]
    assert found.code == 0
    assert Path("out").read_bytes() == wanted


@pytest.mark.slow
def test_processes_that_are_killed_go_on(at: Path) -> None:
    wanted = _plain()
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


def _files() -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in Path().rglob("*")
        if path.is_file() and path.name != "status.json"
    }
