"""A pipe whose writer ends while a signal ends the run: which of the two counts."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from r4.cli.terminal import console
from r4.rdf.files import STDIN_NAME, ByteSource
from r4.run.driver import Driver
from r4.state.checkpoint_writer import CheckpointWriter
from r4.state.files import SystemFiles
from r4.state.output_commit import CommittedFile
from tests.simulation.command import CommandOutput, call

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")

RULES = """
Document( Prefix(ex <http://ex.org/>) Window(30)
  Group( Forall ?x ?y ( ?x[ex:r -> ?y] :- ?x[ex:p -> ?y] ) ) )
"""
COMMAND = ["run", "r.rif", "-", "--state", "state", "--output", "out"]
SIGNALS = [(signal.SIGTERM, 143), (signal.SIGINT, 130)]


def _element(at: int) -> bytes:
    stamp = "<http://www.w3.org/ns/prov#generatedAtTime>"
    integer = "^^<http://www.w3.org/2001/XMLSchema#integer>"
    quad = f"<http://ex.org/s{at}> <http://ex.org/p> <http://ex.org/o> <urn:g{at}> .\n"
    return f'<urn:g{at}> {stamp} "{at}"{integer} .\n{quad}\n'.encode()


FIRST = _element(1) + _element(2)
REST = _element(3) + _element(50)
HALF = REST.index(b"\n") + 9
"""Bytes of the rest up to within its second statement."""


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.rif").write_text(RULES)
    (tmp_path / "s.nq").write_bytes(FIRST + REST)
    assert call(["run", "r.rif", "s.nq", "--output", "plain"]).code == 0
    return tmp_path


def _piped(sent: bytes, *command: str) -> CommandOutput:
    """A run over what a pipe sends, whose writer ends then."""
    reading, writing = os.pipe()
    os.write(writing, sent)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe, patch("sys.stdin", pipe):
        return call(command or COMMAND)


@contextmanager
def _silent_pipe(act: Callable[[int], object], *, blocks: bool = True) -> Iterator[None]:
    """Standard input is a pipe that is silent until it is waited for.

    Then ``act`` is called with the end that is written; if the pipe does not block, once it has
    been read in vain.
    """
    reading, writing = os.pipe()
    os.set_blocking(reading, blocks)
    wait = select.select

    def say(message: str) -> None:
        console.say(message)
        if blocks and "waiting for the end of standard input" in message:
            act(writing)

    def wait_for(*given: Any) -> object:
        if not blocks and given[3:] == (None,):
            act(writing)
        return wait(*given)

    with os.fdopen(reading, encoding="utf-8") as pipe, ExitStack() as stack:
        stack.enter_context(patch("sys.stdin", pipe))
        stack.enter_context(patch("r4.cli.sessions.input_end.PATIENCE", 0.0))
        stack.enter_context(patch("r4.cli.sessions.input_end.say", say))
        stack.enter_context(patch("r4.cli.sessions.input_end.select.select", wait_for))
        try:
            yield
        finally:
            with suppress(OSError):
                os.close(writing)


@contextmanager
def _signal_with_the_end(number: signal.Signals) -> Iterator[None]:
    """The signal comes while the end of standard input is read."""
    right = ByteSource._read

    def read(source: ByteSource, wanted: int) -> bytes:
        data = right(source, wanted)
        if source.name == STDIN_NAME and not data:
            signal.raise_signal(number)
        return data

    with patch.object(ByteSource, "_read", read):
        yield


@contextmanager
def _signal_behind_the_end(number: signal.Signals) -> Iterator[None]:
    """The signal comes after the read of the end, before the event behind it."""
    ended: list[ByteSource] = []
    right = ByteSource.read

    def read(source: ByteSource) -> bytes:
        data = right(source)
        if source.name == STDIN_NAME and source.ended:
            ended.append(source)
        return data

    class Stopping(CheckpointWriter):
        """Sends the signal when it is asked whether a checkpoint is due."""

        def __init__(self, files: SystemFiles, every: float) -> None:
            super().__init__(files, every, forks=False)

        @property
        def is_due(self) -> bool:
            if ended:
                signal.raise_signal(number)
            return False

    with ExitStack() as stack:
        stack.enter_context(patch.object(ByteSource, "read", read))
        stack.enter_context(patch("r4.state.checkpoint_writer.CheckpointWriter", Stopping))
        yield


@contextmanager
def _signal_while_finishing(number: signal.Signals) -> Iterator[None]:
    """The signal comes while what is left at the end of the input is derived."""
    right = Driver.finish

    def finish(driver: Driver, *given: int) -> object:
        signal.raise_signal(number)
        return right(driver, *given)

    with patch.object(Driver, "finish", finish):
        yield


@pytest.mark.parametrize("half", [0, HALF])
@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_the_end_of_a_pipe_that_comes_with_a_signal_is_no_end_of_the_input(
    at: Path, number: signal.Signals, code: int, half: int
) -> None:
    with _signal_with_the_end(number):
        stopped = _piped(FIRST + REST[:half])
    assert stopped.code == code
    assert "the state is saved; the same command goes on from here" in stopped.err
    shown = json.loads(call(["state", "show", "state"]).out)
    assert shown["ended"] is None
    (source,) = shown["sources"]
    sent = REST[:half].rfind(b"\n") + 1
    assert source["byte"] == len(FIRST) + sent
    again = _piped(REST[sent:])
    assert again.code == 0
    assert f"resumed: send <stdin> from line {source['line']} on" in again.err
    assert (at / "out").read_bytes() == (at / "plain").read_bytes() != b""


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_signal_long_behind_the_end_of_a_pipe_says_that_it_has_ended(
    at: Path, number: signal.Signals, code: int
) -> None:
    with _signal_behind_the_end(number):
        stopped = _piped(FIRST + REST)
    assert stopped.code == code
    assert "<stdin> had ended at line 12: the same command reads nothing more" in stopped.err
    again = _piped(_element(60))
    assert again.code == 3
    assert "resumed: <stdin> had ended at line 12" in again.err
    assert "R4420 the input of this run ended at line 12" in again.err
    assert (at / "out").read_bytes() == (at / "plain").read_bytes() != b""
    assert _piped(b"").code == 0


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_signal_while_the_run_finishes_leaves_a_run_that_has_ended(
    at: Path, number: signal.Signals, code: int
) -> None:
    with _signal_while_finishing(number):
        stopped = _piped(FIRST + REST)
    assert stopped.code == code
    assert "goes on from here" not in stopped.err
    assert (at / "out").read_bytes() == (at / "plain").read_bytes() != b""
    assert json.loads(call(["state", "show", "state"]).out)["ended"] == 0
    assert "R4420" in _piped(_element(60)).err
    assert "all of its output is there" in _piped(b"").err


@pytest.mark.parametrize("blocks", [True, False])
@pytest.mark.parametrize("sent", [b"", REST, b" "])
def test_how_late_a_pipe_speaks_after_the_end_of_the_run_does_not_matter(
    at: Path, sent: bytes, *, blocks: bool
) -> None:
    def send(writing: int) -> None:
        os.write(writing, sent)
        os.close(writing)

    assert _piped(FIRST).code == 0
    told = (at / "out").read_bytes()
    at_once = _piped(sent)
    with _silent_pipe(send, blocks=blocks):
        late = call(COMMAND)
    assert "the run has ended; waiting for the end of standard input" in late.err
    assert "waiting" not in at_once.err
    for found in (at_once, late):
        assert found.code == (3 if sent else 0)
        assert ("R4420" in found.err) is bool(sent)
        assert found.err.startswith("the run has ended, and all of its output is there\n")
    assert (at / "out").read_bytes() == told


def test_who_waits_for_the_end_of_a_pipe_keeps_neither_the_state_nor_the_output(at: Path) -> None:
    found: list[CommandOutput] = []

    def look(writing: int) -> None:
        found.append(call(["state", "prune", "state"]))
        CommittedFile(at / "out", SystemFiles()).close()  # nobody has locked it
        found.append(_piped(b""))
        os.close(writing)

    with _signal_behind_the_end(signal.SIGTERM):
        assert _piped(FIRST + REST).code == 143
    with _silent_pipe(look):
        assert call(COMMAND).code == 0
    assert [each.code for each in found] == [0, 0]


@pytest.mark.parametrize("has_ended", [True, False])
def test_ctrl_c_ends_the_wait_with_the_exit_code_of_the_run(at: Path, *, has_ended: bool) -> None:
    command = [*COMMAND, "--fail-on", "answer"]
    with ExitStack() as stack:
        if not has_ended:
            stack.enter_context(_signal_behind_the_end(signal.SIGTERM))
        assert _piped(FIRST + REST, *command).code == (1 if has_ended else 143)
    with _silent_pipe(lambda _: signal.raise_signal(signal.SIGINT)):
        found = call(command)
    assert found.code == 1
    assert "interrupted" not in found.err
    assert (at / "out").read_bytes() == (at / "plain").read_bytes()


@pytest.mark.slow
@pytest.mark.usefixtures("at")
def test_who_reads_the_answers_gets_their_end_while_the_end_of_a_pipe_is_waited_for() -> None:
    command = [sys.executable, "-m", "r4", "run", "r.rif", "-", "--state", "state"]
    subprocess.run(command, input=FIRST, check=True, capture_output=True)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read() == b""  # its end has come
        assert b"all of its output is there" in process.stderr.readline()
        assert b"Ctrl-C" in process.stderr.readline()
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stderr.read() == b""
