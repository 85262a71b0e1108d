"""Told as it arrives: line by line what the definition says, on random cases."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import r4.answers.early_results
from r4.answers.early_results import EarlyResults
from tests.generators.draw import from_hypothesis, from_seed
from tests.generators.stories.retraction import story
from tests.generators.streams.runs import RunCase
from tests.oracles.streams.early_results import EarlyResultsOracle, standing_lines
from tests.oracles.streams.output_lines import Line
from tests.simulation.early_results import compare, disagreement, out_of_order_case
from tests.simulation.retraction import early_results

PART = 10
FIRST, *LATER = range(0, 100, PART)
STORIES = 20
FIRST_STORY, *LATER_STORIES = range(0, 300, STORIES)
KINDS = {"plain": 50, "dense": 50, "naf": 50, "regime": 6}
"""How many stories of each kind a full test run compares; above a regime there is much to do."""


@st.composite
def cases(draw: st.DrawFn, *, negation: bool = False) -> RunCase:
    return out_of_order_case(from_hypothesis(draw), negation=negation)


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


@pytest.mark.parametrize(
    "first", [FIRST, *(pytest.param(first, marks=pytest.mark.slow) for first in LATER)]
)
def test_lines_arrive_as_the_oracle_expects_for_many_seeds(first: int) -> None:
    undone, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert first != FIRST or undone


@pytest.mark.slow
def test_lines_arrive_as_the_oracle_expects_for_many_seeds_with_negation() -> None:
    undone, faults = compare(60, 5000, negation=True)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert undone


@pytest.mark.parametrize(
    "first",
    [FIRST_STORY, *(pytest.param(first, marks=pytest.mark.slow) for first in LATER_STORIES)],
)
def test_what_is_taken_back_and_what_joins_is_told_as_the_definition_says(first: int) -> None:
    features, faults = early_results.compare(STORIES, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert features["undone"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_so_it_is_for_every_kind_of_program(kind: str) -> None:
    _, faults = early_results.compare(KINDS[kind], 20_000, kind=kind)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


def rules_that_shift_are_not_noted() -> AbstractContextManager[object]:
    """A line keeps the rule that it was told with."""
    return patch.object(EarlyResults, "shift", lambda *_: None)


def losses_are_not_noted() -> AbstractContextManager[object]:
    """What is lost is looked at again only when something else happens to it."""
    return patch.object(EarlyResults, "lose", lambda *_: None)


def ends_are_told_at_once() -> AbstractContextManager[object]:
    """An end is due when time reaches it, not when it passes it."""
    return patch.object(r4.answers.early_results, "_AHEAD", 0)


def nothing_is_undone() -> AbstractContextManager[object]:
    """What proves untrue is not repeated."""
    right = EarlyResults.due

    def due(arrivals: EarlyResults, *args: object) -> object:
        arrivals._undone.clear()
        return right(arrivals, *args)  # type: ignore[arg-type]

    return patch.object(EarlyResults, "due", due)


def what_is_final_is_undone() -> AbstractContextManager[object]:
    """What was told stays open though its instant is closed."""
    right = EarlyResults.close

    def close(arrivals: EarlyResults, limit: int) -> object:
        told = dict(arrivals._told)
        found = right(arrivals, limit)
        arrivals._told = told | arrivals._told
        return found

    return patch.object(EarlyResults, "close", close)


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        rules_that_shift_are_not_noted,
        losses_are_not_noted,
        ends_are_told_at_once,
        nothing_is_undone,
        what_is_final_is_undone,
    ],
)
def test_a_planted_fault_is_noticed(fault: Callable[[], AbstractContextManager[object]]) -> None:
    with fault():
        noticed = any(
            found and "--- oracle" in found  # a crash does not count
            for seed in range(400)
            for _, found in [early_results.fault_of(story(from_seed(seed)))]
        )
    assert noticed


def test_the_definition_undoes_what_is_due_no_more_and_then_tells_what_is_new() -> None:
    a, b, c = (Line("+", at, ("triple", "s", "p", "o"), at, 9, 1) for at in (1, 2, 3))
    teller = EarlyResultsOracle()
    assert teller.tell([b, a]) == [(a, False), (b, False)]
    assert teller.tell([b, c]) == [(a, True), (c, False)]
    assert teller.tell([c, b]) == []


def test_an_undone_line_strikes_out_one_that_stands() -> None:
    assert standing_lines(['{"op":"+"}', '{"op":"-"}', '{"op":"+","undone":true}']) == [
        '{"op":"-"}'
    ]
    with pytest.raises(ValueError, match="not in list"):
        standing_lines(['{"op":"-","undone":true}'])
