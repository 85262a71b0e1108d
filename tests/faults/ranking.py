"""Faults to be planted where all that is possible is ranked: in prospects, and in the cap."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from fractions import Fraction
from types import ModuleType
from typing import Any
from unittest.mock import patch

from temporal.hypothetical.ranking import arrival_probability
from temporal.hypothetical.ranking.arrival_probability import StepFunction
from temporal.hypothetical.ranking.top_k import TopK


def now_was_not_read(chances: ModuleType) -> AbstractContextManager[object]:
    """What might have come now may still come now, by the chances of this module."""

    def prospect(histogram: StepFunction, latest: int) -> StepFunction:
        found = arrival_probability.conditional_arrival(histogram, latest)
        return StepFunction(tuple(start + 1 for start in found.starts), found.values)

    return patch.object(chances, "conditional_arrival", prospect)


def only_the_least_probable_counts() -> AbstractContextManager[object]:
    """All that is missing is as good as the worst of it."""

    def worst(some: Iterable[Fraction], start: Fraction = Fraction(1)) -> Fraction:
        return min([*some, start])

    return patch.object(arrival_probability, "prod", worst)


def the_best_is_dropped() -> AbstractContextManager[object]:
    """The most probable go first."""
    right = TopK._ranked

    def graded(here: TopK[Any, Any], *args: Any) -> Any:
        found = right(here, *args)
        risk, *others = found.rank
        return found._replace(rank=(-risk, *others))

    return patch.object(TopK, "_ranked", graded)
