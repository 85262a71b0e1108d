"""Traffic jams in Aarhus: rdflib graphs in, an rdflib graph out.

    python examples/aarhus.py FOLDER [FIRST_DAY [DAYS]]

FOLDER holds the streams of CityBench, ``AarhusTrafficData158324.stream`` and so on, and the
description of their sensors, ``SensorRepository.n3`` (github.com/CityBench/Benchmark). A jam is
slow and dense traffic, according to a sensor whose description says, over two blank nodes, that
it is accurate.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rdflib import RDF, Graph, Literal, Namespace, URIRef
from rdflib.term import Node

from r4 import Change, Engine

ROAD = Namespace("urn:example:road:")
CT = Namespace("http://www.insight-centre.org/citytraffic#")
SSN = Namespace("http://purl.oclc.org/NET/ssnx/ssn#")
SENSOR = Namespace("http://www.insight-centre.org/dataset/SampleEventService#")


def readings(folder: Path, first: datetime, days: int) -> dict[datetime, Graph]:
    """Instant -> all that the sensors of the folder say then: one element of the stream."""
    elements: dict[datetime, Graph] = defaultdict(Graph)
    for path in sorted(folder.glob("AarhusTrafficData*.stream")):
        sensor = SENSOR[path.stem]
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                at = datetime.fromisoformat(row["TIMESTAMP"]).replace(tzinfo=UTC)
                if first <= at < first + timedelta(days=days):
                    reading = URIRef(f"{sensor}/{row['_id']}")
                    elements[at].add((reading, SSN.observedBy, sensor))
                    elements[at].add((reading, ROAD.speed, Literal(int(row["avgSpeed"]))))
                    elements[at].add((reading, ROAD.cars, Literal(int(row["vehicleCount"]))))
    return elements


def road(sensors: Graph, sensor: Node) -> str:
    """The stretch of road that a sensor measures speed on, as coordinates."""
    for speed in sensors.objects(sensor, SSN.observes):
        if (speed, RDF.type, CT.AvgSpeed) in sensors:
            stretch = sensors.value(speed, SSN.isPropertyOf)
            ends = ("StartLatitude", "StartLongitude", "EndLatitude", "EndLongitude")
            a, b, c, d = (float(str(sensors.value(stretch, CT[f"has{end}"]))) for end in ends)
            return f"from {a:.3f} {b:.3f} to {c:.3f} {d:.3f}"
    return "somewhere"


def main(folder: Path, first: str = "2014-08-25", days: str = "7") -> None:
    """Print each jam: when, how long, where, and how much the sensor is to be trusted."""
    sensors = Graph().parse(folder / "SensorRepository.n3", format="turtle")
    engine = Engine.from_file(Path(__file__).with_suffix(".rif"))
    engine.add_static(sensors)

    start = datetime.fromisoformat(first).replace(tzinfo=UTC)
    answers = Graph()
    for at, graph in sorted(readings(folder, start, int(days)).items()):
        engine.add(graph, at=at)
        for change in engine.changes():
            if change.triple:
                answers.add(change.triple)
            match change:
                case Change(
                    op="-", triple=(sensor, _, _), start=datetime() as a, at=datetime() as b
                ):
                    minutes = (b - a) // timedelta(minutes=1)
                    accuracy = float(str(answers.value(sensor, ROAD.accuracy)))
                    print(f"{a:%a %d %b %H:%M} {minutes:4} min  ", end="")
                    print(f"{road(sensors, sensor)}  accuracy {accuracy:.0%}")
    jammed = set(answers.subjects(ROAD.state, ROAD.Jam))
    print(f"{len(jammed)} of {len(set(answers.subjects(ROAD.accuracy)))} sensors saw a jam")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
