"""Models that follow changes: what is measured, compared and drawn."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.command import command
from bench.harness.process_usage import Usage
from bench.programs import update_model
from bench.programs.update_model import SEED, SUCCESSION
from bench.suites.mtl_update import (
    FEW,
    Growth,
    UpdateKey,
    UpdateReport,
    UpdateRuns,
    draw_growth,
    findings,
    growths,
    update,
)
from temporal.facts.bulk_loader import Dataset
from temporal.maintenance.live_model import LiveModel
from tests.bench.requests import benched, requested

RULES = "Q(X) :- Diamondminus[1,1]P(X)\nQ(X) :- Diamondminus[3,3]Q(X)\n"
USAGE = Usage(1.0, 1.0, 1)


def _report(facts: int, change: str, dred: float, changed: int = FEW) -> UpdateReport:
    times = dred, dred, 0.1
    return UpdateReport(facts, changed, change, *times, False, dred / 2, 0.5)


def _runs(key: UpdateKey, *reports: list[UpdateReport]) -> UpdateRuns:
    return UpdateRuns(key, [(USAGE, report) for report in reports])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    place = tmp_path / "weather"
    place.mkdir()
    (place / "program.txt").write_text(RULES)
    facts = "".join(f"P(a{number})@{number % 9}\n" for number in range(1200))
    (place / "weather_59981.txt").write_text(facts)
    return tmp_path


@pytest.mark.slow
def test_changes_are_measured_and_models_compared(data: Path, tmp_path: Path) -> None:
    whole, growing = update(requested(tmp_path, data=data))
    (runs,) = whole
    assert [(one.change, one.changed) for one in runs.reports[0]] == [
        ("delete", 100),
        ("insert", 100),
        ("delete", 120),
        ("insert", 120),
    ]
    assert all(one.facts == 1200 and not one.wrong for one in runs.reports[0])
    assert [each.key.share for each in growing] == [1 / 60, 1 / 6, 1]
    assert not findings(whole, growing).wrong


def test_the_time_in_succession_is_that_of_the_sample_itself(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = SUCCESSION.index(SEED)

    def follow(_live: LiveModel, changes: Sequence[Dataset]) -> tuple[list[float], list[float]]:
        assert len(changes) in {1, len(SUCCESSION)}
        deletions = [7.0 if number == place else 1.0 for number in range(len(changes))]
        return deletions, [-each for each in deletions]

    derive_anew = update_model.derive_anew
    monkeypatch.setattr(update_model, "follow", follow)
    monkeypatch.setattr(update_model, "derive_anew", lambda *args: (2.0, derive_anew(*args)[1]))
    folder = data / "weather"
    update_model.main(str(folder / "program.txt"), str(folder / "weather_59981.txt"), "1", "1")
    rows = json.loads(capsys.readouterr().out)
    assert [row["successive"] for row in rows] == [7.0, -7.0] * 2
    assert [row["successive_ratio"] for row in rows] == [3.5, -3.5] * 2
    assert [row["recompute"] for row in rows] == [2.0] * 4


def test_a_change_after_which_a_model_is_wrong_makes_the_report_wrong(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = _report(1000, "delete", 0.01)._asdict()
    rows = [right, {**right, "change": "insert", "wrong": True}]
    found = benched(
        monkeypatch,
        lambda *_: json.dump(rows, sys.stdout),
        ("mtl-update", "--repeat", "1", "--data", str(data)),
        tmp_path,
        code=1,
    )
    assert {each["wrong"].split(": ")[1] for each in found["model_updates"]} == {"insert 100"}


@pytest.mark.slow
def test_mtl_update_is_a_name_of_r4_bench(data: Path, tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    args = ["mtl-update", "--repeat", "1", "--json", str(told), "--data", str(data)]
    done = CliRunner().invoke(command, args, standalone_mode=False)
    assert done.return_value == 0
    assert "delete 120" in done.output
    assert len(json.loads(told.read_text())["model_updates"]) == 4


def test_a_wrong_model_is_told() -> None:
    right = _report(1000, "delete", 0.01)
    runs = _runs(UpdateKey("weather"), [right], [right._replace(wrong=True)])
    (change,) = findings([runs]).tables
    assert change.rows[0][-2:] == ("0.40 kept", "wrong")


def test_growth_is_told_by_decade_and_drawn() -> None:
    series = [
        _runs(
            UpdateKey("weather", share),
            [_report(facts, "delete", time)],
            [_report(facts, "delete", 9)],
        )
        for share, facts, time in ((0.01, 1000, 0.01), (0.1, 10_000, 0.015), (1.0, 100_000, 0.045))
    ]
    (growth,) = growths(series)
    assert growth.points == [(1000, 0.01, 0.1), (10_000, 0.015, 0.1), (100_000, 0.045, 0.1)]
    assert growth.steps == pytest.approx([1.5, 3.0])
    *_, table = findings(series, series).tables
    assert [row[-1] for row in table.rows] == ["", "2.00 kept", "2.00 missed"]
    assert re.findall('<circle cx="([0-9.]+)"', draw_growth([growth])) == ["70", "280", "490"]
    assert draw_growth([Growth("a", "delete", [(10, 0.1, 0.1)])]).count("<circle") == 1
