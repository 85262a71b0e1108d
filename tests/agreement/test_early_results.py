"""Told as it arrives: line by line what the definition says, on random cases."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.generators.draw import from_hypothesis
from tests.generators.streams.runs import RunCase
from tests.oracles.streams.early_results import EarlyResultsOracle, standing_lines
from tests.oracles.streams.output_lines import Line
from tests.seeds import parts
from tests.simulation.early_results import compare, disagreement, out_of_order_case
from tests.simulation.retraction import early_results

PART = 10
STORIES = 20
KINDS = {"plain": 50, "dense": 50, "naf": 50, "regime": 6}
"""How many stories of each kind are compared; above a regime there is much to do."""


@st.composite
def cases(draw: st.DrawFn, *, negation: bool = False) -> RunCase:
    return out_of_order_case(from_hypothesis(draw), negation=negation)


@pytest.mark.rest
@given(cases(), st.none() | st.integers(1, 500))
def test_lines_arrive_as_the_oracle_expects_and_come_to_those_in_order_of_time(
    case: RunCase, cut: int | None
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        fault = disagreement(case, Path(folder), cut)
    assert fault is None, fault


@pytest.mark.slow
@given(cases(negation=True), st.none() | st.integers(1, 500))
def test_so_they_do_under_negation(case: RunCase, cut: int | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        fault = disagreement(case, Path(folder), cut)
    assert fault is None, fault


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=10))
def test_lines_arrive_as_the_oracle_expects_for_many_seeds(first: int) -> None:
    undone, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert first != 0 or undone


@pytest.mark.soak
def test_lines_arrive_as_the_oracle_expects_for_many_seeds_with_negation() -> None:
    undone, faults = compare(60, 5000, negation=True)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert undone


@pytest.mark.parametrize("first", parts(STORIES, check=0, test=1, soak=15))
def test_what_is_taken_back_and_what_joins_is_told_as_the_definition_says(first: int) -> None:
    features, faults = early_results.compare(STORIES, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert features["undone"]


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.slow if kind == "naf" else pytest.mark.soak)
        for kind in KINDS
    ],
)
def test_so_it_is_for_every_kind_of_program(kind: str) -> None:
    _, faults = early_results.compare(KINDS[kind], 20_000, kind=kind)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


def test_the_definition_undoes_what_is_due_no_more_and_then_tells_what_is_new() -> None:
    a, b, c = (Line("+", at, ("triple", "s", "p", "o"), at, 9, 1) for at in (1, 2, 3))
    oracle = EarlyResultsOracle()
    assert oracle.update([b, a]) == [(a, False), (b, False)]
    assert oracle.update([b, c]) == [(a, True), (c, False)]
    assert oracle.update([c, b]) == []


def test_an_undone_line_strikes_out_one_that_stands() -> None:
    assert standing_lines(['{"op":"+"}', '{"op":"-"}', '{"op":"+","undone":true}']) == [
        '{"op":"-"}'
    ]
    with pytest.raises(ValueError, match="not in list"):
        standing_lines(['{"op":"-","undone":true}'])
