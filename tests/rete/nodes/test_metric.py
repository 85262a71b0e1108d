"""Metric nodes in networks: random programs, and what single nodes give, keep and forget."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, cast

import pytest

from rete.arrays.delta import POS_INF
from rete.arrays.state_codec import InvalidState
from rete.drawing.diagram import diagram
from rete.drawing.names import range_text
from rete.drawing.text_tree import as_text
from rete.graph.plan import MetricOperator
from rete.inference.errors import LimitReached
from rete.network.network import Network
from rete.nodes.scan import Scan
from rete.terms.dictionary import Dictionary
from temporal.facts.fact_parser import parse_fact
from temporal.intervals.interval import Interval
from temporal.mtl.ast import MetricFact
from temporal.mtl.lowering import lower
from temporal.text.program_parser import parse_program
from tests.simulation.metric.network_run import NetworkRun
from tests.simulation.metric.networks import KINDS

SEEDS = 110


def waiting(of) -> tuple[int, int] | None:
    """The least and the greatest cell, exclusive, of what is parked beyond the horizon."""
    stems = [stem for table in of.layers.all_tables for stem in table.parked.values()]
    rows = [row for stem in stems for row in stem.content().tolist()]
    assert bool(rows) == of.inference.waits
    return (min(row[-2] for row in rows), max(row[-1] for row in rows)) if rows else None


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_random_networks_hold_what_the_oracle_says(kind):
    for seed in range(SEEDS):
        kind(seed)


def live(rules: str, **options: bool) -> NetworkRun:
    return NetworkRun(parse_program(rules), 1, **options)


def given(text: str) -> list[tuple[int, MetricFact]]:
    return list(enumerate(map(parse_fact, text.splitlines()), 1))


def held(of: NetworkRun, name: str, *args: str) -> list[str]:
    return [str(Interval.of_cells(*run)) for run in sorted(of.held()[name, args])]


def test_equal_operators_over_equal_rows_are_one_node():
    network = live(
        "B(X) :- Diamondminus[0,2]A(X)\nC(X) :- Diamondminus[0,2]A(X)"
    ).layers.user_networks[0]
    assert sum(isinstance(plan, MetricOperator) for plan in network.streams) == 1


def test_a_box_sees_what_pieces_that_came_apart_have_become_together():
    of = live("B :- Boxminus[0,4]A")
    of.add(given("A@[0,2]\nA@(3,6]"))
    assert held(of, "B") == []
    of.add(given("A@(2,3]"))
    assert held(of, "B") == ["[4,6]"]


def test_a_box_over_a_long_interval_tells_only_what_is_new():
    of = live("B :- Boxminus[0,1]A")
    for begin in range(4):
        of.add(given(f"A@[{begin},{begin + 1}]"))
    assert [run for _, run, _ in of.emitted] == [(2, 3), (3, 5), (5, 7), (7, 9)]


def test_since_goes_on_as_its_left_side_does():
    of = live("B(X) :- A(X) Since[1,inf) C(X)")
    of.add(given("C(a)@0\nA(a)@(0,2)"))
    assert held(of, "B", "a") == ["[1,2]"]
    of.add(given("A(a)@[2,5)"))
    assert held(of, "B", "a") == ["[1,5]"]
    assert [run for _, run, _ in of.emitted] == [(2, 5), (5, 11)]


def test_a_right_side_alone_is_enough_where_now_is_in_the_range():
    of = live("B(X) :- A(X,Y) Since[0,2] C(X)")
    of.add(given("C(a)@0"))
    assert held(of, "B", "a") == ["[0,0]"]
    of.add(given("A(a,b)@[0,1]"))
    assert held(of, "B", "a") == ["[0,1]"]


def test_what_another_fact_still_gives_is_not_lost():
    of = live("B :- Diamondminus[0,5]A", retracts=True)
    of.add(given("A@0\nA@3"))
    of.take([1])
    assert held(of, "B") == ["[3,8]"]
    of.take([2])
    assert held(of, "B") == []


def test_after_the_frontier_a_diamond_is_held_up_by_what_was_before_it():
    of = live("B :- Diamondminus[0,5]A", retracts=True)
    of.add(given("A@0"))
    of.advance(2 * 4)
    of.add([(2, given("A@4")[0][1])])
    of.take([2])
    assert held(of, "B") == ["[0,5]"]


def test_what_is_lost_before_the_frontier_may_be_held_up_by_what_was_then():
    of = live("B :- Diamondplus[0,5]A\nB :- C, D", retracts=True)
    of.add(given("A@5\nC@0\nD@0"))
    of.advance(2 * 4)
    of.take([1])
    assert held(of, "B") == ["[0,0]"]


def test_recursion_through_time_is_taken_back_link_by_link():
    of = live("A :- Diamondminus[1,1]A", retracts=True)
    of.inference.widen((0, 20))
    of.add(given("A@0\nA@3"))
    assert len(held(of, "A")) == 10 - 1
    of.take([1])
    assert held(of, "A") == [f"[{t},{t}]" for t in range(4, 10)]
    of.take([2])
    assert held(of, "A") == []
    assert waiting(of) is None


def test_beyond_the_horizon_facts_wait_until_it_is_widened():
    of = live("A :- Diamondminus[2,2]A\nA :- Diamondplus[3,3]A")
    of.inference.widen((-8, 9))
    of.add(given("A@0"))
    assert waiting(of) == (2 * -7, 2 * 6 + 1)
    before = len(held(of, "A"))
    of.inference.widen((-12, 13))
    of.inference.run()
    assert len(held(of, "A")) > before


def test_an_interval_does_not_grow_for_ever_beyond_the_horizon():
    of = live("Boxplus[0,1]A :- A")
    of.inference.widen((0, 20))
    of.add(given("A@0"))
    assert held(of, "A") == ["[0,10]"]
    assert waiting(of) == (21, 23)


def test_what_goes_on_for_ever_but_comes_after_others_waits_from_the_horizon_on():
    of = live("A :- Diamondminus(0,1]A\nB :- A")
    of.inference.widen((-8, 21))
    of.add(given("A@0"))
    of.advance(2 * 4)
    of.add(given("A@(5,inf)"))
    assert held(of, "B") == ["[0,10]"]
    assert waiting(of) == (21, POS_INF)
    of.inference.widen((-8, 31))
    of.inference.run()
    assert held(of, "B") == ["[0,inf)"]
    assert waiting(of) is None


def test_what_goes_on_for_ever_and_comes_first_is_held_beyond_the_horizon():
    of = live("A :- Diamondminus(0,1]A\nB :- A")
    of.inference.widen((-8, 21))
    of.add(given("A@(5,inf)"))
    assert held(of, "B") == ["(5,inf)"]
    assert waiting(of) is None


@pytest.mark.parametrize(
    ("operator", "run", "piece"),
    [
        ("Diamondplus", "(-inf,0]", "[-3,-2]"),
        ("Diamondplus", "[-999999,0]", "[-3,-2]"),
        ("Diamondminus", "[0,inf)", "[2,3]"),
        ("Diamondminus", "[0,999999]", "[2,3]"),
    ],
)
def test_a_loss_goes_no_farther_along_an_interval_than_the_horizon(operator, run, piece):
    of = live(f"B :- A\nB :- C\nB :- {operator}[1,1]B", retracts=True)
    of.inference.widen((-20, 21))
    of.add(given(f"A@{run}\nC@{piece}"))
    of.take([2])
    assert held(of, "B") == [run]
    assert of.inference.overdeleted < 21


def test_what_waits_beyond_the_horizon_is_taken_back_in_recursion_too():
    of = live("B(X) :- Diamondminus[9,9]A(X)\nB(Y) :- B(X), C(X,Y)", retracts=True)
    of.inference.widen((0, 21))
    of.add(given("A(a)@0\nA(a)@4\nC(a,b)@[0,20]"))
    assert held(of, "B", "b") == ["[9,9]"]
    of.take([1, 2])
    assert waiting(of) is None
    of.inference.widen((0, 41))
    of.inference.run()
    assert of.held() == {}


def test_what_waits_as_a_limit_is_reached_is_taken_back():
    of = live("B(X) :- A(X)\nB(Y) :- B(X), C(X,Y)", retracts=True)
    of.add(given("C(a,b)@[0,9]\nC(b,c)@[0,9]\nC(c,d)@[0,9]"))
    of.inference.limit = 1
    with pytest.raises(LimitReached):
        of.add([(4, given("A(a)@[0,9]")[0][1])])
    assert held(of, "B", "b") == ["[0,9]"]
    of.take([4])
    assert of.held() == {}


@pytest.mark.parametrize("others", ["", "\nB(X) :- D(X,X)"])
def test_a_scan_that_has_not_seen_what_is_lost_does_not_see_it(others):
    of = live(f"B(X) :- A(X)\nD(X,Y) :- B(X), C(X,Y){others}", retracts=True)
    of.add(given("C(a,b)@[0,9]"))
    of.inference.limit = 0
    with pytest.raises(LimitReached):
        of.add([(2, given("A(a)@[0,9]")[0][1])])
    assert held(of, "B", "a") == ["[0,9]"]
    of.inference.limit = None
    of.take([2])
    assert of.held() == {}


def test_what_comes_again_before_its_loss_is_settled_stays():
    of = live("Boxminus[1,2]A :- A\nB :- A", retracts=True)
    of.inference.widen((-20, 21))
    of.add(given("A@[0,2]\nA@-1"))
    of.take([1])
    inside = [(max(lo, -20), min(hi, 21)) for lo, hi in sorted(of.held()["B", ()])]
    assert [str(Interval.of_cells(*run)) for run in inside] == ["[-10,-2]", "[-1,-1]"]


def test_a_horizon_is_never_narrowed():
    of = live("A :- B")
    of.inference.widen((0, 20))
    of.inference.widen((0, 10))
    assert of.inference.horizon == (0, 20)
    of.inference.widen((-2, 10))
    assert of.inference.horizon == (-2, 20)


def test_facts_by_start_are_refused():
    emits = lower(parse_program("B :- Boxminus[0,4]A"), 1)
    with pytest.raises(AssertionError):
        Network(emits, Dictionary(), instances=True)


def remembered(of: NetworkRun) -> dict[str, int]:
    """Rows in the SteMs of scans, by predicate."""
    of.advance(of.inference.bound)
    return {
        plan.relation.op[-1]: len(stream.stem.content())
        for plan, stream in of.layers.user_networks[0].streams.items()
        if isinstance(plan, Scan) and stream.stem is not None
    }


def test_a_diamond_remembers_nothing_and_a_box_what_may_go_on():
    assert remembered(live("B :- Diamondminus[0,5]A")) == {}
    of = live("B :- Boxminus[0,4]A")
    of.add(given("A@[0,3]\nA@[5,6]"))
    of.advance(2 * 6 + 1)
    assert remembered(of) == {"A": 1}
    of.advance(2 * 6 + 4)
    assert remembered(of) == {"A": 0}


def test_since_remembers_its_right_side_as_long_as_its_range_is():
    of = live("B :- A Since[0,4] C")
    of.add(given("C@0"))
    of.advance(2 * 4)
    assert remembered(of) == {"A": 0, "C": 1}
    of.add([(2, given("A@[4,6]")[0][1])])
    of.advance(2 * 6)
    assert remembered(of) == {"A": 1, "C": 0}
    ever = live("B :- A Since[0,inf) C")
    ever.add(given("C@0"))
    ever.advance(10**6)
    assert remembered(ever) == {"A": 0, "C": 1}


def test_what_looks_ahead_comes_late_and_in_recursion_at_any_time():
    (table,) = live("B :- Diamondplus[0,5]A").layers.tables
    assert table.lateness == 10
    tables = live("B :- Diamondplus[0,5]A\nC :- B\nC :- Diamondminus[2,3]B").layers.tables
    assert sorted(table.lateness for table in tables) == [10, 10]
    (table,) = live("A :- Diamondplus[1,1]A").layers.tables
    assert table.lateness == POS_INF
    (table,) = live("A :- Diamondminus[2,2]Diamondplus[1,1]A").layers.tables
    assert table.lateness < POS_INF


@pytest.mark.parametrize("order", [1, -1])
def test_rules_in_a_long_row_look_ahead_as_far_as_all_of_them(order):
    rules = [f"A{n} :- Diamondplus[1,1]A{n + 1}" for n in range(40)]
    tables = live("\n".join(rules[::order])).layers.tables
    assert sorted(table.lateness for table in tables) == [2 * n for n in range(1, 41)]


def test_a_long_cycle_that_looks_back_farther_than_ahead_looks_ahead_to_an_end():
    rules = [f"A{n} :- Diamondplus[1,1]A{n + 1}" for n in range(40)]
    tables = live("\n".join([*rules, "A40 :- Diamondminus[40,40]A0"])).layers.tables
    assert max(table.lateness for table in tables) == 80
    tables = live("\n".join([*rules, "A40 :- Diamondminus[39,39]A0"])).layers.tables
    assert min(table.lateness for table in tables) == POS_INF


def test_a_saved_network_goes_on_where_it_stood():
    rules = "B(X) :- Boxminus[0,2]A(X)\nB(X) :- A(X) Since[1,4] C(X)\nD(X) :- Diamondminus[1,1]B(X)"
    early, late = "A(a)@[0,3)\nC(a)@1", "A(a)@[3,6]\nC(a)@4"
    one, two, whole = (live(rules) for _ in range(3))
    one.add(given(early))
    two.restore(*one.saved())
    two.add(given(late))
    whole.add(given(early))
    whole.add(given(late))
    assert {k: sorted(v) for k, v in two.held().items()} == {
        k: sorted(v) for k, v in whole.held().items()
    }


def test_what_waits_beyond_the_horizon_is_saved():
    rules = "A(X) :- Diamondminus[2,2]A(X)"
    one, two, three = live(rules), live(rules), live(rules)
    one.inference.widen((0, 9))
    one.add(given("A(a)@0"))
    two.restore(*one.saved())
    assert waiting(two) == waiting(one) == (12, 13)
    assert two.inference.horizon == (0, 9)
    for each in (one, two):
        each.inference.widen((0, 21))
        each.inference.run()
    assert held(two, "A", "a") == held(one, "A", "a")
    terms, engine = one.saved()
    cast("Any", engine)["layers"]["tables"][0]["parked"][0]["rule"] = 7
    with pytest.raises(InvalidState, match="is no rule of the table"):
        three.restore(terms, engine)


def test_the_picture_names_the_operators_with_their_ranges():
    of = live(
        "B(X) :- A(X) Since[1,inf) Diamondminus(0,2]C(X)\nBoxplus[0,1]D(X) :- Boxminus[0,3)B(X)"
    )
    text = as_text(diagram(of.layers.user_networks[0]))
    for said in ("Since [1,inf) on ?x1 with", "DiamondMinus (0,2]", "BoxMinus [0,3)"):
        assert said in text


def test_ranges_are_written_in_ticks():
    every = [Interval(Fraction(1), Fraction(2), a, b) for a in (True, False) for b in (True, False)]
    every.append(Interval(Fraction(0), None, left_closed=False))
    assert [range_text(each.cells()) for each in every] == list(map(str, every))
