"""Entries of answers that may have several: what is compared, and what is kept of them."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest

from rete.arrays.delta import Rows
from rete.storage.row_algebra import join_rows
from temporal.hypothetical.online_evaluation import Hypothesiser

RULE = "Q(X,T) :- p(X,Y,T), q(X,T+1), r(Y,T+1)\n"
JOIN = "temporal.hypothetical.output.rival_entries.join_rows"


def rivals(count: int) -> str:
    """Facts by which an answer has so many sets of hypotheses, all with one atom in common."""
    return "".join(f"@0 p(a,y{number},0)\n" for number in range(count)) + "@1 q(b,1)\n"


@pytest.mark.parametrize("count", [10, 300])
def test_the_pairs_that_are_compared_grow_as_the_sets(count: int) -> None:
    pairs = 0

    def join(*args: Any) -> Rows:
        nonlocal pairs
        found = join_rows(*args)
        pairs += len(found)
        return found

    with patch(JOIN, join):
        told = [*Hypothesiser(RULE, "Q(X,T)", ["1"]).follow(rivals(count))]
    assert len([each for each in told if each.status == "supported"]) == count
    assert pairs <= 2 * count


def test_a_set_of_which_a_part_suffices_since_is_held_no_longer() -> None:
    query = Hypothesiser(RULE, "Q(X,T)", ["3"])
    told = [*query.follow(rivals(3) + "@2 r(y1,1)\n@3 q(b,3)\n")]
    last = {"X": "a", "T": 0}
    assert [e.hypotheses for e in told if e.answer == last][3:] == [["q(a,1)"]]
    assert [e.hypotheses for e in query.ranked() if e.answer == last] == [["q(a,1)"]]
