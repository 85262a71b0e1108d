"""Tails of atoms against their definition, cell by cell; of few rows against those of many."""

from __future__ import annotations

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st

from rete.arrays.delta import POS_INF
from temporal.periods.atom_tails import split_constant_tail, split_tail
from temporal.periods.change_points import order_changes
from temporal.periods.tails import find_constant_tail, find_tail

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
    if not period:
        onsets, holding = split_constant_tail([_rows(cells)], _FIRST, _ONSET)
        assert sorted(onsets) == sorted(each for each in found.onset.tolist() if each > _FIRST)
        assert holding == found.holds.sum()
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


def test_atoms_of_two_predicates_are_told_apart() -> None:
    one = np.array([[1, 4, 30], [2, 0, _FIRST]])
    two, three = np.array([[1, 0, 6], [1, 8, 10]]), np.array([[0, 9]])
    assert split_constant_tail([one, two, three], _FIRST, _ONSET) == ([4, 10, 9], 1)


@settings(max_examples=200)
@given(
    early=st.lists(st.lists(st.booleans(), min_size=12, max_size=12), min_size=1, max_size=3),
    late=st.just([False] * 12) | st.lists(st.booleans(), min_size=12, max_size=12),
    width=st.sampled_from([2, 4]),
    settled=st.integers(_FIRST, 12),
    rest=st.sampled_from([0, 2, 4]),
    is_known=st.booleans(),
)
def test_the_constant_tail_of_few_rows_is_that_of_all_rows(
    early: list[list[bool]], late: list[bool], width: int, settled: int, rest: int, is_known: bool
) -> None:
    rows = _rows([[*each, *late] for each in early])
    rows = rows[rows[:, 2] > _FIRST]
    times, stop = [(lo, hi) for _, lo, hi in rows.tolist()], POS_INF if is_known else 24
    found = find_constant_tail(times, _FIRST, stop, width, settled, rest)
    known = find_tail(order_changes(rows, _FIRST, stop), width, settled, rest)
    assert found == (known if known is not None and not known.period else None)
    event("constant" if found else "not constant, or not yet")
