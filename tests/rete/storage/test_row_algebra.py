"""Rows that no SteM has: joins of numbers that a store does not hold."""

from __future__ import annotations

import numpy as np
import pytest

from rete.storage.row_algebra import join_rows, without_repeats

FAR = 1 << 40


def test_rows_of_numbers_beyond_32_bits_are_joined_like_others() -> None:
    left = np.array([[1, 7, 0, 9], [2, 8, 0, 9], [FAR, 9, 0, 9]], np.int64)
    right = np.array([[1, FAR, 0, 5], [FAR, 6, 3, 12], [3, 4, 0, 9]], np.int64)
    small = np.minimum(left, 100), np.minimum(right, 100)
    found = join_rows(left, (0,), right, (0,), (0, 1, ~1))
    assert sorted(found.tolist()) == [[1, 7, FAR, 0, 5], [FAR, 9, 6, 3, 9]]
    like = join_rows(small[0], (0,), small[1], (0,), (0, 1, ~1))
    assert sorted(np.minimum(found, 100).tolist()) == sorted(like.tolist())


@pytest.mark.parametrize("top", [5, 400, 10**9])
def test_rows_of_one_term_and_time_are_given_once(top: int) -> None:
    terms = np.random.default_rng(0).integers(0, top, 1000)
    rows = np.column_stack((terms, np.full(1000, 3), np.full(1000, 9)))
    found = without_repeats(rows)
    assert {tuple(row) for row in found.tolist()} == {tuple(row) for row in rows.tolist()}
    assert len(found) == (1000 if top == 10**9 else len(set(terms.tolist())))


def test_rows_of_several_times_or_terms_stay_as_they_are() -> None:
    several = np.array([[1, 0, 5]] * 999 + [[1, 0, 6]])
    assert without_repeats(several) is several
    pairs = np.array([[1, 2, 0, 5]] * 1000)
    assert without_repeats(pairs) is pairs
