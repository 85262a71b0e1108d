"""Semijoins: rows by the term that they have in a column."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.arrays.delta import NEG_INF, POS_INF
from rete.storage.semijoin import MOST_KEYS, Semijoin

cells = st.integers(1, 5)


@given(
    triples=st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=60),
    column=st.integers(0, 2),
    terms=st.lists(st.integers(1, 6), min_size=1),
)
def test_the_rows_with_some_terms_are_found_in_their_order(triples, column, terms) -> None:
    rows = np.array([(*triple, n, n + 1) for n, triple in enumerate(triples)], np.int64)
    semijoin = Semijoin(rows)
    keys = semijoin.keys(column)
    assert keys is not None
    assert keys[:, column].tolist() == [*dict.fromkeys(rows[:, column].tolist())]
    assert (keys[:, -2:] == (NEG_INF, POS_INF)).all()
    some = {*terms} & {*rows[:, column].tolist()}
    wanted = [row for row in rows.tolist() if row[column] in some]
    assert semijoin.select(column, [*some]).tolist() == wanted


@pytest.mark.parametrize("count", [MOST_KEYS - 1, MOST_KEYS, MOST_KEYS + 1])
@pytest.mark.parametrize("repeats", [1, 3])
def test_there_are_no_keys_of_many_terms(count: int, repeats: int) -> None:
    rows = np.zeros((count * repeats, 3), np.int64)
    rows[:, 0] = np.arange(count).repeat(repeats)
    keys = Semijoin(rows).keys(0)
    assert (keys is None) == (count > MOST_KEYS)
