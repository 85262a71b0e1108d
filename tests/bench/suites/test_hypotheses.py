"""Tiny streams of late readings: what is told of them is right, and so is what is reported."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from bench.harness.benchmark import Findings
from bench.harness.counted_runs import CountedSeries
from bench.harness.process_usage import Usage
from bench.programs.follow_readings import follow, main
from bench.suites import possible_answers
from bench.suites.hypotheses import (
    HYPOTHESES,
    LEAST_RATES,
    NETWORK,
    WORKS,
    HypothesisReport,
    findings,
    hypothesis_bounds,
)
from bench.workloads.temporal.turbine_readings import (
    METRIC,
    PROGRAM,
    QUERY,
    FollowedCounts,
    Readings,
)
from tests.bench.requests import benched
from tests.generators.hypothetical.text import atom, fact, program
from tests.oracles.hypothetical.definitions import Delta
from tests.oracles.hypothetical.output_lines import LineOracle
from tests.simulation.hypothetical.engine import QueryRun


def arrivals(readings: Readings) -> list[tuple[int, str]]:
    return [(int(at[1:]), said) for at, said in (line.split() for line in readings.lines())]


def test_readings_come_in_the_order_of_arrival_and_none_later_than_its_delay() -> None:
    late = set()
    found = arrivals(Readings(60, 6, 3))
    assert len(set(found)) == 60
    for arrival, said in found:
        late.add(arrival - fact(said)[2])
    assert late == {0, 1, 2, 3}
    assert all(a[0] <= b[0] for a, b in pairwise(found))


def test_a_stream_is_the_same_however_often_it_is_asked_for() -> None:
    assert list(Readings(40, 4, 2).lines()) == list(Readings(40, 4, 2).lines())


def followed(readings: Readings, how: str, folder) -> HypothesisReport:
    path = folder / readings.name
    path.write_text("".join(readings.lines()))
    return follow(str(path), readings.total, how, readings.delays)


@pytest.mark.parametrize(
    "readings",
    [
        Readings(200, 10),
        Readings(200, 10, 3),
        Readings(200, 4, 60),
        Readings(40, 2, idle=5, waiting=True),
        Readings(40, 2, idle=5),
    ],
    ids=lambda readings: readings.name,
)
def test_what_is_told_of_readings_is_what_the_definition_says(readings, tmp_path) -> None:
    told = followed(readings, HYPOTHESES, tmp_path)
    assert told.counts == readings.outcome()
    assert told.facts == readings.total
    assert min(told.counts[:2]) > 0


def test_the_plain_network_tells_the_same_answers(tmp_path) -> None:
    readings = Readings(400, 10)
    told = followed(readings, NETWORK, tmp_path)
    assert told.counts == FollowedCounts(readings.outcome().answers, 0, 0)
    assert "Diamondplus[2,2]" in METRIC


@pytest.mark.parametrize("delay", [0, 2, 4])
def test_what_is_held_is_the_least_that_the_oracle_needs(delay: int) -> None:
    readings = Readings(45, 3, delay)
    player = QueryRun(PROGRAM, QUERY, readings.delays)
    oracle = LineOracle(program(PROGRAM), atom(QUERY), Delta(delay))
    slices: dict[int, list[str]] = {}
    for arrival, said in arrivals(readings):
        slices.setdefault(arrival, []).append(said)
    pieces = ("".join(f"@{tau} {said}\n" for said in each) for tau, each in slices.items())
    held: list[int] = []
    begin = 0
    for taken in player.intake.read(piece.encode() for piece in pieces):
        player.online.push(taken)
        for tau in range(begin, taken.frontier + 1):
            oracle.slice(tau, map(fact, slices.get(tau, ())))
        begin = taken.frontier + 1
        least = sum(len({one.hypotheses for one in each}) for each in oracle._waiting.values())
        assert player.online.held == least, f"at {taken.frontier}"
        held.append(least)
    assert begin > max(slices)
    assert len(set(held)) > 2


RIGHT = FollowedCounts(10, 5, 1)
QUICK = HypothesisReport(1000, 0.003, 0.004, 0.002, 0.001, 0.005, 500, 30, RIGHT, 7, 50, 100, 105)


def followings(**given: HypothesisReport) -> list[CountedSeries[HypothesisReport]]:
    """All, with some runs other than the quick one."""
    plain = QUICK._replace(counts=FollowedCounts(10, 0, 0))
    runs = dict.fromkeys(WORKS, QUICK) | {"delay 0, plain network": plain} | given
    right = dict.fromkeys(WORKS, RIGHT) | {"delay 0, plain network": plain.counts}
    return [
        CountedSeries(name, [(Usage(1, 1, 1), run)], expected=right[name])
        for name, run in runs.items()
    ]


def test_bounds_are_on_rates_ratios_and_memory() -> None:
    found = list(hypothesis_bounds(followings()))
    assert all(bound.kept for bound in found)
    assert {bound.name for bound in found if not bound.most} == set(LEAST_RATES)
    slow = QUICK._replace(match=0.1, later=0.007)
    grown = QUICK._replace(peak=111)
    worse = followings(**{"delay 0": slow, "delay 5": grown, "10 times idle, done": slow})
    missed = [
        (bound.name, round(bound.figure, 2)) for bound in hypothesis_bounds(worse) if not bound.kept
    ]
    assert missed == [
        ("delay 0", round(1000 / 0.106, 2)),
        ("delay 0", 10.6),
        ("delay 0", 25.0),
        ("delay 5", 1.11),
        ("10 times idle, done", 1.4),
    ]
    text = "".join(map(str, findings(worse).tables))
    assert "at least 50,000  missed" in text
    assert "at most 1.2  missed" in text


def test_what_is_told_wrongly_makes_the_report_wrong() -> None:
    assert not findings(followings()).wrong
    wrong = QUICK._replace(counts=FollowedCounts(10, 4, 1))
    series = followings(**{"delay 60": wrong})
    for each in series:
        each.note(each.check())
    found = findings(series)
    assert found.wrong
    assert "(10, 4, 1) instead of (10, 5, 1)" in "".join(map(str, found.tables))
    assert "instead of" in json.dumps(found.figures)


def test_hypotheses_is_a_name_of_r4_bench(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(possible_answers, "run", lambda _: Findings())
    args = ("hypotheses", "--share", "0.002", "--repeat", "2")
    found = benched(monkeypatch, main, args, tmp_path)
    assert [each["name"] for each in found["hypotheses"]] == list(WORKS)
    assert [each["wrong"] for each in found["hypotheses"]] == [""] * len(WORKS)
    assert {len(each["runs"]) for each in found["hypotheses"]} == {2}
    assert found["hypotheses_bounds"]
