"""What docs/mtl.md shows is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.simulation.command import call

DOCS = ROOT / "docs"
DOCUMENT = (DOCS / "mtl.md").read_text("utf-8")
FILE = re.compile(r"^```\n# (\w+\.txt)\n((?:(?!```).*\n)*)", re.MULTILINE)
COMMAND = re.compile(r"^\$ r4 (.*)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)


def test_the_commands_of_the_document_print_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = FILE.findall(DOCUMENT)
    assert [name for name, _ in files] == ["alarm.txt", "facts.txt", "rota.txt", "week.txt"]
    for name, text in files:
        Path(name).write_text(text, "utf-8")
    commands = COMMAND.findall(DOCUMENT)
    assert len(commands) == 8
    for command, printed in commands:
        assert call(shlex.split(command)).out == printed
    assert Path("mtl.svg").read_text("utf-8") == (DOCS / "mtl.svg").read_text("utf-8")
