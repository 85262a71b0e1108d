"""Diamonds: `◇(ΔS)`, when a new row held at some distance; each row counts on its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.nodes.linear import LinearNode
from rete.nodes.metric.diamond import Dilate
from rete.terms.relations import Relation
from tests.rete.nodes.by_cell import (
    STRETCH,
    cell_range,
    deltas,
    matrix,
    network,
    partitions,
    ranges,
    scan,
    truths,
)

HELD = Relation("<urn:held>", 1)


def diamond(rho: tuple[int, int], *, future: bool = False) -> LinearNode[Dilate]:
    """The node of a diamond."""
    plan = Dilate(scan(HELD), rho, future=future)
    node = network(plan).streams[plan].node
    assert isinstance(node, LinearNode)
    return node


@pytest.mark.parametrize(
    ("rho", "future", "found"),
    [
        ((4, 5), False, [1, 4, 13]),  # exactly 2 ago
        ((0, 5), False, [1, 0, 13]),  # within the last 2
        ((1, 4), False, [1, 1, 12]),  # open at both ends
        ((4, 5), True, [1, -4, 5]),  # in exactly 2
    ],
)
def test_an_interval_is_moved_and_grows(rho, future: bool, found: list[int]) -> None:
    assert diamond(rho, future=future).apply(matrix([(1, 0, 9)], 1)).tolist() == [found]


@given(rho=ranges(), future=st.booleans(), rows=deltas(1))
def test_a_row_comes_out_when_it_held_at_some_distance(rho, future: bool, rows) -> None:
    found = truths(diamond(rho, future=future).apply(rows))
    side = 1 if future else -1
    operator = cell_range(rho)
    assert found == {
        terms: STRETCH.diamond(operator, side, truth) for terms, truth in truths(rows).items()
    }


@given(rho=ranges(), future=st.booleans(), rows=deltas(1))
def test_a_diamond_is_linear(rho, future: bool, rows) -> None:
    """`◇(A + B) = ◇A + ◇B`"""
    node = diamond(rho, future=future)
    for one, two in partitions(rows):
        assert np.array_equal(np.vstack([node.apply(one), node.apply(two)]), node.apply(rows))
