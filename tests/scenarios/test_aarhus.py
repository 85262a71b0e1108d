"""The traffic of Aarhus joined with the description of its sensors, against plain Python.

Six streams of readings, one a stretch of road and five minutes, and some 50,000 static triples with
blank nodes in between, from the data that [CityBench] uses. The streams go back a week once, for
two readings each: those are late.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeAlias

import pyoxigraph as ox
import pytest

from tests.scenarios.intervals import Interval, coalesce
from tests.simulation.command import CommandOutput, call

RULES = Path(__file__).parent / "aarhus" / "traffic.rif"
STRETCHES = ("158324", "158386", "158415", "158446", "158505", "182955")
SENSOR = "http://www.insight-centre.org/dataset/SampleEventService#AarhusTrafficData"
OBSERVED_BY = "http://purl.oclc.org/NET/ssnx/ssn#observedBy"
GENERATED_AT = "http://www.w3.org/ns/prov#generatedAtTime"
XSD = "http://www.w3.org/2001/XMLSchema#"
WINDOW: Final = timedelta(minutes=10)

Line: TypeAlias = tuple[str, datetime, str]
"""``+`` or ``-``, the instant, what begins or ceases to hold."""

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Reading:
    time: datetime
    number: str
    speed: int
    cars: int


@pytest.fixture(scope="module")
def folder(test_data) -> Path:
    path: Path = test_data("streams/citybench-aarhus")
    return path


@pytest.fixture(scope="module")
def readings(folder) -> dict[str, list[Reading]]:
    """The readings of each sensor, in the order of its file."""
    found: dict[str, list[Reading]] = {}
    for stretch in STRETCHES:
        with (folder / f"AarhusTrafficData{stretch}.stream").open(newline="") as file:
            found[SENSOR + stretch] = [
                Reading(
                    datetime.fromisoformat(row["TIMESTAMP"]).replace(tzinfo=UTC),
                    row["_id"],
                    int(row["avgSpeed"]),
                    int(row["vehicleCount"]),
                )
                for row in csv.DictReader(file)
            ]
    return found


@pytest.fixture(scope="module")
def streams(readings, tmp_path_factory) -> list[str]:
    """The same as N-Quads, a file a sensor; the stamp stands behind its element."""
    paths = []
    for sensor, of in readings.items():
        path = tmp_path_factory.mktemp("aarhus") / "stream.nq"
        with path.open("w", encoding="utf-8") as file:
            for position, reading in enumerate(of):
                name = f"<urn:element:{position}>"
                about = f"<urn:reading:{reading.number}>"
                file.write(
                    f"{about} <{OBSERVED_BY}> <{sensor}> {name} .\n"
                    f'{about} <urn:road:speed> "{reading.speed}"^^<{XSD}integer> {name} .\n'
                    f'{about} <urn:road:cars> "{reading.cars}"^^<{XSD}integer> {name} .\n'
                    f'{name} <{GENERATED_AT}> "{reading.time:%FT%TZ}"^^<{XSD}dateTime> .\n'
                )
        paths.append(str(path))
    return paths


@pytest.fixture(scope="module")
def store(folder) -> ox.Store:
    found = ox.Store()
    base = "http://example.org/"
    path = str(folder / "SensorRepository.n3")
    found.extend(ox.parse(path=path, format=ox.RdfFormat.TURTLE, base_iri=base))
    return found


@pytest.fixture(scope="module")
def late(tmp_path_factory) -> Path:
    path: Path = tmp_path_factory.mktemp("aarhus") / "late.nq"
    return path


@pytest.fixture(scope="module")
def printed(streams, folder, late) -> CommandOutput:
    return run(streams, folder, "--late", str(late))


def run(streams: Sequence[str], folder: Path, *options: str) -> CommandOutput:
    static = str(folder / "SensorRepository.n3")
    return call(["run", str(RULES), *streams, "--static", static, "--drain", *options])


def lines(printed: CommandOutput) -> tuple[set[str], list[Line]]:
    """What follows from the static data alone, and the changes in their order."""
    always: set[str] = set()
    changes: list[Line] = []
    for line in printed.lines():
        change = json.loads(line)
        fact = change.get("atom") or f"{change['s']} {change['p']} {change['o']}"
        if change["at"] is None:
            always.add(fact)
        else:
            changes.append((change["op"], datetime.fromisoformat(change["at"]), fact))
    return always, changes


def in_time(of: Sequence[Reading]) -> Iterator[Reading]:
    """Without what is late at no delay. (Of six streams that go back at the same place.)"""
    newest = of[0].time
    for reading in of:
        if reading.time >= newest:
            newest = reading.time
            yield reading


def holding(of: Sequence[Reading], speed: int, cars: int) -> list[Interval]:
    """When a reading below a speed, with so many cars, was in the window."""
    return coalesce(
        (reading.time, reading.time + WINDOW)
        for reading in in_time(of)
        if reading.speed < speed and reading.cars >= cars
    )


def ask(store: ox.Store, query: str) -> Iterator[ox.QuerySolution]:
    solutions = store.query(query)
    assert isinstance(solutions, ox.QuerySolutions)
    yield from solutions


def stretch_of(sensor: str, store: ox.Store) -> tuple[str, float]:
    """The stretch of road of a sensor's average speed, and the latitude it begins at."""
    query = f"""
        PREFIX ssn: <http://purl.oclc.org/NET/ssnx/ssn#>
        PREFIX ct: <http://www.insight-centre.org/citytraffic#>
        SELECT ?stretch ?latitude {{
          <{sensor}> ssn:observes ?p . ?p a ct:AvgSpeed ; ssn:isPropertyOf ?stretch .
          ?stretch ct:hasStartLatitude ?latitude }}"""
    [(stretch, latitude)] = ask(store, query)
    return str(stretch), float(latitude.value)


