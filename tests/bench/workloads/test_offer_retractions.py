"""Offers that are retracted: which, and what rules that look back answer, instant by instant."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bench.workloads import offer_retractions, offers
from bench.workloads.offer_retractions import LATELY, STEADILY, count_answers, retractions
from bench.workloads.stream_terms import STEP

COUNT = 350


def test_every_tenth_element_retracts_an_earlier_one() -> None:
    taken = dict(retractions(30_000))
    assert list(taken) == list(range(10, 30_000, 10))
    distances = [number - one for number, one in taken.items()]
    assert 1 <= min(distances) < 10
    assert 1900 < max(distances) <= offer_retractions.FARTHEST
    element = list(offer_retractions.stream(11))[10]
    name = "<http://offers.example/stream/{}>".format
    assert f"{name(10)} <urn:r4:retracts> {name(taken[10])} .\n" in element


@pytest.mark.parametrize("window", [10, 2500])
def test_answers_are_counted_as_each_instant_has_them(window: int) -> None:
    taken: dict[int, int] = {}
    for number, one in retractions(COUNT):
        taken.setdefault(one, number * STEP)
    given = list(offers.offers(COUNT))

    def answers(now: int) -> set[tuple[str, int, int]]:
        """By the operators: what holds somewhere, and everywhere, of what is not retracted."""
        somewhere: dict[tuple[int, int], set[int]] = {}
        for offer in given[: now // STEP + 1]:
            if now < taken.get(offer.number, now + 1):
                start, end = max(offer.at, now - LATELY), min(offer.at + window, now + 1)
                times = somewhere.setdefault((offer.product, offer.cents), set())
                times.update(range(start, end, STEP))
        everywhere = set(range(now - STEADILY, now + 1, STEP))
        found = {("lately", *price) for price, times in somewhere.items() if times}
        return found | {
            ("steady", *price) for price, times in somewhere.items() if times >= everywhere
        }

    states = [set(), *map(answers, range(0, COUNT * STEP, STEP))]
    begun = sum(len(now - before) for before, now in pairwise(states))
    ended = sum(len(before - now) for before, now in pairwise(states))
    assert ended > 10
    assert count_answers(COUNT, window) == (begun, ended)
