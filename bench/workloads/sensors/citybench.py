"""Traffic, weather and parking of Aarhus, as [CityBench] streams them; the sensors are static.

A row of a file is an element: an observation of each property that its sensor has by the static
description, with the four triples that the queries of the benchmark match. The level of congestion
is the number of vehicles, as the rows have no other; a vacancy is the places that are not taken. A
value that is missing is no observation.
Two readings of each stretch of road are stamped a week too early; elements are sorted by stamp.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeAlias

from pyoxigraph import RdfFormat, parse

from bench.workloads.sensors.sensor_streams import (
    StreamElement,
    Triple,
    milliseconds_of,
)
from bench.workloads.stream_terms import DECIMAL, RDF_TYPE, SSN

SENSORS: Final = "SensorRepository.n3"
TRAFFIC: Final = ("AarhusTrafficData182955", "AarhusTrafficData158505")
WEATHER: Final = "AarhusWeatherData0"
PARKING: Final = "AarhusParkingData"
SERVICE: Final = "http://www.insight-centre.org/dataset/SampleEventService#"
CITY: Final = "http://www.insight-centre.org/citytraffic#"
HAS_VALUE: Final = "<http://purl.oclc.org/NET/sao/hasValue>"
PARKING_FROM: Final = datetime(2014, 7, 11, tzinfo=UTC)
"""Parking before that day is left out: neither of the car parks of a query is full."""
_BASE: Final = "http://example.org/"

Row: TypeAlias = Mapping[str, str]


def read_traffic(folder: Path) -> list[StreamElement]:
    """Two stretches of road every five minutes, and the weather every twenty."""
    properties = _properties(folder)
    found = []
    for sensor in TRAFFIC:
        for row in _rows(folder, sensor):
            values = {
                "CongestionLevel": row["vehicleCount"],
                "VehicleCount": row["vehicleCount"],
                "AvgSpeed": row["avgSpeed"],
                "MeasureTime": row["avgMeasuredTime"],
            }
            found.append(_element(row["TIMESTAMP"], sensor, row["_id"], values, properties))
    for number, row in enumerate(_rows(folder, WEATHER)):
        values = {"Temperature": row["tempm"], "Humidity": row["hum"], "WindSpeed": row["wspdm"]}
        found.append(_element(row["TIMESTAMP"], WEATHER, str(number), values, properties))
    return sorted(found, key=lambda element: element.at)


def read_parking(folder: Path) -> list[StreamElement]:
    """Eight car parks every half hour, by the clocks of their sensors."""
    properties = _properties(folder)
    found = []
    for row in _rows(folder, PARKING):
        sensor = PARKING + row["garagecode"]
        values = {"ParkingVacancy": str(int(row["totalspaces"]) - int(row["vehiclecount"]))}
        found.append(_element(row["updatetime"], sensor, row["_id"], values, properties))
    start = milliseconds_of(PARKING_FROM)
    return sorted(
        (element for element in found if element.at >= start), key=lambda element: element.at
    )


def static(folder: Path) -> Iterator[Triple]:
    """The description of all sensors of the city."""
    for quad in parse(path=str(folder / SENSORS), format=RdfFormat.TURTLE, base_iri=_BASE):
        yield str(quad.subject), str(quad.predicate), str(quad.object)


def _rows(folder: Path, name: str) -> Iterator[Row]:
    with (folder / f"{name}.stream").open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def _properties(folder: Path) -> Mapping[tuple[str, str], str]:
    """Sensor and class → the property of that class that the sensor observes."""
    observed: list[tuple[str, str]] = []
    kinds: dict[str, list[str]] = {}
    for s, p, o in static(folder):
        if p == f"<{SSN}observes>":
            observed.append((s, o))
        elif p == RDF_TYPE and o.startswith(f"<{CITY}"):
            kinds.setdefault(s, []).append(o)
    return {(s, kind): name for s, name in observed for kind in kinds.get(name, ())}


def _element(
    stamp: str,
    sensor: str,
    row: str,
    values: Mapping[str, str],
    properties: Mapping[tuple[str, str], str],
) -> StreamElement:
    triples: list[Triple] = []
    device = f"<{SERVICE}{sensor}>"
    for kind, value in values.items():
        if not value:
            continue
        seen = f"<{SERVICE}{sensor}-{row}-{kind}>"
        name = properties[device, f"<{CITY}{kind}>"]
        triples += (
            (seen, RDF_TYPE, f"<{SSN}Observation>"),
            (seen, f"<{SSN}observedProperty>", name),
            (seen, HAS_VALUE, f'"{_canonical(value)}"^^{DECIMAL}'),
            (seen, f"<{SSN}observedBy>", device),
        )
    return StreamElement(milliseconds_of(datetime.fromisoformat(stamp)), tuple(triples))


def _canonical(decimal: str) -> str:
    """``18.0`` is ``18``: a store keeps values, and not how they were written."""
    return decimal.rstrip("0").rstrip(".") if "." in decimal else decimal
