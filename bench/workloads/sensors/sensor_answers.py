"""The answers of queries over published streams, by brute force.

Nothing of the engine takes part: observations are put together from triples by dictionaries, each
with the stretches of time in which all its triples hold, and a query is a loop over observations.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Final, TypeAlias

from bench.workloads.expected_answers import Stretch, join_stretches
from bench.workloads.sensors import citybench, mesowest
from bench.workloads.sensors.answer_tally import AnswerTally
from bench.workloads.sensors.sensor_streams import (
    RepeatedStream,
    StreamElement,
    Triple,
    instant_text,
)
from bench.workloads.stream_terms import SSN

OM_OWL: Final = "http://knoesis.wright.edu/ssw/ont/sensor-observation.owl#"
WEATHER: Final = "http://knoesis.wright.edu/ssw/ont/weather.owl#"
LOOK: Final = 1000
"""Milliseconds between the looks of one who looks at full seconds."""


@dataclass(frozen=True, slots=True)
class SensorReading:
    """An observation with its value."""

    name: str  # IRIs
    sensor: str
    kind: str  # what is observed, the end of an IRI
    lexical: str  # the value as a literal
    value: Decimal  # the same as a number
    stretches: Sequence[Stretch]  # when all its triples hold; apart, in order


Found: TypeAlias = Iterator[tuple[str, Iterable[Stretch]]]
"""Answers as they are printed, and when they hold; the same one may come many times."""
Definition: TypeAlias = Callable[[Sequence[SensorReading]], Found]


def knoesis_readings(elements: Sequence[StreamElement], window: int) -> list[SensorReading]:
    """The observations of MesoWest: a value stands behind a result."""
    of = _holding(elements, window)
    return [
        _reading(name, sensor, kind, value, (stretches, one, two, three))
        for name, kinds in of[f"<{OM_OWL}observedProperty>"].items()
        for kind, stretches in kinds
        for sensor, one in of[f"<{OM_OWL}procedure>"].get(name, ())
        for result, two in of[f"<{OM_OWL}result>"].get(name, ())
        for value, three in of[f"<{OM_OWL}floatValue>"].get(result, ())
    ]


def city_readings(elements: Sequence[StreamElement], window: int) -> list[SensorReading]:
    """The observations of Aarhus: the class of a property is the end of the observation's name."""
    of = _holding(elements, window)
    return [
        _reading(name, sensor, name.rstrip(">").rpartition("-")[2], value, (stretches, one, two))
        for name, properties in of[f"<{SSN}observedProperty>"].items()
        for _, stretches in properties
        for sensor, one in of[f"<{SSN}observedBy>"].get(name, ())
        for value, two in of[citybench.HAS_VALUE].get(name, ())
    ]


def _reading(
    name: str, sensor: str, kind: str, lexical: str, holding: Sequence[Sequence[Stretch]]
) -> SensorReading:
    value = Decimal(lexical.split('"')[1])
    end = kind.rstrip(">").rpartition("#")[2]
    return SensorReading(name, sensor, end, lexical, value, _common(holding))


