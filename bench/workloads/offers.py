"""Offers of web shops after the Berlin SPARQL Benchmark, one named graph of 11 triples each.

A graph holds the ten properties of a BSBM offer and its label; an element comes every 10 ms of
event time. Prices are xsd:decimal where BSBM has a type of its own, so that rules can compare
them. One offer in fifty repeats product and price of an offer 1 to 1,000 elements before it, so
that the same answer is renewed before, when, or after it ends, as the window has it.

The first n elements are the same however many are requested. Everything follows from
`random.Random(seed).random()`, whose sequence Python keeps from release to release.
"""

from __future__ import annotations

import random
from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from bench.workloads.stream_terms import (
    BSBM,
    BSBM_INST,
    DATE,
    DATE_TIME,
    DC,
    DECIMAL,
    EPOCH,
    GENERATED_AT,
    INTEGER,
    LABEL,
    RDF_TYPE,
    STEP,
    SUB_CLASS_OF,
    stamp,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

TRIPLES: Final = 11
"""Triples in an element, its stamp not counted."""
PRODUCTS: Final = 5000
VENDORS: Final = 100
LEVELS: Final = (1, 8, 64, 256)
"""Product types on each level of the hierarchy, 329 in all; products are of the lowest."""
REPEATS: Final = 0.02
MEMORY: Final = 1000
"""How many elements back a repeated offer may lie."""
_SEED: Final = 20240101


class Offer(NamedTuple):
    """One offer; ``cents`` is its price, ``opens`` and ``closes`` are days of January 2024."""

    number: int
    product: int
    vendor: int
    cents: int
    opens: int
    closes: int
    delivery: int

    @property
    def at(self) -> int:
        """Its stamp, in milliseconds of event time."""
        return self.number * STEP


def offers(count: int) -> Iterator[Offer]:
    """The first ``count`` offers."""
    draw = random.Random(_SEED).random  # noqa: S311 - a workload, not a secret
    recent: deque[Offer] = deque(maxlen=MEMORY)
    for number in range(count):
        if draw() < REPEATS and recent:
            _, product, _, cents, *_ = recent[int(draw() * len(recent))]
        else:
            product, cents = 1 + int(draw() * PRODUCTS), 500 + int(draw() * 999_500)
        opens = 1 + int(draw() * 10)
        offer = Offer(
            number,
            product,
            1 + int(draw() * VENDORS),
            cents,
            opens,
            opens + 1 + int(draw() * 20),
            1 + int(draw() * 21),
        )
        recent.append(offer)
        yield offer


def product_iri(product: int) -> str:
    """A product, under the producer it belongs to: fifty products each."""
    return f"<{BSBM_INST}dataFromProducer{(product - 1) // 50 + 1}/Product{product}>"


def offer_iri(offer: Offer) -> str:
    """An offer, under its vendor."""
    return f"<{BSBM_INST}dataFromVendor{offer.vendor}/Offer{offer.number}>"


def price_literal(cents: int) -> str:
    """A price with two decimals."""
    return f'"{cents // 100}.{cents % 100:02}"^^{DECIMAL}'


def type_iri(number: int) -> str:
    """A product type; 1 is the root, and numbers go on level by level."""
    return f"<{BSBM_INST}ProductType{number}>"


def type_parents() -> dict[int, int]:
    """From each product type but the root to the one above it."""
    parents: dict[int, int] = {}
    first_above, first = 1, 2
    for above, here in pairwise(LEVELS):
        for position in range(here):
            parents[first + position] = first_above + position * above // here
        first_above, first = first, first + here
    return parents


def product_types() -> dict[int, int]:
    """From each product to its type, one of the lowest level."""
    draw = random.Random(_SEED + 1).random  # noqa: S311
    lowest = sum(LEVELS[:-1]) + 1
    return {product: lowest + int(draw() * LEVELS[-1]) for product in range(1, PRODUCTS + 1)}


def static() -> Iterator[str]:
    """The static file, as N-Triples: the hierarchy of types, and the type of each product."""
    for number, parent in type_parents().items():
        yield f"{type_iri(number)} {SUB_CLASS_OF} {type_iri(parent)} .\n"
    for product, number in product_types().items():
        yield f"{product_iri(product)} {RDF_TYPE} {type_iri(number)} .\n"


def stream(count: int, *, shuffled: bool = False) -> Iterator[str]:
    """The stream as N-Quads, an element a string; `shuffled` mixes the triples of each graph."""
    draw = random.Random(_SEED + 2).random  # noqa: S311
    for offer in offers(count):
        name = f"<http://offers.example/stream/{offer.number}>"
        quads = _quads(offer, name)
        if shuffled:
            quads = [quad for _, quad in sorted((draw(), quad) for quad in quads)]
        yield f'{name} {GENERATED_AT} "{stamp(offer.at)}"^^{DATE_TIME} .\n{"".join(quads)}'


def _quads(offer: Offer, name: str) -> list[str]:
    subject = offer_iri(offer)
    vendor = f"<{BSBM_INST}dataFromVendor{offer.vendor}/Vendor{offer.vendor}>"
    page = f"<http://www.vendor{offer.vendor}.example/offers/{offer.number}>"
    day = f"{EPOCH:%Y-%m-}"
    return [
        f"{subject} {RDF_TYPE} <{BSBM}Offer> {name} .\n",
        f'{subject} {LABEL} "Offer {offer.number}" {name} .\n',
        f"{subject} <{BSBM}product> {product_iri(offer.product)} {name} .\n",
        f"{subject} <{BSBM}vendor> {vendor} {name} .\n",
        f"{subject} <{BSBM}price> {price_literal(offer.cents)} {name} .\n",
        f'{subject} <{BSBM}validFrom> "{day}{offer.opens:02}T00:00:00"^^{DATE_TIME} {name} .\n',
        f'{subject} <{BSBM}validTo> "{day}{offer.closes:02}T00:00:00"^^{DATE_TIME} {name} .\n',
        f'{subject} <{BSBM}deliveryDays> "{offer.delivery}"^^{INTEGER} {name} .\n',
        f"{subject} <{BSBM}offerWebpage> {page} {name} .\n",
        f"{subject} <{DC}publisher> {vendor} {name} .\n",
        f'{subject} <{DC}date> "{day}{offer.opens:02}"^^{DATE} {name} .\n',
    ]
