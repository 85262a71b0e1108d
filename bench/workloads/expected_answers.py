"""The lines that `r4 run` must print for a workload, by brute force from a generator's records.

Nothing of the engine takes part and no RDF is read: each answer is written down with every stretch
of time that gives it, the stretches of one answer are joined, and the lines are sorted. It is
exact to the byte. Memory is linear in the answers.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from bench.workloads import observations, offers
from bench.workloads.stream_terms import BSBM, RDF_TYPE, SSN, STEP, instant

AnswerTriple: TypeAlias = tuple[str, str, str]
Stretch: TypeAlias = tuple[int, int]
"""When something holds, in milliseconds, half-open."""
AnswerStretches: TypeAlias = Iterator[tuple[AnswerTriple, Stretch]]
"""Answers as they are met; the same one may come many times, in any order."""

OFFER_PRICE: Final = f"<{BSBM}offerPrice>"
UNDERCUTS: Final = f"<{BSBM}undercuts>"
WEATHER_TYPE: Final = f"<{SSN}observedWeatherType>"
GIVEN_TYPE: Final = 3
"""The product type that q2 asks for: one of eight below the root."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The output of a run, in four figures."""

    static: int  # lines that follow from static data alone
    inserted: int  # further lines that begin and end an answer
    deleted: int
    digest: str  # SHA-256 of all lines in order

    @property
    def counts(self) -> tuple[int, int, int]:
        """All but the digest."""
        return self.static, self.inserted, self.deleted


def outcome(output: Iterable[bytes]) -> Outcome:
    """The outcome of the lines of an output."""
    digest = hashlib.sha256()
    static = inserted = deleted = 0
    for line in output:
        digest.update(line)
        if line.startswith(b'{"op":"-"'):
            deleted += 1
        elif line.startswith(b'{"op":"+","at":null'):
            static += 1
        else:
            inserted += 1
    return Outcome(static, inserted, deleted, digest.hexdigest())


def expect(query: str, count: int, window: int) -> Outcome:
    """The outcome of a query on ``count`` elements under a window in milliseconds."""
    return outcome(f"{line}\n".encode() for line in lines(query, count, window))


