"""``r4 run`` over a pipe that is silent. Other options of streams are in `tests/cases`."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from r4.cli import main
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
