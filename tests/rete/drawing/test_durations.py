"""Durations and ranges are told with the largest exact unit."""

from __future__ import annotations

import pytest

from rete.arrays.delta import POS_INF, Cells
from rete.drawing.durations import duration_text, range_text


@pytest.mark.parametrize(
    ("ticks", "per_second", "text"),
    [
        (0, 1000, "0 s"),
        (30_000, 1000, "30 s"),
        (30_001, 1000, "30001 ms"),
        (86_400_000, 1000, "1 d"),
        (5_400_000, 1000, "90 m"),
        (5000, 10**6, "5 ms"),
        (5001, 10**9, "5001 ns"),
        (30_001, 0, "30001 ticks"),
    ],
)
def test_a_duration_is_a_whole_number_of_the_largest_unit(
    ticks: int, per_second: int, text: str
) -> None:
    assert duration_text(ticks, per_second) == text


@pytest.mark.parametrize(
    ("rho", "per_second", "text"),
    [
        ((0, 60_001), 1000, "[0 s, 30 s]"),
        ((1, 7_200_000), 1000, "(0 s, 1 h)"),
        ((2, POS_INF), 1000, "[1 ms, inf)"),
        ((1, 60_001), 0, "(0,30000]"),
    ],
)
def test_the_ends_of_a_range_have_units(rho: Cells, per_second: int, text: str) -> None:
    assert range_text(rho, per_second) == text
