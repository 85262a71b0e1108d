"""``r4 mtl stream``: lines in, lines out; what is left out is counted."""

from __future__ import annotations

import sys
from io import BytesIO, TextIOWrapper
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from tests.simulation.command import call

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
Alarm(X) :- Boxminus[0,2]Hot(X), Diamondminus[0,1]Loud(X)
Next(X) :- Diamondplus[0,3]Loud(X)
"""
DATA = "Hot(t1)@[0,10)\nLoud(t1)@[3,4]\nLoud(t1)@[8,9.5]\nLoud(b)@12\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    program, data = tmp_path / "program.txt", tmp_path / "data.txt"
    program.write_text(PROGRAM)
    data.write_text(DATA)
    return str(program), str(data)


def _stream(*args: str, stdin: str = "") -> tuple[int, str, str]:
    with patch.object(sys, "stdin", TextIOWrapper(BytesIO(stdin.encode()))):
        found = call(["mtl", "stream", *args])
    return found.code, found.out, found.err


def test_answers_at_the_stamps_of_the_input(files: tuple[str, str]) -> None:
    assert _stream(files[0], "--query", "Alarm", files[1])[:2] == (0, "Alarm(t1)@3\nAlarm(t1)@8\n")


def test_answers_at_multiples_from_the_first_stamp_to_the_last(files: tuple[str, str]) -> None:
    lines = [f"Alarm(t1)@{at}" for at in ("3", "7/2", "4", "9/2", "5", "8", "17/2", "9", "19/2")]
    code, out, _ = _stream(files[0], "--query", "Alarm", "--every", "1/2", files[1])
    assert (code, out.splitlines()) == (0, lines)


def test_answers_at_listed_times(files: tuple[str, str], tmp_path: Path) -> None:
    times = tmp_path / "times.txt"
    times.write_text("9.9\n4.25\n\n20\n")
    code, out, _ = _stream(files[0], "--query", "Alarm", "--at", str(times), files[1])
    assert (code, out) == (0, "Alarm(t1)@17/4\nAlarm(t1)@99/10\n")


def test_facts_of_the_query_are_answers(files: tuple[str, str]) -> None:
    code, out, _ = _stream(files[0], "--query", "Loud", files[1])
    assert (code, out) == (0, "Loud(t1)@3\nLoud(t1)@8\nLoud(b)@12\n")


def test_standard_input_is_the_stream_if_nothing_is_named(files: tuple[str, str]) -> None:
    assert _stream(files[0], "--query", "Alarm", stdin=DATA)[1] == "Alarm(t1)@3\nAlarm(t1)@8\n"


def test_what_lies_ahead_is_waited_for(files: tuple[str, str]) -> None:
    code, out, _ = _stream(files[0], "--query", "Next", files[1])
    assert (code, out) == (0, "Next(t1)@0\nNext(t1)@3\nNext(t1)@8\nNext(b)@12\n")


def test_late_facts_are_left_out_and_counted(files: tuple[str, str]) -> None:
    late = "Hot(t1)@[0,10)\nLoud(t1)@8\nLoud(t1)@6\nLoud(t1)@7\nLoud(t1)@9\n"
    code, out, err = _stream(files[0], "--query", "Alarm", stdin=late)
    assert (code, out) == (0, "Alarm(t1)@8\nAlarm(t1)@9\n")
    assert "<stdin>:3:1: MTL401 late: 6 lies below the frontier" in err
    assert "2 facts were late" in err
    code, out, err = _stream(files[0], "--query", "Alarm", "--delay", "2", stdin=late)
    assert (code, out, err) == (0, "".join(f"Alarm(t1)@{at}\n" for at in (6, 7, 8, 9)), "")
    assert _stream(files[0], "--query", "Alarm", "--strict", stdin=late)[0] == 4


def test_bad_lines_are_left_out_and_counted(files: tuple[str, str]) -> None:
    bad = "Hot(t1)@[0,10)\nLoud(t1@5\nLoud(t1)@8\n"
    code, out, err = _stream(files[0], "--query", "Alarm", stdin=bad)
    assert (code, out) == (0, "Alarm(t1)@8\n")
    assert "<stdin>:2:" in err
    assert "1 lines are no facts" in err


def test_retractions_are_announced(files: tuple[str, str]) -> None:
    taken = "Hot(t1)@[0,10)\nLoud(t1)@8\n-Hot(t1)@[7,8)\nLoud(t1)@9\n-Hot(t1)@[1,2]\n-Hot(c)@1\n"
    code, out, err = _stream(files[0], "--query", "Alarm", stdin=taken)
    assert (code, out) == (0, "Alarm(t1)@8\nAlarm(t1)@9\n")
    assert "<stdin>:3:1: MTL403" in err
    code, out, err = _stream(files[0], "--query", "Alarm", "--retractions", stdin=taken)
    assert (code, out) == (0, "")
    assert err == "1 retractions found nothing that counts\n"


def test_condensed_facts_are_not_retracted(tmp_path: Path) -> None:
    program = tmp_path / "program.txt"
    program.write_text("Q(X) :- A(X) Since[0,2] B(X)\n")
    lines = "A(a)@[0,9]\nB(a)@1\nB(a)@2\n-B(a)@1\n-B(a)@2\nA(a)@[3,4]\n"
    options = [str(program), "--query", "Q", "--retractions", "--memory"]
    code, out, err = _stream(*options, "dense", stdin=lines)
    assert (code, out) == (0, "Q(a)@1\nQ(a)@2\nQ(a)@3\n")
    assert "<stdin>:4:1: MTL404" in err
    assert "1 retractions came too late" in err
    code, out, err = _stream(*options, "exact", stdin=lines)
    assert (code, out, err) == (0, "Q(a)@1\n", "")


def test_dense_memory_needs_ranges_that_are_no_point(tmp_path: Path) -> None:
    program = tmp_path / "program.txt"
    program.write_text("Q(X) :- Diamondminus[1,1]B(X)\n")
    code, out, err = _stream(str(program), "--query", "Q", "--memory", "dense", stdin="")
    assert (code, out) == (3, "")
    assert "program.txt:1:9: MTL405" in err


@pytest.mark.parametrize(
    "rule", ["Q(X) :- Diamondplus[0,inf)B(X)", "Q(X) :- B(X)\nQ(X) :- Diamondplus[1,2]Q(X)"]
)
def test_answers_that_are_never_certain_are_refused(tmp_path: Path, rule: str) -> None:
    program = tmp_path / "program.txt"
    program.write_text(rule)
    code, _, err = _stream(str(program), "--query", "Q", stdin="")
    assert code == 3
    assert "MTL402 answers of Q are never certain" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--query", "P"], "--query P: no such predicate; the rules have Alarm, Hot, Loud, Next"),
        (["--query", "Alarm", "--every", "0"], "it must be above 0"),
        (["--query", "Alarm", "--every", "x"], "--every x: write 5, 2.5, 5/2, or 10 s"),
        (["--query", "Alarm", "--delay", "-1"], "it must be at least 0"),
        (["--query", "Alarm", "--delay", "1 s"], "in dates and durations"),
    ],
)
def test_options_that_cannot_be_followed_are_refused(
    files: tuple[str, str], options: list[str], message: str
) -> None:
    code, out, err = _stream(files[0], *options, files[1])
    assert (code, out) == (2, "")
    assert message in err


def test_dates_are_written_as_dates(tmp_path: Path) -> None:
    program = tmp_path / "program.txt"
    program.write_text("Tired(X) :- Boxminus[0,10 h]Shift(X)\n")
    data = "Shift(ann)@[2024-01-01T08:00:00Z,2024-01-01T20:00:00Z)\nEnd@2024-01-02T00:00:00Z\n"
    code, out, _ = _stream(str(program), "--query", "Tired", "--every", "1 h", stdin=data)
    assert (code, out) == (0, "Tired(ann)@2024-01-01T18:00:00Z\nTired(ann)@2024-01-01T19:00:00Z\n")
