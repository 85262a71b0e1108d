"""Outputs that are moved away while a run writes them, as logrotate does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from r4.sinks.file import SinkFile, SinkLost, open_file
from r4.state.files import SystemFiles
from r4.state.output_commit import CommittedFile, MovedBytes, check_committed

RULES = """
Document( Prefix(ex <urn:ex:>) Window(30)
  Group( Forall ?x ?y ( ?x[ex:q -> ?y] :- ?x[ex:p -> ?y] ) ) )
"""
STAMP = "<http://www.w3.org/ns/prov#generatedAtTime>"
INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"


def test_a_file_that_is_moved_is_left_and_a_new_one_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with open_file(str(path)) as file:
        file.write(b"one\n")
        path.rename(tmp_path / "out.1")
        file.write(b"two\n")
        path.unlink()
        file.write(b"three\n")
    assert (tmp_path / "out.1").read_bytes() == b"one\n"
    assert path.read_bytes() == b"three\n"


def test_a_file_that_is_emptied_has_no_hole(tmp_path: Path) -> None:
    with open_file(str(tmp_path / "out")) as file:
        file.write(b"one\n")
        os.truncate(tmp_path / "out", 0)
        file.write(b"two\n")
    assert (tmp_path / "out").read_bytes() == b"two\n"


def test_a_file_of_one_piece_does_not_follow(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with open_file(str(path)) as file:
        assert isinstance(file, SinkFile)
        file.may_move = False
        path.rename(tmp_path / "out.1")
        file.write(b"one\n")
    assert not path.exists()


class Committed:
    """A committed file, and what stands in all files together."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.moved = MovedBytes(folder / "moved.json", SystemFiles())
        self.file = CommittedFile(folder / "out", SystemFiles())
        self.count = len(list(folder.glob("out.*")))

    def begin(self, size: int) -> CommittedFile:
        check_committed(self.file.path, size, self.moved.of("told"))
        note = lambda count: self.moved.note("told", count)  # noqa: E731
        self.file.begin(size, lambda: None, self.moved.of("told"), note)
        return self.file

    def move(self) -> None:
        self.count += 1
        (self.folder / "out").rename(self.folder / f"out.{self.count}")

    def whole(self) -> bytes:
        moved = [self.folder / f"out.{number}" for number in range(1, self.count + 1)]
        last = self.folder / "out"
        return b"".join(each.read_bytes() for each in (*moved, last) if each.exists())


TEXT = b"".join(b"%d\n" % number for number in range(100, 140))


@pytest.mark.parametrize("moves", [[], [3], [3, 3], [3, 7, 9], [1, 2, 3, 4]])
@pytest.mark.parametrize("committed", [0, 4, 12, 20, 36])
@pytest.mark.parametrize("crash", [10, 36])
def test_files_together_have_what_one_would_have(
    tmp_path: Path, moves: list[int], committed: int, crash: int
) -> None:
    """The run goes on from ``committed`` bytes, and writes what came behind them again."""
    if committed > crash:
        return
    run = Committed(tmp_path)
    file = run.begin(0)
    for number, begin in enumerate(range(0, crash, 4)):
        for _ in range(moves.count(number)):
            if (tmp_path / "out").exists():
                run.move()
        file.write(TEXT[begin : begin + 4])
    file.close()
    again = Committed(tmp_path)
    file = again.begin(committed)
    for begin in range(committed, len(TEXT), 4):
        file.write(TEXT[begin : begin + 4])
        if begin == committed + 8:
            again.move()
    file.close()
    assert again.whole() == TEXT
    assert file.size == len(TEXT)


def test_a_file_that_is_emptied_goes_on_and_can_be_resumed(tmp_path: Path) -> None:
    run = Committed(tmp_path)
    file = run.begin(0)
    file.write(b"one\n")
    os.truncate(tmp_path / "out", 0)
    file.write(b"two\n")
    file.close()
    assert (tmp_path / "out").read_bytes() == b"two\n"
    file = Committed(tmp_path).begin(8)
    file.write(b"three\n")
    file.close()
    assert (tmp_path / "out").read_bytes() == b"two\nthree\n"


