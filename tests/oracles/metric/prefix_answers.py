"""Answers along a stream by definition: at each output point what follows from what was read.

A point is judged once it is certain: with the data as they are then. Slow, and obvious: the model
of the whole prefix is made anew for each frontier.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from tests.oracles.metric.models import Problem, cells, least, ranges

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporal.mtl.ast import MetricFact, MetricProgram
    from tests.oracles.metric.models import Cells, Ground

Answer = tuple[Fraction, tuple[str, ...]]
"""A time, and the arguments of what holds then."""


@dataclass(frozen=True, slots=True)
class StreamLine:
    """A line of a stream: a fact that is asserted, or retracted."""

    fact: MetricFact
    retracts: bool = False

    @property
    def stamp(self) -> Fraction | None:
        """The left end; None: it has held since ever."""
        return self.fact.interval.left


@dataclass(frozen=True, slots=True)
class Points:
    """Which times are wanted: multiples of a number, those of a list, or the stamps."""

    every: Fraction | None = None
    at: tuple[Fraction, ...] | None = None

    def known(self, stamps: Iterable[Fraction], last: Fraction | None) -> set[Fraction]:
        """All of them, for a stream with these stamps."""
        if self.at is not None:
            return set(self.at)
        found = set(stamps)
        if self.every is None or not found:
            return found
        assert last is not None
        first = math.ceil(min(found) / self.every)
        return {self.every * n for n in range(first, math.floor(last / self.every) + 1)}


@dataclass(slots=True)
class Expected:
    """What a stream gives.

    Attributes:
        answers: in order.
        late: how many facts are late.
        without_effect: how many retractions take nothing back.
        refused: how many are of what had begun before the frontier, if memory is dense.
    """

    answers: list[Answer] = field(default_factory=list)
    late: int = 0
    without_effect: int = 0
    refused: int = 0


def prefix_answers(
    program: MetricProgram,
    query: str,
    lines: Sequence[StreamLine],
    points: Points,
    delay: Fraction,
    lookahead: Fraction,
    *,
    is_dense: bool = False,
) -> Expected:
    """The answers, in the order of time and arguments.

    ``lookahead``: how far beyond a point its answers may depend on the stream.
    """
    scale = math.lcm(_scale(program, lines, points), delay.denominator)
    facts = [line.fact for line in lines]
    ends = [end for fact in facts for end in cells(fact.interval, scale) if end is not None]
    ends += [math.floor(2 * time * scale) for time in points.at or ()]
    depth = Problem(program.rules, {}, scale).depth
    slack = 4 * depth + 2 * math.ceil(lookahead * scale) + 20
    span = min(ends, default=0) - slack, max(ends, default=0) + slack
    stretch = span[0] - 1 + span[0] % 2, span[1] + 1 - span[1] % 2

    found = Expected()
    explicit: dict[Ground, set[Cells]] = {}
    stamps: list[Fraction] = []
    last: Fraction | None = None
    done: set[Fraction] = set()

    def judge(before: Fraction | None) -> None:
        """Answer the points that are certain: those before a time, or all."""
        wanted = points.known(stamps, last) - done
        certain = sorted(time for time in wanted if before is None or time < before)
        done.update(certain)
        if not certain:
            return
        data = {ground: [*runs] for ground, runs in explicit.items() if runs}
        model = least(Problem(program.rules, data, scale), *stretch)
        for time in certain:
            place = math.floor(2 * time * scale)
            holding = {
                args
                for (name, args), truth in model.truths.items()
                if name == query and model.stretch.holds(truth, place)
            }
            found.answers += [(time, args) for args in sorted(holding)]

    for line in lines:
        ground = line.fact.predicate, line.fact.args
        run = cells(line.fact.interval, scale)
        if line.retracts:
            before = explicit.get(ground, set())
            if is_dense and last is not None and _passed(before, run, 2 * (last - delay) * scale):
                found.refused += 1
                continue
            after = {part for each in before for part in _without(each, run)}
            found.without_effect += before == after
            explicit[ground] = after
            continue
        if last is not None and (line.stamp is None or line.stamp < last - delay):
            found.late += 1
            continue
        explicit.setdefault(ground, set()).add(run)
        if line.stamp is not None:
            stamps.append(line.stamp)
            last = line.stamp if last is None else max(last, line.stamp)
            judge(last - delay - lookahead)
    judge(None)
    return found


def _passed(runs: Iterable[Cells], taken: Cells, frontier: Fraction) -> bool:
    """Does a retraction reach before the frontier, or a run that begins before it?"""

    def early(run: Cells) -> bool:
        return run[0] is None or run[0] < frontier

    return early(taken) or any(early(run) and {*_without(run, taken)} != {run} for run in runs)


def _without(run: Cells, other: Cells) -> list[Cells]:
    lo, hi = (-math.inf if run[0] is None else run[0]), (math.inf if run[1] is None else run[1])
    begin = -math.inf if other[0] is None else other[0]
    end = math.inf if other[1] is None else other[1]
    parts = [(lo, min(hi, begin)), (max(lo, end), hi)]
    return [
        (None if b == -math.inf else int(b), None if e == math.inf else int(e))
        for b, e in parts
        if b < e
    ]


def _scale(program: MetricProgram, lines: Sequence[StreamLine], points: Points) -> int:
    found = [
        rho for rule in program.rules for part in (*rule.head, rule.body) for rho in ranges(part)
    ]
    found += [line.fact.interval for line in lines]
    numbers = [end for one in found for end in (one.left, one.right) if end is not None]
    numbers += [points.every or Fraction(0), *(points.at or ())]
    return math.lcm(*(number.denominator for number in numbers))
