"""Metric rules that join and leave: from the frontier on it is as if it had ever been so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.generators.draw import from_seed
from tests.generators.meetings.histories import meeting_of
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.history import RuleLeaves, RulesJoin
from tests.seeds import parts
from tests.simulation.meetings.comparison import disagreement

if TYPE_CHECKING:
    from pathlib import Path

PART = 20
CHANGES = ("rules join", "rules leave")
BESIDE = (
    *("window", "own ends", "delay", "late element", "frontier moved", "saved and loaded"),
    *("negation", "recursion", "equality", "box in a head", "nested operators", "static data"),
    *("literals by value", "order of arrival", "small batches", "drain"),
    *("past operator", "element retracted", "triple retracted", *CHANGES),
)


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=15))
def test_answers_from_the_frontier_on_are_as_if_the_rules_had_ever_been_those(
    first: int, tmp_path: Path
) -> None:
    for seed in range(first, first + PART):
        draw = from_seed(seed)
        beside = (one for one in BESIDE if draw.chance(35))
        operator = draw.choice(("past operator", "future operator"))
        case = meeting_of(draw, frozenset({operator, draw.choice(CHANGES), *beside}))
        if any(isinstance(item, RulesJoin | RuleLeaves) for item in case.history.sources[0]):
            try:
                fault = disagreement(case, tmp_path)
            except TooBig:
                continue
            assert fault is None, f"seed {seed}\n{fault}"
