"""The engine prints, byte by byte, what the definitions give, on random programs and streams."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from tests.agreement import compare, disagreement
from tests.profile import profile
from tests.strategies import Case, cases

MASS = 1000
"""How many random cases a full test run compares, besides those of Hypothesis."""

PART = 100
FIRST, *LATER = range(0, MASS, PART)


@given(cases())
def test_the_engine_prints_what_the_oracle_expects(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        fault = disagreement(case, Path(folder))
    assert fault is None, fault


@pytest.mark.parametrize(
    "first", [FIRST, *(pytest.param(first, marks=pytest.mark.slow) for first in LATER)]
)
def test_the_engine_prints_what_the_oracle_expects_for_many_seeds(first: int) -> None:
    _, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 20, 5))
def test_the_engine_prints_what_the_oracle_expects_of_long_streams(first: int) -> None:
    _, faults = compare(5, first, long=True)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


def test_random_cases_are_worth_their_time() -> None:
    """At least half have answers, a third a second round of recursion or an expiry."""
    found = profile(300)
    assert found["answers at some time"] >= 150
    assert found["second round or expiry"] >= 100
    everywhere = ["late elements", "several sources", "variable predicate", "nullary atom"]
    assert all(found[name] >= 5 for name in everywhere), found
