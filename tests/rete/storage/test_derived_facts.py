"""What tables of derived facts remember, and until when."""

from __future__ import annotations

import numpy as np
import pytest

from rete.arrays.delta import NEG_INF
from rete.graph.streams import FactTable
from rete.terms.relations import TRIPLES, Head


@pytest.fixture
def table() -> FactTable:
    """One fact by two rules: from 0 to 10 by the first, to 4 by the second."""
    made = FactTable(TRIPLES, instances=False)
    made.add([(1, Head(TRIPLES, (0, 1, 2))), (2, Head(TRIPLES, (0, 1, 2)))])
    made.pending = [(1, np.array([[1, 2, 3, 0, 10]])), (2, np.array([[1, 2, 3, 0, 4]]))]
    made.absorb(NEG_INF)
    return made


def test_what_began_a_fact_is_remembered_as_long_as_that(table: FactTable) -> None:
    table.expire(6)
    assert table.of_rule(2).tolist() == [[1, 2, 3, 0, 4]]


def test_what_rules_gave_is_forgotten_with_the_fact(table: FactTable) -> None:
    table.expire(20)
    assert [len(stem.content()) for stem in table.stems] == [0, 0, 0]
