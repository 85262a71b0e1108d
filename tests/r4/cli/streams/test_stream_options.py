"""What ``r4 run`` is told about its streams: delays, silence, patches, what is taken back."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from r4.cli import main
from r4.cli.terminal.console import USAGE
from tests.r4.stream.sources import quad, stamp, text

RULES = """
Document( Prefix(ex <urn:>) Window(1)
  Group( Forall ?x ?y ( ?x[ex:q -> ?y] :- ?x[ex:p -> ?y] ) ) )
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.rif").write_text(RULES)
    return tmp_path


def element(name: str, at: int, more: str = "") -> bytes:
    return text(stamp(name, at), quad(name, name), *([more] if more else []))


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, list[str], str]:
    """Exit code, the subjects of what began, and what was said."""
    code = main(["run", "r.rif", *args])
    out, err = capsys.readouterr()
    begun = [line.partition('"s":"<urn:')[2].partition(">")[0] for line in out.splitlines()]
    return code, [s for s, line in zip(begun, out.splitlines(), strict=True) if '"+"' in line], err


def test_delays_are_of_all_of_a_stream_or_of_a_predicate(folder, capsys) -> None:
    slow = "<urn:x> <urn:slow> <urn:o> <urn:c> ."
    (folder / "a.nq").write_bytes(element("a", 9) + element("b", 7) + element("c", 4, slow))
    assert run(capsys, "a.nq")[1] == ["a"]
    assert run(capsys, "a.nq", "--delay", "2")[1] == ["b", "a"]
    assert run(capsys, "a.nq", "--delay", "urn:slow=5")[1] == ["c", "a"]
    assert run(capsys, "a.nq", "--delay", "<urn:slow>=5", "--delay", "2")[1] == ["c", "b", "a"]
    assert run(capsys, "a.nq", "--delay=a.nq=5")[1] == ["c", "b", "a"]
    assert run(capsys, "a.nq", "--delay=a.nq=0", "--delay=5")[1] == ["a"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["b.nq=2"], "b.nq is no stream of this run, and no IRI"),
        (["2", "3"], "--delay is given twice"),
        (["urn:p=2", "urn:p=3"], "--delay of urn:p is given twice"),
        (["urn:p=x"], "is no duration"),
    ],
)
def test_a_delay_of_nothing_is_refused(folder, capsys, given, said) -> None:
    (folder / "a.nq").write_bytes(element("a", 1))
    code, _, err = run(capsys, "a.nq", *(f"--delay={value}" for value in given))
    assert code == USAGE
    assert said in " ".join(err.split())


def ends(capsys: pytest.CaptureFixture[str], *args: str) -> list[str]:
    """The instants at which answers cease."""
    assert main(["run", "r.rif", "--drain", *args]) == 0
    lines = capsys.readouterr().out.splitlines()
    return [line.partition('"at":')[2].partition(",")[0] for line in lines if '"-"' in line]


def test_what_is_taken_back_ends_at_the_frontier(folder, capsys) -> None:
    retraction = text(stamp("r", 3), "<urn:r> <urn:r4:retracts> <urn:a> .")
    (folder / "a.nq").write_bytes(element("a", 1))
    (folder / "b.nq").write_bytes(element("a", 1) + retraction)
    assert ends(capsys, "--window", "9", "a.nq") == ["10"]
    assert ends(capsys, "--window", "9", "b.nq") == ["3"]
    assert ends(capsys, "--window", "9", "--delay", "1", "b.nq") == ["2"]


def test_a_row_of_a_patch_takes_one_triple_back(folder, capsys) -> None:
    rows = "".join(f"A {line}\n" for line in element("a", 1, quad("b", "a")).decode().splitlines())
    delete = f"TX .\nA {stamp('r', 3)}\nD {quad('a', 'a')}\nTC .\n"
    (folder / "a.patch").write_text(f"TX .\n{rows}TC .\n{delete}")
    assert ends(capsys, "--window", "9", "a.patch") == ["3", "10"]


