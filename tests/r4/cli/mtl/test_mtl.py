"""``r4 mtl``: files that are read, wrong usage, forms for programs; `tests/cases` has the rest."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from r4.cli.terminal.console import USAGE
from tests.simulation.command import CommandOutput, call

RULES = """\
Alarm(X) :- Boxminus[0,2]Hot(X), Diamondminus[0,1]Loud(X)
Boxplus[5,5]Blink(X) :- Blink(X)
"""
FACTS = """\
Hot(a)@[0,10)
Loud(a)@[3,4]
Blink(b)@0
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with rules and facts."""
    monkeypatch.chdir(tmp_path)
    Path("rules.txt").write_text(RULES)
    Path("facts.txt").write_text(FACTS)
    return tmp_path


def mtl(*args: str) -> CommandOutput:
    return call(["mtl", *args])


@pytest.mark.usefixtures("folder")
class TestMaterialise:
    def test_tables_compressed_files_and_folders_are_read(self, folder: Path) -> None:
        (folder / "data").mkdir()
        (folder / "data/Hot.csv").write_text("who,from,to\na,0.0,9\n")
        (folder / "data/other.txt.gz").write_bytes(gzip.compress(b"Loud(a)@[3,4]\n"))
        found = mtl("materialise", "rules.txt", "data")
        assert found.out == "Alarm(a)@[3,5]\nHot(a)@[0,9]\nLoud(a)@[3,4]\n"

    @pytest.mark.parametrize(
        "given",
        [
            ("rules.txt", "no.txt"),
            ("no.txt", "facts.txt"),
            ("rules.txt",),
            ("rules.txt", "facts.txt", "--from", "2", "--to", "1"),
            ("rules.txt", "facts.txt", "--from", "soon"),
            ("rules.txt", "facts.txt", "--to", "inf"),
            ("rules.txt", "facts.txt", "--from", "100"),
            ("-", "-"),
        ],
    )
    def test_what_makes_no_sense_is_wrong_usage(self, given: tuple[str, ...]) -> None:
        found = mtl("materialise", *given)
        assert (found.code, found.out) == (USAGE, "")
        assert "Error: " in found.err

    def test_what_is_written_is_read_again(self, folder: Path) -> None:
        assert mtl("materialise", "rules.txt", "facts.txt", "--output", "out.txt").code == 0
        (folder / "none.txt").write_text("")
        again = mtl("materialise", "none.txt", "out.txt")
        assert again.out == (folder / "out.txt").read_text()


@pytest.mark.usefixtures("folder")
class TestEntails:
    @pytest.mark.parametrize("fact", ["Hot(a)", "Hot(a)@[2,1]", "Hot(a)@1\nHot(a)@2", "Hot@1"])
    def test_a_question_that_is_none_is_wrong_usage(self, fact: str) -> None:
        found = mtl("entails", "rules.txt", "facts.txt", fact)
        assert (found.code, found.out) == (USAGE, "")


@pytest.mark.usefixtures("folder")
class TestCheck:
    def test_the_same_is_said_to_programs(self) -> None:
        found = json.loads(mtl("check", "rules.txt", "--as", "json").out)
        assert found["algorithm"] == "periods"
        assert found["lookback"] == "5"
        assert found["forward_propagating"] is True
