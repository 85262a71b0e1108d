"""``r4 mtl materialise --as svg``: facts on a line of time, ends and periods exact."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import pytest

from r4.cli.terminal.console import LIMIT, USAGE
from tests.simulation.command import CommandOutput, call

SPACE = "{http://www.w3.org/2000/svg}"
RULES = """\
Boxplus[5,5]Blink(X) :- Blink(X)
Boxminus[3,3]Wink(X) :- Wink(X)
Boxplus[0,inf)Old(X) :- Hot(X)
Alarm(X) :- Boxminus[0,2]Hot(X)
"""
FACTS = "Hot(a)@[0,10)\nHot(a)@[11,25/2]\nOld(a)@[4,5]\nBlink(b)@0\nWink(b)@(0,1/3]\n"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that was drawn."""

    root: ET.Element
    said: str

    @property
    def texts(self) -> list[str]:
        return ["".join(each.itertext()) for each in self.root.iter(f"{SPACE}text")]

    @property
    def tips(self) -> list[str]:
        groups = self.root.iter(f"{SPACE}g")
        return [tip.text or "" for group in groups for tip in group.iter(f"{SPACE}title")]

    def of(self, tip: str, kind: str) -> list[ET.Element]:
        """The elements of a kind in the group with that tooltip."""
        (found,) = (
            group
            for group in self.root.iter(f"{SPACE}g")
            if [each.text for each in group.findall(f"{SPACE}title")] == [tip]
        )
        return found.findall(f"{SPACE}{kind}")

    def classes(self, tip: str, kind: str) -> list[str]:
        return [each.get("class", "") for each in self.of(tip, kind)]

    def tints(self, kind: str) -> list[tuple[float, float]]:
        """From where to where the bands of a kind go."""
        found = [e for e in self.root.findall(f"{SPACE}rect") if e.get("class") == kind]
        return [(x := float(e.get("x", "")), x + float(e.get("width", ""))) for e in found]

    def mark(self, text: str) -> float:
        """Where the line of time says ``text``."""
        lowest = max(float(e.get("y", "")) for e in self.root.iter(f"{SPACE}text") if "c" in _c(e))
        (found,) = (
            float(e.get("x", ""))
            for e in self.root.iter(f"{SPACE}text")
            if e.text == text and float(e.get("y", "")) == lowest
        )
        return found


def _c(element: ET.Element) -> list[str]:
    return element.get("class", "").split()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rules.txt").write_text(RULES, "utf-8")
    Path("facts.txt").write_text(FACTS, "utf-8")
    return tmp_path


def mtl(*args: str) -> CommandOutput:
    return call(["mtl", "materialise", "rules.txt", "facts.txt", "--as", "svg", *args])


def drawn(*args: str, code: int = 0) -> Picture:
    found = mtl(*args)
    assert found.code == code, found.err
    return Picture(ET.fromstring(found.out), found.err)  # noqa: S314 - our own


