"""Long lows: glucose below 70 for 15 minutes, and no reading above 90 since.

    python examples/lows.py [FIRST_DAY [DAYS]]

Metric operators on the real readings of `glucose.py`: a reading holds at its instant alone. The
last one is low, and at most ten minutes old (Since); that was so for 15 minutes (BoxMinus); from
then on the alarm lasts until a reading above 90 ends it (Since again).
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


def readings(first: datetime, days: int) -> Iterator[tuple[datetime, int]]:
    """Time and mg/dL of the readings of some days, from the package bokeh_sampledata."""
    package = find_spec("bokeh_sampledata")
    if package is None or not package.submodule_search_locations:
        sys.exit("bokeh_sampledata is not installed: pip install -e '.[examples]'")
    path = Path(package.submodule_search_locations[0], "_data", "CGM.csv.gz")
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            at = datetime.fromisoformat(row["datetime"]).replace(tzinfo=UTC)
            if first <= at < first + timedelta(days=days):
                yield at, int(row["glucose"])


def main(first: str = "2010-05-13", days: str = "14") -> None:
    """Print every alarm, and how long they lasted together."""
    engine = Engine.from_file(Path(__file__).with_suffix(".rif"))
    start = datetime.fromisoformat(first).replace(tzinfo=UTC)
    lasted: list[timedelta] = []

    def tell() -> None:
        for change in engine.changes():
            match change:
                case Change(
                    op="-", triple=(_, CGM.alarm, _), start=datetime() as a, at=datetime() as b
                ):
                    lasted.append(b - a)
                    print(f"{a:%Y-%m-%d %H:%M} to {b:%m-%d %H:%M}")

    for number, (at, glucose) in enumerate(readings(start, int(days))):
        reading = URIRef(f"{CGM}reading/{number}")
        triples = [(reading, CGM.of, CGM.person), (reading, CGM.glucose, Literal(glucose))]
        engine.add(triples, at=at)
        tell()
    engine.finish(drain=None)
    tell()
    hours = sum(lasted, timedelta()) / timedelta(hours=1)
    print(f"{len(lasted)} alarms, {hours:.1f} h")


if __name__ == "__main__":
    main(*sys.argv[1:])
