"""Rows that no SteM has: joins of numbers that a store does not hold."""

from __future__ import annotations

import numpy as np

from rete.storage.row_algebra import join_rows

FAR = 1 << 40


def test_rows_of_numbers_beyond_32_bits_are_joined_like_others() -> None:
    left = np.array([[1, 7, 0, 9], [2, 8, 0, 9], [FAR, 9, 0, 9]], np.int64)
    right = np.array([[1, FAR, 0, 5], [FAR, 6, 3, 12], [3, 4, 0, 9]], np.int64)
    small = np.minimum(left, 100), np.minimum(right, 100)
    found = join_rows(left, (0,), right, (0,), (0, 1, ~1))
    assert sorted(found.tolist()) == [[1, 7, FAR, 0, 5], [FAR, 9, 6, 3, 9]]
    like = join_rows(small[0], (0,), small[1], (0,), (0, 1, ~1))
    assert sorted(np.minimum(found, 100).tolist()) == sorted(like.tolist())
