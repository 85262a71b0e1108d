"""The line that shows how far a run is."""

from __future__ import annotations

import io
import sys

import pytest

from r4.cli.terminal.progress import Progress


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("name", ["a[/b].nq", "[bold]x.nq", "\x1b]0;title\x07.nq", "\u202e.nq"])
def test_names_of_files_neither_control_the_terminal_nor_end_the_run(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("r4.cli.terminal.progress._EVERY", 0.0)
    with Progress() as line:
        line.show(1, 2, name)
        assert line._status is not None
        shown = str(line._status.status)
    assert "time waits for " in shown
    for control in ("\x1b]0;", "\x07", "\u202e"):
        assert control not in terminal.getvalue() + shown
    assert name in shown or "�" in shown


def test_a_closed_standard_output_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", _Terminal())
    monkeypatch.setattr(sys, "stdout", None)
    with Progress() as line:
        assert line._status is not None
