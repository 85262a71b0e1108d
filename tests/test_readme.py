"""What README shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from r4.cli import main

README = Path(__file__).parents[1] / "README.md"
FENCED = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ r4 (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def test_the_commands_of_the_readme_print_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    blocks = FENCED.findall(README.read_text("utf-8"))
    for _, name, text in blocks:
        if name:
            (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    commands = [
        found for kind, _, text in blocks if kind == "console" for found in COMMAND.findall(text)
    ]
    assert commands
    for command, printed in commands:
        assert main(command.split()) == 0
        assert capfd.readouterr().out == printed
