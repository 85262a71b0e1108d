"""Winds of three days in October 2005 at four stations, and past winds that they exceed, by rank.

The observations are those of LinkedSensorData in the days before the hurricane Wilma: 12,000
triples without a blank node, in no order. All that name an instant come together at that instant.

The static data are ours: one past wind for each force of the Beaufort scale, with the least speed
of that force in miles per hour, below a hierarchy of classes: a strong breeze is a breeze, and
that is a wind. A class has a rank among the
others, by the slowest of its winds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from bench.workloads.sensors.sensor_streams import (
    StreamElement,
    Triple,
    milliseconds_of,
)
from bench.workloads.stream_terms import INTEGER, RDF_TYPE, SUB_CLASS_OF

FILE: Final = "knosis-stream.n3"
WIND: Final = "urn:wind:"
FORCES: Final[Sequence[tuple[str, int, str]]] = (
    ("LightAir", 1, "Wind"),
    ("LightBreeze", 4, "Breeze"),
    ("GentleBreeze", 8, "Breeze"),
    ("ModerateBreeze", 13, "Breeze"),
    ("FreshBreeze", 19, "Breeze"),
    ("StrongBreeze", 25, "Breeze"),
    ("NearGale", 32, "Gale"),
    ("FreshGale", 39, "Gale"),
    ("StrongGale", 47, "Gale"),
    ("WholeGale", 55, "Storm"),
    ("ViolentStorm", 64, "Storm"),
    ("Hurricane", 73, "Storm"),
)
"""Each force: its class, its least speed in miles per hour, the class above."""
SUPERCLASSES: Final[Mapping[str, str]] = {
    **{name: above for name, _, above in FORCES},
    **dict.fromkeys(("Breeze", "Gale", "Storm"), "Wind"),
}
_INSTANT: Final = re.compile(r"_(\d{4})_(\d+)_(\d+)_(\d+)_(\d+)_(\d+)>")
_LINE: Final = re.compile(r"(<[^>]*>) (<[^>]*>) (.*) \.$")


def read(folder: Path) -> list[StreamElement]:
    """An element for each instant."""
    found: dict[int, dict[Triple, None]] = defaultdict(dict)
    with (folder / FILE).open(encoding="utf-8") as lines:
        for line in lines:
            triple, instant = _LINE.match(line.rstrip()), _INSTANT.search(line)
            assert triple is not None
            assert instant is not None
            year, month, day, hour, minute, second = map(int, instant.groups())
            at = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
            found[milliseconds_of(at)][triple[1], triple[2], triple[3]] = None
    return [StreamElement(at, tuple(triples)) for at, triples in sorted(found.items())]


def least_speeds() -> Mapping[str, int]:
    """Each class, with the least speed of a past wind of that class."""
    met: dict[str, int] = {}
    for name, speed, _ in FORCES:
        kind: str | None = name
        while kind is not None:
            met[kind] = min(met.get(kind, speed), speed)
            kind = SUPERCLASSES.get(kind)
    return met


def static(_folder: Path) -> Iterator[Triple]:
    """Past winds, and the hierarchy of their classes."""
    for lower, upper in SUPERCLASSES.items():
        yield f"<{WIND}{lower}>", SUB_CLASS_OF, f"<{WIND}{upper}>"
    ranks = least_speeds()
    for rank, kind in enumerate(sorted(ranks, key=ranks.__getitem__), 1):
        yield f"<{WIND}{kind}>", f"<{WIND}rank>", f'"{rank}"^^{INTEGER}'
    for number, (name, speed, _) in enumerate(FORCES, 1):
        wind = f"<{WIND}past/{number}>"
        yield wind, RDF_TYPE, f"<{WIND}{name}>"
        yield wind, f"<{WIND}speed>", f'"{speed}"^^{INTEGER}'
