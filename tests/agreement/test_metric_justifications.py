"""Justifications through metric operators are those of the definition, with right times."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from r4.explain.explanation import EndKind
from tests.seeds import parts
from tests.simulation.explanation.metric_comparison import check

PART = 25


@cache
def known(seed: int, *, negation: bool = False) -> Counter[str]:
    """What `check` finds, once."""
    return check(seed, negation=negation)


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=8))
@pytest.mark.parametrize("negation", [False, True])
def test_what_is_said_is_what_the_definitions_say(first: int, negation: bool) -> None:
    for seed in range(first, first + PART):
        known(seed, negation=negation)


@pytest.mark.soak
def test_the_cases_have_what_is_hard_in_them() -> None:
    met = sum((known(seed) for seed in range(2 * PART)), Counter[str]())
    assert met["explained"] > PART // 2
    assert met["explained"] > met["nothing"]
    assert met["through an operator"] > PART // 2
    assert met["nested"] > PART // 5
    assert met["in many ways"] > 1
    assert met["BoxMinus"] > 1 < met["Since"]
    assert met[EndKind.PASSED.value] > 5
