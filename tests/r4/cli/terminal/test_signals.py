"""SIGTERM and SIGINT end a run in good order; a second one ends it at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from r4.cli.terminal.signals import RunSignals
from r4.rdf.files import ByteSource
from r4.stream.input_events import EndInput
from r4.stream.readiness import readable
from r4.stream.schedule import Control, TimedSchedule, Timers
from tests.r4.cli.streams.test_real_time import RULES, element
from tests.r4.stream.live_sources import Clock
from tests.simulation.command import CommandOutput, call

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")


def run_until(folder: Path, pieces: list[str], number: signal.Signals, *more: str) -> CommandOutput:
    """A run over a stream that arrives in pieces; with the last one a signal comes."""
    (folder / "rules.rif").write_text(RULES)
    (folder / "a.nq").write_text("")
    rest = [piece.encode() for piece in pieces]
    right = ByteSource.read

    def read(source: ByteSource) -> bytes:
        if not source.name.endswith("a.nq"):
            return right(source)
        if len(rest) == 1:
            signal.raise_signal(number)
        return rest.pop(0)

    with patch.object(ByteSource, "read", read):
        return call(["run", str(folder / "rules.rif"), str(folder / "a.nq"), *more])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_what_is_complete_is_told_and_what_is_open_left_out(tmp_path, number, code) -> None:
    before = signal.getsignal(number)
    pieces = [element(1, 1), element(2, 2) + "\n", element(3, 3), element(4, 4)]
    found = run_until(tmp_path, pieces, number)
    assert found.code == code
    begun = [line for line in found.lines() if '"op":"+"' in line]
    assert [line[15] for line in begun] == ["1", "2", "3"]
    assert "left out: 1 element(s) that were not complete" in found.err
    assert signal.getsignal(number) is before


def test_an_answer_of_fail_on_does_not_hide_the_signal(tmp_path) -> None:
    pieces = [element(1, 1) + "\n", ""]
    found = run_until(tmp_path, pieces, signal.SIGTERM, "--fail-on", "answer")
    assert (found.code, len(found.lines())) == (143, 1)


def test_an_error_is_not_hidden_by_the_signal(tmp_path) -> None:
    pieces = ["no statement\n", element(1, 1)]
    found = run_until(tmp_path, pieces, signal.SIGTERM, "--strict")
    assert found.code == 4


def test_after_the_first_signal_the_system_has_its_way() -> None:
    with RunSignals() as signals:
        signal.raise_signal(signal.SIGINT)
        assert signals.is_set
        assert signals.exit_code == 130
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        assert signals.descriptor is not None
        assert os.read(signals.descriptor, 9) == bytes([signal.SIGINT])


def test_what_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with RunSignals() as signals:
            signal.raise_signal(signal.SIGINT)
            assert not signals.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_schedule_that_is_stopped_reads_nothing_more() -> None:
    schedule = TimedSchedule(
        Timers(), readiness=Clock(), control=Control(SimpleNamespace(is_set=True))
    )
    assert schedule.next_event([], -1) == EndInput()


def test_a_signal_is_waited_for_until_it_comes() -> None:
    waited: list[float] = []

    def wait(descriptors: list[int], seconds: float) -> frozenset[int]:
        waited.append(seconds)
        signal.raise_signal(signal.SIGTERM)
        return readable(descriptors, seconds)

    with RunSignals() as signals:
        assert not signals.comes_within(0)
        with patch("r4.cli.terminal.signals.readable", wait):
            assert signals.comes_within(60)
            assert signals.comes_within(60)
    assert waited == [pytest.approx(60, abs=30)]


def test_a_hang_up_does_not_end_the_wait_for_a_signal_and_wakes_who_waits_after_it() -> None:
    to_come = [signal.SIGHUP, signal.SIGINT]

    def wait(descriptors: list[int], _: float) -> frozenset[int]:
        found = readable(descriptors, 0)
        if not found:  # nothing but another signal wakes it
            signal.raise_signal(to_come.pop(0))
        return found

    with RunSignals() as signals:
        signal.raise_signal(signal.SIGHUP)
        assert not signals.comes_within(0.001)
        assert signals.descriptor is not None
        assert readable([signals.descriptor], 0)
        with patch("r4.cli.terminal.signals.readable", wait):
            assert signals.comes_within(60)
        assert not to_come
        assert signals.take_reading()
        assert not signals.take_reading()
        assert not readable([signals.descriptor], 0)


def test_the_system_wakes_who_waits_even_before_python_notes_the_signal() -> None:
    with RunSignals() as signals:
        signal.signal(signal.SIGTERM, lambda *_: None)  # Python has noted nothing yet
        signal.raise_signal(signal.SIGTERM)
        assert signals.descriptor is not None
        assert readable([signals.descriptor], 0)
        assert not signals.is_set


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_run_that_waits_for_a_pipe_is_woken(tmp_path, number, code) -> None:
    (tmp_path / "rules.rif").write_text(RULES)
    command = [sys.executable, "-m", "r4", "run", str(tmp_path / "rules.rif"), "-"]
    with subprocess.Popen(
        [*command, "--order", "arrival"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(element(1, 1).encode() + b"\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith(b'{"op":"+","at":1')
        process.send_signal(number)
        assert process.wait(60) == code
        assert number.name.encode() in process.stderr.read()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "options"),
    [
        (signal.SIGTERM, []),
        (signal.SIGINT, ["--as", "trig"]),
        (signal.SIGINT, ["--state", "state"]),
    ],
)
def test_a_reader_that_takes_nothing_does_not_make_the_signal_wait(
    tmp_path: Path, number: signal.Signals, options: list[str]
) -> None:
    (tmp_path / "rules.rif").write_text(RULES)
    (tmp_path / "a.nq").write_text("".join(element(n, n) for n in range(1, 20_000)))
    command = [sys.executable, "-m", "r4", "run", "rules.rif", "a.nq", "--quiet", *options]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, **streams) as process:  # type: ignore[call-overload]
        assert process.stdout.read(1) == (b"<" if "trig" in options else b"{")
        time.sleep(1)
        process.send_signal(number)
        assert process.wait(60) == 6
        assert b"<stdout>: its reader takes nothing; " in process.stderr.read()
