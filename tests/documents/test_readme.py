"""What README shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from r4.cli import main
from tests.paths import ROOT

README = ROOT / "README.md"
FILE = re.compile(r"^`([\w.]+)`: [^`]*^```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ r4 (.*)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)


def test_the_commands_of_the_readme_print_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    text = README.read_text("utf-8")
    for name, content in FILE.findall(text):
        (tmp_path / name).write_text(content, "utf-8")
    commands = COMMAND.findall(text)
    assert commands
    monkeypatch.chdir(tmp_path)
    for command, printed in commands:
        assert main(command.split()) == 0
        assert capfd.readouterr().out == printed
