"""The stream of [CSRBench]: air temperatures and humidities of August 2004, in 34 files.

The number of a file is its stamp in seconds. There are 15,188 triples without a blank node, and no
static data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pyoxigraph import RdfFormat, parse

from bench.workloads.sensors.sensor_streams import (
    StreamElement,
    Triple,
    milliseconds_of,
)

FILES: Final = tuple(f"data_{number:02}.ttl" for number in range(34))
START: Final = datetime(2004, 8, 8, tzinfo=UTC)
"""The stamp of second 0; the benchmark has none."""


def read(folder: Path) -> list[StreamElement]:
    """An element for each file."""
    start = milliseconds_of(START)
    found = []
    for name in FILES:
        second = int(re.findall(r"\d+", name)[-1])
        quads = parse(path=str(folder / name), format=RdfFormat.TURTLE)
        triples = ((str(quad.subject), str(quad.predicate), str(quad.object)) for quad in quads)
        found.append(StreamElement(start + 1000 * second, tuple(dict.fromkeys(triples))))
    return found


def static(_: Path) -> Iterator[Triple]:
    """Nothing."""
    yield from ()
