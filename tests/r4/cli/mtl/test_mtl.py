"""``r4 mtl``: what follows from rules with metric time, whether a fact does, what is wrong."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from r4.cli.terminal.console import INPUT_REFUSED, NO, RULES_REFUSED, USAGE
from temporal.mtl.analysis import Algorithm
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

STREAM_SENTENCE = (
    "  stream: exact memory of the last 5; answers are certain when the frontier has passed them"
)


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
    def test_every_fact_is_printed_and_an_endless_model_as_far_as_it_repeats(self) -> None:
        found = mtl("materialise", "rules.txt", "facts.txt", "--periods")
        assert found.code == 0
        assert found.out == (
            "Alarm(a)@[3,5]\n"
            "Blink(b)@[0,0]\nBlink(b)@[5,5]\nBlink(b)@[10,10]\nBlink(b)@[15,15]\n"
            "Blink(b)@[20,20]\nBlink(b)@[25,25]\n"
            "Hot(a)@[0,10)\nLoud(a)@[3,4]\n"
            "# left period none\n# right period (21,26]\n"
        )
        assert found.err == "the model has no end to the right: shown is (-inf,26]\n"

    @pytest.mark.parametrize("given", [("--from", "-1/2", "--to", "4"), ("--from=-.5", "--to=4.0")])
    def test_a_stretch_is_shown_with_its_ends(self, given: tuple[str, ...]) -> None:
        found = mtl("materialise", "rules.txt", "facts.txt", "--derived-only", *given)
        assert (found.code, found.out, found.err) == (0, "Alarm(a)@[3,4]\n", "")

    def test_a_stretch_may_lie_far_away(self) -> None:
        found = mtl("materialise", "rules.txt", "facts.txt", "--from", "1001", "--to", "2010/2")
        assert found.out == "Blink(b)@[1005,1005]\n"

    def test_tables_compressed_files_and_folders_are_read(self, folder: Path) -> None:
        (folder / "data").mkdir()
        (folder / "data/Hot.csv").write_text("who,from,to\na,0.0,9\n")
        (folder / "data/other.txt.gz").write_bytes(gzip.compress(b"Loud(a)@[3,4]\n"))
        found = mtl("materialise", "rules.txt", "data")
        assert found.out == "Alarm(a)@[3,5]\nHot(a)@[0,9]\nLoud(a)@[3,4]\n"

    def test_a_fact_that_cannot_be_read_refuses_all(self, folder: Path) -> None:
        (folder / "bad.txt").write_text("Hot(a)@[0,10)\nHot(a)@[3,1]\nHot(a,b)@1\nLoud(a)\n")
        found = mtl("materialise", "rules.txt", "bad.txt")
        assert (found.code, found.out) == (INPUT_REFUSED, "")
        for place in ("bad.txt:2:8: MTL201", "bad.txt:3:1: MTL205", "bad.txt:4:8: MTL101"):
            assert place in found.err
        found = mtl("materialise", "rules.txt", "bad.txt", "--skip-bad")
        assert (found.code, found.out) == (0, "Hot(a)@[0,10)\n")
        assert "3 lines that are no facts are left out" in found.err

    def test_rules_that_cannot_be_read_are_refused(self, folder: Path) -> None:
        (folder / "bad.txt").write_text("A(X) :- B(Y)\nDiamondplus[0,1]A :- B\n")
        found = mtl("materialise", "bad.txt", "facts.txt")
        assert (found.code, found.out) == (RULES_REFUSED, "")
        assert "bad.txt:1:3: MTL301" in found.err
        assert "bad.txt:2:1: MTL204" in found.err

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
    @pytest.mark.parametrize(
        ("fact", "code"),
        [
            ("Alarm(a)@[3,5]", 0),
            ("Alarm(a)@[3,11/2]", NO),
            ("Alarm(b)@3", NO),
            ("Nothing@3", NO),
            ("Blink(b)@5000000", 0),
            ("Blink(b)@5000000.5", NO),
            ("Blink(b)@[0,inf)", NO),
        ],
    )
    def test_a_fact_follows_or_not_however_far_away(self, fact: str, code: int) -> None:
        found = mtl("entails", "rules.txt", "facts.txt", fact)
        assert (found.code, found.out) == (code, "no\n" if code else "yes\n")

    def test_a_predicate_that_nothing_is_said_of_is_pointed_out(self) -> None:
        found = mtl("entails", "rules.txt", "facts.txt", "Alram(a)@4")
        assert (found.code, found.out) == (NO, "no\n")
        assert "hint: neither the rules nor the data have Alram" in found.err
        assert "hint" not in mtl("entails", "rules.txt", "facts.txt", "Alarm(a)@14").err

    @pytest.mark.parametrize("fact", ["Hot(a)", "Hot(a)@[2,1]", "Hot(a)@1\nHot(a)@2", "Hot@1"])
    def test_a_question_that_is_none_is_wrong_usage(self, fact: str) -> None:
        found = mtl("entails", "rules.txt", "facts.txt", fact)
        assert (found.code, found.out) == (USAGE, "")


@pytest.mark.usefixtures("folder")
class TestCheck:
    def test_good_rules_are_told_apart_by_what_is_known_of_them(self) -> None:
        found = mtl("check", "rules.txt")
        assert found.code == 0
        assert found.out.splitlines() == [
            "rules.txt: 2 rules, no faults",
            "  rules look back alone: forward-propagating",
            "  a rule looks back 5 at most, ahead not at all",
            "  depth 5, all numbers are multiples of 1",
            "  all ranges end, some are one point",
            f"  materialise: {Algorithm.PERIODS.meaning}",
            STREAM_SENTENCE,
        ]

    def test_the_same_is_said_to_programs(self) -> None:
        found = json.loads(mtl("check", "rules.txt", "--as", "json").out)
        assert found["algorithm"] == "periods"
        assert found["lookback"] == "5"
        assert found["forward_propagating"] is True

    def test_the_normal_form_is_shown(self) -> None:
        found = mtl("check", "rules.txt", "--normal-form")
        assert "Blink(X) :- Diamondminus[5,5]Blink(X)\n" in found.out

    def test_all_faults_are_said(self, folder: Path) -> None:
        (folder / "bad.txt").write_text("A(X) :- B(Y)\nA :- Boxminus[2,1]B\nC(X :- D\n")
        found = mtl("check", "bad.txt")
        assert (found.code, found.out) == (RULES_REFUSED, "")
        for place in ("bad.txt:1:3: MTL301", "bad.txt:2:14: MTL201", "bad.txt:3:"):
            assert place in found.err
