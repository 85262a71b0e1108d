"""The engine prints, byte by byte, what the definitions give, on random programs and streams."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rete.nodes.join
from tests.generators.streams.runs import RunCase, cases
from tests.seeds import parts
from tests.simulation.stream_comparison import compare, disagreement

pytestmark = pytest.mark.compared

PART = 50
LONG_PART = 2


@given(cases(), st.none() | st.integers(1, 500))
def test_the_engine_prints_what_the_oracle_expects(case: RunCase, cut: int | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        fault = disagreement(case, Path(folder), cut)
    assert fault is None, fault


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=40))
def test_the_engine_prints_what_the_oracle_expects_for_many_seeds(first: int) -> None:
    _, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


@pytest.mark.parametrize("first", parts(LONG_PART, check=0, test=1, soak=8, first=5))
def test_the_engine_prints_what_the_oracle_expects_of_long_streams(first: int) -> None:
    _, faults = compare(LONG_PART, first, long=True)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


@pytest.mark.slow
def test_joins_that_probe_row_by_row_lose_no_pair(monkeypatch) -> None:
    monkeypatch.setattr(rete.nodes.join, "_FIRST_SLICE", 1)
    monkeypatch.setattr(rete.nodes.join, "_LARGEST_SLICE", 1)
    _, failures = compare(60, 70_000)
    assert not failures
