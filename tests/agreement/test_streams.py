"""The engine prints, byte by byte, what the definitions give, on random programs and streams."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.nodes import beta
from tests.generators.streams.runs import RunCase, cases
from tests.simulation.stream_comparison import compare, disagreement

pytestmark = pytest.mark.compared

MASS = 1000
"""How many random cases a full test run compares, besides those of Hypothesis."""

PART = 50
FIRST, *LATER = range(0, MASS, PART)


@given(cases(), st.none() | st.integers(1, 500))
def test_the_engine_prints_what_the_oracle_expects(case: RunCase, cut: int | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        fault = disagreement(case, Path(folder), cut)
    assert fault is None, fault


@pytest.mark.parametrize(
    "first", [FIRST, *(pytest.param(first, marks=pytest.mark.slow) for first in LATER)]
)
def test_the_engine_prints_what_the_oracle_expects_for_many_seeds(first: int) -> None:
    _, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(5, 20, 5))
def test_the_engine_prints_what_the_oracle_expects_of_long_streams(first: int) -> None:
    _, faults = compare(5, first, long=True)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


def test_joins_that_probe_row_by_row_lose_no_pair(monkeypatch) -> None:
    monkeypatch.setattr(beta, "_FIRST", 1)
    monkeypatch.setattr(beta, "_SLICE", 1)
    _, failures = compare(60, 70_000)
    assert not failures
