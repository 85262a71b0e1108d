"""Since: `ΔΦ S Ψ + (Φ + ΔΦ) S ΔΨ`, and ΔΨ by itself where 0 is in the range."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.arrays.delta import NEG_INF, Rows
from rete.nodes.metric.since import Since
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

PHI, PSI = Relation("<urn:phi>", 1), Relation("<urn:psi>", 1)


class SinceByHand:
    """Since or Until of atoms with the same variable, driven by hand."""

    def __init__(self, rho: tuple[int, int], *, future: bool = False) -> None:
        plan = Since(scan(PHI), scan(PSI), ((0, 0),), (~0,), rho, future=future)
        left, right = network(plan).streams[plan].sources
        assert left.stem is not None
        assert right.stem is not None
        self.phi, self.psi = left.stem, right.stem
        (self.probe_psi,), (self.probe_phi,) = left.sides, right.sides
        self.by_itself = right.linear

    def __call__(self, phi: Rows, psi: Rows) -> list[Rows]:
        phi = self.phi.absorb(phi, NEG_INF)  # Φ + ΔΦ
        found = [self.probe_psi.probe(phi, self.psi.end)[0]] if len(phi) and self.psi.n else []
        psi = self.psi.absorb(psi, NEG_INF)
        found.append(self.probe_phi.probe(psi, self.phi.end)[0])  # (Φ + ΔΦ) S ΔΨ
        return [*found, *(node.apply(psi) for node in self.by_itself)]


def held(parts: list[Rows]) -> list[list[int]]:
    return sorted(row for part in parts for row in part.tolist())


@pytest.mark.parametrize(
    ("rho", "future", "found"),
    [
        ((2, 9), False, [1, 6, 13]),  # 1 to 4 after psi, while phi held ever since
        ((12, 15), False, [1, 16, 19]),
        ((2, 9), True, [1, 4, 5]),  # phi until psi, which comes in 1 to 4
    ],
)
def test_the_right_row_begins_it_and_the_left_one_leads_on(rho, future, found) -> None:
    since = SinceByHand(rho, future=future)
    psi = matrix([(1, 4, 5)], 1) if not future else matrix([(1, 6, 7)], 1)
    assert held(since(matrix([(1, 4, 19)], 1), psi)) == [found]


def test_with_zero_in_the_range_the_right_row_is_enough() -> None:
    assert held(SinceByHand((0, 5))(matrix([], 1), matrix([(1, 4, 5)], 1))) == [[1, 4, 5]]
    assert held(SinceByHand((1, 5))(matrix([], 1), matrix([(1, 4, 5)], 1))) == []


def test_a_left_row_that_goes_on_leads_from_a_right_one_of_before() -> None:
    since = SinceByHand((2, 41))
    assert held(since(matrix([(1, 4, 9)], 1), matrix([(1, 4, 5)], 1))) == [[1, 6, 9]]
    assert held(since(matrix([(1, 9, 13)], 1), matrix([], 1))) == [[1, 9, 13]]


@given(
    rho=ranges(),
    future=st.booleans(),
    batches=st.lists(st.tuples(deltas(1), deltas(1)), max_size=4),
)
def test_what_comes_out_is_since_of_both_sides(rho, future: bool, batches) -> None:
    since, side, operator = SinceByHand(rho, future=future), 1 if future else -1, cell_range(rho)
    phi: dict[tuple[int, ...], int] = {}
    psi: dict[tuple[int, ...], int] = {}
    found: dict[tuple[int, ...], int] = {}
    for left, right in batches:
        for into, rows in ((phi, [left]), (psi, [right]), (found, since(left, right))):
            for part in rows:
                for terms, truth in truths(part).items():
                    into[terms] = into.get(terms, 0) | truth
        assert within(found) == within(
            {terms: STRETCH.chain(operator, side, phi.get(terms, 0), psi[terms]) for terms in psi}
        )