def expect_each(query: str, count: int, window: int, every: int = 1000) -> tuple[int, int]:
    """How many answers begin and end for one who looks once ``every`` milliseconds only.

    The last look is the first one at or after the last element.
    """
    looks = -(-(count - 1) * STEP // every)
    inserted = deleted = 0
    for stretches in _gathered(QUERIES[query][1](count, window)).values():
        seen = ((-(-start // every), -(-end // every)) for start, end in join_stretches(stretches))
        for first, gone in join_stretches((first, gone) for first, gone in seen if first < gone):
            inserted += first <= looks
            deleted += gone <= looks
    return inserted, deleted


def count_q1(count: int, window: int) -> tuple[int, int]:
    """How many answers of q1 begin and end; as `expect` has it, without writing them down."""
    until: dict[int, int] = {}
    inserted = 0
    for offer in offers.offers(count):
        fact = offer.product * 10_000_000 + offer.cents
        inserted += until.get(fact, -1) < offer.at
        until[fact] = offer.at + window
    last = (count - 1) * STEP
    return inserted, inserted - sum(end > last for end in until.values())


def lines(query: str, count: int, window: int) -> Iterator[str]:
    """All lines of the run, in order."""
    background, derive = QUERIES[query]
    # Rules are numbered from 1, and the one about static data stands first in its file.
    for s, p, o in sorted(background()):
        yield _line("+", None, (s, p, o), None, None, 1)
    yield from stream_lines(query, derive(count, window), count)


def stream_lines(query: str, found: AnswerStretches, count: int) -> Iterator[str]:
    """The lines of ``count`` elements that are no static ones, from the stretches of answers."""
    rule = 1 if QUERIES[query][0] is _nothing else 2
    last = (count - 1) * STEP
    changes: list[tuple[int, bool, AnswerTriple, int]] = []
    for fact, stretches in _gathered(found).items():
        for start, end in join_stretches(stretches):
            changes.append((start, True, fact, start))
            if end <= last:
                changes.append((end, False, fact, start))
    for at, begins, fact, start in sorted(changes):
        when, since = instant(at), instant(start)
        yield _line("+" if begins else "-", when, fact, since, None if begins else when, rule)


def _gathered(found: AnswerStretches) -> Mapping[AnswerTriple, list[Stretch]]:
    stretches = defaultdict(list)
    for fact, stretch in found:
        stretches[fact].append(stretch)
    return stretches


def join_stretches(stretches: Iterable[Stretch]) -> list[Stretch]:
    """The maximal stretches: those that overlap or touch are one."""
    joined: list[Stretch] = []
    for start, end in sorted(stretches):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _line(  # noqa: PLR0913, PLR0917 - the keys of a line
    op: str, at: str | None, fact: AnswerTriple, since: str | None, until: str | None, rule: int
) -> str:
    s, p, o = fact
    keys = {"op": op, "at": at, "s": s, "p": p, "o": o, "from": since, "until": until, "rule": rule}
    return json.dumps(keys, ensure_ascii=False, separators=(",", ":"))


def _q1(count: int, window: int) -> AnswerStretches:
    for offer in offers.offers(count):
        yield _priced(offer), (offer.at, offer.at + window)


def _q2(count: int, window: int) -> AnswerStretches:
    kinds = {product: _above(kind) for product, kind in offers.product_types().items()}
    for offer in offers.offers(count):
        if GIVEN_TYPE in kinds[offer.product]:
            yield _priced(offer), (offer.at, offer.at + window)


def _priced(offer: offers.Offer) -> AnswerTriple:
    return (offers.product_iri(offer.product), OFFER_PRICE, offers.price_literal(offer.cents))


def _above(kind: int) -> list[int]:
    """A product type and all above it."""
    parents = offers.type_parents()
    path = [kind]
    while path[-1] in parents:
        path.append(parents[path[-1]])
    return path


def _q3(count: int, window: int) -> AnswerStretches:
    products = defaultdict(list)
    for offer in offers.offers(count):
        products[offer.product].append(offer)
    for sold in products.values():
        for place, late in enumerate(sold):
            for early in reversed(sold[:place]):
                if late.at >= early.at + window:
                    break
                if late.cents != early.cents:
                    cheap, dear = sorted((early, late), key=lambda offer: offer.cents)
                    fact = (offers.offer_iri(cheap), UNDERCUTS, offers.offer_iri(dear))
                    yield fact, (late.at, early.at + window)


def _q4(count: int, window: int) -> AnswerStretches:
    told = observations.storms()
    hurricanes = {
        storm for storm, kinds in _storm_kinds().items() if observations.HURRICANE in kinds
    }
    least = min(speed for storm, (_, speed) in told.items() if storm in hurricanes)
    for seen in observations.observations(count):
        if seen.wind and seen.tenths > 10 * least:
            fact = (f"_:d2_o{seen.number}", WEATHER_TYPE, observations.HURRICANE)
            yield fact, (seen.at, seen.at + window)


def _storm_kinds() -> dict[str, list[str]]:
    """From each storm to its class and all above it."""
    above = observations.superclasses()
    kinds = {storm: [kind] for storm, (kind, _) in observations.storms().items()}
    for path in kinds.values():
        while path[-1] in above:
            path.append(above[path[-1]])
    return kinds


def _product_classes() -> Iterator[AnswerTriple]:
    for product, kind in offers.product_types().items():
        for above in _above(kind)[1:]:
            yield offers.product_iri(product), RDF_TYPE, offers.type_iri(above)


def _storm_classes() -> Iterator[AnswerTriple]:
    for storm, kinds in _storm_kinds().items():
        for above in kinds[1:]:
            yield storm, RDF_TYPE, above


def _nothing() -> Iterator[AnswerTriple]:
    yield from ()


QUERIES: Final[
    Mapping[str, tuple[Callable[[], Iterator[AnswerTriple]], Callable[[int, int], AnswerStretches]]]
] = {
    "q1": (_nothing, _q1),
    "q2": (_product_classes, _q2),
    "q3": (_nothing, _q3),
    "q4": (_storm_classes, _q4),
}
"""Query → what follows from its static data alone, and what from the stream."""
