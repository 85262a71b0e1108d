"""The stream of offers, of which some are retracted, and what rules that look back make of it.

Every tenth element retracts an earlier one, up to 2,000 elements back: while it holds, while
operators look back on it, or after that. The rules are ``rules/lookback.rif``. Terms are new in
every element, so what is kept too long shows as memory that grows with the stream.
"""

from __future__ import annotations

import random
from collections import OrderedDict
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from bench.workloads import offers
from bench.workloads.stream_terms import STEP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

EVERY: Final = 10
"""So many elements make one that retracts."""
FARTHEST: Final = 2000
"""So many elements back a retracted one lies at most."""
LATELY: Final = 5000
"""How far the diamond of the rules looks back, in milliseconds."""
STEADILY: Final = 2000
"""How far the box of the rules looks back, in milliseconds."""
_SEED: Final = 20240303
_NEVER: Final = 1 << 60


class PriceTime(NamedTuple):
    """A price is on offer from ``start`` to ``end``; it is retracted at ``retracted``."""

    start: int
    end: int
    retracted: int


def retractions(count: int) -> Iterator[tuple[int, int]]:
    """The elements that retract, each with the one that it retracts."""
    draw = random.Random(_SEED).random  # noqa: S311 - a workload, not a secret
    for number in range(EVERY, count, EVERY):
        yield number, number - 1 - int(draw() * min(number, FARTHEST))


def stream(count: int) -> Iterator[str]:
    """The stream as N-Quads, an element a string."""
    taking = retractions(count)
    number, taken = next(taking, (-1, -1))
    for here, element in enumerate(offers.stream(count)):
        if here != number:
            yield element
            continue
        time, quads = element.split("\n", 1)
        name, retracted = (f"<http://offers.example/stream/{one}>" for one in (here, taken))
        yield f"{time}\n{name} <urn:r4:retracts> {retracted} .\n{quads}"
        number, taken = next(taking, (-1, -1))


def count_answers(count: int, window: int) -> tuple[int, int]:
    """How many answers of the rules begin and end, under a window in milliseconds.

    By definition: between two retractions of a price, what is not retracted by then counts.
    Memory is that of the prices that may still change.
    """
    last = (count - 1) * STEP
    late = window + LATELY + STEP * (offers.MEMORY + FARTHEST)
    retracted: dict[int, int] = {}
    for number, taken in retractions(count):
        retracted.setdefault(taken, number * STEP)
    open_prices: OrderedDict[int, list[PriceTime]] = OrderedDict()
    begun = ended = 0

    def close(times: Sequence[PriceTime]) -> None:
        nonlocal begun, ended
        for answers in (_answers(times, 0, LATELY), _answers(times, STEADILY, 0)):
            begun += sum(start <= last for start, _ in answers)
            ended += sum(end <= last for _, end in answers)

    for offer in offers.offers(count):
        price = offer.product * 10_000_000 + offer.cents
        time = PriceTime(offer.at, offer.at + window, retracted.pop(offer.number, _NEVER))
        open_prices.setdefault(price, []).append(time)
        open_prices.move_to_end(price)
        while next(iter(open_prices.values()))[-1].start + late < offer.at:
            close(open_prices.popitem(last=False)[1])
    for times in open_prices.values():
        close(times)
    return begun, ended


def _answers(times: Sequence[PriceTime], later: int, longer: int) -> list[tuple[int, int]]:
    """When a rule holds that holds ``later`` than a price is on offer, and ``longer``."""
    cuts = sorted({-_NEVER, _NEVER, *(time.retracted for time in times)})
    found: list[tuple[int, int]] = []
    for low, high in pairwise(cuts):
        counting = ((time.start, time.end) for time in times if time.retracted > low)
        seen = ((start + later, end + longer) for start, end in _joined(counting))
        found += ((max(low, start), min(high, end)) for start, end in seen)
    return _joined((start, end) for start, end in found if start < end)


def _joined(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches as maximal ones."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found
