"""Facts taken back from tiny graphs: models are right, and what is reported is what was found."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from itertools import islice, pairwise

import pytest
from click.testing import CliRunner

from bench.command import command
from bench.harness.process_usage import Usage
from bench.programs.retract_facts import RetractionTrial, RunningGraph
from bench.suites.closure import CLOSERS
from bench.suites.retraction import (
    MOST_SECONDS,
    RetractionDraw,
    RetractionReport,
    RetractionRuns,
    RetractionStep,
    findings,
    over_peers,
    retract,
    retraction_bounds,
    survivors,
)
from bench.workloads.graphs.retraction_graphs import (
    RETRACTION_GRAPHS,
    circle,
    cliques,
    long_chains,
    short_chains,
    tree,
)
from bench.workloads.stream_terms import SAME_AS
from tests.bench.requests import benched, requested

SIZES = {
    "chains-10": 12,
    "chains-100": 1,
    "tree": 40,
    "circle": 9,
    "same": 2,
    "university": 90,
    "windows": 30,
    "operators": 30,
}


def ends(lines):
    return [tuple(line.split()[::2][:2]) for line in lines]


def test_short_chains_have_one_to_ten_ways_each_from_where_the_last_one_ended():
    ways = ends(short_chains(200))
    chains: dict[str, list[tuple[str, ...]]] = {}
    for a, b in ways:
        chains.setdefault(a.split("/")[4], []).append((a, b))
    assert len(chains) == 200
    assert {len(chain) for chain in chains.values()} == set(range(1, 11))
    assert all(a[1] == b[0] for chain in chains.values() for a, b in pairwise(chain))


def test_long_chains_have_a_hundred_ways():
    assert len(ends(long_chains(3))) == 300


def test_in_the_tree_every_point_but_the_root_has_one_way_up():
    ways = ends(tree(7))
    assert len({a for a, _ in ways}) == len(ways) == 6
    assert len({b for _, b in ways}) == 3


def test_from_every_point_of_the_circle_every_other_is_reached():
    ways = ends(circle(12))
    assert len(ways) > 12
    reached = {ways[0][0]}
    for _ in range(12):
        reached |= {b for a, b in ways if a in reached}
    assert len(reached) == 12


def test_the_names_of_a_thing_hang_together():
    lines = list(cliques(1))
    groups = {a: {a} for a, _ in ends(line for line in lines if "called" in line)}
    for a, b in ends(line for line in lines if SAME_AS in line):
        union = groups[a] | groups[b]
        groups |= dict.fromkeys(union, union)
    assert {len(group) for group in groups.values()} == {8}


@pytest.mark.parametrize("name", RETRACTION_GRAPHS)
def test_a_graph_begins_the_same_however_often_it_is_asked_for(name):
    graph = RETRACTION_GRAPHS[name]
    lines = list(islice(graph.facts(SIZES[name]), 50))
    assert lines == list(islice(graph.facts(SIZES[name]), 50))
    assert len(set(lines)) == len(lines)
    assert set(graph.peers) <= set(CLOSERS)


@pytest.mark.parametrize(
    "name",
    [
        "chains-10",
        pytest.param("chains-100", marks=pytest.mark.slow),
        "tree",
        "circle",
        "windows",
        "operators",
    ],
)
def test_what_is_taken_back_leaves_the_model_of_what_is_left(name, tmp_path):
    trial = RetractionTrial(RETRACTION_GRAPHS[name], SIZES[name], tmp_path).run()
    assert [step.wrong for step in trial.steps] == ["", "", ""]
    assert [step.name for step in trial.steps] == ["1", "100", "10 %"]
    draws = [draw for step in trial.steps for draw in step.draws]
    assert all(0 < draw.changed <= trial.model for draw in draws)
    left = (tmp_path / survivors(trial.steps[2].facts)).read_text(encoding="utf-8")
    assert left.count("/to>") == 1 + trial.facts - trial.steps[2].facts


@pytest.mark.slow
@pytest.mark.parametrize("name", ["same", "university"])
def test_so_it_does_under_owl_rl(name):
    trial = RetractionTrial(RETRACTION_GRAPHS[name], SIZES[name], None).run()
    assert [step.wrong for step in trial.steps] == ["", "", ""]
    assert trial.steps[1].draws[-1].over > 0


def test_a_model_that_is_not_that_of_what_is_left_is_said(monkeypatch):
    monkeypatch.setattr(RunningGraph, "take_back", lambda _self, _facts: None)
    steps = RetractionTrial(RETRACTION_GRAPHS["tree"], 20, None).run().steps
    assert all("after it was taken back: " in step.wrong for step in steps)


DRAW = RetractionDraw(0.5, 0.1, 90, 80)
STEP = RetractionStep("100", 100, (DRAW,), 1.0, 1080, "")
FIRST = replace(STEP, name="1", facts=1)


def drawn(*draws):
    return replace(STEP, draws=draws)


def taking(*steps, name="chains-10"):
    return RetractionRuns(
        name, [(Usage(1.0, 1.0, 9_000_000), RetractionReport(2000, 1080, 0.5, (FIRST, *steps)))]
    )


def bounds(*found):
    return [bound for _, bound in retraction_bounds(found)]


def test_time_is_held_against_what_recomputing_takes_for_as_many_rows():
    assert STEP.most(DRAW) == pytest.approx(5 * 80 / 1000 * 1.0 + MOST_SECONDS)
    assert STEP.times == 2.0
    rows, fast = bounds(taking(STEP))
    assert (round(rows.figure, 3), rows.limit, rows.kept) == (round(0.5 / 0.42, 3), 1.0, False)
    assert (fast.figure, fast.limit, fast.kept) == (0.5, 1 / 50, False)
    (rows,) = bounds(taking(drawn(replace(DRAW, taken=0.1)), name="tree"))
    assert rows.kept
    assert replace(STEP, whole=80).most(DRAW) == pytest.approx(5 * 80 + MOST_SECONDS)


def test_each_draw_is_held_against_what_it_changed():
    slow, none = replace(DRAW, taken=0.9, changed=180), replace(DRAW, changed=0)
    step = drawn(slow, DRAW, none)
    assert step.taken == 0.5
    assert step.over_most == pytest.approx(0.5 / STEP.most(DRAW))
    assert step.most(none) == MOST_SECONDS
    *_, row = findings([taking(step)]).tables[0].rows
    assert row[3:5] == ("500.0", "900.0")


def test_operators_are_held_against_the_same_rules_without_them():
    slow = taking(drawn(replace(DRAW, taken=2.0)), name="operators")
    both = [taking(STEP, name="windows"), slow]
    (bound,) = (each for each in bounds(*both) if "without operators" in each.description)
    assert (bound.name, bound.figure, bound.limit, bound.kept) == ("operators", 4.0, 3.0, False)
    assert not any("operators" in each.description for each in bounds(slow))


def test_answers_are_reported_when_a_graph_is_done_with():
    running = RetractionTrial(RETRACTION_GRAPHS["tree"], 20, None)._running
    assert running.core.frontier == running.now == 2


def test_more_than_ten_times_as_many_deleted_as_gone_is_said():
    much = taking(drawn(replace(DRAW, over=801)))
    assert "801 (over 10 times)" in str(findings([much]).tables[0])
    assert "times)" not in str(findings([taking(drawn(replace(DRAW, over=800)))]).tables[0])


def test_a_peer_that_was_stopped_has_no_ratio():
    found = taking(STEP, replace(STEP, facts=200))
    found.peers = {("owlrl", 100): None, ("reasonable", 100): 2.0}
    assert over_peers(found) == {("owlrl", 1): None, ("reasonable", 1): 0.25}
    text = "".join(map(str, findings([found]).tables))
    assert "it was stopped" in text
    assert "0.2500" in text


def test_a_wrong_model_makes_the_report_wrong():
    found = taking(replace(STEP, wrong="asserted again: 1 triples instead of 2"))
    found.wrong = "asserted again: 1 triples instead of 2"
    report = findings([found])
    assert report.wrong
    assert found.wrong in "".join(map(str, report.tables))
    assert json.loads(json.dumps(report.figures))["retractions"][0]["wrong"]
    assert not findings([taking(STEP)]).wrong


def test_a_model_that_a_program_found_wrong_is_a_wrong_answer(tmp_path, monkeypatch):
    report = RetractionReport(9, 9, 0.5, (FIRST, replace(STEP, wrong="asserted again: 1")))
    args = ("retraction", "--share", "0.001", "--repeat", "1")
    program = lambda *_: json.dump(asdict(report), sys.stdout)  # noqa: E731
    found = benched(monkeypatch, program, args, tmp_path, code=1)
    assert {each["wrong"] for each in found["retractions"]} == {"asserted again: 1"}


@pytest.mark.slow
def test_retraction_is_a_name_of_r4_bench(tmp_path):
    told = tmp_path / "found.json"
    args = ("retraction", "--share", "0.001", "--repeat", "1")
    done = CliRunner().invoke(
        command, (*args, "--json", str(told)), standalone_mode=False, catch_exceptions=False
    )
    assert done.return_value == 0
    found = json.loads(told.read_text())
    assert [each["name"] for each in found["retractions"]] == list(RETRACTION_GRAPHS)
    assert [each["wrong"] for each in found["retractions"]] == [""] * len(RETRACTION_GRAPHS)


@pytest.mark.slow
def test_peers_close_what_is_left(tmp_path):
    pytest.importorskip("reasonable")
    (found,) = retract(requested(tmp_path, share=0.001, peers=["reasonable"]), ["chains-10"])
    assert {peer for peer, _ in found.peers} == {"reasonable"}
    assert len(over_peers(found)) >= 1
