"""Aggregates of few readings, and of a small group: answers are right, and bounds are said."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from bench import command as bench_command
from bench.harness.process_usage import Usage
from bench.peers import column_windows
from bench.programs import follow_groups
from bench.suites import aggregates
from bench.suites.aggregates import (
    LEAST_RATE,
    MEMBER_AGGREGATES,
    MEMBERS,
    PEERS,
    WINDOWS,
    GroupCost,
    PeerReport,
    WindowContestant,
    WindowMemory,
    WindowRuns,
    findings,
)
from bench.workloads.readings import AGGREGATES, SENSORS, changes, is_above, readings, rules, stream
from r4.cli import main
from tests.bench.requests import requested


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_r4_tells_the_alarms_that_brute_force_finds(aggregate, tmp_path, capfd):
    count, seconds = 12 * SENSORS, 4
    (tmp_path / "alarm.rif").write_text(rules(aggregate, seconds))
    (tmp_path / "readings.nq").write_text("".join(stream(count)))
    assert main(["run", *(str(path) for path in sorted(tmp_path.iterdir()))]) == 0
    signs = [json.loads(line)["op"] for line in capfd.readouterr().out.splitlines()]
    right = changes(is_above(aggregate, readings(count), seconds))
    assert (signs.count("+"), signs.count("-")) == right
    assert right[0] > 0


@pytest.mark.parametrize("aggregate", AGGREGATES)
@pytest.mark.parametrize("library", PEERS)
def test_libraries_for_tables_find_the_same_of_columns(library, aggregate):
    pytest.importorskip(library, reason=f"{library} is not installed")
    count, seconds = 30 * SENSORS, 25
    found = column_windows.main(library, aggregate, seconds, count)
    assert found["above"] == is_above(aggregate, readings(count), seconds, library).sum()


def test_of_a_group_each_aggregate_is_measured(monkeypatch):
    monkeypatch.setattr(follow_groups, "BATCH", 8)
    found = follow_groups.main(20, 3)
    assert [(each.aggregate, each.members) for each in found] == [
        (words, 20) for words in MEMBER_AGGREGATES
    ]
    assert all(each.microseconds > 0 for each in found)


def test_a_value_of_a_group_that_is_wrong_ends_it(monkeypatch):
    monkeypatch.setattr(follow_groups, "value_of", lambda *_: "nothing of the kind")
    monkeypatch.setattr(follow_groups, "BATCH", 8)
    with pytest.raises(ValueError, match="instead of nothing of the kind"):
        follow_groups.main(20, 1)


def ran(runner: str, seconds: int, cpu: float, *reports: PeerReport) -> WindowRuns:
    made = WindowRuns(
        WindowContestant(runner, "avg", seconds), command=(), idle=(), count=LEAST_RATE
    )
    made.runs = [(Usage(2 * cpu, cpu, 5_000_000), report) for report in reports or (None,)]
    made.idles = [Usage(0.0, 0.0, 10)] * len(made.runs)
    return made


WINDOW_RUNS = [
    ran("r4", 10, 0.5),
    ran("pandas", 10, 9.0, PeerReport(0.3, 0.4, 7), PeerReport(0.25, 0.5, 7)),
    *(ran("r4", seconds, 1.25) for seconds in WINDOWS[1:]),
]
MEMORY = [WindowMemory("avg", 10, count, Usage(1.0, 1.0, 1_000_000 * count)) for count in (10, 12)]
COSTS = [GroupCost(words, members, 3.0) for members in MEMBERS for words in MEMBER_AGGREGATES]


def tables(found):
    return [[list(row) for row in table.rows] for table in found.tables]


def test_rates_are_without_the_start_and_longer_windows_are_held_against_the_shortest():
    windows, _, _ = tables(findings(WINDOW_RUNS, MEMORY, COSTS))
    count = f"{LEAST_RATE:,}"
    assert windows[0] == [
        *("r4 avg 10 s", count, "600,000", f"{count} kept", "300,000"),
        *("1.00", "1.30 kept", "", "5", "right"),
    ]
    assert windows[1] == [
        *("pandas avg 10 s", count, "1,200,000", "", "750,000", "1.00", "", "2.00", "5", "right"),
    ]
    assert windows[2][2:7] == ["240,000", f"{count} missed", "120,000", "2.50", "1.30 missed"]


def test_memory_of_a_longer_stream_is_held_against_the_shorter_one():
    _, memory, _ = tables(findings(WINDOW_RUNS, MEMORY, COSTS))
    assert memory == [["avg 10 s", "10", "10", "12", "1.20", "1.10 missed"]]


def test_the_cost_of_many_members_is_held_against_that_of_few():
    few, *others = COSTS
    _, _, groups = tables(findings(WINDOW_RUNS, MEMORY, [replace(few, microseconds=1.0), *others]))
    assert groups[0][1:] == ["1.00", "3.00", "3.00", "20.00 kept", "3.00", "2.00 missed"]
    assert groups[1][1:] == ["3.00", "3.00", "3.00", "20.00 kept", "1.00", "2.00 kept"]
    assert [row[0] for row in groups] == list(MEMBER_AGGREGATES)


@pytest.mark.slow
def test_aggregates_is_a_name_of_r4_bench(tmp_path, monkeypatch):
    monkeypatch.setattr(aggregates, "AGGREGATES", ("p95",))
    monkeypatch.setattr(aggregates, "WINDOWS", WINDOWS[:2])
    monkeypatch.setattr(aggregates, "MEMBERS", (1000,))
    told = tmp_path / "found.json"
    args = ("aggregates", "--triples", "15000", "--repeat", "1", "--json", str(told))
    done = CliRunner().invoke(
        bench_command.command, args, standalone_mode=False, catch_exceptions=False
    )
    assert done.return_value == 0
    found = json.loads(told.read_text())
    assert [(each["wrong"], each["window"]) for each in found["aggregates"]] == [("", 10), ("", 60)]
    assert [each["count"] for each in found["aggregate_memory"]] == [15000, 30000] * 5
    assert len(found["aggregate_groups"]) == len(MEMBER_AGGREGATES)


@pytest.mark.slow
def test_answers_that_are_not_those_of_brute_force_are_wrong(tmp_path, monkeypatch):
    monkeypatch.setattr(aggregates, "AGGREGATES", ("avg",))
    monkeypatch.setattr(aggregates, "WINDOWS", (10,))
    monkeypatch.setattr(aggregates, "MEMBERS", (1000,))
    monkeypatch.setattr(aggregates, "changes", lambda _: (3, 4))
    found = aggregates.run(requested(tmp_path, triples=3 * SENSORS))
    assert found.wrong.endswith(" instead of (0, 3, 4) answers")