def test_a_patch_is_a_stream(folder, capsys) -> None:
    rows = "".join(f"A {line}\n" for line in element("a", 1).decode().splitlines())
    (folder / "a.patch").write_text(f"H id <urn:x> .\nTX .\n{rows}TC .\nTX .\n{rows}")
    code, begun, err = run(capsys, "a.patch")
    assert (code, begun) == (0, ["a"])
    assert "a.patch:6: DAT208" not in err
    assert "DAT208 a transaction without TC at the end of the input" in err


def test_a_patch_is_no_static_data(folder, capsys) -> None:
    (folder / "a.rdfp").write_text("TX .\nTC .\n")
    code, _, err = run(capsys, "--static", "a.rdfp")
    assert code == USAGE
    assert "a.rdfp: RDF Patch is a stream" in err


def test_which_stream_held_time_back_is_said_where_there_are_several(folder, capsys) -> None:
    (folder / "a.nq").write_bytes(element("a", 1) + element("b", 50))
    (folder / "b.nq").write_bytes(b"".join(element(f"n{n}", n) for n in range(1, 50)))
    assert "held back" not in run(capsys, "a.nq")[2]
    assert (
        "time was held back most by a.nq: up to 48 tick(s) behind" in run(capsys, "a.nq", "b.nq")[2]
    )


def test_a_silent_pipe_does_not_hold_time_back_for_ever(folder, capsys) -> None:
    """The pipe says nothing until the other stream is read; else neither would end."""
    (folder / "a.nq").write_bytes(element("a", 1) + element("b", 5))
    os.mkfifo(folder / "pipe")
    writer = os.open(folder / "pipe", os.O_RDWR)
    said = threading.Event()

    def speak() -> None:
        said.wait(20)
        os.write(writer, element("c", 6))
        os.close(writer)

    thread = threading.Thread(target=speak)
    thread.start()
    echo = pytest.MonkeyPatch()
    lines: list[str] = []

    def listen(line: str) -> None:
        lines.append(line)
        said.set()

    echo.setattr("r4.cli.sessions.stream_session.say", listen)
    try:
        code, begun, _ = run(capsys, "pipe", "a.nq", "--idle", "1 ms")
    finally:
        said.set()
        thread.join()
        echo.undo()
    assert code == 0
    assert begun == ["a", "b", "c"]
    assert lines[0].startswith("pipe: silent for longer than --idle")
    assert "pipe: speaks again" in lines


def dated(folder: Path) -> None:
    date = '"2026-06-01T12:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    prov = "<http://www.w3.org/ns/prov#generatedAtTime>"
    (folder / "d.nq").write_text(f"<urn:g> {prov} {date} .\n<urn:s> <urn:p> <urn:o> <urn:g> .\n")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "Window(1) is 1 ms, as stamps are dateTimes: write 1 s, 1 m …"),
        (["--tick", "us"], "Window(1) is 1 us,"),
        (["--window", "5"], "DAT304 warning: --window 5 is 5 ms, as"),
        (["--window", "5s", "--delay", "<urn:a=b>=30"], "warning: --delay <urn:a=b>=30 is 30 ms,"),
        (["--delay", "2", "--drain=3"], "Window(1) is 1 ms, --drain 3 is 3 ms, --delay 2 is"),
        (["--window", "0", "--delay", "0"], ""),
        (["--window", "5s", "--delay", "2 s"], ""),
        (["--quiet"], ""),
    ],
)
def test_durations_without_unit_are_warned_of_where_stamps_are_dates(
    folder, capsys, given, said
) -> None:
    dated(folder)
    told = run(capsys, "d.nq", *given)[2]
    assert said in told
    assert told.count("DAT304") == bool(said)


def test_ranges_without_unit_are_warned_of_where_stamps_are_dates(folder, capsys) -> None:
    dated(folder)
    body = "?x[ex:p -> ?y]"
    rules = RULES.replace("Window(1)", "").replace(body, f"DiamondMinus [1,3] ( {body} )")
    (folder / "r.rif").write_text(rules)
    assert "DiamondMinus [1, 3] is [1, 3] in ms, as" in run(capsys, "d.nq")[2]


def test_durations_without_unit_are_right_where_stamps_are_integers(folder, capsys) -> None:
    (folder / "a.nq").write_bytes(element("a", 9))
    assert "DAT304" not in run(capsys, "a.nq", "--delay", "30")[2]
