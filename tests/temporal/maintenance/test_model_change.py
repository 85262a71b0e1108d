"""Difference of periodic models, of models made directly: cell by cell, near and far."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import pytest

from temporal.maintenance.net_change import subtract_models
from temporal.periods.periodic_model import PeriodicModel
from temporal.periods.windows import Ruler
from tests.generators.draw import from_seed
from tests.generators.metric.periodic_models import (
    FACTS,
    RandomPeriodicModel,
    Side,
    random_model,
)
from tests.seeds import parts
from tests.temporal.periods.test_period_search import first_shown

Cells: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

REACH = 350
"""So many cells beyond both models; the common turn of two has at most 2 · 19 · 18."""
FAR = 10**6


def content(model: PeriodicModel[str], lo: int, hi: int) -> Cells:
    """Per fact, in which cells from ``lo`` on, before ``hi``, it holds."""
    held = np.zeros((FACTS, hi - lo), np.bool_)
    for _, rows in model.unfold(lo, hi):
        for fact, begin, end in rows.tolist():
            assert not held[fact, begin - lo : end - lo].any()
            held[fact, begin - lo : end - lo] = True
    return held


def compare(one: RandomPeriodicModel, other: RandomPeriodicModel) -> set[str]:
    """Compare the difference with what the cells say; what the models exercise."""
    models = first_shown(one)[0], first_shown(other)[0]
    lo, hi = min(one.first, other.first) - REACH, max(one.last, other.last) + REACH
    kinds = set()
    found = subtract_models(*models)
    for begin, end in ((lo, hi), (lo - FAR, hi - FAR), (lo + FAR, hi + FAR)):
        cells = np.arange(begin, end)
        wanted = one.at(cells) & ~other.at(cells)
        assert np.array_equal(content(found, begin, end), wanted)
        if begin != lo:
            side = found.left if begin < lo else found.right
            assert side.is_empty == (not wanted.any())
        if begin != lo and wanted.any():
            kinds.add("far")
    turns = [each.right.turn for each in (one, other)]
    if all(turns) and turns[0] != turns[1]:
        kinds.add("other periods")
    return kinds


def turn_of(cells: str, onset: int) -> RandomPeriodicModel:
    """Data of one instant, 0, and the first fact in these cells of each turn behind the onset."""
    none, held = np.zeros((FACTS, 2), np.bool_), np.zeros((FACTS, len(cells)), np.bool_)
    held[0] = [each == "x" for each in cells]
    right = Side(onset, len(cells) // 2, held, np.zeros((FACTS, 2 * onset), np.bool_))
    ruler = Ruler(np.zeros(1, np.int64), onset + len(cells) // 2, 1)
    return RandomPeriodicModel(ruler, Side(1, 0, none, none), right, np.zeros((FACTS, 1), np.bool_))


def test_both_are_extended_to_the_common_period_and_aligned_at_the_outer_onset() -> None:
    """At each second instant from 3 on, and at each third one from 5 on."""
    one, other = turn_of("x...", 3), turn_of("x.....", 5)
    assert compare(one, other) >= {"far", "other periods"}
    found = subtract_models(first_shown(one)[0], first_shown(other)[0])
    instants = [3, 7, 9, 13, 15, 19, 21, 25]
    assert np.flatnonzero(content(found, 0, 52)[0]).tolist() == [2 * at for at in instants]
    assert found.right.source[1] - found.right.source[0] == 12


def test_nothing_is_left_of_a_model_without_itself() -> None:
    for seed in range(40):
        model, _ = first_shown(random_model(from_seed(seed)))
        rest = subtract_models(model, model)
        assert not rest.facts
        assert rest.left.is_empty
        assert rest.right.is_empty


@pytest.mark.parametrize("first", parts(100, check=1, test=2, soak=2))
def test_random_models_are_combined_cell_by_cell(first: int) -> None:
    kinds = [
        compare(random_model(from_seed(seed)), random_model(from_seed(seed + 10**6)))
        for seed in range(first, first + 100)
    ]
    for kind in ("far", "other periods"):
        assert sum(kind in each for each in kinds) > len(kinds) / 6, kind
