"""Calls of built-ins: one for each distinct tuple of arguments; what is outside is counted."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rete.terms.builtin_calls import DomainErrors, sum_by_builtin
from tests.rete.nodes.builtin_rows import dictionaries


def test_what_nodes_of_one_built_in_count_is_summed() -> None:
    parts = [
        DomainErrors("b", 1, [("1",)]),
        DomainErrors("a", 2, [("x", "y")]),
        DomainErrors("b", 20, [("1",), *((f"{n}",) for n in range(2, 12))]),
    ]
    found = sum_by_builtin(parts)
    assert [(each.builtin, each.count) for each in found] == [("a", 2), ("b", 21)]
    assert found[1].samples == [(f"{n}",) for n in range(1, 11)]


def test_the_reason_is_that_of_the_part_that_has_one() -> None:
    parts = [DomainErrors("b", 1, [("1",)]), DomainErrors("b", 1, [("2",)], "broken")]
    (found,) = sum_by_builtin(parts)
    assert (found.reason, found.samples) == ("broken", [("2",), ("1",)])


@given(
    rows=st.integers(0, 3).flatmap(
        lambda k: st.lists(st.tuples(*[st.integers(0, 3) | st.integers()] * k), max_size=40).map(
            lambda rows: np.array(rows, object).reshape(len(rows), k) % 2**40
        )
    )
)
def test_distinct_rows_are_numbered_as_they_come(rows: np.ndarray) -> None:
    found = [tuple(row) for row in rows.tolist()]
    numbers = {row: number for number, row in enumerate(dict.fromkeys(found))}
    for terms in dictionaries():
        firsts, which = terms.distinct(rows.astype(np.int64))
        assert firsts.tolist() == [found.index(row) for row in numbers]
        assert which.tolist() == [numbers[row] for row in found]
