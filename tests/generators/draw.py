"""Choices for generators: from a seed, fast, or from Hypothesis, so that failures shrink.

Smaller integers are meant to be simpler: `Draw.chance` is false at 0, `Draw.choice` takes the
first option at 0.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, TypeVar

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")


class Draw:
    """All choices come from one function: an integer within two bounds, both included."""

    __slots__ = ("integer",)

    def __init__(self, integer: Callable[[int, int], int]) -> None:
        self.integer = integer

    def chance(self, percent: int) -> bool:
        return self.integer(0, 99) >= 100 - percent

    def choice(self, options: Sequence[T]) -> T:
        return options[self.integer(0, len(options) - 1)]

    def weighted(self, *options: tuple[int, T]) -> T:
        """One of the options, each with its weight; the simplest stands first."""
        rest = self.integer(0, sum(weight for weight, _ in options) - 1)
        for weight, option in options:
            rest -= weight
            if rest < 0:
                return option
        raise AssertionError

    def some(self, options: Sequence[T], low: int, high: int) -> list[T]:
        """From ``low`` to ``high`` options, none twice, in any order."""
        rest = list(options)
        count = min(self.integer(low, high), len(rest))
        return [rest.pop(self.integer(0, len(rest) - 1)) for _ in range(count)]


def from_seed(seed: int) -> Draw:
    """Always the same choices for the same seed."""
    return Draw(random.Random(seed).randint)  # noqa: S311


def from_hypothesis(draw: st.DrawFn) -> Draw:
    """Choices that Hypothesis makes, remembers and shrinks."""
    return Draw(lambda low, high: draw(st.integers(low, high)))
