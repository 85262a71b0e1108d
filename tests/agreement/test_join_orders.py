"""Whatever the order of joins, and whenever it changes, the answers are those of the definition."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.inference.errors import LimitReached
from tests.generators.draw import from_seed
from tests.generators.stories.retraction import story
from tests.generators.streams.runs import RunCase, cases
from tests.seeds import parts
from tests.simulation.explanation.comparison import check
from tests.simulation.explanation.runs import any_rules, dense_rules
from tests.simulation.retraction import seeds as retraction
from tests.simulation.retraction.checkpoint import CheckpointRun, lines_of_story
from tests.simulation.shuffled_orders import shuffled_orders
from tests.simulation.stream_comparison import compare, disagreement

pytestmark = pytest.mark.compared

PART = 25


@given(cases(), st.integers(0, 10**6), st.none() | st.integers(1, 500))
def test_a_stream_is_answered_as_the_oracle_expects(
    case: RunCase, seed: int, cut: int | None
) -> None:
    with tempfile.TemporaryDirectory() as folder, shuffled_orders(seed):
        fault = disagreement(case, Path(folder), cut)
    assert fault is None, fault


@pytest.mark.parametrize("negation", [False, True])
@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=15))
def test_so_are_the_streams_of_many_seeds(first: int, *, negation: bool) -> None:
    for seed in range(first, first + PART):
        with shuffled_orders(seed):
            _, faults = compare(1, seed, negation=negation)
        assert not faults, f"seed {seed}\n" + next(iter(faults.values()))


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=20))
def test_what_is_retracted_goes_and_memory_is_as_if_the_order_had_always_been_this(
    first: int,
) -> None:
    changed = 0
    for seed in range(first, first + PART):
        with shuffled_orders(seed) as used:
            _, faults = retraction.compare(1, seed, every=2)
        assert not faults, f"seed {seed}\n" + next(iter(faults.values()))
        changed += len(used)
    assert changed


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=10))
def test_a_checkpoint_has_the_order_in_use(first: int, tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"

    def move(run: CheckpointRun) -> None:
        run.save(before)
        run.resume(before)
        run.save(after)

    for seed in range(first, first + PART):
        told = story(from_seed(seed))
        arrival, at = bool(seed % 2), seed % (len(told.steps) + 1)
        try:
            wanted = lines_of_story(told, arrival=arrival)
        except LimitReached:
            continue
        with shuffled_orders(seed):
            assert lines_of_story(told, arrival=arrival, at=at, then=move) == wanted
        assert before.read_bytes() == after.read_bytes()


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=8))
def test_justifications_are_those_of_the_definition(first: int) -> None:
    for seed in range(first, first + PART):
        for make in (partial(any_rules, negation=bool(seed % 2)), dense_rules):
            with shuffled_orders(seed):
                check(make, seed)
