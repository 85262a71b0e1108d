"""Rows in other forms: each kernel against its definition, on both back ends."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.arrays.delta import Rows
from rete.kernels import load

Row = tuple[int, int, int, int]


@pytest.fixture(scope="module")
def kernels(modules: dict[str, ModuleType]) -> ModuleType:
    return modules["rows._projection"]


def some_rows(*, most: int = 6) -> st.SearchStrategy[list[Row]]:
    cell = st.integers(-9, 9)
    return st.lists(
        st.builds(
            lambda a, b, lo, n: (a, b, lo, lo + n),
            st.integers(1, 4),
            st.integers(1, 4),
            cell,
            st.integers(1, 6),
        ),
        max_size=most,
    )


def matrix(given_rows: list[Row]) -> Rows:
    return np.array(given_rows, np.int64).reshape(len(given_rows), 4)


@given(
    given_rows=some_rows(),
    places=st.lists(st.integers(-2, 1), max_size=5),
    constants=st.tuples(st.integers(5, 9), st.integers(5, 9)),
)
def test_project_takes_columns_and_constants(kernels, given_rows, places, constants) -> None:
    got = kernels.project(
        matrix(given_rows), np.array(places, np.int64), np.array(constants, np.int64)
    )
    expected = [
        [*(row[c] if c >= 0 else constants[~c] for c in places), *row[2:]] for row in given_rows
    ]
    assert got.tolist() == expected
    assert got.shape == (len(given_rows), len(places) + 2)


@pytest.mark.parametrize("place", [2, -2])
def test_project_refuses_columns_that_there_are_not(kernels, place) -> None:
    with pytest.raises(IndexError):
        kernels.project(matrix([(1, 2, 3, 4)]), np.array([place]), np.array([7]))


@given(parts=st.lists(some_rows(most=3), min_size=1, max_size=4))
def test_concatenate_copies_only_what_must_be_together(kernels, parts) -> None:
    given_parts = [matrix(part) for part in parts]
    got = kernels.concatenate(given_parts)
    assert got.tolist() == [list(row) for part in parts for row in part]
    some = [rows for rows in given_parts if len(rows)]
    assert len(some) != 1 or got is some[0]


def test_concatenate_refuses_rows_of_other_terms(kernels) -> None:
    with pytest.raises(ValueError, match="rows of"):
        kernels.concatenate([np.zeros((1, 4), np.int64), np.zeros((1, 5), np.int64)])


@given(given_rows=some_rows(), lo=st.integers(-9, 9), length=st.integers(1, 12))
def test_clip_gives_the_pieces_within_bounds(kernels, given_rows, lo, length) -> None:
    rows, hi = matrix(given_rows), lo + length
    got = kernels.clip(rows, lo, hi)
    expected = [
        [a, b, max(begin, lo), min(end, hi)]
        for a, b, begin, end in given_rows
        if begin < hi and end > lo
    ]
    assert got.tolist() == expected
    beyond = any(begin < lo or end > hi for *_, begin, end in given_rows)
    assert kernels.reaches_beyond(rows, lo, hi) is beyond
    assert (got is rows) is not beyond
    assert rows.tolist() == [list(row) for row in given_rows]


@pytest.mark.parametrize(
    "rows",
    [
        np.zeros((3, 4), np.int32),
        np.zeros((3, 8), np.int64)[:, ::2],
        np.zeros(4, np.int64),
        [[1, 2, 3, 4]],
        None,
    ],
)
def test_compiled_kernels_refuse_what_is_no_matrix(rows) -> None:
    try:
        compiled = load("compiled")
    except ImportError:
        pytest.skip("no compiled kernels on this machine")
    with pytest.raises(ValueError, match="a kernel takes"):
        compiled["rows._projection"].clip(rows, 0, 1)
    with pytest.raises(ValueError, match="a kernel takes"):
        compiled["rows._metric"].dilate(rows, 0, 1, future=False)
