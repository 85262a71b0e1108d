"""Stories of updates: a program with data, and facts that are deleted and inserted."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from temporal.intervals.interval import Interval
from temporal.mtl.ast import MetricFact
from tests.generators.draw import from_seed
from tests.generators.metric.fact_text import write_facts
from tests.generators.metric.programs import MetricCase, case_of
from tests.oracles.metric.models import problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.generators.draw import Draw


@dataclass(frozen=True, slots=True)
class UpdateStep:
    """What one update deletes, then inserts."""

    delete: tuple[MetricFact, ...]
    insert: tuple[MetricFact, ...]

    def __str__(self) -> str:
        return f"- {write_facts(self.delete)}+ {write_facts(self.insert)}"


@dataclass(frozen=True, slots=True)
class UpdateStory:
    """A program with its first data, and updates; ``scale`` makes all their numbers whole."""

    case: MetricCase
    steps: tuple[UpdateStep, ...]
    scale: int

    def __str__(self) -> str:
        return f"{self.case}" + "".join(map(str, self.steps))


def story_of(seed: int, drawn: Callable[[int], MetricCase] = case_of) -> UpdateStory:
    """A random program, part of its facts, and one to four updates."""
    case = drawn(seed)
    draw = from_seed(-1 - seed)
    scale = problem(case.program, case.facts).scale
    kept = tuple(fact for fact in case.facts if not draw.chance(25)) or case.facts[:1]
    known = list(case.facts)
    steps: list[UpdateStep] = []
    present = list(kept)
    for _ in range(draw.integer(1, 4)):
        gone = tuple(_part(draw, fact, scale) for fact in draw.some(present, 0, 2))
        if draw.chance(15):
            gone += (_moved(draw, draw.choice(known), scale),)
        come = tuple(
            _moved(draw, fact, scale) if draw.chance(50) else fact
            for fact in draw.some(known, 0, 2)
        )
        if draw.chance(25):
            come += gone[:1]
        steps.append(UpdateStep(gone, come))
        present = [fact for fact in present if fact not in gone] + list(come)
    return UpdateStory(MetricCase(case.program, kept), tuple(steps), scale)


def _part(draw: Draw, fact: MetricFact, scale: int) -> MetricFact:
    """A fact, or a part of its time, or a stretch that reaches beyond it."""
    if draw.chance(50):
        return fact
    when = fact.interval
    left, right = when.left, when.right
    if draw.chance(50):
        at = _near(draw, right if left is None else left, scale)
        found = Interval(at, right, draw.chance(50), when.right_closed)
    else:
        at = _near(draw, left if right is None else right, scale)
        found = Interval(left, at, when.left_closed, draw.chance(50))
    return fact if found.is_empty else MetricFact(fact.predicate, fact.args, found)


def _near(draw: Draw, at: Fraction | None, scale: int) -> Fraction:
    return (at or Fraction(0)) + Fraction(draw.integer(-2 * scale, 2 * scale), scale)


def _moved(draw: Draw, fact: MetricFact, scale: int) -> MetricFact:
    """The fact at another time, longer or shorter."""
    when = fact.interval
    if when.left is None or when.right is None:
        return _part(draw, fact, scale)
    left = when.left + Fraction(draw.integer(-4 * scale, 4 * scale), scale)
    right = left + (when.right - when.left)
    if draw.chance(40):
        right = left + Fraction(draw.integer(0, 3 * scale), scale)
    found = Interval(left, right, draw.chance(70), draw.chance(70))
    if found.is_empty:
        found = Interval(left, right)
    return MetricFact(fact.predicate, fact.args, found)
