"""The queries of CityBench as rules, over its streams, against an evaluation by definition.

[CityBench] asks twelve queries over traffic, weather, car parks and pollution of Aarhus, cultural
events, and where a user is. `citybench/queries.rif` has them as rules, with two more that ask what
its texts want: the mean congestion, and the nearest car park with room. The windows are as long as
the sensors need, not 3 s, as here time is that of the stamps. The data have one stream of
pollution, neither events nor users: a second stream, three events and a walk are made here.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import pyoxigraph as ox
import pytest

from tests.simulation.command import call

pytestmark = pytest.mark.slow

RULES = Path(__file__).parent / "citybench" / "queries.rif"
CITY = "urn:city:"
DATA = "http://www.insight-centre.org/dataset/SampleEventService#"
CT = "http://www.insight-centre.org/citytraffic#"
SSN = "http://purl.oclc.org/NET/ssnx/ssn#"
SAO = "http://purl.oclc.org/NET/sao/"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
GENERATED_AT = "http://www.w3.org/ns/prov#generatedAtTime"
XSD = "http://www.w3.org/2001/XMLSchema#"

ROADS = ("AarhusTrafficData182955", "AarhusTrafficData158505")
PARKS = ("AarhusParkingDataKALKVAERKSVEJ", "AarhusParkingDataSKOLEBAKKEN")
WEATHER, USER = "AarhusWeatherData0", "UserLocationService"
POLLUTION = ("AarhusPollutionData158324", "AarhusPollutionData201399")
EVENTS: Final = {
    "concert": (Decimal("56.1519158"), Decimal("10.19887")),
    "market": (Decimal("56.15"), Decimal("10.2114")),
    "lighthouse": (Decimal("55.2"), Decimal("11.9")),
}
"""Where each event is: latitude and longitude."""
WALK: Final = [
    (Decimal("56.1") + Decimal(step) / 10, Decimal("10.2") + Decimal(step) / 20)
    for step in (0, 1, 2, 3, 4, 2)
]
"""Where the user is, every seven minutes."""
NEAR = 0.1
"""The square of the distance of two places, in degrees, that are near each other."""

Answer: TypeAlias = tuple[str, ...]
Interval: TypeAlias = tuple[datetime, datetime]


class Observation(NamedTuple):
    """What a sensor says of a property.

    Attributes:
        about: The property.
        kind: Its class; the empty text: it has none.
        value: As N-Triples.
    """

    time: datetime
    name: str
    sensor: str
    about: str
    kind: str
    value: str

    @property
    def number(self) -> Decimal:
        return Decimal(self.value.split('"')[1])


def observed(folder: Path, store: ox.Store) -> Iterator[Observation]:
    """Three hours of traffic and pollution, nine of weather, five in which a car park is full."""
    roads = {"avgSpeed": "AvgSpeed", "vehicleCount": "CongestionLevel"}
    weather = {"tempm": "Temperature", "hum": "Humidity", "wspdm": "WindSpeed"}
    start = datetime(2014, 8, 1, 7, 50, tzinfo=UTC)
    morning = start, start + timedelta(hours=3)
    for road in ROADS:
        yield from read(folder / f"{road}.stream", road, "TIMESTAMP", roads, store, morning)
    day = start - timedelta(hours=3), start + timedelta(hours=6)
    yield from read(folder / f"{WEATHER}.stream", WEATHER, "TIMESTAMP", weather, store, day)
    (pollution,) = (
        list(read(folder / f"{first}.stream", first, "timestamp", {"ozone": "API"}, store, morning))
        for first in POLLUTION[:1]
    )
    yield from pollution
    for each, other in zip(pollution, pollution[::-1], strict=True):
        made = each.name.replace(*POLLUTION)
        yield each._replace(name=made, sensor=POLLUTION[1], about="<urn:api>", value=other.value)
    begin = datetime(2014, 7, 11, 13, tzinfo=UTC)
    evening = begin, begin + timedelta(hours=5)
    for park in PARKS:
        yield from (
            x._replace(value=f'"{x.number}"^^<{XSD}integer>')
            for x in read(
                *(folder / "AarhusParkingData.stream", park, "updatetime"),
                *({"vacancy": "ParkingVacancy"}, store, evening),
            )
        )
    for number in range(len(WALK)):
        time = begin + number * timedelta(minutes=7)
        yield Observation(time, f"walk-{number}", USER, "<urn:place>", "", f"<urn:place:{number}>")


def read(
    path: Path,
    sensor: str,
    time: str,
    columns: dict[str, str],
    store: ox.Store,
    span: Interval,
) -> Iterator[Observation]:
    properties = {kind: observes(store, sensor, kind) for kind in columns.values()}
    with path.open(newline="") as file:
        for number, row in enumerate(csv.DictReader(file)):
            stamp = datetime.fromisoformat(row[time]).replace(tzinfo=UTC)
            if row.get("garagecode", sensor) not in sensor or not span[0] <= stamp < span[1]:
                continue
            if "garagecode" in row:
                row["vacancy"] = str(int(row["totalspaces"]) - int(row["vehiclecount"]))
            for column, kind in columns.items():
                name = f"{sensor}-{number}-{column}"
                value = f'"{row[column]}"^^<{XSD}decimal>'
                yield Observation(stamp, name, sensor, properties[kind], kind, value)


def observes(store: ox.Store, sensor: str, kind: str) -> str:
    """The property of a class that a sensor observes."""
    query = f"SELECT ?p {{ <{DATA}{sensor}> <{SSN}observes> ?p . ?p a <{CT}{kind}> }}"
    solutions = store.query(query)
    assert isinstance(solutions, ox.QuerySolutions)
    ((found,),) = solutions
    return str(found)


def places(store: ox.Store, kind: str) -> dict[str, tuple[float, float]]:
    """Property of a class -> where the thing is that has it."""
    solutions = store.query(f"""SELECT ?p ?latitude ?longitude {{ ?p a <{CT}{kind}> ;
      <{SSN}isPropertyOf> ?f . ?f <{CT}hasStartLatitude> ?latitude ;
      <{CT}hasStartLongitude> ?longitude }}""")
    assert isinstance(solutions, ox.QuerySolutions)
    return {str(p): (float(a.value), float(b.value)) for p, a, b in solutions}


def distance(one: tuple[float, float], other: tuple[float, float]) -> float:
    """The square of a distance in degrees."""
    return (one[0] - other[0]) * (one[0] - other[0]) + (one[1] - other[1]) * (one[1] - other[1])


# The queries by definition.


class City(NamedTuple):
    """What does not change: where roads and car parks are, by their properties."""

    roads: dict[str, tuple[float, float]]
    parks: dict[str, tuple[float, float]]


Content: TypeAlias = Sequence[Observation]
Query: TypeAlias = Callable[[Content, City], set[Answer]]


def of(content: Content, sensor: str, kind: str | None = None) -> list[Observation]:
    return [x for x in content if x.sensor == sensor and kind in {None, x.kind}]


def named(*observations: Observation) -> Answer:
    return tuple(f"<urn:{x.name}>" for x in observations)


def pairs(content: Content, sensors: Sequence[str], kind: str) -> list[tuple[Observation, ...]]:
    return list(product(*(of(content, sensor, kind) for sensor in sensors)))


def valued(*observations: Observation) -> Answer:
    return (*named(*observations), *(x.value for x in observations))


def decimal(value: Decimal | Fraction) -> str:
    """A decimal, with 18 digits behind the point at most."""
    exact = Fraction(value)
    text = f"{round(exact * 10**18) / Decimal(10**18):f}" if exact else "0"
    return f'"{text.rstrip("0").rstrip(".") if "." in text else text}"^^<{XSD}decimal>'


def event_of(name: str) -> str:
    return f"<urn:event:{name}>"


def q2(content: Content, _: City) -> set[Answer]:
    weather, road = of(content, WEATHER), of(content, ROADS[1])
    return {named(*four) for four in product(weather, weather, weather, road)}


def q3(content: Content, _: City) -> set[Answer]:
    return {
        (*named(a, b), decimal((a.number + b.number) / 2))
        for a, b in pairs(content, ROADS, "CongestionLevel")
    }


def mean(content: Content, _: City) -> set[Answer]:
    values = [Fraction(x.number) for road in ROADS for x in of(content, road, "CongestionLevel")]
    return {(decimal(sum(values, Fraction()) / len(values)),)} if values else set()


def q4(content: Content, _: City) -> set[Answer]:
    return {
        (event_of(event), *named(x), *map(decimal, at))
        for x in of(content, USER)
        for event, where in EVENTS.items()
        if distance(at := WALK[int(x.name.split("-")[1])], where) < NEAR  # type: ignore[arg-type]
    }


def q5(content: Content, city: City) -> set[Answer]:
    return {
        (event_of(event), *named(x), x.value)
        for x in of(content, ROADS[1], "CongestionLevel")
        for event, where in EVENTS.items()
        if distance(city.roads[x.about], (float(where[0]), float(where[1]))) < NEAR
    }


def q6(content: Content, _: City) -> set[Answer]:
    return {named(a, b) for a in of(content, PARKS[0], "ParkingVacancy") for b in of(content, USER)}


def parking(test: Callable[[Decimal, Decimal], bool]) -> Query:
    def answers(content: Content, _: City) -> set[Answer]:
        found = pairs(content, PARKS, "ParkingVacancy")
        return {valued(a, b) for a, b in found if test(a.number, b.number)}

    return answers


def nearest(content: Content, city: City) -> set[Answer]:
    free = [x for park in PARKS for x in of(content, park) if x.number > 0]
    found: set[Answer] = set()
    for event, where in EVENTS.items():
        there = float(where[0]), float(where[1])
        if free:
            best = min(free, key=lambda x: distance(city.parks[x.about], there))
            found.add((event_of(event), f"<{DATA}{best.sensor}>"))
    return found


def q10(content: Content, _: City) -> set[Answer]:
    return {
        (*valued(a, b), decimal(a.number + b.number)) for a, b in pairs(content, POLLUTION, "API")
    }


def q12(content: Content, _: City) -> set[Answer]:
    counts: dict[str, int] = defaultdict(int)
    for x in content:
        counts[x.sensor] += x.kind == "CongestionLevel" and x.number >= -1
    return {
        (f"<{DATA}{sensor}>", f'"{count}"^^<{XSD}integer>')
        for sensor, count in counts.items()
        if count > 3
    }


QUERIES: Final[dict[str, Query]] = {
    "q1": lambda content, _: {valued(*each) for each in pairs(content, ROADS, "CongestionLevel")},
    "q2": q2,
    "q3": q3,
    "mean": mean,
    "q4": q4,
    "q5": q5,
    "q6": q6,
    "q7": parking(lambda a, b: a < 1 or b < 1),
    "q8": parking(lambda a, b: a > 0 or b > 0),
    "q9": parking(lambda _, __: True),
    "nearest": nearest,
    "q10": q10,
    "q11": lambda content, _: set() if of(content, WEATHER) else {()},
    "q12": q12,
}


@pytest.fixture(scope="module")
def folder(test_data) -> Path:
    path: Path = test_data("streams/citybench-aarhus")
    return path


@pytest.fixture(scope="module")
def store(folder) -> ox.Store:
    found = ox.Store()
    path = str(folder / "SensorRepository.n3")
    base = "http://example.org/"
    found.extend(ox.parse(path=path, format=ox.RdfFormat.TURTLE, base_iri=base))
    return found


@pytest.fixture(scope="module")
def observations(folder, store) -> list[Observation]:
    return sorted(observed(folder, store))


@pytest.fixture(scope="module")
def stream(observations, tmp_path_factory) -> Path:
    """The observations as N-Quads, each an element."""
    path: Path = tmp_path_factory.mktemp("citybench") / "stream.nq"
    with path.open("w", encoding="utf-8") as file:
        for x in observations:
            name, graph = f"<urn:{x.name}>", f"<urn:graph:{x.name}>"
            file.write(
                f'{graph} <{GENERATED_AT}> "{x.time:%FT%T.%f}Z"^^<{XSD}dateTime> .\n'
                f"{name} <{RDF_TYPE}> <{SSN}Observation> {graph} .\n"
                f"{name} <{SSN}observedProperty> {x.about} {graph} .\n"
                f"{name} <{SSN}observedBy> <{DATA}{x.sensor}> {graph} .\n"
                f"{name} <{SAO}hasValue> {x.value} {graph} .\n"
            )
    return path


@pytest.fixture(scope="module")
def events(tmp_path_factory) -> Path:
    """The events, and the places of the walk."""
    path: Path = tmp_path_factory.mktemp("citybench") / "events.ttl"
    lines = [f"PREFIX ct: <{CT}> PREFIX ssn: <{SSN}> PREFIX sao: <{SAO}>"]
    for name, (latitude, longitude) in EVENTS.items():
        lines.append(
            f'<urn:event:{name}> a sao:Point ; sao:value "{name}" ; ssn:featureOfInterest'
            f" [ ct:hasFirstNode [ ct:hasLatitude {latitude} ; ct:hasLongitude {longitude} ] ] ."
        )
    for number, (latitude, longitude) in enumerate(WALK):
        where = f"ct:hasLatitude {latitude} ; ct:hasLongitude {longitude}"
        lines.append(f"<urn:place:{number}> {where} .")
    path.write_text("\n".join(lines), "utf-8")
    return path


def expected(
    observations: Sequence[Observation], query: Query, city: City, window: timedelta
) -> dict[Answer, list[Interval]]:
    """When each answer holds, of what came in the window up to and with an instant."""
    stamps = {milliseconds(x.time) for x in observations}
    times = sorted(stamps | {time + window for time in stamps})
    found: dict[Answer, list[Interval]] = defaultdict(list)
    for time, after in pairwise(times):
        content = [x for x in observations if time - window < milliseconds(x.time) <= time]
        for answer in query(content, city):
            intervals = found[answer]
            if intervals and intervals[-1][1] == time:
                intervals[-1] = intervals[-1][0], after
            else:
                intervals.append((time, after))
    return dict(found)


def milliseconds(time: datetime) -> datetime:
    """A time as ticks show it."""
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


def test_the_answers_are_those_of_the_definition(
    observations, stream, events, folder, store
) -> None:
    city = City(places(store, "CongestionLevel"), places(store, "ParkingVacancy"))
    static = [str(folder / "SensorRepository.n3"), str(events)]
    for window, names in ((10, [name for name in QUERIES if name != "q12"]), (40, ["q12"])):
        command = ["run", str(RULES), str(stream), "--drain", "--window", f"{window} m"]
        for name in names:
            command += ["--only", f"city:{name}"]
        for path in static:
            command += ["--static", path]
        result = call(command)
        assert result.code == 0, result.err
        found: dict[str, dict[Answer, list[Interval]]] = defaultdict(lambda: defaultdict(list))
        for change in map(json.loads, result.lines()):
            if change["op"] == "-":
                name, _, rest = change["atom"].partition(">(")
                begin = change["from"] or f"{observations[0].time}"  # it held before all stamps
                interval = datetime.fromisoformat(begin), datetime.fromisoformat(change["until"])
                found[name.rpartition(":")[2]][tuple(rest[:-1].split())].append(interval)
        for name in names:
            wanted = expected(observations, QUERIES[name], city, timedelta(minutes=window))
            assert wanted, name
            if name == "q6":  # without the places, which follow from the observations
                shown = {answer[:2]: intervals for answer, intervals in found[name].items()}
            else:
                shown = dict(found[name])
            assert shown == wanted, name


@pytest.mark.parametrize(
    ("name", "minutes"), [("q1", 10), ("q3", 10), ("q5", 10), ("q7", 10), ("q12", 40)]
)
def test_queries_as_they_are_written_have_the_same_answers(
    name: str, minutes: int, observations, stream, events, folder, store
) -> None:
    """Q1 and Q3 in C-SPARQL, Q5 in CQELS, Q7 in RSP-QL, over longer windows, without steps."""
    path = RULES.with_name(f"{name}.rq")
    command = ["run", str(path), str(stream), "--drain", "--ops", "both"]
    for each in (folder / "SensorRepository.n3", events):
        command += ["--static", str(each)]
    result = call(command)
    assert result.code == 0, result.err
    begins: dict[Answer, list[datetime]] = defaultdict(list)
    ends: dict[Answer, list[datetime]] = defaultdict(list)
    for change in map(json.loads, result.lines()):
        arguments = tuple(change["atom"].partition("(")[2][:-1].split())
        (begins if change["op"] == "+" else ends)[arguments].append(
            datetime.fromisoformat(change["at"])
        )
    city = City(places(store, "CongestionLevel"), places(store, "ParkingVacancy"))
    wanted = expected(observations, QUERIES[name], city, timedelta(minutes=minutes))
    assert begins == {answer: [one for one, _ in some] for answer, some in wanted.items()}
    if name != "q7":  # which is an ISTREAM
        assert ends == {answer: [two for _, two in some] for answer, some in wanted.items()}
