"""Boxes: `⊟(S + ΔS) = ⊟S + ⊟(S + ΔS) near ΔS`, so a delta is probed with what it made longer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.arrays.delta import NEG_INF, Rows
from rete.nodes.metric.box import Erode
from rete.terms.relations import Relation
from tests.rete.nodes.by_cell import (
    STRETCH,
    cell_range,
    deltas,
    matrix,
    network,
    ranges,
    scan,
    truths,
    within,
)

HELD = Relation("<urn:held>", 1)


class Box:
    """A box, driven by hand."""

    def __init__(self, rho: tuple[int, int], *, future: bool = False) -> None:
        plan = Erode(scan(HELD), rho, future=future)
        (source,) = network(plan).streams[plan].sources
        assert source.stem is not None
        self.stem, (self.side,) = source.stem, source.sides

    def __call__(self, rows: Rows) -> Rows:
        gains = self.stem.absorb(rows, NEG_INF)  # S + ΔS
        found, _ = self.side.probe(gains, self.stem.end)  # ⊟(S + ΔS) near ΔS
        return found


@pytest.mark.parametrize(
    ("rho", "future", "found"),
    [
        ((0, 5), False, [1, 4, 9]),  # throughout the last 2
        ((4, 5), False, [1, 4, 13]),  # exactly 2 ago
        ((1, 4), False, [1, 4, 9]),  # open at both ends
        ((0, 5), True, [1, 0, 5]),  # throughout the next 2
    ],
)
def test_an_interval_shrinks_and_is_moved(rho, future: bool, found: list[int]) -> None:
    assert Box(rho, future=future)(matrix([(1, 0, 9)], 1)).tolist() == [found]


def test_pieces_that_came_apart_count_together() -> None:
    box = Box((0, 9))
    assert box(matrix([(1, 0, 5), (1, 7, 13)], 1)).tolist() == []
    assert box(matrix([(1, 5, 7)], 1)).tolist() == [[1, 8, 13]]


def test_what_was_derived_is_not_derived_again() -> None:
    box = Box((0, 3))
    assert box(matrix([(1, 0, 5)], 1)).tolist() == [[1, 2, 5]]
    assert box(matrix([(1, 5, 7)], 1)).tolist() == [[1, 5, 7]]


@given(rho=ranges(), future=st.booleans(), batches=st.lists(deltas(1), max_size=5))
def test_what_comes_out_is_when_a_row_held_at_every_distance(rho, future: bool, batches) -> None:
    box, side, operator = Box(rho, future=future), 1 if future else -1, cell_range(rho)
    there: dict[tuple[int, ...], int] = {}
    found: dict[tuple[int, ...], int] = {}
    for rows in batches:
        added = truths(rows)
        given_out = truths(box(rows))
        for terms, truth in added.items():
            there[terms] = there.get(terms, 0) | truth
        for terms, truth in given_out.items():
            # Only what is in reach of the delta is looked at.
            assert not truth & ~STRETCH.diamond(operator, side, added[terms])
            found[terms] = found.get(terms, 0) | truth
        assert within(found) == within(
            {terms: STRETCH.box(operator, side, truth) for terms, truth in there.items()}
        )
