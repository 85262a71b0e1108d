"""What is said to lack where a fact does not hold, by the definitions: all times, all facts."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from tests.seeds import parts
from tests.simulation.explanation import rif_lacks
from tests.simulation.metric import lacks as mtl_lacks

PART = 15
SHARES = {
    "rif": {
        "diamondminus": 1 / 5,
        "diamondplus": 1 / 5,
        "boxminus": 1 / 5,
        "boxplus": 1 / 5,
        "Since or Until": 1 / 3,
        "left side": 1 / 12,
        "nested": 1 / 2,
        "goes on": 1 / 2,
        "rule at another time": 1 / 3,
        "last": 1 / 5,
        "next": 1 / 20,
        "negation": 1 / 8,
        "negation of an operator": 1 / 15,
        "blocking fact by a rule": 1 / 50,
    },
    "mtl": {
        "diamondminus": 1 / 4,
        "diamondplus": 1 / 5,
        "boxminus": 1 / 15,
        "boxplus": 1 / 15,
        "Since or Until": 1 / 15,
        "left side": 1 / 80,
        "nested": 1 / 10,
        "goes on": 1 / 2,
        "rule at another time": 1 / 2,
        "last": 1 / 12,
        "next": 1 / 12,
        "beyond the windows": 1 / 4,
    },
}
"""Which part of the questions has what in it, at least."""


@cache
def known(language: str, first: int) -> Counter[str]:
    """What the cases of a part have in them, once."""
    check = rif_lacks.check if language == "rif" else mtl_lacks.check
    return sum(map(check, range(first, first + PART)), Counter[str]())


@pytest.mark.parametrize("first", parts(PART, check=1, test=3, soak=60))
@pytest.mark.parametrize("language", ["rif", "mtl"])
def test_what_is_said_to_lack_does_so_by_the_definition(language: str, first: int) -> None:
    assert known(language, first)["asked"] > PART


@pytest.mark.soak
@pytest.mark.parametrize("language", ["rif", "mtl"])
def test_the_cases_have_what_is_hard_in_them(language: str) -> None:
    met = sum((known(language, first) for first in range(0, 20 * PART, PART)), Counter[str]())
    assert met["asked"] >= 1000
    few = {name for name, share in SHARES[language].items() if met[name] < share * met["asked"]}
    assert not few, met
    assert met["nothing told"] < met["asked"] / 20
