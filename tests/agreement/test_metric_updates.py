"""Live models are, after each update, what is derived anew, and what the definition says."""

from __future__ import annotations

import pytest

from tests.seeds import parts
from tests.simulation.metric.updates import tally_updates

PART = 130

LEAST = {
    "overdeleted": 2 / 5,
    "rederived": 1 / 6,
    "inserted": 1 / 3,
    "endless before and after": 1 / 5,
    "endless before or after": 1 / 10,
}
"""Shares of what random stories exercise, a little less than all of them do; a part has a third."""


@pytest.mark.compared
@pytest.mark.parametrize("first", parts(PART, check=0, pure=1, test=1, soak=15))
def test_random_updates_give_what_is_derived_anew(first: int) -> None:
    found = tally_updates(range(first, first + PART))
    assert not found.wrong, next(iter(found.wrong.values()))
    assert found.cases > PART * 9 // 10
    least = {name for name, share in LEAST.items() if found.exercised[name] < share / 3 * PART}
    assert not least
