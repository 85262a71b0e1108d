"""Queries over published streams: which rules run on which stream, with which window."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.workloads.sensors import citybench, csrbench, mesowest, sensor_answers
from bench.workloads.sensors.answer_tally import AnswerTally
from bench.workloads.sensors.sensor_answers import (
    Definition,
    SensorReading,
    city_readings,
    expect_lines,
    expect_looks,
    knoesis_readings,
)
from bench.workloads.sensors.sensor_streams import (
    RepeatedStream,
    SensorStream,
    StreamElement,
)

RULES: Final = Path(__file__).with_name("rules")
"""Where the rules lie, and the queries of SPARQL."""
_CITY: Final = "citybench-aarhus"

SENSOR_STREAMS: Final[Mapping[str, SensorStream]] = {
    "mesowest": SensorStream(
        "mesowest-linkedsensordata", (mesowest.FILE,), mesowest.read, mesowest.static
    ),
    "csrbench": SensorStream("mesowest-csrbench", csrbench.FILES, csrbench.read, csrbench.static),
    "citybench-traffic": SensorStream(
        _CITY,
        tuple(
            [citybench.SENSORS]
            + [f"{name}.stream" for name in (*citybench.TRAFFIC, citybench.WEATHER)]
        ),
        citybench.read_traffic,
        citybench.static,
    ),
    "citybench-parking": SensorStream(
        _CITY,
        (citybench.SENSORS, f"{citybench.PARKING}.stream"),
        citybench.read_parking,
        citybench.static,
    ),
}


@dataclass(frozen=True, slots=True)
class SensorQuery:
    """Rules and a stream."""

    name: str  # the rule file, without its ending
    stream: str  # a key of `SENSOR_STREAMS`
    window: int  # how long a fact holds, in milliseconds
    # puts observations together
    read: Callable[[Sequence[StreamElement], int], list[SensorReading]]
    define: Definition  # the answers, by brute force
    description: str  # one line on what is asked for

    @property
    def benchmark(self) -> str:
        """The name before the hyphen: that of the benchmark."""
        return self.name.partition("-")[0]

    @property
    def rules(self) -> Path:
        """The rule file."""
        return RULES / f"{self.name}.rif"

    @property
    def sparql(self) -> Path:
        """The same for a store."""
        return RULES / f"{self.name}.rq"

    def expect(self, stream: RepeatedStream) -> AnswerTally:
        """All that begins and ends."""
        return expect_lines(stream, self.window, self.read, self.define)

    def expect_at_looks(self, stream: RepeatedStream) -> AnswerTally:
        """The same for one who looks at the full second at or after each element only."""
        return expect_looks(stream, self.window, self.read, self.define)


_KNOESIS: Final = knoesis_readings
SENSOR_QUERIES: Final[Mapping[str, SensorQuery]] = {
    query.name: query
    for query in (
        SensorQuery(
            *("mesowest-winds", "mesowest", 3_600_000, _KNOESIS, sensor_answers.winds),
            "observed winds stronger than a past wind, through the classes of winds",
        ),
        SensorQuery(
            *("csrbench-q1", "csrbench", 10_000, _KNOESIS, sensor_answers.csrbench_q1),
            "temperatures above 80",
        ),
        SensorQuery(
            *("csrbench-q3", "csrbench", 4_000, _KNOESIS, sensor_answers.csrbench_q3),
            "humidities between 24 and 49",
        ),
        SensorQuery(
            *("csrbench-q6", "csrbench", 5_000, _KNOESIS, sensor_answers.csrbench_q6),
            "two temperatures of one sensor, one above the other",
        ),
        SensorQuery(
            *("csrbench-q7", "csrbench", 5_000, _KNOESIS, sensor_answers.csrbench_q7),
            "temperatures above one of a given sensor",
        ),
        SensorQuery(
            *("citybench-q1", "citybench-traffic", 3_000, city_readings),
            sensor_answers.citybench_q1,
            "the congestion of two roads at a time",
        ),
        SensorQuery(
            *("citybench-q2", "citybench-traffic", 3_000, city_readings),
            sensor_answers.citybench_q2,
            "the weather and the congestion of a road",
        ),
        SensorQuery(
            *("citybench-q7", "citybench-parking", 3_000, city_readings),
            sensor_answers.citybench_q7,
            "two car parks of which one is full",
        ),
    )
}
