"""Metric operators on columns say what their definition says, cell by cell."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.kernels import load
from temporal.intervals.interval import Interval
from temporal.periods.change_points import number_rows
from temporal.periods.unfolding import coalesce, reflect
from tests.generators.draw import Draw, from_hypothesis, from_seed
from tests.generators.metric.operator_applications import (
    STRETCH,
    Input,
    drawn,
    groups,
    of_range,
    rho,
    truths_of,
    without_empty,
)
from tests.oracles.metric.operators import Truth
from tests.simulation.metric.operator_kernels import BACKENDS, OperatorKernels, TermJoin

APPLICATIONS = 2_000
"""Of each operator to a group. `tests.simulation.metric.operators` counts many, in whole models."""

BOTH_SIDES = ((-1, False), (1, True))


def is_maximal(rows: Rows) -> bool:
    """Are the rows sorted, and the maximal intervals of their groups?"""
    return bool((rows[:, -2] < rows[:, -1]).all()) and np.array_equal(coalesce(rows), rows)


def unary(by: OperatorKernels, draw: Draw) -> int:
    """Each unary operator on some groups; how many applications that are."""
    found = drawn(draw, groups(draw, [2, 3]), 2)
    range_ = rho(draw)
    for side, future in BOTH_SIDES:
        diamonds = by.dilate(found.rows, range_.cells(), future=future)
        boxes = by.erode(found.rows, range_.cells(), future=future)
        assert len(diamonds) == len(found.rows)
        assert is_maximal(boxes)
        assert np.array_equal(by.boxes(found.rows, range_.cells(), future=future), boxes)
        told = f"{range_} side {side} {found.rows.tolist()}"
        assert truths_of(diamonds) == _each(
            found, lambda phi, side=side: _diamond(range_, side, phi)
        ), told
        assert truths_of(boxes) == _each(found, lambda phi, side=side: _box(range_, side, phi)), (
            told
        )
        assert truths_of(diamonds) == _each(
            found, lambda phi, side=side: _spread(range_, side, phi)
        ), told
    return 6 * len(found.truths)


def binary(by: OperatorKernels, draw: Draw) -> int:
    """Since and Until of two inputs that share a term; how many applications that are."""
    shared = groups(draw, [2])
    phi = drawn(draw, [(x, y) for (x,) in shared for y in (7, 8)], 2)
    psi = drawn(draw, [(z, x) for (x,) in shared for z in (3, 4)], 2)
    range_ = rho(draw)
    count = 0
    for side, future in BOTH_SIDES:
        expected: list[tuple[tuple[int, ...], Truth]] = []
        for (z, x), right in psi.truths.items():
            if 0 in range_:
                expected.append(((z, x), right))
            for (of, y), left in phi.truths.items():
                if of == x:
                    truth = STRETCH.chain(of_range(range_), side, left, right)
                    expected.append(((z, x) if 0 in range_ else (z, x, y), truth))
                    count += 1
        found = by.since(phi.rows, psi.rows, TermJoin((0,), (1,)), range_.cells(), future=future)
        assert is_maximal(found)
        told = f"{range_} side {side}\n{phi.rows.tolist()}\n{psi.rows.tolist()}"
        assert truths_of(found) == without_empty(expected), told
    return count


def _diamond(range_: Interval, side: int, phi: Truth) -> Truth:
    return STRETCH.diamond(of_range(range_), side, phi)


def _box(range_: Interval, side: int, phi: Truth) -> Truth:
    return STRETCH.box(of_range(range_), side, phi)


def _spread(range_: Interval, side: int, phi: Truth) -> Truth:
    return STRETCH.spread(of_range(range_), -side, phi)


def _each(found: Input, operator) -> dict[tuple[int, ...], Truth]:
    return without_empty((terms, operator(phi)) for terms, phi in found.truths.items())


def applied(by: OperatorKernels, applications: int, application) -> None:
    """So many applications or a few more, from seeds."""
    count = seed = 0
    while count < applications:
        count += application(by, from_seed(seed))
        seed += 1


@pytest.fixture(params=BACKENDS, scope="module")
def by(request: pytest.FixtureRequest) -> OperatorKernels:
    try:
        return OperatorKernels(load(request.param))
    except ImportError:
        pytest.skip("no compiled kernels on this machine")


def test_unary_operators_are_their_definitions(by):
    applied(by, APPLICATIONS, unary)


def test_since_and_until_are_their_definitions(by):
    applied(by, APPLICATIONS, binary)


@pytest.mark.slow
@given(st.data())
def test_operators_are_their_definitions_and_failures_shrink(by, data):
    draw = from_hypothesis(data.draw)
    unary(by, draw)
    binary(by, draw)


SMALL = [
    Interval(Fraction(a), None if b is None else Fraction(b), left, right)
    for a, b, left, right in product((0, 1), (0, 1, 2, None), (True, False), (True, False))
]
SMALL_RANGES = [found for found in SMALL if not found.is_empty]


@pytest.mark.parametrize("range_", SMALL_RANGES, ids=str)
def test_every_kind_of_ends_is_right_for_every_short_interval(by, range_):
    for lo, hi in product(range(5), range(1, 6)):
        if lo >= hi:
            continue
        one = np.array([[lo, hi]], np.int64)
        phi = STRETCH.between(lo, hi)
        for side, future in BOTH_SIDES:
            diamond = by.dilate(one, range_.cells(), future=future)
            box = by.erode(one, range_.cells(), future=future)
            assert truths_of(diamond).get((), 0) == _diamond(range_, side, phi)
            assert truths_of(box).get((), 0) == _box(range_, side, phi)
            for begin in range(-1, 6):
                two = np.array([[begin, begin + 1]], np.int64)
                psi = STRETCH.between(begin, begin + 1)
                found = by.since(one, two, TermJoin((), ()), range_.cells(), future=future)
                chained = STRETCH.chain(of_range(range_), side, phi, psi)
                assert truths_of(found).get((), 0) == chained


def test_top_on_either_side_is_one_row_that_always_holds(by):
    top = np.array([[NEG_INF, POS_INF]], np.int64)
    rows = np.array([[7, 4, 7], [8, 9, 10]], np.int64)
    rho_ = Interval(Fraction(1), Fraction(2)).cells()
    assert np.array_equal(by.since(top, rows, TermJoin((), ()), rho_), by.dilate(rows, rho_))
    assert by.since(rows, top, TermJoin((), ()), rho_).tolist() == [[7, 6, 7], [8, 10, 11]]


def test_infinite_ends_stay_infinite(by):
    rows = np.array([[NEG_INF, 5], [9, POS_INF]], np.int64)
    one = Interval(Fraction(1), Fraction(1)).cells()
    ever = Interval(Fraction(0), None).cells()
    assert by.dilate(rows, one).tolist() == [[NEG_INF, 7], [11, POS_INF]]
    assert by.erode(rows, one).tolist() == [[NEG_INF, 7], [11, POS_INF]]
    assert by.dilate(rows, ever).tolist() == [[NEG_INF, POS_INF], [9, POS_INF]]
    assert by.erode(rows, ever).tolist() == [[NEG_INF, 5]]
    assert by.erode(rows, ever, future=True).tolist() == [[9, POS_INF]]
    assert reflect(reflect(rows)).tolist() == rows.tolist()


@given(st.data(), st.integers(-(2**58), 2**58))
def test_operators_commute_with_shifts_of_time(by, data, shift):
    draw = from_hypothesis(data.draw)
    phi, psi = drawn(draw, [(1,), (2,)], 1).rows, drawn(draw, [(1,), (2,)], 1).rows
    cells = rho(draw).cells()
    later_phi, later_psi = (shifted(rows, 2 * shift) for rows in (phi, psi))
    on = TermJoin((0,), (0,))
    for future in (False, True):
        for operator in (by.dilate, by.erode):
            moved = operator(later_phi, cells, future=future)
            assert np.array_equal(moved, shifted(operator(phi, cells, future=future), 2 * shift))
        moved = by.since(later_phi, later_psi, on, cells, future=future)
        assert np.array_equal(
            moved, shifted(by.since(phi, psi, on, cells, future=future), 2 * shift)
        )


def shifted(rows, by):
    found = rows.copy()
    for column in (-2, -1):
        finite = np.abs(found[:, column]) < POS_INF
        found[finite, column] += by
    return found


@given(st.data())
def test_coalescing_gives_the_maximal_intervals_of_each_group(data):
    draw = from_hypothesis(data.draw)
    rows = np.array(
        [
            (draw.integer(1, 2), draw.integer(1, 2), lo, lo + draw.integer(1, 5))
            for lo in [draw.integer(-8, 8) for _ in range(draw.integer(0, 12))]
        ],
        np.int64,
    ).reshape(-1, 4)
    found = coalesce(rows)
    expected = {
        terms: STRETCH.runs(truth)
        for terms, truth in without_empty(truths_of(rows).items()).items()
    }
    listed = [[*terms, *run] for terms in sorted(expected) for run in expected[terms]]
    assert found.tolist() == listed


def test_rows_are_numbered_alike_over_several_matrices():
    one, two = np.array([[3, 1], [1, 2], [3, 1]]), np.array([[1, 2], [2, 0]])
    first, second = number_rows(one, two)
    assert first.tolist() == [0, 1, 0]
    assert second.tolist() == [1, 2]


def test_nothing_gives_nothing(by):
    for width in (0, 2):
        none = np.empty((0, width + 2), np.int64)
        cells = Interval(Fraction(0), Fraction(1)).cells()
        every = tuple(range(width))
        assert coalesce(none).shape == none.shape
        assert by.dilate(none, cells).shape == by.erode(none, cells).shape == none.shape
        assert by.since(none, none, TermJoin(every, every), cells).shape == none.shape
