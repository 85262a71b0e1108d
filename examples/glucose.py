"""Glucose alarms, through the Python API: triples in, changes out.

    python examples/glucose.py [FIRST_DAY [DAYS]]

The readings of a person with a continuous glucose monitor, one in five minutes in 2010, from the
package bokeh_sampledata (its isig column is not used). The bounds are those of the international
consensus on time in range: below 54 mg/dL is very low, below 70 low, above 180 high, above 250
very high. An alarm is low and falling fast.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

from rdflib import Literal, Namespace, URIRef

from r4 import Change, Engine

CGM = Namespace("urn:example:cgm:")
PERSON = CGM.person


def table() -> Path:
    """The file of the readings; the package itself is not imported."""
    package = find_spec("bokeh_sampledata")
    if package is None or not package.submodule_search_locations:
        sys.exit("bokeh_sampledata is not installed: pip install -e '.[examples]'")
    return Path(package.submodule_search_locations[0], "_data", "CGM.csv.gz")


def readings(first: datetime, days: int) -> Iterator[tuple[datetime, int]]:
    """Time and mg/dL of the readings of some days."""
    with gzip.open(table(), "rt", newline="") as file:
        for row in csv.DictReader(file):
            at = datetime.fromisoformat(row["datetime"]).replace(tzinfo=UTC)
            if first <= at < first + timedelta(days=days):
                yield at, int(row["glucose"])


def main(first: str = "2010-05-01", days: str = "28") -> None:
    """Print every spell of very low glucose and every alarm, and how many of the others."""
    engine = Engine.from_file(Path(__file__).with_suffix(".rif"))
    start = datetime.fromisoformat(first).replace(tzinfo=UTC)
    spells: dict[str, list[timedelta]] = {}

    def tell() -> None:
        for change in engine.changes():
            match change:
                case Change(op="-", triple=(_, _, what), start=datetime() as a, at=datetime() as b):
                    name = str(what).removeprefix(CGM)
                    spells.setdefault(name, []).append(b - a)
                    if name in {"VeryLow", "HypoglycaemiaAhead"}:
                        print(f"{a:%Y-%m-%d %H:%M} to {b:%H:%M}  {name}")

    for number, (at, glucose) in enumerate(readings(start, int(days))):
        reading = URIRef(f"{CGM}reading/{number}")
        engine.add(
            [
                (reading, CGM.of, PERSON),
                (reading, CGM.number, Literal(number)),
                (reading, CGM.glucose, Literal(glucose)),
            ],
            at=at,
        )
        tell()
    engine.finish(drain=None)
    tell()
    for name, lasted in sorted(spells.items()):
        total = sum(lasted, timedelta())
        print(f"{name}: {len(lasted)} times, {total / timedelta(hours=1):.1f} h")


if __name__ == "__main__":
    main(*sys.argv[1:])
