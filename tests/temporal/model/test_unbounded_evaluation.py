"""Ranges to infinity over models that go on for ever: decided, or refused; never wrong."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from rete.arrays.delta import NEG_INF, POS_INF
from temporal.model import unbounded_evaluation
from temporal.model.unbounded_evaluation import UnboundedEvaluation
from temporal.mtl.unbounded_ranges import separate_unbounded
from temporal.periods.period_search import Periods
from temporal.periods.windows import Ruler
from temporal.text.program_parser import parse_program
from temporal.text.writer import write_rule
from tests.generators.draw import from_seed
from tests.generators.metric.programs import far
from tests.simulation.metric import infinite_ranges
from tests.simulation.metric.models import materialised, runs_of
from tests.simulation.metric.single_texts import parse_facts


def solved(rules: str, data: str):
    return materialised(parse_program(rules), parse_facts(data).facts)


def texts(rules: str) -> list[str]:
    found = separate_unbounded(parse_program(rules))
    assert found is not None
    return [write_rule(rule).replace("\0", "H") for rule in found.program.rules]


def test_an_operator_to_infinity_stands_in_a_rule_of_its_own():
    assert texts("P(X) :- Q(X), Boxplus[2,inf)(Q(X), R(X,Y))") == [
        "H0(X,Y) :- Q(X), R(X,Y)",
        "P(X) :- Q(X), H1(X,Y)",
        "H1(X,Y) :- Boxplus[2,inf)H0(X,Y)",
    ]


def test_a_head_that_holds_for_ever_is_what_held_some_time_ago():
    assert texts("Boxplus[1,2]Boxplus[3,inf)P(X) :- Q(X)") == [
        "Boxplus[1,2]H0(X) :- Q(X)",
        "P(X) :- H1(X)",
        "H1(X) :- Diamondminus[3,inf)H0(X)",
    ]


def test_an_operator_within_another_comes_first():
    assert texts("P :- Diamondminus[0,inf)Diamondplus[1,inf)Q") == [
        "P :- H1",
        "H0 :- Diamondplus[1,inf)Q",
        "H1 :- Diamondminus[0,inf)H0",
    ]


FAR = 2 * 10**9

CASES = {
    "what holds at all later times, at the limit of all rounds": (
        "Boxplus[0,1]A :- A\nB :- Boxplus[0,inf)A",
        "A@0",
        [("B", 0, True), ("B", FAR, True), ("B", -1, False)],
    ),
    "what is derived from that goes on in its turn": (
        "Boxplus[0,1]A :- A\nBoxplus[7,7]B :- Boxplus[0,inf)A, C\nBoxplus[7,7]B :- B",
        "A@0\nC@3",
        [("B", 2 * 10, True), ("B", 2 * (10 + 7 * 10**8), True), ("B", 2 * 7 * 10**8, False)],
    ),
    "what lasts since then, as long as what marches on": (
        "Boxplus[0,1]A :- A\nB :- A Since[0,inf)C",
        "A@0\nC@2",
        [("B", 4, True), ("B", 3, False), ("B", FAR, True)],
    ),
    "what comes again some time, as what comes again and again does": (
        "Boxplus[2,2]A :- A\nB :- Diamondplus[0,inf)A",
        "A@0",
        [("B", FAR, True), ("B", FAR + 1, True), ("B", -FAR, True)],
    ),
    "what was once, on the side where it always was": (
        "Boxminus[3,3]A :- A\nB :- Diamondminus[5,inf)A\nD :- Boxminus[1,inf)B",
        "A@0",
        [("B", -FAR, True), ("B", FAR, True), ("D", -FAR + 1, True)],
    ),
    "a box over what only comes again and again is never true": (
        "Boxplus[2,2]A :- A\nB :- Boxplus[0,inf)A",
        "A@0",
        [("B", 0, False), ("B", FAR, False)],
    ),
    "a box over a diamond over what comes again and again is": (
        "Boxplus[2,2]A :- A\nB :- Boxplus[0,inf)Diamondminus[0,2]A",
        "A@0",
        [("B", 0, True), ("B", FAR + 1, True), ("B", -1, False)],
    ),
}


@pytest.mark.parametrize(("rules", "data", "told"), CASES.values(), ids=CASES)
def test_it_says_what_holds_far_out(rules, data, told):
    model = solved(rules, data)
    assert model.limit is None
    for name, cell, held in told:
        assert model.periodic.holds((name, 0), (), cell, cell + 1) is held, (name, cell)


def test_what_is_added_is_not_told():
    model = solved("Boxplus[0,1]A :- A\nB :- Boxplus[0,inf)A", "A@0")
    assert sorted(model.periodic.facts) == [("A", 0), ("B", 0)]


@pytest.mark.parametrize("operator", ["Since[0,inf)", "Until[0,inf)"])
def test_what_is_not_constant_far_out_is_not_covered_and_what_is_told_is_true(operator):
    model = solved(f"Boxplus[2,2]A :- A\nB :- A {operator} A", "A@[0,1]")
    assert model.limit is not None
    assert "not covered" in model.limit
    ((begin, end),) = runs_of(model, 0, 4)["B", ()][:1]
    assert (begin, end) == (0, 3)


@pytest.mark.parametrize("count", [8, pytest.param(40, marks=pytest.mark.slow)])
def test_random_programs_are_decided_rightly_or_refused(count):
    kinds = Counter(infinite_ranges.compare(far(from_seed(seed))) for seed in range(count))
    assert kinds["equal"] + kinds["closed"] > count // 2


def nothing(_facts):
    return {}


def row(*cells: int) -> np.ndarray:
    return np.array([cells], np.int64)


FRAME = Ruler(np.array([0]), 1, 1)
GIVES = frozenset({("H", 0)})


def test_a_row_that_grew_by_a_turn_between_two_horizons_has_no_end():
    view = UnboundedEvaluation(FRAME, GIVES, nothing)
    first = {("H", 0): row(0, 30)}
    assert view.look(first, (-40, 31)) is None
    leap = view.look({("H", 0): row(0, 50)}, (-60, 51))
    assert isinstance(leap, dict)
    assert leap["H", 0].tolist() == [[0, POS_INF]]


def test_a_row_that_grew_to_the_left_has_no_begin():
    view = UnboundedEvaluation(FRAME, GIVES, nothing)
    assert view.look({("H", 0): row(-30, 1)}, (-31, 40)) is None
    leap = view.look({("H", 0): row(-50, 1)}, (-51, 60))
    assert isinstance(leap, dict)
    assert leap["H", 0].tolist() == [[NEG_INF, 1]]


def test_a_row_that_grew_by_less_than_a_turn_is_waited_for():
    """The other fact comes again after 7 instants; the row grew by 5."""
    view = UnboundedEvaluation(Ruler(np.array([0]), 7, 7), GIVES, nothing)

    def facts(end: int, upto: int) -> dict:
        again = np.array([[at, at + 1] for at in range(0, upto, 14)], np.int64)
        return {("A", 0): again, ("H", 0): row(0, end)}

    assert view.look(facts(200, 220), (-220, 221)) is None
    assert view.look(facts(210, 230), (-230, 231)) is None
    leap = view.look(facts(240, 260), (-260, 261))
    assert isinstance(leap, dict)


def test_what_changed_between_the_windows_forbids_a_leap():
    view = UnboundedEvaluation(FRAME, GIVES, nothing)
    assert view.look({("H", 0): row(0, 30)}, (-40, 31)) is None
    changed = {("H", 0): row(0, 50), ("A", 0): row(0, 1)}
    assert view.look(changed, (-60, 51)) is None


def test_what_ends_where_it_did_is_no_growth_but_the_end_of_the_model():
    view = UnboundedEvaluation(FRAME, GIVES, nothing)
    found = view.look({("H", 0): row(0, 5)}, (-40, 41))
    assert isinstance(found, Periods)


def test_without_the_wait_for_a_turn_a_counter_would_be_taken_for_endless(monkeypatch):
    """Planted: growth by any amount. The tests above see it."""
    monkeypatch.setattr(unbounded_evaluation, "_shift_cells", lambda _side: 1)
    with pytest.raises(AssertionError):
        test_a_row_that_grew_by_less_than_a_turn_is_waited_for()