def _holding(
    elements: Sequence[StreamElement], window: int
) -> Mapping[str, Mapping[str, list[tuple[str, list[Stretch]]]]]:
    """Property → subject → its objects, each with the stretches in which that triple holds."""
    stamps: dict[Triple, list[Stretch]] = defaultdict(list)
    for element in elements:
        for triple in element.triples:
            stamps[triple].append((element.at, element.at + window))
    of: dict[str, dict[str, list[tuple[str, list[Stretch]]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for (s, p, o), stretches in stamps.items():
        of[p][s].append((o, join_stretches(stretches)))
    return of


def _common(holding: Sequence[Sequence[Stretch]]) -> list[Stretch]:
    """When all of them hold."""
    both: Sequence[Stretch] = holding[0]
    for other in holding[1:]:
        pairs = ((max(a, c), min(b, d)) for a, b in both for c, d in other)
        both = [pair for pair in pairs if pair[0] < pair[1]]
    return list(both)


def winds(readings: Sequence[SensorReading]) -> Found:
    """Wind speeds above that of a past wind of a class."""
    for seen in readings:
        if seen.kind == "_WindSpeed":
            for name, speed in mesowest.least_speeds().items():
                if seen.value > speed:
                    kind = f"<{SSN}observedWeatherType> <{mesowest.WIND}{name}>"
                    yield f"{seen.name} {kind}", seen.stretches


def csrbench_q1(readings: Sequence[SensorReading]) -> Found:
    """Temperatures above 80."""
    for seen in _of_kind(readings, "_AirTemperature"):
        if seen.value > 80:  # noqa: PLR2004 - the query's
            yield f"<urn:csrbench:q1>({seen.sensor} {seen.name})", seen.stretches


def csrbench_q3(readings: Sequence[SensorReading]) -> Found:
    """Humidities between 24 and 49."""
    for seen in _of_kind(readings, "_RelativeHumidity"):
        if 24 < seen.value < 49:  # noqa: PLR2004 - the query's
            yield f"<urn:csrbench:q3>({seen.sensor} {seen.name} {seen.lexical})", seen.stretches


def csrbench_q6(readings: Sequence[SensorReading]) -> Found:
    """Pairs of temperatures of one sensor, one above the other, which is above 75."""
    of_sensor: dict[str, list[SensorReading]] = defaultdict(list)
    for seen in _of_kind(readings, "_AirTemperature"):
        of_sensor[seen.sensor].append(seen)
    for found in of_sensor.values():
        for high, low in product(found, found):
            if high.value > low.value > 75:  # noqa: PLR2004 - the query's
                text = f"{high.sensor} {high.name} {high.lexical} {low.name}"
                yield f"<urn:csrbench:q6>({text})", _common((high.stretches, low.stretches))


def csrbench_q7(readings: Sequence[SensorReading]) -> Found:
    """Temperatures above one of the sensor C1190."""
    found = _of_kind(readings, "_AirTemperature")
    for low in found:
        if low.sensor.endswith("/System_C1190>"):
            for high in found:
                if high.value > low.value:
                    both = _common((high.stretches, low.stretches))
                    yield f"<urn:csrbench:q7>({high.sensor} {high.name} {low.name})", both


def citybench_q1(readings: Sequence[SensorReading]) -> Found:
    """The congestion of two roads at a time."""
    one, other = (_by(readings, "CongestionLevel", sensor) for sensor in citybench.TRAFFIC)
    return _together("q1", one, other)


def citybench_q2(readings: Sequence[SensorReading]) -> Found:
    """The weather, and the congestion of a road."""
    kinds = ("Temperature", "Humidity", "WindSpeed")
    weather = (_by(readings, kind, citybench.WEATHER) for kind in kinds)
    return _together("q2", *weather, _by(readings, "CongestionLevel", citybench.TRAFFIC[1]))


def citybench_q7(readings: Sequence[SensorReading]) -> Found:
    """Two car parks of which one is full."""
    parks = ("KALKVAERKSVEJ", "SKOLEBAKKEN")
    one, other = (_by(readings, "ParkingVacancy", citybench.PARKING + park) for park in parks)
    full = {seen.name for seen in (*one, *other) if seen.value < 1}
    for text, stretches in _together("q7", one, other):
        if not full.isdisjoint(text.partition("(")[2].split(" ")[:2]):
            yield text, stretches


def _of_kind(readings: Sequence[SensorReading], kind: str) -> list[SensorReading]:
    return [seen for seen in readings if seen.kind == kind]


def _by(readings: Sequence[SensorReading], kind: str, sensor: str) -> list[SensorReading]:
    device = f"<{citybench.SERVICE}{sensor}>"
    return [seen for seen in readings if (seen.kind, seen.sensor) == (kind, device)]


def _together(query: str, first: Sequence[SensorReading], *more: Sequence[SensorReading]) -> Found:
    """One reading of each kind, all holding at a time.

    The next kind is searched from the first that has not ended where the others begin, as
    readings come in the order of their stamps, and each holds for one window.
    """

    def join(
        met: tuple[SensorReading, ...], holding: list[Stretch], rest: Sequence[int]
    ) -> Iterator[tuple[tuple[SensorReading, ...], list[Stretch]]]:
        if not rest:
            yield met, holding
            return
        readings, ends = more[rest[0]], of_ends[rest[0]]
        for seen in readings[bisect_left(ends, holding[0][0]) :]:
            if seen.stretches[0][0] >= holding[-1][1]:
                break
            if both := _common((holding, seen.stretches)):
                yield from join((*met, seen), both, rest[1:])

    of_ends = [[seen.stretches[-1][1] for seen in readings] for readings in more]
    for seen in first:
        for met, holding in join((seen,), list(seen.stretches), range(len(more))):
            names = " ".join(one.name for one in met)
            values = " ".join(one.lexical for one in met)
            yield f"<urn:citybench:{query}>({names} {values})", holding


def expect_lines(
    stream: RepeatedStream,
    window: int,
    read: Callable[[Sequence[StreamElement], int], list[SensorReading]],
    define: Definition,
) -> AnswerTally:
    """All that begins and ends, to the end of the last window."""
    tally = AnswerTally()
    for text, stretches in _answers(stream, window, read, define):
        for start, end in stretches:
            tally.add("+", instant_text(start), text)
            tally.add("-", instant_text(end), text)
    return tally


def expect_looks(
    stream: RepeatedStream,
    window: int,
    read: Callable[[Sequence[StreamElement], int], list[SensorReading]],
    define: Definition,
) -> AnswerTally:
    """The same for one who looks at the full second at or after each element only."""
    looks = sorted({-(-element.at // LOOK) * LOOK for element in stream.elements()})
    tally = AnswerTally()
    for text, stretches in _answers(stream, window, read, define):
        seen = ((bisect_left(looks, start), bisect_left(looks, end)) for start, end in stretches)
        for first, gone in join_stretches(pair for pair in seen if pair[0] < pair[1]):
            tally.add("+", instant_text(looks[first]), text)
            if gone < len(looks):
                tally.add("-", instant_text(looks[gone]), text)
    return tally


def _answers(
    stream: RepeatedStream,
    window: int,
    read: Callable[[Sequence[StreamElement], int], list[SensorReading]],
    define: Definition,
) -> Iterator[tuple[str, list[Stretch]]]:
    """Each answer of each turn once; nothing of one turn holds in the next."""
    known: dict[int, dict[str, list[Stretch]]] = {}
    for later, elements in stream.parts():
        if len(elements) not in known:
            found: dict[str, list[Stretch]] = defaultdict(list)
            for text, stretches in define(read(elements, window)):
                found[text] += stretches
            known[len(elements)] = found
        for text, stretches in known[len(elements)].items():
            shifted = [(start + later, end + later) for start, end in stretches]
            yield text, join_stretches(shifted)
