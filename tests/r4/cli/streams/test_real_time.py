"""``--clock``, ``--quiet-for`` and ``--ahead`` on the command line."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest

from tests.simulation.command import CommandOutput, call

RULES = """
Document( Prefix(ex <urn:ex:>) Window(5 s) Group(
  Forall ?x ( ?x[ex:is -> ex:hot] :- ?x[ex:is -> ex:warm] ) ) )
"""
PROV = "http://www.w3.org/ns/prov#"
XSD = "http://www.w3.org/2001/XMLSchema#"


def element(number: int, stamp: str | int) -> str:
    kind = "integer" if isinstance(stamp, int) else "dateTime"
    return (
        f'<urn:g{number}> <{PROV}generatedAtTime> "{stamp}"^^<{XSD}{kind}> .\n'
        f"<urn:x{number}> <urn:ex:is> <urn:ex:warm> <urn:g{number}> .\n"
    )


def run(folder: Path, stream: str, *options: str) -> CommandOutput:
    (folder / "rules.rif").write_text(RULES)
    (folder / "a.nq").write_text(stream)
    return call(["run", str(folder / "rules.rif"), str(folder / "a.nq"), *options])


def moment(second: int) -> str:
    return f"2026-06-01T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"


def test_one_stamp_in_9999_among_ten_thousand_changes_nothing(tmp_path: Path) -> None:
    elements = [element(number, moment(number)) for number in range(10_000)]
    wanted = run(tmp_path, "".join(elements))
    elements.insert(5_000, element(77_777, "9999-01-01T00:00:00Z"))
    found = run(tmp_path, "".join(elements), "--ahead", "1h")
    assert found.out == wanted.out
    assert "left out: 1 × DAT210" in found.err
    assert "DAT302" not in found.err
    ahead = f"9999-01-01T00:00:00Z lies after {moment(4_999 + 3_600)}"
    assert f"DAT210 a stamp that is further ahead than --ahead allows: {ahead}\n" in found.err
    poisoned = run(tmp_path, "".join(elements))
    assert "late: 5000 element(s)" in poisoned.err
    assert poisoned.err.count("DAT302") == 1


@pytest.mark.parametrize("wrong", ["9999-01-01T00:00:00Z", "1970-01-01T00:00:00Z"])
def test_a_first_stamp_that_is_wrong_makes_nothing_late(tmp_path: Path, wrong: str) -> None:
    elements = [element(number, moment(number)) for number in range(20)]
    found = run(tmp_path, "".join([element(77, wrong), *elements]), "--ahead", "1h")
    begun = [line for line in found.lines() if '"op":"+"' in line and "urn:x77>" not in line]
    assert len(begun) == len(elements)
    assert "late:" not in found.err
    bound = f"{wrong} lies after {moment(3_600)}\n"
    told = f"a.nq:1: DAT210 a stamp that is further ahead than --ahead allows: {bound}"
    assert (told in found.err) == wrong.startswith("9999")


def test_one_that_no_other_agrees_with_is_measured_by_nothing(tmp_path: Path) -> None:
    found = run(tmp_path, element(1, 900) + element(2, 1) + element(3, 500), "--ahead", "10")
    assert [line for line in found.lines() if '"op":"+"' in line]
    assert "2 late, 0 bad" in found.err


def test_messages_name_the_lines_of_elements_that_waited(tmp_path: Path) -> None:
    """Each line of a pipe arrives alone, and a fault stands between."""
    (tmp_path / "rules.rif").write_text(RULES)
    command = [sys.executable, "-m", "r4", "run", str(tmp_path / "rules.rif"), "-", "--ahead", "9"]
    lines = [*element(0, 70), "nonsense\n", *element(1, 1_000), *element(2, 90), *element(3, 91)]
    text = "".join(lines)
    with subprocess.Popen(
        [*command, "-i", "nquads"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        for line in text.splitlines(keepends=True):
            process.stdin.write(line)
            process.stdin.flush()
        process.stdin.close()
        said = process.stderr.read().splitlines()
    assert said[0].startswith("<stdin>:3: DAT101 ")
    assert said[1].startswith("<stdin>:4: DAT210 "), said
    assert "2 bad" in said[-1]


def test_most_elements_late_is_told_with_the_way_out(tmp_path: Path) -> None:
    elements = [element(number, moment(number)) for number in range(20)]
    stream = "".join([element(77, "9999-01-01T00:00:00Z"), *elements])
    found = run(tmp_path, stream)
    assert "late: 20 element(s) came more than the delay behind" in found.err
    assert "--ahead leaves its element out" in found.err
    assert "--ahead" not in run(tmp_path, stream, "--ahead", "10h").err.replace("than --ahead", "")


def test_a_stamp_that_is_ahead_fails_its_transaction_and_no_other(tmp_path: Path) -> None:
    rows = [
        "".join(f"A {line}\n" for line in element(number, stamp).splitlines())
        for number, stamp in enumerate((1, 2, 3, 3_000, 4, 20))
    ]
    parts = [rows[0], rows[1] + rows[2], rows[3] + rows[4], rows[5]]
    (tmp_path / "rules.rif").write_text(RULES)
    (tmp_path / "a.rdfp").write_text("".join(f"TX .\n{part}TC .\n" for part in parts))
    found = call(["run", str(tmp_path / "rules.rif"), str(tmp_path / "a.rdfp"), "--ahead", "17"])
    begun = [line[16:18].strip(",") for line in found.lines() if '"op":"+"' in line]
    assert [line[15:].split(",")[0] for line in found.lines()] == ["1", "2", "3", "20"], begun
    assert "1 × DAT208, 1 × DAT210" in found.err


def test_elements_after_a_gap_are_ahead_of_what_came_before_it(tmp_path: Path) -> None:
    """All of them: the bound is what stands still."""
    stream = "".join(element(n, at) for n, at in enumerate((1, 2, 50, 51, 3, 13, 60)))
    found = run(tmp_path, stream, "--ahead", "10")
    assert "left out: 3 × DAT210" in found.err
    assert "late:" not in found.err


def test_under_the_clock_integers_and_far_stamps_are_bad_data(tmp_path: Path) -> None:
    now = datetime.now(UTC).isoformat()
    stream = element(1, now) + element(2, "9999-01-01T00:00:00Z") + element(3, 5)
    found = run(tmp_path, stream, "--clock", "wall", "--delay", "1h")
    assert "left out: 1 × DAT205, 1 × DAT210" in found.err
    assert len([line for line in found.lines() if '"op":"+"' in line]) == 1


def shifted(minutes: float, zone: str = "Z") -> str:
    """The time of the clock so much later, as a stamp that says it is of a zone."""
    moment = datetime.now(UTC) + timedelta(minutes=minutes)
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + zone


@pytest.mark.parametrize(
    ("minutes", "zone", "says"),
    [
        (-120, "Z", "2 h behind the clock: is its zone -02:00?"),
        (-60, "", "1 h behind the clock: is its zone -01:00?"),
        (0, "+05:30", "5.5 h behind the clock: is its zone Z?"),
        (30, "+02:00", "1.5 h behind the clock: is its zone +00:30?"),
        (330.5, "Z", "5.5 h ahead of the clock: is its zone +05:30?"),
        (120, "-01:00", "3 h ahead of the clock: is its zone +02:00?"),
        (-30, "Z", ""),
        (-130, "Z", ""),
        (-900, "Z", ""),
        (45, "Z", ""),
        (-120, "+13:00", ""),
    ],
)
def test_a_stamp_that_is_off_by_a_difference_of_zones_is_told_so(
    tmp_path: Path, minutes: float, zone: str, says: str
) -> None:
    stream = element(1, shifted(0)) + element(2, shifted(minutes, zone))
    found = run(tmp_path, stream, "--clock", "wall", "--delay", "2s")
    (line,) = [line for line in found.err.splitlines() if "DAT301" in line or "DAT210" in line][:1]
    assert line.endswith(says) if says else "zone" not in found.err
    is_advised = "late: 1 element(s) came 2 h behind the clock" in found.err
    assert is_advised == (says[:4] == "2 h ")
    assert ("zone" in run(tmp_path, stream, "--delay", "2s").err) is False


def test_zones_are_not_advised_where_some_late_elements_are_off_by_no_such_difference(
    tmp_path: Path,
) -> None:
    near, other = element(2, shifted(-120)), element(3, shifted(-100))
    advice = (
        "late: 2 element(s) came 2 h behind the clock: a stamp without a zone is UTC; write the "
        "zone behind it, as in 2026-01-31T07:00:00+01:00, or as zone in the mapping of a table"
    )
    options = ("--clock", "wall", "--delay", "2s")
    now = element(1, shifted(0))
    assert advice in run(tmp_path, now + near + near.replace("g2", "g4"), *options).err
    assert "with a longer --delay they count" in run(tmp_path, now + near + other, *options).err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--ahead", "1s", "--delay", "2s"), "--ahead is shorter than --delay"),
        (("--ahead", "soon"), "--ahead: soon is no duration"),
        (("--quiet-for", "soon"), "--quiet-for: soon is no duration"),
    ],
)
def test_bounds_that_make_no_sense_are_wrong_usage(tmp_path: Path, options, message) -> None:
    found = run(tmp_path, element(1, 1), *options)
    assert found.code == 2
    assert message in found.err


def test_a_short_delay_under_the_clock_is_warned_of(tmp_path: Path) -> None:
    warning = "warning: --delay is shorter than --quiet-for"
    assert warning in run(tmp_path, "", "--clock", "wall", "--delay", "100ms").err
    assert warning not in run(tmp_path, "", "--clock", "wall", "--delay", "200ms").err
    assert warning not in run(tmp_path, "").err


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="waits for a pipe")
def test_a_silent_pipe_is_told_of(tmp_path: Path) -> None:
    """In real time, end to end: an answer begins and ends while nothing arrives."""
    fact = "<urn:ex:y>[ex:is -> ex:warm]"
    rules = RULES.replace("5 s", "500 ms").replace("Group(", f"Group( {fact}")
    (tmp_path / "rules.rif").write_text(rules)
    command = [sys.executable, "-m", "r4", "run", str(tmp_path / "rules.rif"), "-"]
    with subprocess.Popen(
        [*command, "--clock", "wall", "--delay", "3s"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        told = [process.stdout.readline()]  # time has begun
        stamp = datetime.now(UTC).isoformat(timespec="milliseconds")
        process.stdin.write(element(1, stamp).encode())
        process.stdin.flush()
        told += [process.stdout.readline() for _ in range(2)]
        process.stdin.close()
    assert [line[:9] for line in told] == [b'{"op":"+"', b'{"op":"+"', b'{"op":"-"']


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize(("option", "warns"), [("--idle", True), ("--delay", False)])
def test_of_a_compressed_pipe_whose_silence_is_not_seen_there_is_a_warning(
    option: str, *, warns: bool, tmp_path: Path
) -> None:
    pipe = tmp_path / "a.nq.gz"
    os.mkfifo(pipe)
    (tmp_path / "rules.rif").write_text(RULES)
    data = gzip.compress(element(1, 1).encode())
    writer = Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    found = call(["run", str(tmp_path / "rules.rif"), str(pipe), option, "5s"])
    writer.join()
    assert found.code == 0
    assert ("a.nq.gz: DAT303 warning: silence of a compressed pipe" in found.err) is warns
