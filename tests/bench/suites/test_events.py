"""Single events: all changes are right for each case, and bounds are said; also of peers."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench import command as bench_command
from bench.harness.peer import NotInstalled
from bench.harness.process_usage import Usage, measure_process
from bench.peers import event_python
from bench.programs import add_events
from bench.suites import events
from bench.suites.events import JOIN, LEAST_RATE, MOST, PEERS, EventCost, EventRuns, findings
from bench.workloads.single_events import CASES, WINDOW, EventCase, Triple, expected
from tests.bench.requests import requested

COUNT = 230
SHORT = 40
"""A window that is over before the events are; it is what some tests have instead of `WINDOW`."""


def short(name: str) -> EventCase:
    return replace(CASES[name], window=SHORT)


@pytest.mark.parametrize("name", CASES)
def test_all_changes_are_those_of_a_plain_loop(name, tmp_path, monkeypatch):
    monkeypatch.setattr(add_events, "CASES", {name: short(name)})
    found = add_events.main(name, COUNT, tmp_path)
    assert not found.wrong
    assert (found.answers > 0) == (name != "no-match")
    assert min(found.cpu, found.median, found.mean, found.high) > 0
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("name", ["loss", "average", "join-read"])
def test_changes_that_the_loop_does_not_find_are_said(name, tmp_path, monkeypatch):
    other = replace(short(name), answers=lambda s, facts: {(s, p, o) for p, o in facts})
    monkeypatch.setattr(add_events, "CASES", {name: short(name)})
    monkeypatch.setattr(add_events, "expected", lambda _, count: expected(other, count))
    assert " instead of " in add_events.main(name, COUNT, tmp_path).wrong


def at_each_tick(case: EventCase, count: int) -> list[set[Triple]]:
    """What holds at each tick, from all elements before it."""
    found = []
    for now in range(count):
        given = [(at, triple) for at in range(now + 1) for triple in case.element(at)]
        seen = {
            triple: at
            for at, triple in given
            if now < at + case.window + case.longer.get(triple[1], 0)
        }
        holds: set[Triple] = set()
        for subject in {s for s, _, _ in seen}:
            facts = {(p, o): at for (s, p, o), at in seen.items() if s == subject}
            holds |= case.answers(subject, facts)
        found.append(holds)
    return found


@pytest.mark.parametrize("name", ["join", "diamond", "loss", "average", "graph-turtle"])
def test_the_plain_loop_tells_how_what_holds_changes(name):
    case, holds, told = short(name), set[Triple](), []
    changes = [*expected(case, 2 * SHORT)]
    for now, wanted in enumerate(at_each_tick(case, 2 * SHORT)):
        for op, at, s, p, o in changes:
            if at == now:
                (holds.add if op == "+" else holds.remove)((s, p, o))
        assert holds == wanted
        told.append(len(holds))
    assert max(told) > 0
    assert sum(1 if change[0] == "+" else -1 for change in changes) == 0


def begun(count: int) -> int:
    return sum(change[0] == "+" for change in expected(CASES[JOIN], count))


@pytest.mark.parametrize("count", [3, 700, 4 * WINDOW + 7])
def test_the_join_by_hand_counts_the_answers_of_r4(count):
    assert event_python.main(count)["answers"] == begun(count)


def test_clips_counts_them_too():
    clips = pytest.importorskip("bench.peers.event_clips", reason="clipspy is not installed")
    assert clips.main(2 * WINDOW + 700)["answers"] == begun(2 * WINDOW + 700)


@pytest.mark.parametrize("name", ["durable_rules", "bytewax"])
def test_peers_in_another_python_count_them_too(name, tmp_path):
    variable = f"R4_TEST_{name.upper()}"
    if variable not in os.environ:
        pytest.skip(f"{variable} names no Python")
    python, count, output = os.environ[variable], 2 * WINDOW + 700, tmp_path / "output"
    assert PEERS[name].version(Path(python)).startswith(f"{name} ")
    measure_process((python, "-m", PEERS[name].program, str(count)), output)
    assert json.loads(output.read_text())["answers"] == begun(count)


@pytest.mark.parametrize("name", ["durable_rules", "bytewax"])
def test_a_python_without_the_package_is_said(name, tmp_path):
    with pytest.raises(NotInstalled, match="No such file"):
        PEERS[name].version(tmp_path / "python")


def ran(name: str, *costs: EventCost) -> EventRuns:
    return EventRuns(name, [(Usage(1.0, 1.0, 1), cost) for cost in costs], events=SHORT)


COSTS = EventCost(2.0, 7, "", 3.5, 4.0, 20.0), EventCost(4.0, 7, "", 2.5, 4.0, 50.0)


def tables(found):
    return [[list(row) for row in table.rows] for table in found.tables]


def test_figures_are_medians_over_the_rounds_and_held_against_bounds():
    found = findings([ran(JOIN, *COSTS), ran("sustained", EventCost(5.0, 7))])
    cases, bounds = tables(found)
    assert cases[0] == [JOIN, "40", "3.00", "4.00", "35.00", "3.00", "333,333", "right"]
    assert bounds == [
        [JOIN, "µs a call, median", "3.00", "at most 3", "kept"],
        [JOIN, "µs, 99 %", "35.00", "at most 30", "missed"],
        ["sustained", "events a second of CPU", "200,000", f"at least {LEAST_RATE:,}", "missed"],
    ]
    assert not found.wrong


def test_peers_are_held_against_the_join():
    failed = EventRuns("bytewax", failure="exit 1: no", may_fail=True)
    peer = ran("python-events", EventCost(0.5, 7))
    *_, rows = tables(findings([ran(JOIN, *COSTS), peer, failed]))
    assert rows == [
        ["r4", "3.00", "", "right"],
        ["python-events", "0.50", "6.00", "right"],
        ["bytewax", "", "", "exit 1: no"],
    ]


def test_each_bound_is_of_a_case():
    assert {name for name, _ in MOST} < CASES.keys()


@pytest.mark.slow
def test_events_is_a_name_of_r4_bench(tmp_path):
    told = tmp_path / "found.json"
    args = ("events", "--triples", "440", "--repeat", "1", "--peer", "python-events")
    done = CliRunner().invoke(
        bench_command.command,
        (*args, "--json", str(told)),
        standalone_mode=False,
        catch_exceptions=False,
    )
    assert done.return_value == 0
    found = json.loads(told.read_text())
    assert [(each["name"], each["wrong"]) for each in found["events"]] == [
        (name, "") for name in (*CASES, "python-events")
    ]
    assert [each["events"] for each in found["events"]] == [440] * 9 + [40] * 5 + [440] * 2
    assert len(found["event_bounds"]) == len(MOST) + 1


@pytest.mark.slow
def test_a_peer_that_finds_other_answers_is_wrong(tmp_path, monkeypatch):
    monkeypatch.setattr(events, "CASES", {JOIN: CASES[JOIN]})
    monkeypatch.setattr(events, "expected", lambda *_: iter([("+", 0, "s", "q", "o")]))
    found = events.run(requested(tmp_path, triples=SHORT, peers=["python-events"]))
    assert found.wrong == f"{SHORT // 2} instead of 1 answers"