def accuracies(store: ox.Store) -> dict[str, str]:
    """Sensor -> its accuracy, where that is above 0.9; the way leads over two blank nodes."""
    query = """
        PREFIX owls: <http://www.daml.org/services/owl-s/1.2/Service.owl#>
        PREFIX ces: <http://www.insight-centre.org/ces#>
        PREFIX owlssp: <http://www.daml.org/services/owl-s/1.2/ServiceParameter.owl#>
        PREFIX emvo: <http://sense.deri.ie/vocab/emvo#>
        SELECT ?sensor ?value {
          ?sensor owls:presents/ces:hasAccuracy/owlssp:sParameter/emvo:hasQuantityValue ?value }"""
    found = {str(sensor): value for sensor, value in ask(store, query)}
    return {sensor: str(value) for sensor, value in found.items() if float(value.value) > 0.9}


def expected(readings: dict[str, list[Reading]], store: ox.Store) -> list[Line]:
    accurate = accuracies(store)
    facts: dict[str, list[Interval]] = {}
    slow: dict[tuple[str, float], list[Interval]] = {}
    for sensor, of in readings.items():
        if f"<{sensor}>" in accurate:
            facts[f"<{sensor}> <urn:road:state> <urn:road:Jam>"] = holding(of, 20, 5)
        stretch, latitude = stretch_of(sensor, store)
        slow[stretch, latitude] = holding(of, 30, 1)
        facts[f"<urn:road:slow>({stretch})"] = slow[stretch, latitude]
    for (one, a), of_one in slow.items():
        for (other, b), of_other in slow.items():
            if a < b:
                overlaps = [(max(x[0], y[0]), min(x[1], y[1])) for x in of_one for y in of_other]
                both = (span for span in overlaps if span[0] < span[1])
                facts[f"<urn:road:both>({one} {other})"] = coalesce(both)
    changes = [
        (op, instant, fact)
        for fact, intervals in facts.items()
        for interval in intervals
        for op, instant in zip("+-", interval, strict=True)
    ]
    # At one instant first what ceases, then what begins; triples before atoms.
    return sorted(changes, key=lambda x: (x[1], x[0] == "+", x[2].startswith("<urn:road:"), x[2]))


def test_the_answers_are_those_of_plain_python(readings, store, printed) -> None:
    assert printed.code == 0
    always, changes = lines(printed)
    assert always == {
        f"{sensor} <urn:road:accurate> {value}" for sensor, value in accuracies(store).items()
    }
    assert changes == expected(readings, store)
    begun = [fact for op, _, fact in changes if op == "+"]
    assert sum(fact.endswith("<urn:road:Jam>") for fact in begun) == 40
    assert sum(fact.startswith("<urn:road:slow>") for fact in begun) == 261
    assert sum(fact.startswith("<urn:road:both>") for fact in begun) == 56


def test_what_goes_back_is_late(printed, late) -> None:
    assert "DAT301" in printed.err
    assert "late: 12 element" in printed.err
    assert late.read_text("utf-8").count(GENERATED_AT) == 12


def test_what_is_within_the_delay_is_not_late(streams, folder, printed) -> None:
    # The late readings repeat earlier ones, so with or without them the answers are the same.
    patient = run(streams, folder, "--delay", "8 d", "--quiet")
    (said,) = patient.err.splitlines()
    assert said.startswith("time was held back most by ")
    assert patient.out == printed.out


def test_the_order_of_the_streams_changes_no_answer(streams, folder, printed) -> None:
    assert run(streams[::-1], folder).out == printed.out


def test_the_streams_go_back_once(readings) -> None:
    for of in readings.values():
        assert sum(later.time < earlier.time for earlier, later in pairwise(of)) == 1
        assert len(of) - len(list(in_time(of))) == 2
