"""Joins: what a delta of each side adds, `ΔL ⋈ R + (L + ΔL) ⋈ ΔR`, is what is new."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rete.nodes.join
from rete.arrays.delta import NEG_INF, Rows
from rete.nodes.join import Join
from rete.terms.relations import Relation
from tests.rete.nodes.by_cell import cells, defined, deltas, disjoint, matrix, network, scan

LEFT, RIGHT = Relation("<urn:left>", 2), Relation("<urn:right>", 2)
CHAIN = Join(scan(LEFT), scan(RIGHT), ((1, 0),), (0, 1, ~1))
"""``out(?x ?y ?z) :- And(left(?x ?y) right(?y ?z))``"""
SELF = Join(scan(LEFT), scan(LEFT), ((1, 0),), (0, 1, ~1))


class Joined:
    """The two sides of a join, driven by hand."""

    def __init__(self, plan: Join) -> None:
        left, right = network(plan).streams[plan].sources
        assert left.stem is not None
        assert right.stem is not None
        self.left, self.right = left.stem, right.stem
        self.probe_right, self.probe_left = left.sides[0], right.sides[-1]

    def __call__(self, left: Rows, right: Rows) -> tuple[Rows, Rows]:
        left = self.left.absorb(left, NEG_INF)  # L + ΔL
        met, _ = self.probe_right.probe(left, self.right.end)  # ΔL ⋈ R
        right = self.right.absorb(right, NEG_INF)
        return met, self.probe_left.probe(right, self.left.end)[0]  # (L + ΔL) ⋈ ΔR


def test_a_row_is_joined_with_what_the_other_side_has_remembered() -> None:
    join = Joined(CHAIN)
    join(matrix([(1, 2, 0, 9)], 2), matrix([], 2))
    pairs = join(matrix([], 2), matrix([(2, 3, 4, 20), (1, 3, 4, 20)], 2))
    assert [each.tolist() for each in pairs] == [[], [[1, 2, 3, 4, 9]]]


def test_two_rows_that_come_together_are_joined_once() -> None:
    pairs = Joined(CHAIN)(matrix([(1, 2, 0, 9)], 2), matrix([(2, 3, 4, 20)], 2))
    assert [each.tolist() for each in pairs] == [[], [[1, 2, 3, 4, 9]]]


def test_rows_that_only_touch_in_time_are_not_joined() -> None:
    pairs = Joined(CHAIN)(matrix([(1, 2, 0, 9)], 2), matrix([(2, 3, 9, 20)], 2))
    assert [len(each) for each in pairs] == [0, 0]


@given(batches=st.lists(st.tuples(deltas(2), deltas(2)), max_size=4))
def test_a_delta_gives_the_pairs_that_are_new_each_once(batches) -> None:
    join = Joined(CHAIN)
    there = {LEFT: matrix([], 2), RIGHT: matrix([], 2)}
    for left, right in batches:
        before = defined(CHAIN, there)
        there = {LEFT: np.vstack([there[LEFT], left]), RIGHT: np.vstack([there[RIGHT], right])}
        pairs = join(left, right)
        assert cells(*pairs) == defined(CHAIN, there) - before
        assert disjoint(*pairs)


@given(batches=st.lists(deltas(2), max_size=4))
def test_a_stream_that_is_joined_with_itself_meets_its_own_delta_once(batches) -> None:
    """`ΔS ⋈ S + (S + ΔS) ⋈ ΔS`: there is one SteM, so its left side sees the rows before alone."""
    stream = network(SELF).streams[SELF].sources[0]
    stem, (left, right), there = stream.stem, stream.sides, matrix([], 2)
    assert stem is not None
    for delta in batches:
        before, there = defined(SELF, {LEFT: there}), np.vstack([there, delta])
        gains = stem.absorb(delta, NEG_INF)
        pairs = [side.probe(gains, side.limit(stem.before))[0] for side in (left, right)]
        assert cells(*pairs) == defined(SELF, {LEFT: there}) - before


def test_a_row_that_is_joined_with_itself_gives_one_pair() -> None:
    stream = network(SELF).streams[SELF].sources[0]
    assert stream.stem is not None
    gains = stream.stem.absorb(matrix([(1, 1, 0, 9)], 2), NEG_INF)
    limits = [side.limit(stream.stem.before) for side in stream.sides]
    assert limits == [0, 1]
    pairs = [
        side.probe(gains, limit)[0].tolist()
        for side, limit in zip(stream.sides, limits, strict=True)
    ]
    assert pairs == [[], [[1, 1, 1, 0, 9]]]


@pytest.mark.parametrize("most", [1, 3, 1 << 18])
@given(left=deltas(2, terms=4, most=12), right=deltas(2))
def test_a_large_product_comes_in_slices(most: int, left, right) -> None:
    product = Join(scan(LEFT), scan(RIGHT), (), (0, 1, ~0, ~1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rete.nodes.join, "MOST_PAIRS", most)
        patch.setattr(rete.nodes.join, "_FIRST_SLICE", 1)
        join = Joined(product)
        join(matrix([], 2), right)
        gains = join.left.absorb(left, NEG_INF)
        slices = list(join.probe_right.slices(gains))
    assert cells(*slices) == defined(product, {LEFT: left, RIGHT: right})
    assert disjoint(*slices)


def test_columns_that_there_are_not_are_refused() -> None:
    with pytest.raises(ValueError, match="are not columns of 2 and 2"):
        Join(scan(LEFT), scan(RIGHT), ((1, 0),), (0, ~2))
