"""``r4 mtl`` over dates: answers come back as the data are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.cli.terminal.console import INPUT_REFUSED, NO, USAGE
from tests.simulation.command import CommandOutput, call


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder to work in, with rules and facts."""
    monkeypatch.chdir(tmp_path)
    Path("rules.txt").write_text("Boxplus[7 d,7 d]Shift(X) :- Shift(X)\n")
    Path("Shift.csv").write_text("ann,2024-01-01,2024-01-03\n")
    Path("numbers.txt").write_text("Shift(bob)@5\n")


def mtl(command: str, *args: str) -> CommandOutput:
    return call(["mtl", command, "rules.txt", *args])


def test_days_give_days_and_periods_are_told_in_them() -> None:
    found = mtl(
        "materialise", "Shift.csv", "--from", "2024-01-05", "--to", "2024-01-12", "--periods"
    )
    assert found.out == (
        "Shift(ann)@[2024-01-08,2024-01-10]\n"
        "# left period none\n# right period (2024-01-22,2024-01-29]\n"
    )


def test_a_stretch_with_times_of_day_gives_times_of_day() -> None:
    found = mtl(
        "materialise", "Shift.csv", "--from", "2024-01-09T12:00:00+01:00", "--to", "2024-01-12"
    )
    assert found.out == "Shift(ann)@[2024-01-09T11:00:00Z,2024-01-10T00:00:00Z]\n"


def test_a_question_is_asked_with_dates_however_far_away() -> None:
    assert (
        mtl("entails", "Shift.csv", "Shift(ann)@[2044-01-04,2044-01-06T00:00:00Z]").out == "yes\n"
    )
    asked = mtl("entails", "Shift.csv", "Shift(ann)@2044-01-07T00:00:00Z")
    assert (asked.code, asked.out) == (NO, "no\n")
    assert "Shift(ann)@[2044-01-07T00:00:00Z,2044-01-07T00:00:00Z]" in asked.err


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("materialise", "numbers.txt"), INPUT_REFUSED),
        (("materialise", "Shift.csv", "--from", "5"), USAGE),
        (("entails", "Shift.csv", "Shift(ann)@5"), USAGE),
        (("materialise", "Shift.csv", "--to", "2023-02-29"), USAGE),
    ],
)
def test_numbers_beside_dates_are_refused(args: tuple[str, ...], code: int) -> None:
    found = mtl(*args)
    assert (found.code, found.out) == (code, "")
    assert "MTL209" in found.err or code == USAGE


def test_a_program_is_described_in_its_durations() -> None:
    assert "looks back 7 d at most" in call(["mtl", "check", "rules.txt"]).out
