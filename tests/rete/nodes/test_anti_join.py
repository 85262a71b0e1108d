"""Anti-joins: `ΔL ▷ R` passes the gate, `L ⋉ ΔR` is taken back, `L ⋉ ∇R` passes it again."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rete.arrays.delta import NEG_INF, Rows
from rete.nodes.anti_join import AntiJoin
from rete.terms.relations import Relation
from tests.rete.nodes.by_cell import cells, defined, deltas, disjoint, matrix, network, scan

LEFT, RIGHT = Relation("<urn:left>", 2), Relation("<urn:right>", 1)
WITHOUT = AntiJoin(scan(LEFT), scan(RIGHT), ((0, 0),), (0, 1))
"""``out(?x ?y) :- And(left(?x ?y) Naf(right(?x)))``"""


class Gate:
    """The gate of a negation, driven by hand."""

    def __init__(self) -> None:
        output = network(WITHOUT).streams[WITHOUT]
        left, right = output.sources
        assert output.gate is not None
        assert left.stem is not None
        assert right.stem is not None
        self.left, self.right, self.gate = left.stem, right.stem, output.gate

    def gain_left(self, rows: Rows) -> Rows:
        """What passes: `ΔL ▷ R`."""
        return self.gate.admit(self.left.absorb(rows, NEG_INF))

    def gain_right(self, rows: Rows) -> Rows:
        """What no longer passes: `L ⋉ ΔR`."""
        return self.gate.closed_by(self.right.absorb(rows, NEG_INF))

    def lose_right(self, rows: Rows) -> Rows:
        """What passes again: `(L ⋉ ∇R) ▷ R`."""
        lost = self.right.meet(rows, NEG_INF)
        self.right.remove(lost, NEG_INF)
        return self.gate.admit(self.gate.opened_by(lost))


def test_a_row_without_partner_passes() -> None:
    gate = Gate()
    gate.gain_right(matrix([(1, 4, 6)], 1))
    assert sorted(gate.gain_left(matrix([(1, 7, 0, 9), (2, 7, 0, 9)], 2)).tolist()) == [
        [1, 7, 0, 4],
        [1, 7, 6, 9],
        [2, 7, 0, 9],
    ]


def test_a_partner_that_comes_later_takes_it_back_as_long_as_it_holds() -> None:
    gate = Gate()
    gate.gain_left(matrix([(1, 7, 0, 9)], 2))
    assert gate.gain_right(matrix([(1, 4, 20)], 1)).tolist() == [[1, 7, 4, 9]]


def test_a_partner_that_is_lost_lets_it_pass_again_unless_another_is_there() -> None:
    gate = Gate()
    gate.gain_left(matrix([(1, 7, 0, 9)], 2))
    gate.gain_right(matrix([(1, 4, 6)], 1))
    assert gate.lose_right(matrix([(1, 4, 5)], 1)).tolist() == [[1, 7, 4, 5]]


steps = st.one_of(
    deltas(2).map(lambda rows: ("gain left", rows)),
    deltas(1).map(lambda rows: ("gain right", rows)),
    deltas(1).map(lambda rows: ("lose right", rows)),
)


@given(steps=st.lists(steps, max_size=8))
def test_what_passes_less_what_is_taken_back_is_the_left_side_without_the_right(steps) -> None:
    gate, passed = Gate(), set[tuple[int, ...]]()
    for step, rows in steps:
        if step == "gain left":
            passed |= cells(gate.gain_left(rows))
        elif step == "gain right":
            passed -= cells(gate.gain_right(rows))
        else:
            opened = gate.lose_right(rows)
            assert not passed & cells(opened)
            passed |= cells(opened)
        there = {LEFT: gate.left.content(), RIGHT: gate.right.content()}
        assert passed == defined(WITHOUT, there)


@given(left=deltas(2), right=deltas(1))
def test_the_pieces_of_a_row_do_not_overlap(left, right) -> None:
    gate = Gate()
    gate.gain_right(right)
    assert disjoint(gate.gain_left(left))


@given(left=deltas(2), right=deltas(2))
def test_without_common_variables_any_right_row_takes_all_away(left, right) -> None:
    other = Relation("<urn:other>", 2)
    plan = AntiJoin(scan(LEFT), scan(other), (), (1,))
    output = network(plan).streams[plan]
    mine, theirs = (each.stem for each in output.sources)
    assert mine is not None
    assert theirs is not None
    assert output.gate is not None
    theirs.absorb(right, NEG_INF)
    passed = output.gate.admit(mine.absorb(left, NEG_INF))
    assert cells(np.asarray(passed)) == defined(plan, {LEFT: left, other: right})
