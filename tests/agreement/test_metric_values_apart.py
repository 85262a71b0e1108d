"""A variable of a left side alone, below a box or on another left side: as in the definition.

It stands for one value a rule, so the rule is evaluated as several (`temporal.mtl.guards`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from temporal.mtl.guards import guarded_rules
from tests.generators.draw import from_seed
from tests.generators.metric import fact_streams as streams
from tests.generators.metric import updates as stories
from tests.generators.metric.programs import apart
from tests.seeds import parts
from tests.simulation.metric import explanations
from tests.simulation.metric.fact_streams import compare_seed
from tests.simulation.metric.tally import tally
from tests.simulation.metric.updates import tally_updates

if TYPE_CHECKING:
    from tests.generators.metric.programs import MetricCase

PART = 40


def case_of(seed: int) -> MetricCase:
    return apart(from_seed(seed))


@pytest.mark.parametrize("first", parts(3 * PART, check=1, test=1, soak=20))
def test_models_are_those_of_the_definition(first: int) -> None:
    found = tally(3 * PART, first, case_of)
    assert not found.wrong, next(iter(found.wrong.values()))
    several = sum(
        len(guarded_rules(rule)) > 1
        for seed in range(first, found.stop)
        for rule in case_of(seed).program.rules
    )
    assert several > PART
    assert found.exercised["with answers"] > PART


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=10))
def test_streamed_answers_are_those_of_each_prefix(
    first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "KINDS", {"apart": apart})
    monkeypatch.setattr(streams, "SIGNALS", 0)
    found: Counter[str] = Counter()
    for seed in range(first, first + PART):
        found.update(compare_seed(seed))
    assert found["with answers"] > PART // 4


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=10))
def test_explanations_are_those_of_the_definition(
    first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explanations, "case_of", case_of)
    seeds = range(first, first + PART)
    found = sum(map(explanations.compare, seeds), Counter[str]())
    assert found["explained"] > PART // 4


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=10))
def test_updated_models_are_those_of_the_definition(
    first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stories, "case_of", case_of)
    found = tally_updates(range(first, first + PART))
    assert not found.wrong, next(iter(found.wrong.values()))
    assert found.exercised["overdeleted"] > PART // 8
