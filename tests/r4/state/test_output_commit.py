"""Answers that wait for one sync of the journal, and for how long."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from unittest.mock import patch

import pytest

from r4.state import output_commit
from r4.state.errors import StateLost
from r4.state.output_commit import GroupCommit
from r4.stream.readiness import SystemReadiness
from tests.simulation.command import CommandOutput, call

TAKES = 0.003
RULES = """
Document( Prefix(ex <urn:ex:>) Window(5)
  Group( Forall ?x ?y ( ?x[ex:r -> ?y] :- ?x[ex:p -> ?y] ) ) )
"""
FEW = 5


class Disk:
    """A journal and an output, and what happens to them in order."""

    def __init__(self) -> None:
        self.seconds = 100.0
        self.fails = False
        self.has_events = True
        self.log: list[bytes] = []
        self.group = GroupCommit(self, self._commit, lambda: self.has_events, lambda: self.seconds)

    def write(self, data: bytes) -> None:
        self.log.append(data)

    def _commit(self) -> None:
        if self.fails:
            message = "full"
            raise StateLost(message, "")
        self.seconds += TAKES
        self.log.append(b"sync")


def test_the_first_answer_is_told_at_once_and_those_behind_it_together() -> None:
    disk = Disk()
    for text in (b"a", b"b", b"c"):
        disk.group.write(text)
    assert disk.log == [b"sync", b"a"]
    disk.group.flush(due=True)
    assert disk.log == [b"sync", b"a"]
    disk.seconds += 20 * TAKES
    disk.group.write(b"d")
    assert disk.log == [b"sync", b"a", b"sync", b"bcd"]


def test_none_waits_longer_than_is_allowed_in_silence_or_without_need() -> None:
    disk = Disk()
    disk.group.write(b"a")
    disk.group.write(b"b")
    disk.group.flush()
    assert disk.log[2:] == [b"sync", b"b"]
    disk.group.write(b"c")
    disk.seconds += 20 * TAKES
    disk.group.flush(due=True)
    assert disk.log[4:] == [b"sync", b"c"]
    disk.has_events = False
    disk.group.write(b"d")
    assert disk.log[6:] == [b"sync", b"d"]
    disk.has_events = True
    disk.group.write(bytes(output_commit._MOST))
    assert disk.log[8:] == [b"sync", bytes(output_commit._MOST)]
    disk.group.flush()
    assert len(disk.log) == 10


def test_a_slow_disk_makes_no_answer_wait_longer() -> None:
    disk = Disk()
    with patch(f"{__name__}.TAKES", 5.0):
        disk.group.write(b"a")
        disk.group.write(b"b")
        disk.seconds += output_commit._LONGEST
        disk.group.flush(due=True)
    assert disk.log[3:] == [b"b"]


def test_nothing_is_told_once_the_journal_is_lost() -> None:
    disk = Disk()
    disk.fails = True
    with pytest.raises(StateLost):
        disk.group.write(b"a")
    disk.fails = False
    disk.group.write(b"b")
    disk.group.flush()
    assert disk.log == []


def test_it_is_told_before_it_is_waited_and_only_then() -> None:
    readable, writer = os.pipe()
    waits: list[str] = []
    readiness = SystemReadiness(readable, lambda: waits.append("wait"))
    readiness.poll([], 0)
    readiness.poll([], 0.001)
    os.write(writer, b"x")
    readiness.poll([], None)
    os.close(writer)
    os.close(readable)
    assert waits == ["wait"]


def test_answers_come_while_a_pipe_is_silent_and_when_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.rif").write_text(RULES)
    os.mkfifo("s.nq")
    counts: list[int] = []

    def send() -> None:
        with Path("s.nq").open("wb", buffering=0) as pipe:
            for number in range(1, FEW):
                pipe.write(_element(number))
                until = monotonic() + 5
                while monotonic() < until and _told() < number - 1:
                    sleep(0.005)
                counts.append(_told())
            pipe.write(_element(FEW) * 2)

    sender = Thread(target=send)
    sender.start()
    command = ["run", "r.rif", "s.nq", "--state", "state", "--output", "out"]
    with patch.object(output_commit, "_SHARE", 1e9), patch.object(output_commit, "_LONGEST", 1e9):
        found: CommandOutput = call(command)
    sender.join()
    assert found.code == 0, found.err
    assert counts == list(range(FEW - 1))
    assert _told() == FEW


def _told() -> int:
    return Path("out").read_bytes().count(b'"op":"+"') if Path("out").exists() else 0


def _element(number: int) -> bytes:
    stamp = "<http://www.w3.org/ns/prov#generatedAtTime>"
    integer = "<http://www.w3.org/2001/XMLSchema#integer>"
    return (
        f'<urn:g{number}> {stamp} "{number}"^^{integer} .\n'
        f'<urn:ex:s{number}> <urn:ex:p> "{number}" <urn:g{number}> .\n'
    ).encode()
