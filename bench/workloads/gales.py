"""Ships that report gales to stations, one named graph of 11 triples each.

In a graph five ships say what blows and which station they report to, and a station says of what
region it is. One report in five is of a gale. All elements are equally long, so that a part of the
bytes of a stream is the same part of its triples.

The first n elements are the same however many are requested; `offers` says why.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from bench.workloads.stream_terms import DATE_TIME, GENERATED_AT, STEP, stamp

if TYPE_CHECKING:
    from collections.abc import Iterator

TRIPLES: Final = 11
"""Triples in an element, its stamp not counted."""
REPORTS: Final = 5
"""Ships that report in an element."""
SHIPS: Final = 5000
STATIONS: Final = 500
REGIONS: Final = 20
REPORTED: Final = ("gale", "calm", "rain", "snow", "haze")
GALES: Final = "http://gales.example/"
_SEED: Final = 20240105


def stream(count: int) -> Iterator[str]:
    """The stream as N-Quads, an element a string."""
    draw = random.Random(_SEED).random  # noqa: S311 - a workload, not a secret
    for number in range(count):
        name = f"<{GALES}stream/{number:08}>"
        # No ship twice in a graph: a neighbour in a circle of all ships.
        first, step = int(draw() * SHIPS), 1 + int(draw() * (SHIPS // REPORTS))
        quads = [f'{name} {GENERATED_AT} "{stamp(number * STEP)}"^^{DATE_TIME} .\n']
        for report in range(REPORTS):
            ship = f"<{GALES}ship{(first + report * step) % SHIPS:04}>"
            what, station = int(draw() * len(REPORTED)), int(draw() * STATIONS)
            quads.append(f"{ship} <{GALES}reports> <{GALES}{REPORTED[what]}> {name} .\n")
            quads.append(f"{ship} <{GALES}station> <{GALES}station{station:03}> {name} .\n")
        station = int(draw() * STATIONS)
        region = f"<{GALES}region{station % REGIONS:02}>"
        quads.append(f"<{GALES}station{station:03}> <{GALES}region> {region} {name} .\n")
        yield "".join(quads)
