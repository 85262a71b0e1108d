"""Constants that no row has: what is absent is told as long as it is, and no longer."""

from __future__ import annotations

import numpy as np
import pytest

from rete.arrays.delta import POS_INF
from rete.retraction.proof_programs import MissingConstants
from rete.retraction.rule_bodies import BodyVariable
from rete.storage.stem import Stem


def stem(*rows: tuple[int, int]) -> Stem:
    made = Stem(2, instances=False)
    more(made, *rows)
    return made


def more(to: Stem, *rows: tuple[int, int]) -> None:
    to.absorb(np.array([(*row, 0, POS_INF) for row in rows], np.int64).reshape(-1, 4), 0)


def test_an_atom_lacks_rows_where_none_has_its_constant_at_that_place() -> None:
    held, empty = stem((1, 2), (3, 4)), stem()
    absent = MissingConstants()
    assert not absent.lacks((BodyVariable(), None), held)
    assert not absent.lacks((3, 2), held)  # each is there, if not in one row
    assert not absent.have_come()
    assert absent.lacks((2, None), held)
    assert absent.lacks((1, 3), held)
    assert absent.lacks((BodyVariable(), None), empty)
    assert not absent.have_come()


@pytest.mark.parametrize("since", [0, 3])
@pytest.mark.parametrize("moved", [False, True])
def test_it_came_when_a_row_has_it_where_it_was_looked_for(since: int, moved: bool) -> None:
    held, other = stem((1, 2), (3, 4), (5, 6)), stem((1, 2))
    absent = MissingConstants()
    assert absent.lacks((9, None), held)
    assert absent.lacks((9, None), other)
    for count in range(since):
        more(held, (1, 10 + count))
        assert not absent.have_come()
    if moved:  # rows that came, as many as went
        held.remove(np.array([(1, 2, 0, POS_INF), (5, 6, 0, POS_INF)], np.int64), 0)
        held.expire(0)
    more(other, (2, 9))
    assert not absent.have_come()
    more(held, (3, 9), (9, 3))
    assert absent.have_come()


def test_any_row_came_where_there_was_none() -> None:
    empty, absent = stem(), MissingConstants()
    assert absent.lacks((None, None), empty)
    assert not absent.have_come()
    more(empty, (1, 1))
    assert absent.have_come()
