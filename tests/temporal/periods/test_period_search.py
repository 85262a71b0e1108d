"""Periods and unfoldings: of models made directly, and of programs beside the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rete.arrays.delta import NEG_INF, POS_INF
from rete.kernels import clip
from temporal.intervals.interval import Interval
from temporal.periods import period_search, tails
from temporal.periods.period_search import find_periods
from temporal.periods.periodic_model import InfiniteUnfolding, PeriodicModel
from temporal.periods.windows import Repetition, Ruler
from tests.generators.draw import from_hypothesis, from_seed
from tests.generators.metric.periodic_models import (
    FACTS,
    RandomPeriodicModel,
    model_rows,
    random_model,
)
from tests.seeds import parts
from tests.simulation.metric import periods


def begins(repeat: Repetition) -> tuple[int, int]:
    return min(repeat.near, repeat.far), max(repeat.near, repeat.far)


def first_shown(model: RandomPeriodicModel, reach: int = 4) -> tuple[PeriodicModel[str], int]:
    """From the first horizon of several that shows the periods."""
    while True:
        horizon = model.first - reach, model.last + 1 + reach
        rows = model_rows(model, *horizon)
        found = find_periods(rows, model.frame, horizon)
        if found.left and found.right:
            return PeriodicModel.of(rows, found.left, found.right), reach
        assert reach < 4000
        reach *= 2


def asked(model: RandomPeriodicModel, endless: PeriodicModel[str], seed: int) -> None:
    """Wherever it is looked at, near or far, it says what the model says."""
    draw = from_seed(seed)
    for far in (draw.choice((0, 7)), 10**5):
        lo = model.first - draw.integer(0, 90) + draw.choice((-far, far))
        hi = model.last + draw.integer(1, 90) + far * 2
        hi = min(hi, lo + 240)
        for name, rows in endless.unfold(lo, hi):
            assert np.array_equal(rows, model_rows(model, lo, hi)[name])
        fact = draw.integer(0, FACTS - 1)
        begin = draw.integer(lo, hi)
        end = begin + draw.choice((1, 2, 4, 12, 2 * (model.right.turn or 1)))
        held = all(model.holds(fact, cell) for cell in range(begin, end))
        assert endless.holds("A" if fact < 2 else "B", (fact,), begin, end) == held


@pytest.mark.parametrize("first", parts(150, check=1, test=3, soak=3))
def test_windows_are_those_of_all_pairs_of_points_of_the_ruler(first: int) -> None:
    kinds = set()
    for seed in range(first, first + 150):
        draw = from_seed(seed)
        model = random_model(draw)
        endless, _ = first_shown(model, draw.integer(1, 60))
        assert (begins(endless.left), begins(endless.right)) == model.expected(), seed
        if seed % 3 == 0:
            asked(model, endless, seed)
        kinds.add((endless.left.is_constant, endless.right.is_constant, endless.right.is_empty))
    assert len(kinds) == 6


@given(st.data())
@settings(max_examples=20)
def test_drawn_models_too(data):
    model = random_model(from_hypothesis(data.draw))
    endless, reach = first_shown(model)
    assert (begins(endless.left), begins(endless.right)) == model.expected()
    asked(model, endless, reach)


def test_they_do_not_depend_on_the_horizon_that_shows_them():
    for seed in range(60):
        model = random_model(from_seed(seed))
        endless, reach = first_shown(model)
        for wider in (2 * reach + 1, 5 * reach):
            other, _ = first_shown(model, wider)
            assert (begins(other.left), begins(other.right)) == (
                begins(endless.left),
                begins(endless.right),
            )


@pytest.mark.parametrize("count", [40, pytest.param(100, marks=pytest.mark.soak)])
def test_programs_have_the_periods_and_the_models_of_the_oracle(count):
    kinds = []
    for seed in range(count):
        draw = from_seed(seed)
        kinds.append(periods.compare(periods.random_problem(draw), draw))
    assert sum("periodic" in kind for kind in kinds) >= count // 10


def solved(rules: str, data: str) -> PeriodicModel[tuple[str, int]]:
    found = periods.found(periods.read(rules, data))
    assert found is not None
    return found[0]


def test_a_window_is_twice_as_long_as_the_depth_so_five_is_not_taken_for_one():
    model = solved("Boxplus[5,5]P :- P", "P@0")
    assert model.period_lines(1) == ("left period none", "right period (15,20]")


def test_the_period_of_two_rules_is_the_beat_of_both():
    model = solved("Boxplus[4,4]P :- P\nBoxplus[6,6]Q :- Q\nR :- P, Q", "P@0\nQ@0")
    assert model.right.shift == 12
    assert model.holds(("R", 0), (), 2 * 12 * 10**9, 2 * 12 * 10**9 + 1)
    assert not model.holds(("R", 0), (), 2 * 12 * 10**9 + 8, 2 * 12 * 10**9 + 9)


def test_windows_may_begin_at_points_of_several_residues():
    """Data at 0 and at 1, steps of 2: what repeats after 1 does so between ends of both kinds."""
    model = solved("Boxplus[2,2]P :- P", "P@0\nP@1")
    assert model.right.shift == 1
    assert model.period_lines(1)[1] == "right period (6,7]"


def test_open_and_closed_ends_of_what_repeats_are_kept():
    model = solved("Boxplus[3,3]P :- P", "P@(0,1]")
    ((_, rows),) = model.unfold(2 * 300, 2 * 306 + 1)
    runs = [str(Interval.of_cells(*row)) for row in rows.tolist()]
    assert runs == ["(300,301]", "(303,304]"]


def test_what_is_constant_far_out_is_written_to_infinity_and_has_a_period():
    model = solved("Boxplus[0,1]P :- P", "P@0")
    (rows,) = model.facts.values()
    rows = clip(rows, *model.segment)
    assert rows.tolist() == [[0, POS_INF]]
    assert model.period_lines(1) == ("left period none", "right period (3,4]")
    assert model.holds(("P", 0), (), 0, POS_INF)
    assert not model.holds(("P", 0), (), -1, POS_INF)


def test_half_lines_count_what_repeats_on_the_other_side():
    """P at every instant up to 0, and from 0 on at all times."""
    model = solved("Boxminus[1,1]A :- A\nP :- A\nP :- Q", "A@0\nQ@[0,inf)")
    assert model.holds(("P", 0), (), 0, POS_INF)
    assert model.holds(("P", 0), (), -2 * 10**9, -2 * 10**9 + 1)
    assert not model.holds(("P", 0), (), -2, POS_INF)
    assert not model.holds(("P", 0), (), NEG_INF, 1)


def test_a_half_line_may_begin_in_the_turn_beside_the_segment():
    frame = Ruler(np.array([0, 2]), 2, 2)
    source = np.array([[0, cell, cell + 3] for cell in range(-39, 0, 4)] + [[0, 1, POS_INF]])
    rows = {"P": source}
    found = find_periods(rows, frame, (-39, 40))
    assert found.left
    assert found.right
    model = PeriodicModel.of(rows, found.left, found.right)
    begin = model.segment[0]
    for lo in range(begin - 12, begin + 12):
        held = all(cell > 0 or (cell + 39) % 4 < 3 for cell in range(lo, 50))
        assert model.holds("P", (0,), lo, POS_INF) == held


def test_without_an_end_what_repeats_is_not_written_out():
    model = solved("Boxplus[5,5]P :- P", "P@0")
    with pytest.raises(InfiniteUnfolding):
        list(model.unfold(0, POS_INF))
    assert [len(rows) for _, rows in model.unfold(NEG_INF, 21)] == [3]


def test_how_much_there_is_to_write_is_known_before():
    model = solved("Boxplus[5,5]P :- P\nBoxminus[5,5]P :- P", "P@0")
    for lo, hi in ((-(10**6), 10**6), (0, 10**6), (-(10**6), -(10**5)), (-3, 4)):
        (rows,) = (rows for _, rows in model.unfold(lo, hi))
        assert len(rows) <= model.most(lo, hi) <= len(rows) + 20
    assert model.most(0, 10**15) >= 10**14


@pytest.mark.parametrize(("lo", "hi"), [(-(10**9), 10**9), (5, 10**9), (-(10**9), -(10**8))])
def test_how_far_a_number_of_rows_reaches_is_known_before(lo, hi):
    model = solved("Boxplus[5,5]P :- P\nBoxminus[10,10]P :- P", "P@0\nQ@1")
    for most in (0, 1, 7, 100, 1001):
        cut = model.until(lo, hi, most)
        (rows,) = (rows for (name, _), rows in model.unfold(lo, cut) if name == "P")
        assert most - 5 <= len(rows) <= most + len(model.facts["P", 0])
        assert lo <= cut <= hi
    assert model.until(lo, lo + 10, 10**6) == lo + 10


def test_a_model_that_is_known_to_its_ends_needs_no_horizon():
    rows = {"P": np.array([[0, 0, 1], [0, 40, 41]])}
    found = find_periods(rows, Ruler(np.array([0]), 9, 1))
    assert found.right == Repetition(21, 22, 18, (41, 42), is_empty=True, is_constant=True)
    assert find_periods(rows, Ruler(np.array([0]), 9, 1), (-50, 60)).right is None


def test_what_operators_without_end_gave_is_no_part_of_a_certificate():
    rows = {"P": np.array([[0, 0, 30]])}
    frame, horizon = Ruler(np.array([0]), 1, 1), (-50, 41)
    assert find_periods(rows, frame, horizon).right is not None
    assert find_periods(rows, frame, horizon, settled=(0, 36)).right is None


def test_a_program_without_numbers_has_windows_of_one_point():
    model = solved("Q :- P", "P@[0,1]\nP@[5,inf)")
    assert model.period_lines(1) == ("left period none", "right period (6,7]")
    assert model.right.is_constant


@pytest.mark.parametrize("bits", [0, 1, 2])
def test_signatures_that_are_often_equal_by_chance_make_no_wrong_answer(monkeypatch, bits):
    """Then it may take a wider horizon, or none will do; but what is found is right."""
    exact = tails.sign_windows

    def poor(found, width):
        marks = exact(found, width)
        rest = (1 << bits) - 1
        return tails.WindowSignatures(marks.cells, marks.windows & rest)

    monkeypatch.setattr(tails, "sign_windows", poor)
    shown = 0
    for seed in range(150):
        model = random_model(from_seed(seed))
        horizon = model.first - 300, model.last + 301
        found = find_periods(model_rows(model, *horizon), model.frame, horizon)
        for repeat, expected in zip((found.left, found.right), model.expected(), strict=True):
            if repeat is not None:
                assert begins(repeat) == expected
                shown += not repeat.is_constant
    assert shown


@pytest.mark.parametrize("width", [2, 4, 6])
def test_windows_of_less_than_twice_the_depth_are_noticed(monkeypatch, width):
    """Of 20 cells: with less than half of them the fact of every fifth instant is missed."""
    monkeypatch.setattr(
        period_search, "find_tail", lambda found, _, at: tails.find_tail(found, width, at)
    )
    model = solved("Boxplus[5,5]P :- P", "P@0")
    assert not model.holds(("P", 0), (), 2 * 20, 2 * 20 + 1)
