"""A run with reports prints what its plain lines say of each mark."""

from __future__ import annotations

import pytest

from tests.seeds import parts
from tests.simulation.reports import FORMS, compare, compare_zoned

pytestmark = pytest.mark.compared

PART = 40


@pytest.mark.parametrize("first", parts(PART, check=1, test=2, soak=20))
def test_reports_are_what_the_plain_lines_say_of_each_mark(first: int) -> None:
    found, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert found["several marks"] > found["runs"] / 4
    assert found["ends"]
    assert all(found[form] for form in FORMS)


@pytest.mark.parametrize("first", parts(PART, check=1, test=1, soak=10))
def test_reports_of_days_and_months_follow_the_zone(first: int) -> None:
    found, faults = compare_zoned(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert found["several marks"] > found["runs"] / 4
    assert found["empty marks"]
