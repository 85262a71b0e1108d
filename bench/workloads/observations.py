"""Weather observations in the SSN vocabulary, one named graph of 11 triples each.

Observation, output and value are three blank nodes; values are decimals, half of them wind
speeds. The static file has twenty hurricanes with their wind speeds: seven are of the class
`yago:Hurricane111467018` as they stand, seven of a subclass of it, six of a subclass of a
subclass. The slowest are reached only through two steps, so that a reader without the hierarchy
counts too few; five tropical storms, slower still, are no hurricanes: one that takes any storm
counts too many.

The first n elements are the same however many are requested; `offers` says why.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final, NamedTuple

from bench.workloads.stream_terms import (
    DATE_TIME,
    DBPEDIA,
    DBPPROP,
    DECIMAL,
    GENERATED_AT,
    INTEGER,
    RDF_TYPE,
    SENSORS,
    SSN,
    SSN_EXT,
    STEP,
    SUB_CLASS_OF,
    WEATHER,
    YAGO,
    stamp,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

TRIPLES: Final = 11
"""Triples in an element, its stamp not counted."""
SENSOR_COUNT: Final = 200
WIND_SPEED: Final = f"<{WEATHER}_WindSpeed>"
OTHERS: Final = tuple(
    f"<{WEATHER}_{name}>" for name in ("AirTemperature", "RelativeHumidity", "WindGust", "Pressure")
)
STRONGEST: Final = 1700
"""The largest value, in tenths; wind speeds are the square of an even draw, so few are large."""
HURRICANE: Final = f"<{YAGO}Hurricane111467018>"
_TROPICAL_STORM: Final = f"<{YAGO}TropicalStorm>"
_SUBCLASSES: Final = (f"<{YAGO}AtlanticHurricane>", f"<{YAGO}PacificHurricane>")
_SUBSUBCLASSES: Final = (f"<{YAGO}GulfHurricane>", f"<{YAGO}CaboVerdeHurricane>")
_WINDS: Final = f"<{DBPPROP}1MinWinds>"
_SEED: Final = 20240102


class Observation(NamedTuple):
    """One observation; ``tenths`` is the value, ``wind``: whether it is a wind speed."""

    number: int
    sensor: int
    wind: bool
    observed: str
    tenths: int

    @property
    def at(self) -> int:
        """Its stamp, in milliseconds of event time."""
        return self.number * STEP


def observations(count: int) -> Iterator[Observation]:
    """The first ``count`` observations."""
    draw = random.Random(_SEED).random  # noqa: S311 - a workload, not a secret
    for number in range(count):
        wind = draw() < 0.5  # noqa: PLR2004 - half of them
        other = OTHERS[int(draw() * len(OTHERS))]
        tenths = int(draw() ** 2 * (STRONGEST + 1))
        sensor = 1 + int(draw() * SENSOR_COUNT)
        yield Observation(number, sensor, wind, WIND_SPEED if wind else other, tenths)


def superclasses() -> dict[str, str]:
    """From each class of storms that has one to the class above it."""
    return {
        _SUBCLASSES[0]: HURRICANE,
        _SUBCLASSES[1]: HURRICANE,
        _SUBSUBCLASSES[0]: _SUBCLASSES[0],
        _SUBSUBCLASSES[1]: _SUBCLASSES[0],
    }


def storms() -> dict[str, tuple[str, int]]:
    """From each storm to its class and its wind speed: twenty hurricanes, five tropical storms."""
    told: dict[str, tuple[str, int]] = {}
    for number in range(20):
        if number < 6:  # noqa: PLR2004 - the six slowest
            kind = _SUBSUBCLASSES[number % 2]
        elif number < 13:  # noqa: PLR2004
            kind = _SUBCLASSES[number % 2]
        else:
            kind = HURRICANE
        told[f"<{DBPEDIA}Hurricane_{number + 1}>"] = (kind, 75 + 5 * number)
    for number in range(5):
        told[f"<{DBPEDIA}Tropical_Storm_{number + 1}>"] = (_TROPICAL_STORM, 40 + 5 * number)
    return told


def static() -> Iterator[str]:
    """The static file, as N-Triples."""
    for lower, upper in superclasses().items():
        yield f"{lower} {SUB_CLASS_OF} {upper} .\n"
    for storm, (kind, speed) in storms().items():
        yield f"{storm} {RDF_TYPE} {kind} .\n"
        yield f'{storm} {_WINDS} "{speed}"^^{INTEGER} .\n'


def stream(count: int) -> Iterator[str]:
    """The stream as N-Quads, an element a string."""
    for observation in observations(count):
        number, sensor, _, kind, tenths = observation
        name = f"<http://observations.example/stream/{number}>"
        at = f'"{stamp(observation.at)}"^^{DATE_TIME}'
        node, output, value = f"_:o{number}", f"_:r{number}", f"_:v{number}"
        device = f"<{SENSORS}sensor{sensor}>"
        yield (
            f"{name} {GENERATED_AT} {at} .\n"
            f"{node} {RDF_TYPE} <{SSN}Observation> {name} .\n"
            f"{node} <{SSN}observedProperty> {kind} {name} .\n"
            f"{node} <{SSN}observedBy> {device} {name} .\n"
            f"{node} <{SSN}featureOfInterest> <{SENSORS}place{sensor % 50}> {name} .\n"
            f"{node} <{SSN}observationSamplingTime> {at} {name} .\n"
            f"{node} <{SSN}observationResult> {output} {name} .\n"
            f"{output} {RDF_TYPE} <{SSN}SensorOutput> {name} .\n"
            f"{output} <{SSN}isProducedBy> {device} {name} .\n"
            f"{output} <{SSN}hasValue> {value} {name} .\n"
            f"{value} {RDF_TYPE} <{SSN}ObservationValue> {name} .\n"
            f"{value} <{SSN_EXT}hasQuantityValue> {_decimal(tenths)} {name} .\n"
        )


def _decimal(tenths: int) -> str:
    return f'"{tenths // 10}.{tenths % 10}"^^{DECIMAL}'
