"""Arrival probability: how probable it is that what is awaited arrives, one and all.

A *histogram* of arrival gives p: p(k) is the probability that something arrives at all, and has
arrived with a delay of at most k. It may arrive with a delay of at most δ. Of what was due at t,
and has not arrived until τ, no delay up to k = τ - t was seen; so it arrives with the probability
(p(δ) - p(k)) / (1 - p(k)), where 0/0 is 0. That is its *prospect*, a function of k alone. Both are
functions in steps, and exact.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import prod
from typing import Final, TypeAlias

from rete.arrays.delta import POS_INF
from rif.errors.report import shorten

NOT_YET_DUE: Final = -1
"""The delay of what is not due yet: nothing could have been seen of it."""

AwaitedArrivals: TypeAlias = Sequence[tuple[int, int | None]]
"""Awaited arrivals: the number of the prospect of each, and when it is due, if that is known."""

_MAX_RISKS: Final = 10_000
_PLACES: Final = 6
"""Digits behind the point, as confidences are written."""
_DIGITS: Final = 18
_NUMBER: Final = re.compile(
    rf"[0-9]{{1,{_DIGITS}}}(\.[0-9]{{1,{_DIGITS}}}|/0*[1-9][0-9]{{0,{_DIGITS}}})?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class StepFunction:
    """A function of a delay k, in steps.

    Attributes:
        starts: where a step begins; ascending.
        values: the value before the first start, from there on, and so on.
    """

    starts: tuple[int, ...]
    values: tuple[Fraction, ...]

    def at(self, delay: int) -> Fraction:
        """The value at a delay."""
        return self.values[self.step(delay)]

    def step(self, delay: int) -> int:
        """The position of that among the values."""
        return bisect_right(self.starts, delay)

    def end(self, step: int) -> int:
        """Where a step ends; `POS_INF`: it does not."""
        return self.starts[step] if step < len(self.starts) else POS_INF


CERTAIN: Final = StepFunction((), (Fraction(1),))
"""The prospect of what certainly arrives."""


def combine_pointwise(
    choose: Callable[[Iterable[Fraction]], Fraction], given: Iterable[StepFunction]
) -> StepFunction:
    """The values that ``choose`` takes at each delay from those of functions, at least one."""
    first, *others = dict.fromkeys(given)
    if not others:
        return first
    functions = (first, *others)
    starts = sorted(set(chain.from_iterable(each.starts for each in functions)))
    before = choose(each.values[0] for each in functions)
    values = [choose(each.at(delay) for each in functions) for delay in starts]
    return StepFunction(tuple(starts), (before, *values))


def conditional_arrival(histogram: StepFunction, latest: int) -> StepFunction:
    """The prospect by a histogram of what may come with a delay of at most ``latest``."""
    last = histogram.at(latest)
    count = histogram.step(latest)
    values = ((last - p) / (1 - p) if p < 1 else Fraction(0) for p in histogram.values[: count + 1])
    return StepFunction(histogram.starts[:count], tuple(values))


class RiskTable:
    """The risk that not all that is awaited arrives, by numbered prospects."""

    def __init__(self, *, has_chances: bool) -> None:
        self.has_chances = has_chances
        self._numbers: dict[StepFunction, int] = {}
        self._risks: dict[tuple[tuple[int, int], ...], Fraction] = {}
        self._values: dict[Fraction, Fraction] = {}
        self.listed: list[StepFunction] = []

    def number(self, found: StepFunction) -> int:
        """The number of a prospect."""
        number = self._numbers.setdefault(found, len(self.listed))
        if number == len(self.listed):
            self.listed.append(found)
        return number

    def grade(self, awaited: AwaitedArrivals, tau: int) -> tuple[Fraction, int]:
        """The risk at ``tau``, and when it changes; `POS_INF`: never.

        It is 1 less the product of the prospects, which is exact if all arrive independently of
        one another. Equal risks are one object, which is fast to compare.
        """
        steps, until = [], POS_INF
        for number, due in awaited:
            found = self.listed[number]
            step = found.step(NOT_YET_DUE if due is None else tau - due)
            steps.append((number, step))
            if due is not None:
                until = min(until, due + found.end(step))
        key = tuple(steps)
        risk = self._risks.get(key)
        if risk is None:
            if len(self._risks) >= _MAX_RISKS:
                self._risks.clear()
                self._values.clear()
            values = (self.listed[number].values[step] for number, step in steps)
            risk = 1 - prod(values, start=Fraction(1))
            risk = self._risks[key] = self._values.setdefault(risk, risk)
        return risk, until


def parse_probability(text: str) -> Fraction:
    """The probability that a text gives, a decimal number or a fraction.

    `ValueError`, if it is none from 0 to 1, or of more than 18 digits.
    """
    if not _NUMBER.fullmatch(text):
        message = f"{shorten(text) or 'nothing'} is no number of at most {_DIGITS} digits"
        raise ValueError(message)
    number = Fraction(text)
    if number > 1:
        message = f"{shorten(text)} is more than 1"
        raise ValueError(message)
    return number


def format_confidence(confidence: Fraction) -> str:
    """A confidence as lines have it: a decimal number, rounded half to even."""
    whole, rest = divmod(round(confidence * 10**_PLACES), 10**_PLACES)
    return f"{whole}.{rest:0{_PLACES}d}".rstrip("0").rstrip(".")
