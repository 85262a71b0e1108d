"""Unions and differences of endless models say what they say cell by cell."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from temporal import merging
from temporal.endless import Endless
from temporal.merging import difference, union
from temporal.periodic import find
from temporal.windows import Frame
from tests.draw import from_seed
from tests.temporal.tails import Made, known, made

OPERATIONS: dict[str, tuple[Callable[..., Endless[str]], Callable[..., np.ndarray]]] = {
    "union": (union, np.logical_or),
    "difference": (difference, lambda a, b: a & ~b),
}


def whole(model: Made) -> Endless[str]:
    horizon = model.first - 400, model.last + 401
    rows = known(model, *horizon)
    found = find(rows, model.frame, horizon)
    assert found.left
    assert found.right
    return Endless.of(rows, found.left, found.right)


def both(one: Made, other: Made) -> Frame:
    ends = np.union1d(one.frame.ends, other.frame.ends)
    return Frame(ends, max(one.frame.depth, other.frame.depth), one.frame.step)


def held(rows: np.ndarray, lo: int, hi: int) -> np.ndarray:
    found = np.zeros((5, hi - lo), bool)
    for fact, begin, end in rows.tolist():
        found[fact, begin - lo : end - lo] = True
    return found


def agree(name: str, seed: int) -> int:
    """How many turns of one side the result has."""
    draw = from_seed(seed)
    one, other = made(draw), made(draw)
    merge, by_cells = OPERATIONS[name]
    frame = both(one, other)
    found = merge(whole(one), whole(other), frame)
    for far in (0, 10**6, -(10**6)):
        lo, hi = far - 150, far + 150
        cells = np.arange(lo, hi)
        shown = np.concatenate([rows for _, rows in found.unfold(lo, hi)])
        assert np.array_equal(held(shown, lo, hi), by_cells(one.at(cells), other.at(cells))), seed
    return found.right.shift if not found.right.is_constant else 0


@pytest.mark.parametrize("name", OPERATIONS)
def test_random_models_are_merged_as_their_cells_are(name):
    shifts = {agree(name, seed) for seed in range(80)}
    assert len(shifts) > 5


@pytest.mark.parametrize("name", OPERATIONS)
def test_windows_of_the_result_are_those_of_its_own_content(name):
    for seed in range(60):
        draw = from_seed(seed)
        one, other = made(draw), made(draw)
        frame = both(one, other)
        found = OPERATIONS[name][0](whole(one), whole(other), frame)
        lo, hi = one.first - 3000, one.last + 3000
        wide = Frame(frame.ends, 200, frame.step)
        again = find(dict(found.unfold(lo, hi)), wide, (lo, hi))
        assert again.left
        assert again.right
        assert (again.left.shift, again.left.source) == (found.left.shift, found.left.source)
        assert (again.right.near, again.right.shift) == (found.right.near, found.right.shift)


def test_what_is_taken_from_itself_leaves_nothing():
    model = made(from_seed(3))
    rest = difference(whole(model), whole(model), model.frame)
    assert rest.left.is_empty
    assert rest.right.is_empty
    assert not any(len(rows) for rows in rest.facts.values())


def agree_all() -> None:
    for seed in range(80):
        agree("union", seed)


def test_a_turn_that_is_not_common_is_noticed(monkeypatch):
    """Planted: the greater period instead of the least common multiple."""
    monkeypatch.setattr(merging, "lcm", max)
    with pytest.raises(AssertionError):
        agree_all()
