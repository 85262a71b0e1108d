"""A star of sensors of Aarhus whose readings last differently long, against plain Python.

The air is read every five minutes, the weather as a rule every half an hour, cars on a road every
five minutes with gaps, and garages about every half an hour. So each has its own window; in August
2014, from the data that [CityBench] uses. A window for all would let old cars stand beside new air,
or lose the weather between two readings.
"""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import pytest

from tests.scenarios.intervals import Interval, coalesce
from tests.simulation.command import call

GENERATED_AT: Final = "http://www.w3.org/ns/prov#generatedAtTime"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
DAYS: Final = (datetime(2014, 8, 1, tzinfo=UTC), datetime(2014, 8, 5, tzinfo=UTC))
RULES: Final = """Document( Prefix(ex <urn:ex:>) Window(10 m) Group(
  Forall ?g ?o ?t ?c ?v ( ex:busy(?g ?o ?t ?c ?v) :- And(
    ex:air[ex:ozone -> ?o] ex:weather[ex:degrees -> ?t] ex:road[ex:cars -> ?c] ?g[ex:taken -> ?v]
    External(<http://www.w3.org/2007/rif-builtin-predicate#numeric-greater-than>(?v 250)) ) ) ))"""

Line: TypeAlias = tuple[str, datetime, str]
"""``+`` or ``-``, the instant, what begins or ceases to hold."""

pytestmark = pytest.mark.slow


class Sensor(NamedTuple):
    """A stream of readings, one a row; ``window`` is the time for which one holds."""

    file: str
    time: str
    value: str
    predicate: str
    window: timedelta
    subject: str = ""


SENSORS: Final = (
    Sensor(
        *("AarhusPollutionData158324", "timestamp", "ozone", "ozone"),
        *(timedelta(minutes=6), "air"),
    ),
    Sensor(
        *("AarhusWeatherData0", "TIMESTAMP", "tempm", "degrees"),
        *(timedelta(minutes=45), "weather"),
    ),
    Sensor(
        *("AarhusTrafficData158324", "TIMESTAMP", "vehicleCount", "cars"),
        *(timedelta(minutes=10), "road"),
    ),
    Sensor(*("AarhusParkingData", "updatetime", "vehiclecount", "taken"), timedelta(minutes=40)),
)


class Reading(NamedTuple):
    time: datetime
    subject: str
    value: str


@pytest.fixture(scope="module")
def readings(test_data) -> dict[Sensor, list[Reading]]:
    """The readings of each sensor in these days, in the order of its file, those late left out."""
    folder: Path = test_data("streams/citybench-aarhus")
    found: dict[Sensor, list[Reading]] = {}
    for sensor in SENSORS:
        with (folder / f"{sensor.file}.stream").open(newline="") as file:
            rows = list(csv.DictReader(file))
        latest = DAYS[0]
        some: list[Reading] = []
        for row in rows:
            time = datetime.fromisoformat(row[sensor.time]).replace(tzinfo=UTC)
            time = time.replace(microsecond=time.microsecond // 1000 * 1000)
            if latest <= time < DAYS[1]:
                latest = time
                some.append(
                    Reading(time, sensor.subject or row["garagecode"], row[sensor.value].strip())
                )
        found[sensor] = some
    return found


@pytest.fixture(scope="module")
def streams(readings, tmp_path_factory) -> dict[Sensor, str]:
    folder: Path = tmp_path_factory.mktemp("star")
    paths = {}
    for sensor, some in readings.items():
        path = folder / f"{sensor.file}.nq"
        with path.open("w", encoding="utf-8") as file:
            for number, each in enumerate(some):
                kind = "decimal" if "." in each.value else "integer"
                stamp = each.time.isoformat().replace("+00:00", "Z")
                file.write(
                    f"<urn:ex:{each.subject}> <urn:ex:{sensor.predicate}> "
                    f'"{each.value}"^^<{XSD}{kind}> <urn:{sensor.file}:{number}> .\n'
                    f'<urn:{sensor.file}:{number}> <{GENERATED_AT}> "{stamp}"^^<{XSD}dateTime> .\n'
                )
        paths[sensor] = str(path)
    return paths


def expected(readings: Mapping[Sensor, Sequence[Reading]]) -> set[Line]:
    """An answer for each garage and each value of the others while all four hold."""
    held: list[dict[tuple[str, str], list[Interval]]] = []
    for sensor, some in readings.items():
        of = defaultdict(list)
        for each in some:
            of[each.subject, each.value].append((each.time, each.time + sensor.window))
        held.append({key: coalesce(times) for key, times in of.items()})
    air, weather, road, garages = held
    busy = {key: times for key, times in garages.items() if int(key[1]) > 250}
    last = max(each.time for some in readings.values() for each in some)
    found: set[Line] = set()
    for o, t, c in product(air, weather, road):
        apart = list(common(common(air[o], weather[t]), road[c]))
        for garage in busy if apart else ():
            what = f"{garage[0]} {o[1]} {t[1]} {c[1]} {garage[1]}"
            for begin, end in common(apart, busy[garage]):
                found |= {("+", begin, what)} if begin <= last else set()
                found |= {("-", end, what)} if end <= last else set()
    return found


def common(one: Iterable[Interval], other: Sequence[Interval]) -> Iterator[Interval]:
    for begin, end in one:
        for since, until in other:
            if max(begin, since) < min(end, until):
                yield max(begin, since), min(end, until)


def test_each_reading_counts_as_long_as_its_sensor_needs(readings, streams, tmp_path) -> None:
    air, weather, road, garages = (streams[sensor] for sensor in SENSORS)
    rules = tmp_path / "star.rif"
    rules.write_text(RULES, encoding="utf-8")
    windows = (f"{garages}=40 m", "ex:ozone=6m", "<urn:ex:degrees>=45m", "ex:taken=1s")
    files = (str(rules), air, weather, road, garages)
    printed = call(["run", *files, *(f"--window={each}" for each in windows)])
    assert printed.code == 0, printed.err
    found = set()
    for line in map(json.loads, printed.lines()):
        garage = line["atom"].partition("(<urn:ex:")[2].partition(">")[0]
        what = " ".join([garage, *re.findall(r'"([^"]*)"', line["atom"])])
        found.add((line["op"], datetime.fromisoformat(line["at"]), what))
    wanted = expected(readings)
    assert len(printed.lines()) == len(found)
    assert found == wanted
    assert len(found) > 2000
    assert {what.partition(" ")[0] for _, _, what in found} > {"SALLING", "BRUUNS"}
