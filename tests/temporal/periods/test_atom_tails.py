"""Tails of atoms against their definition, cell by cell."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from temporal.periods.atom_tails import split_tail

_FIRST, _ONSET = 2, 12


def _rows(cells: list[list[bool]]) -> np.ndarray:
    """The maximal rows of atoms that are true in these cells, from 0 on."""
    found = []
    for atom, truth in enumerate(cells):
        padded = [False, *truth, False]
        begins = [i for i in range(len(truth)) if padded[i + 1] and not padded[i]]
        ends = [i + 1 for i in range(len(truth)) if padded[i + 1] and not padded[i + 2]]
        found += [(atom, lo, hi) for lo, hi in zip(begins, ends, strict=True)]
    return np.array(found, np.int64).reshape(len(found), 3)


@given(
    st.sampled_from([0, 2, 4]).flatmap(
        lambda period: st.lists(
            st.tuples(
                st.lists(st.booleans(), min_size=_ONSET, max_size=_ONSET),
                st.lists(st.booleans(), min_size=max(period, 1), max_size=max(period, 1)),
            ),
            min_size=1,
            max_size=4,
        )
    )
)
def test_a_tail_begins_behind_the_last_cell_that_is_no_part_of_it(atoms) -> None:
    period = len(atoms[0][1]) if len(atoms[0][1]) > 1 else 0
    cells = [[*before, *(turn * 4)] for before, turn in atoms]
    turn = max(period, 2)
    found = split_tail(_rows(cells), len(atoms), _FIRST, _ONSET, period)
    for atom, truth in enumerate(cells):
        behind = (
            [t + 1 for t in range(_FIRST, _ONSET) if truth[t] != truth[t + turn]]
            if period
            else [t for t in range(_FIRST + 1, _ONSET + 1) if truth[t] != truth[t - 1]]
        )
        assert found.onset[atom] == max(behind, default=_FIRST)
        assert found.holds[atom] == any(truth[_ONSET : _ONSET + turn])
        tail = truth[_ONSET : _ONSET + turn]
        least = (
            0
            if len(set(tail)) == 1
            else next(
                p for p in (2, 4) if all(tail[t] == tail[(t + p) % turn] for t in range(turn))
            )
        )
        assert found.period[atom] == least
