"""How probable possible answers are, and which of them are held, by definition.

A unit that was due at its last stamp of use, and has not come, comes later or never: of the worlds
there may be, with each unit by itself, those count in which nothing of what is missing has come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from tests.oracles.hypothetical.confidence import Weights, all_later
from tests.oracles.possible.states import Awaited, Completion, latest
from tests.oracles.possible.worlds import World


def confidence(world: World, completion: Completion, at: int) -> Fraction:
    """The probability that all that a completion awaits comes, for the tick that is best for it."""
    return max(
        all_later(tuple(sorted(_weights(world, each, at) for each in units)))
        for units in completion.awaited
    )


def _weights(world: World, awaited: Awaited, at: int) -> Weights:
    """That a unit came until ``at``, that it comes later, that it never comes."""
    chances = dict(world.chances)
    predicates = {p for _, p, _ in awaited.triples}
    histograms = [chances.get(p, chances.get(None)) for p in sorted(predicates)]
    given = [each for each in histograms if each is not None]
    if not given:
        return Fraction(0), Fraction(1), Fraction(0)
    delays = range(latest(world, awaited.triples) + 1)
    by = [min(_until(each, delay) for each in given) for delay in delays]
    arrivals = [by[0], *(more - less for less, more in pairwise(by))]
    seen = -1 if awaited.stamp is None else at - awaited.stamp
    before = sum(arrivals[: max(0, seen + 1)], start=Fraction(0))
    return before, by[-1] - before, 1 - by[-1]


def _until(histogram: Sequence[tuple[int, Fraction]], delay: int) -> Fraction:
    return max((p for start, p in histogram if start <= delay), default=Fraction(0))


Rank = tuple[Fraction, tuple[object, ...]]
"""A confidence, and a text that orders equal ones."""


def held(moments: Iterable[Mapping[str, Rank]], most: int) -> Iterator[tuple[set[str], int]]:
    """What is held at the end of each moment, and how many were dropped, of what is possible then.

    What was held and is still possible competes with what was not possible at the moment before.
    """
    kept: set[str] = set()
    before: set[str] = set()
    for possible in moments:
        rivals = [key for key in possible if key in kept or key not in before]
        rivals.sort(key=lambda key: (-possible[key][0], possible[key][1]))
        kept, before = set(rivals[:most]), set(possible)
        yield kept, max(0, len(rivals) - most)