@pytest.mark.usefixtures("folder")
class TestPicture:
    def test_every_interval_is_a_bar_with_its_exact_ends(self) -> None:
        shown = drawn()
        for fact in ("Hot(a)@[0,10)", "Hot(a)@[11,25/2]", "Alarm(a)@[2,10)", "Wink(b)@(0,1/3]"):
            assert fact in shown.tips
        assert {"Hot(a)", "[0,10)", "[11,25/2]", "(0,1/3]", "[0,inf)", "0"} <= set(shown.texts)

    def test_what_belongs_to_an_interval_is_seen_at_its_ends(self) -> None:
        shown = drawn()
        assert shown.classes("Hot(a)@[0,10)", "circle") == ["given", "given open"]
        assert shown.classes("Alarm(a)@[2,10)", "circle") == ["derived", "derived open"]
        assert shown.classes("Blink(b)@[0,0]", "circle") == ["given"]
        assert shown.classes("Blink(b)@[5,5]", "circle") == ["derived"]

    def test_times_stand_where_the_line_says_they_are(self) -> None:
        shown = drawn()
        begin, end = shown.of("Hot(a)@[0,10)", "circle")
        assert float(begin.get("cx", "")) == shown.mark("0")
        assert float(end.get("cx", "")) == shown.mark("10")

    def test_what_has_no_end_is_an_arrow_and_data_within_are_told(self) -> None:
        shown = drawn()
        assert len(shown.of("Old(a)@[0,inf)", "path")) == 1
        assert shown.classes("Old(a)@[0,inf)", "rect") == ["derived", "given"]
        assert shown.of("Hot(a)@[0,10)", "path") == []

    def test_the_periods_are_bands_and_come_again(self) -> None:
        shown = drawn()
        (left, right), again = shown.tints("period"), sorted(shown.tints("again"))
        assert [again[0][1], again[1][0]] == pytest.approx([left[0], right[1]], abs=0.11)
        assert right[1] - right[0] == pytest.approx(again[1][1] - again[1][0], abs=0.21)
        said = " ".join(shown.texts)
        periods = call(["mtl", "materialise", "rules.txt", "facts.txt", "--periods"]).out
        for line in periods.splitlines()[-2:]:
            assert line.removeprefix("# ") in said
        assert "again every 5" in said
        assert "again every 3" in said

    def test_a_stretch_far_away_has_the_periods_alone(self) -> None:
        shown = drawn("--from", "1000", "--to", "1010", "--only", "Blink")
        assert [tip for tip in shown.tips if "@" in tip] == [
            "Blink(b)@[1000,1000]",
            "Blink(b)@[1005,1005]",
            "Blink(b)@[1010,1010]",
        ]
        assert shown.tints("period") == []
        assert len(shown.tints("again") + shown.tints("anew")) == 3

    def test_what_goes_on_outside_has_no_end_there(self) -> None:
        shown = drawn("--from", "3", "--to", "8", "--only", "Hot")
        assert shown.classes("Hot(a)@…,…", "circle") == []
        assert shown.of("Hot(a)@…,…", "path") == []

    def test_one_point_of_time_is_drawn_with_what_is_beside_it(self) -> None:
        assert "Hot(a)@[11,25/2]" in drawn("--from", "12", "--to", "12").tips

    def test_patterns_choose_facts(self) -> None:
        shown = drawn("--only", "Hot(a)", "--only", "Wink(_)", "--only", "Blink(a)")
        assert {tip.partition("@")[0] for tip in shown.tips} == {"Hot(a)", "Wink(b)"}

    def test_what_follows_may_be_drawn_alone(self) -> None:
        tips = drawn("--derived-only").tips
        assert "Old(a)@(5,inf)" in tips
        assert not any(tip.startswith("Hot") for tip in tips)

    def test_of_too_many_facts_each_predicate_has_its_share(self, folder: Path) -> None:
        facts = [f"{name}(c{n:03})@{n}" for name in "AB" for n in range(100)]
        (folder / "facts.txt").write_text("\n".join([*facts, "C(c)@1"]))
        shown = drawn()
        assert "161 more facts are not drawn; --only says which are" in shown.said
        names = [text for text in shown.texts if text.endswith(")") and "(c" in text]
        assert [name[0] for name in names] == ["A"] * 20 + ["B"] * 19 + ["C"]
        assert "and 80 more facts of A" in shown.texts

    @pytest.mark.slow
    def test_what_is_too_close_together_is_one_bar_that_says_so(self, folder: Path) -> None:
        facts = "".join(f"P@[{n},{n}]\n" for n in range(0, 20_000, 2))
        (folder / "facts.txt").write_text(facts)
        found = mtl()
        assert "P: 10,000 intervals in [0,19998]" in found.out
        assert "10,000×" in found.out
        assert len(found.out) < 10_000

    @pytest.mark.parametrize(
        "name", ["<a href='&'>", "]]>&amp;--", "\x00\x01\x1b[2J\x7f", "\u202e"]
    )
    def test_whatever_stands_in_a_name_is_text(self, folder: Path, name: str) -> None:
        (folder / "facts.txt").write_text(f'Hot("{name}")@[0,10)\n', "utf-8")
        (tip, *_) = [tip for tip in drawn().tips if tip.startswith("Hot")]
        seen = "".join(c if c.isprintable() else f"\\u{ord(c):04X}" for c in name)
        assert tip == f'Hot("{seen}")'

    def test_a_name_of_kilobytes_is_shortened(self, folder: Path) -> None:
        (folder / "facts.txt").write_text(f"Hot({'x' * 10_000})@[0,10)\n")
        assert len(mtl().out) < 10_000

    def test_a_part_of_a_model_says_that_it_is_one(self) -> None:
        shown = drawn("--limit", "3", code=LIMIT)
        assert "Not all of the model: more than 3 facts." in shown.texts
        assert shown.tints("period") == []

    def test_dates_stand_on_hours_and_days(self, folder: Path) -> None:
        (folder / "rules.txt").write_text("Boxplus[36 h,36 h]Shift :- Shift\n")
        (folder / "facts.txt").write_text("Shift@[2024-01-01T08:00:00Z,2024-01-01T16:30:00Z)\n")
        texts = drawn().texts
        assert "[2024-01-01T08:00:00Z,2024-01-01T16:30:00Z)" in texts
        assert "2024-01-02T00:00:00Z" in texts
        assert any(text.endswith("again every 36 h") for text in texts)

    def test_where_nothing_holds_there_is_a_line_of_time(self, folder: Path) -> None:
        (folder / "facts.txt").write_text("")
        assert "0 facts, 0 intervals in [-1,1]" in drawn().texts

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            (("--only", "Alram"), "no such predicate; there are Alarm, Blink, Hot"),
            (("--only", "Hot(a,b)"), "it has 1 arguments"),
            (("--only", "Hot(a"), "PATTERN:1:6: MTL101"),
            (("--only", ""), "expected a predicate"),
            (("--from", "5", "--to", "1"), "behind"),
            (("--from", "0", "--to", "100000000"), "intervals are no picture"),
        ],
    )
    def test_what_cannot_be_drawn_is_wrong_usage(self, given: tuple[str, ...], told: str) -> None:
        found = mtl(*given)
        assert (found.code, found.out) == (USAGE, "")
        assert told in found.err


@pytest.mark.usefixtures("folder")
def test_patterns_choose_lines_of_text_too() -> None:
    found = call(["mtl", "materialise", "rules.txt", "facts.txt", "--only", "Hot(_)"])
    assert found.out == "Hot(a)@[0,10)\nHot(a)@[11,25/2]\n"
