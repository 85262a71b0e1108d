"""Intervals: what belongs to them, and what they are in cells."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from rete.arrays.delta import NEG_INF, POS_INF
from temporal.errors import OutOfBounds
from temporal.intervals.interval import MAX_CELL, Interval, common_scale

HALVES = [Fraction(n, 2) for n in range(-5, 6)]
ENDS = [Fraction(-1), Fraction(0), Fraction(3, 2), None]
INTERVALS = [
    Interval(left, right, left_closed, right_closed)
    for left, right, left_closed, right_closed in product(ENDS, ENDS, (False, True), (False, True))
]


def test_an_infinite_end_is_open():
    assert Interval(None, None) == Interval(None, None, left_closed=False, right_closed=False)


@pytest.mark.parametrize("interval", INTERVALS, ids=str)
def test_an_interval_is_empty_iff_no_point_belongs_to_it(interval):
    some = [point for point in [Fraction(n, 4) for n in range(-20, 21)] if point in interval]
    assert interval.is_empty == (not some)
    assert interval.is_punctual == (len(some) == 1)


@pytest.mark.parametrize("interval", [i for i in INTERVALS if not i.is_empty], ids=str)
def test_cells_are_the_points_and_gaps_of_the_interval(interval):
    lo, hi = interval.cells(2)
    assert Interval.of_cells(lo, hi, 2) == interval
    for point in HALVES:
        cell = 2 * int(point * 2)
        assert (lo <= cell < hi) == (point in interval)
        assert (lo <= cell + 1 < hi) == (point + Fraction(1, 4) in interval)


@pytest.mark.parametrize("interval", INTERVALS, ids=str)
def test_the_mirror_image_has_the_opposite_points(interval):
    mirrored = interval.mirrored()
    assert all((-point in mirrored) == (point in interval) for point in HALVES)
    assert mirrored.mirrored() == interval


def test_infinite_ends_are_reserved_cells():
    assert Interval(None, None).cells() == (NEG_INF, POS_INF)


def test_finite_cells_beyond_the_bound_are_refused():
    far = Fraction(MAX_CELL // 2)
    assert Interval.point(far - 1).cells() == (MAX_CELL - 2, MAX_CELL - 1)
    assert Interval.point(-far).cells()[0] == -MAX_CELL
    for interval, scale in ((Interval.point(far), 1), (Interval.point(-far - 1), 1)):
        with pytest.raises(OutOfBounds):
            interval.cells(scale)
    with pytest.raises(OutOfBounds):
        Interval.point(Fraction(1, 3)).cells(3 * 2**61)


def test_the_scale_makes_all_ends_whole():
    given = [Interval(Fraction(1, 6), None), Interval(Fraction(-3, 4), Fraction(2))]
    assert common_scale(given) == 12
    assert common_scale([]) == 1
    with pytest.raises(ValueError, match="no whole number"):
        given[0].cells(4)
