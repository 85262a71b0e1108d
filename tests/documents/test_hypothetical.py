"""What docs/hypothetical.md shows is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.simulation.command import call

DOCUMENT = (ROOT / "docs/hypothetical.md").read_text("utf-8")
FILE = re.compile(r"^```\n# (\w+\.\w+)\n((?:(?!```).*\n)*)", re.MULTILINE)
COMMAND = re.compile(r"^\$ r4 (.*)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)


def test_the_commands_of_the_document_print_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILE.findall(DOCUMENT):
        Path(name).write_text(text, "utf-8")
    commands = COMMAND.findall(DOCUMENT)
    assert commands
    for command, printed in commands:
        assert call(shlex.split(command)).out == printed
