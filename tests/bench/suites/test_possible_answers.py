"""Tiny streams of readings as RDF: what `r4 run --hypotheses` tells of them is right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.harness.counted_runs import CountedSeries
from bench.harness.process_usage import Usage
from bench.programs.run_with_hypotheses import main, run_command
from bench.suites import hypotheses
from bench.suites.possible_answers import (
    CERTAIN,
    LEAST_RATE,
    POSSIBLE,
    WORKS,
    PossibleReport,
    findings,
    possible_bounds,
)
from bench.workloads.temporal.turbine_rdf import (
    RULES,
    StatusCounts,
    expected_counts,
    quads,
    static,
)
from bench.workloads.temporal.turbine_readings import Readings
from tests.bench.requests import benched


def ran(readings: Readings, how: str, folder: Path) -> PossibleReport:
    texts = {
        "turbines.rif": [RULES],
        "turbines.nt": static(readings),
        "readings.nq": quads(readings),
    }
    for name, lines in texts.items():
        (folder / name).write_text("".join(lines))
    paths = (str(folder / name) for name in texts)
    return run_command(readings.count, how, str(readings.delay), *paths)


@pytest.mark.parametrize(
    "readings",
    [Readings(200, 10), Readings(200, 10, 3), Readings(90, 3, 12), Readings(400, 10, 1)],
    ids=lambda readings: readings.name,
)
def test_what_is_told_of_readings_is_what_the_definition_says(readings, tmp_path) -> None:
    told = ran(readings, POSSIBLE, tmp_path)
    assert told.counts == expected_counts(readings)
    assert min(told.counts[:3]) > 0


def test_without_hypotheses_the_same_answers_are_told(tmp_path) -> None:
    readings = Readings(200, 10, 3)
    told = ran(readings, CERTAIN, tmp_path)
    assert told.counts == StatusCounts(expected_counts(readings).answers, 0, 0, 0)
    assert told.idle <= told.half <= told.peak


def test_fewer_moments_than_a_malfunction_needs_have_none() -> None:
    assert expected_counts(Readings(4, 2)).answers == 0


RIGHT = StatusCounts(10, 30, 9, 5)
QUICK = PossibleReport(10_000, 0.2, 64, 1000, RIGHT, 50, 100, 105)


def tellings(**given: PossibleReport) -> list[CountedSeries[PossibleReport]]:
    plain = QUICK._replace(seconds=0.1, counts=StatusCounts(10, 0, 0, 0))
    runs = {name: plain if work.how == CERTAIN else QUICK for name, work in WORKS.items()}
    right = {name: plain.counts if work.how == CERTAIN else RIGHT for name, work in WORKS.items()}
    return [
        CountedSeries(name, [(Usage(1, 1, 1), run)], expected=right[name])
        for name, run in (runs | given).items()
    ]


def test_bounds_are_on_rates_and_memory_and_ratios_are_told() -> None:
    assert all(bound.kept for bound in possible_bounds(tellings()))
    slow = QUICK._replace(seconds=10.0, peak=120)
    found = tellings(**{"run --hypotheses, delay 5": slow})
    missed = [(bound.name, bound.figure) for bound in possible_bounds(found) if not bound.kept]
    assert missed == [("run --hypotheses, delay 5", 1000), ("run --hypotheses, delay 5", 1.2)]
    text = "".join(map(str, findings(found).tables))
    assert f"at least {LEAST_RATE:,}  missed" in text
    assert "  100.0  " in text


def test_what_is_told_wrongly_makes_the_report_wrong() -> None:
    assert not findings(tellings()).wrong
    wrong = QUICK._replace(counts=StatusCounts(10, 30, 9, 6))
    series = tellings(**{"run --hypotheses, delay 0": wrong})
    for each in series:
        each.note(each.check())
    found = findings(series)
    assert found.wrong
    assert "(10, 30, 9, 6) instead of (10, 30, 9, 5)" in json.dumps(found.figures)


def test_it_is_part_of_the_workload_hypotheses(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(hypotheses, "follow", lambda _: [])
    monkeypatch.setattr(hypotheses, "hypothesis_bounds", lambda _: [])
    args = ("hypotheses", "--share", "0.02", "--repeat", "2")
    found = benched(monkeypatch, main, args, tmp_path)
    assert [(each["name"], each["wrong"]) for each in found["possible_answers"]] == [
        (name, "") for name in WORKS
    ]
    assert found["possible_answers_bounds"]