def test_another_file_with_content_is_not_overwritten(tmp_path: Path) -> None:
    run = Committed(tmp_path)
    file = run.begin(0)
    file.write(b"one\n")
    run.move()
    (tmp_path / "out").write_text("theirs")
    with pytest.raises(SinkLost, match="not empty"):
        file.write(b"two\n")
    file.close()
    assert (tmp_path / "out").read_text() == "theirs"


def element(number: int) -> bytes:
    name = f"<urn:g{number}>"
    text = (
        f'{name} {STAMP} "{number}"^^{INTEGER} .\n<urn:a{number}> <urn:ex:p> <urn:b> {name} .\n\n'
    )
    return text.encode()


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[[list[str]], subprocess.Popen[bytes]]]:
    """Starts runs over a pipe, which end with the test."""
    (tmp_path / "r.rif").write_text(RULES)
    processes: list[subprocess.Popen[bytes]] = []

    def start(options: list[str]) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "r4", "run", "r.rif", "-", "--output", "out", *options]
        process = subprocess.Popen(
            command, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
        processes.append(process)
        return process

    yield start
    for each in processes:
        each.kill()
        each.wait()


def wait_for(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def send(process: subprocess.Popen[bytes], numbers: range) -> None:
    assert process.stdin is not None
    process.stdin.write(b"".join(map(element, numbers)))
    process.stdin.flush()


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--state", "s", "--checkpoint-every", "0"]])
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGUSR1])
def test_a_signal_opens_an_output_again(
    tmp_path: Path,
    started: Callable[[list[str]], subprocess.Popen[bytes]],
    options: list[str],
    number: signal.Signals,
) -> None:
    out, process = tmp_path / "out", started(options)
    send(process, range(1, 5))
    wait_for(lambda: out.exists() and out.stat().st_size > 0)
    out.rename(tmp_path / "out.1")
    process.send_signal(number)
    wait_for(out.exists)
    send(process, range(5, 20))
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait() == 0
    whole = (tmp_path / "out.1").read_bytes() + out.read_bytes()
    assert whole.count(b'"op":"+"') == 19
    assert out.stat().st_size > 0


def test_checkpoints_are_written_beside_an_output(
    tmp_path: Path, started: Callable[[list[str]], subprocess.Popen[bytes]]
) -> None:
    out, process = tmp_path / "out", started(["--state", "s", "--checkpoint-every", "10ms"])
    for number in (1, 2):
        newest = sorted((tmp_path / "s").glob("checkpoint-*.r4c"))[-1:]
        send(process, range(10 * number, 10 * number + 10))
        wait_for(lambda: sorted((tmp_path / "s").glob("checkpoint-*.r4c"))[-1:] > newest)  # noqa: B023
        if number == 1:
            wait_for(out.exists)
            out.rename(tmp_path / "out.1")
    _, error = process.communicate()
    assert process.returncode == 0
    assert b"no checkpoint" not in error
    assert ((tmp_path / "out.1").read_bytes() + out.read_bytes()).count(b'"op":"+"') == 20


@pytest.mark.slow
def test_a_run_whose_output_was_moved_resumes_after_a_kill(
    tmp_path: Path, started: Callable[[list[str]], subprocess.Popen[bytes]]
) -> None:
    options = ["--state", "s", "--checkpoint-every", "1h"]
    out, process = tmp_path / "out", started(options)
    send(process, range(1, 50))
    wait_for(lambda: out.exists() and out.read_bytes().count(b"\n") >= 40)
    out.rename(tmp_path / "out.1")
    send(process, range(50, 100))
    wait_for(lambda: out.exists() and out.read_bytes().count(b"\n") >= 40)
    process.kill()
    process.wait()
    process = started(options)
    _, error = process.communicate(b"".join(map(element, range(100, 120))))
    assert process.returncode == 0, error
    moved = (tmp_path / "out.1").read_bytes()
    lines = (moved + out.read_bytes()).splitlines()
    begun = [line for line in lines if line.startswith(b'{"op":"+"')]
    assert len(set(begun)) == len(begun)
    assert {b"<urn:a%d>" % number for number in range(1, 90)} <= {
        line.partition(b'"s":"')[2].partition(b'"')[0] for line in begun
    }
