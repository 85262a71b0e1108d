"""Limits of ``r4 mtl``: exit 5, with what is known by then, true, and how to go on."""

from __future__ import annotations

import sys
from itertools import chain, repeat
from pathlib import Path
from unittest.mock import patch

import pytest

from r4.cli.terminal.console import LIMIT, NO
from tests.simulation.command import CommandOutput, call

RULES = "Boxplus[3,3]P :- P\nBoxplus[7/2,7/2]P :- P\n"
FACTS = "P@0\nR@[0,1]\n"

LIMITS = {
    "--limit": ("10", "more than 10 facts"),
    "--rounds": ("2", "more than 2 rounds"),
    "--seconds": ("0", "more than 0.0 seconds"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rules.txt").write_text(RULES)
    Path("facts.txt").write_text(FACTS)
    return tmp_path


def mtl(command: str, *args: str) -> CommandOutput:
    return call(["mtl", command, "rules.txt", "facts.txt", *args])


@pytest.mark.usefixtures("folder")
class TestLimits:
    @pytest.mark.parametrize("option", LIMITS)
    def test_what_is_printed_by_then_is_true(self, option: str) -> None:
        most, told = LIMITS[option]
        found = mtl("materialise", option, most)
        assert found.code == LIMIT
        assert f"stopped, {told}: all that is printed is true, but it is not all\n" in found.err
        assert f"  hint: a higher {option} goes further" in found.err
        whole = mtl("materialise", "--from", "-1", "--to", "100").out
        assert set(found.out.splitlines()) < set(whole.splitlines())

    @pytest.mark.parametrize("option", LIMITS)
    def test_what_is_not_known_by_then_is_no_answer(self, option: str) -> None:
        most, told = LIMITS[option]
        found = mtl("entails", "P@1000", option, most)
        assert (found.code, found.out) == (LIMIT, "")
        assert f"stopped, {told}: the answer is not known\n" in found.err
        assert f"  hint: a higher {option} goes further" in found.err

    @pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is not known")
    def test_memory_is_looked_at_while_facts_are_derived(self) -> None:
        looks = chain([10, 10, 10], repeat(999))
        with (
            patch("rete.memory_limit.resident_bytes", lambda: next(looks)),
            patch("rete.memory_limit.PERIOD", -1.0),
        ):
            found = mtl("materialise", "--memory", "100B")
        assert found.code == LIMIT
        assert "stopped, 999 bytes of memory are in use, more than the 100 allowed" in found.err
        assert "  hint: a higher --memory goes further" in found.err
        whole = mtl("materialise", "--from", "-1", "--to", "100").out
        assert set() < set(found.out.splitlines()) < set(whole.splitlines())

    def test_what_was_derived_by_then_is_an_answer(self) -> None:
        assert mtl("entails", "P@6", "--limit", "10").code == 0

    def test_rules_that_look_back_say_up_to_when_nothing_is_missing(self) -> None:
        limit = ("--limit", "30")
        found = mtl("materialise", *limit)
        assert (found.code, found.out.count("P@") > 10) == (LIMIT, True)
        assert "  nothing is missing in (-inf,16]\n" in found.err
        whole = mtl("materialise", "--from", "-1", "--to", "16")
        before = [line for line in found.out.splitlines() if line in set(whole.out.splitlines())]
        assert before == whole.out.splitlines()
        assert mtl("entails", "P@[15,16]", *limit).code == NO
        assert mtl("entails", "P@[15,1000]", *limit).code == NO
        assert mtl("entails", "P@(16,17]", *limit).code == LIMIT

    def test_rules_that_look_ahead_say_from_when_on(self, folder: Path) -> None:
        (folder / "rules.txt").write_text(RULES.replace("plus", "minus"))
        assert "nothing is missing in [-15,inf)\n" in mtl("materialise", "--limit", "30").err

    def test_rules_that_look_both_ways_leave_nothing_certain(self, folder: Path) -> None:
        (folder / "rules.txt").write_text(f"{RULES}Boxminus[20,20]P :- P")
        found = mtl("entails", "P@1/4", "--limit", "300")
        assert found.code == LIMIT
        assert "nothing is missing" not in found.err

    def test_a_long_stretch_of_what_repeats_is_written_as_far_as_the_limit(self) -> None:
        found = mtl("materialise", "--from", "100", "--to", "1000000000", "--limit", "5000")
        assert found.code == LIMIT
        assert "stopped, more than 5,000 intervals to write; --from goes on" in found.err
        assert "  nothing is missing in [100,5199/2)\n" in found.err
        assert found.out == mtl("materialise", "--from", "100", "--to", "2599").out

    def test_data_that_take_too_long_are_read_no_further(self) -> None:
        found = mtl("materialise", "--seconds", "0")
        assert (found.code, found.out) == (LIMIT, "")
        assert "the data were not read to their end" in found.err
