"""Readings of sensors: alarms are those of aggregates computed one window at a time."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction

import numpy as np
import pytest

from bench.workloads.readings import (
    AGGREGATES,
    RANKS,
    SENSORS,
    changes,
    is_above,
    limit_of,
    readings,
    stream,
)

SECONDS = 30
FEW = slice(0, SENSORS, 97)


def at_rank(rank):
    return lambda window: sorted(window)[rank(len(window)) - 1]


def nearest(count):
    return bisect_left([Fraction(r, count) for r in range(1, count + 1)], Fraction(95, 100)) + 1


def next_above(count):
    """Between the ranks next to the place that interpolation finds, the higher one."""
    return 1 + min(r for r in range(count) if r >= Fraction(95, 100) * (count - 1))


OF = {
    "count": lambda window: 100 * len(window),
    "sum": sum,
    "avg": lambda window: Fraction(sum(window), len(window)),
    "min": min,
    "max": max,
    "p95": at_rank(nearest),
}


def alarms(function, values, seconds, limit):
    return [
        [function(column[max(0, end - seconds) : end]) > limit for column in values.T.tolist()]
        for end in range(1, len(values) + 1)
    ]


@pytest.mark.parametrize("seconds", [1, 4, 25, 100])
@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_an_alarm_holds_while_the_aggregate_of_its_window_is_above_the_limit(aggregate, seconds):
    values = readings(SECONDS * SENSORS)
    found = is_above(aggregate, values, seconds)[:, FEW]
    limit = limit_of(aggregate, seconds)
    assert found.tolist() == alarms(OF[aggregate], values[:, FEW], seconds, limit)


@pytest.mark.parametrize("seconds", [1, 4, 25, 100])
@pytest.mark.parametrize("runner", RANKS)
def test_each_has_its_own_rank_of_a_quantile(runner, seconds):
    values = readings(SECONDS * SENSORS)
    rank = at_rank(next_above if runner in {"pandas", "polars"} else nearest)
    found = is_above("p95", values, seconds, runner)[:, FEW]
    assert found.tolist() == alarms(rank, values[:, FEW], seconds, limit_of("p95", seconds))


def test_an_alarm_that_goes_on_has_not_begun_again():
    above = np.array([[True, False], [True, True], [False, True]])
    assert changes(above) == (2, 1)


def test_the_stream_has_the_readings_second_by_second():
    elements = list(stream(2 * SENSORS))
    values = readings(2 * SENSORS)
    assert len(elements) == len(values) == 2
    for second, (element, row) in enumerate(zip(elements, values.tolist(), strict=True)):
        stamp, *lines = element.splitlines()
        assert f'"2024-01-01T00:00:0{second}.000Z"' in stamp
        found = [round(100 * float(line.split('"')[1])) for line in lines]
        assert found == row
