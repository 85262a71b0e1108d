"""`r4 run --state`, `r4 state`, `r4 status` and `r4 replay` as users call them."""

from __future__ import annotations

import errno
import json
import os
import signal
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from unittest.mock import patch

import pytest

from r4.path_lock import FolderLock
from r4.run.stream_run import StreamRun
from r4.state import folder as state_folder
from tests.r4.state.state_run import (
    COUNT,
    EagerWriter,
    FullDisk,
    contents,
    plain_output,
    run,
    run_halfway,
    stream,
)
from tests.simulation.command import CommandOutput, call


def test_a_run_that_has_ended_is_not_begun_again(at: Path) -> None:
    del at
    assert run("--output", "out").code == 0
    assert Path("out").read_bytes() == plain_output() != b""
    again = run("--output", "out")
    assert (again.code, again.out) == (0, "")
    assert "the run has ended" in again.err
    assert Path("out").read_bytes() == plain_output()


def test_lines_on_standard_output_have_numbers(at: Path) -> None:
    del at
    lines = [json.loads(line) for line in run().lines()]
    assert [line.pop("seq") for line in lines] == list(range(1, len(lines) + 1))
    assert lines == [json.loads(line) for line in plain_output().splitlines()]


def test_a_recorded_run_happens_again(at: Path) -> None:
    del at
    run("--output", "out", "--keep-journal")
    assert call(["replay", "state"]).out.encode() == plain_output()


def test_a_recorded_run_ends_again_with_an_empty_stream(at: Path) -> None:
    del at
    Path("empty.nq").touch()
    told = run("empty.nq", "--output", "out", "--keep-journal")
    assert told.code == 0, told.err
    assert call(["replay", "state"]).out.encode() == Path("out").read_bytes() != b""


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
    sent = stream(20).encode()
    assert _piped(monkeypatch, sent).code == 0
    told, before = Path("out").read_bytes(), contents()
    refused = _piped(monkeypatch, sent)
    assert refused.code == 3
    assert "R4420 the input of this run ended at line 40; what comes now is not" in refused.err
    assert "hint: name another folder" in refused.err
    assert (Path("out").read_bytes(), contents()) == (told, before)
    ended = _piped(monkeypatch, b"")
    assert ended.code == 0
    assert "the run has ended, and all of its output is there" in ended.err


def test_a_run_that_goes_on_says_from_which_line_a_pipe_is_to_be_sent(
    at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = stream(60).encode()
    place = whole.index(b"\n", 900) + 1
    (at / "s.nq").write_bytes(whole)
    assert call(["run", "r.rif", "s.nq", "--output", "plain"]).code == 0

    class Stopping(EagerWriter):
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


def test_static_data_are_those_of_the_begin(at: Path) -> None:
    (at / "o.nt").write_text("<http://ex.org/s1> <http://ex.org/q> <http://ex.org/o1> .\n")
    static = ("--static", "o.nt", "--output", "out", "--keep-journal")
    assert call(["run", "r.rif", "s.nq", "--static", "o.nt", "--output", "plain"]).code == 0
    with patch.object(state_folder, "SystemFiles", lambda: FullDisk(10, errno.ENOSPC)):
        assert run(*static, "--checkpoint-every", "1h").code == 6
    (at / "o.nt").write_text("")
    assert run(*static, "--checkpoint-every", "1h").code == 0
    assert Path("out").read_bytes() == Path("plain").read_bytes()
    assert call(["replay", "state"]).out.encode() == Path("plain").read_bytes()


def test_what_was_appended_to_the_input_meanwhile_is_read(at: Path) -> None:
    run_halfway()
    (at / "s.nq").write_text(stream(2 * COUNT))
    assert run("--output", "out").code == 0
    assert Path("out").read_bytes() == plain_output()


def test_what_a_state_has_is_shown(at: Path) -> None:
    run_halfway()
    shown = json.loads(call(["state", "show", "state"]).out)
    assert shown["ended"] is None
    (source,) = shown["sources"]
    assert source["name"] == "s.nq"
    assert 0 < source["byte"] < len(stream())
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
    assert run("--output", "out").code == 0
    assert Path("out").read_bytes() == plain_output()


def test_a_checkpoint_is_written_while_nothing_comes(
    at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = plain_output()
    reading, writing = os.pipe()
    monkeypatch.setattr("sys.stdin", os.fdopen(reading, encoding="utf-8"))

    ends, seen, waits = monotonic() + 10, list[bool](), [False]
    between = StreamRun._between

    def wait(run: StreamRun) -> None:
        waits[0] = True
        between(run)
        waits[0] = False

    class Late(EagerWriter):
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

    monkeypatch.setattr(StreamRun, "_between", wait)
    with patch("r4.state.checkpoint_writer.CheckpointWriter", Late):
        sender = Thread(target=send)
        sender.start()
        found = call(["run", "r.rif", "-", "--state", "state", "--output", "out"])
        sender.join()
    assert seen == [True]
    assert found.code == 0
    assert Path("out").read_bytes() == wanted
