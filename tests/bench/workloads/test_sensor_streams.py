"""Queries over published streams: brute force says what R4 prints, and what a store is to see."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise, product
from unittest.mock import patch

import pytest

from bench.peers import store_requery
from bench.suites import sensors
from bench.suites.sensors import BENCHMARK, STORE, answer
from bench.workloads.sensors import citybench, sensor_answers
from bench.workloads.sensors.answer_tally import AnswerTally
from bench.workloads.sensors.sensor_answers import SensorReading, expect_lines, expect_looks
from bench.workloads.sensors.sensor_queries import SENSOR_QUERIES, SENSOR_STREAMS
from bench.workloads.sensors.sensor_streams import (
    DAY,
    RepeatedStream,
    StreamElement,
    instant_text,
)
from tests.bench.requests import requested
from tests.simulation.command import call

ONE = (("<urn:s>", "<urn:p>", "<urn:o>"),)
TURN = [StreamElement(at, ONE * size) for at, size in ((0, 1), (1500, 2), (4000, 1))]


def test_a_stream_is_repeated_until_it_has_enough_triples():
    stream = RepeatedStream.of(TURN, 10)
    assert (stream.turns, stream.rest, stream.triples) == (2, 2, 11)
    stamps = [element.at for element in stream.elements()]
    assert stamps == [
        0,
        1500,
        4000,
        2 * DAY,
        2 * DAY + 1500,
        2 * DAY + 4000,
        4 * DAY,
        4 * DAY + 1500,
    ]
    assert len({quads.partition(" ")[0] for quads in stream.quads()}) == len(stamps)


def test_a_part_of_a_turn_is_enough():
    assert [element.at for element in RepeatedStream.of(TURN, 2).elements()] == [0, 1500]


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1_500, "1970-01-01T00:00:01.5Z"),
        (1, "1970-01-01T00:00:00.001Z"),
    ],
)
def test_an_instant_is_written_as_in_answers(at, text):
    assert instant_text(at) == text


def line(op: str, at: str, fact: str) -> bytes:
    return f'{{"op":"{op}","at":"{at}","atom":"{fact}"}}\n'.encode()


def test_a_tally_does_not_depend_on_the_order_and_sees_another_line():
    lines = [line("+", "a", "p(x)"), line("+", "a", "p(y)"), line("-", "b", "p(x)")]
    right = AnswerTally.of_output(lines)
    assert (right.begun, right.ended) == (2, 1)
    assert AnswerTally.of_output(reversed(lines)).difference(right) == ""
    assert AnswerTally.of_output(lines[1:]).difference(right) == "(1, 1) instead of (2, 1) answers"
    other = [*lines[:2], line("-", "c", "p(x)")]
    assert AnswerTally.of_output(other).difference(right) != ""
    always = b'{"op":"+","at":null,"s":"s","p":"p","o":"o"}\n'
    assert AnswerTally.of_output([always, *lines]) == right


def read_all(elements, window):
    return [
        SensorReading("x", "s", "k", "1", Decimal(1), [(e.at, e.at + window)]) for e in elements
    ]


def define(readings):
    yield from (("p(x)", reading.stretches) for reading in readings)


def test_who_looks_at_full_seconds_sees_what_holds_then():
    # Holds in 0..1000 and 1500..2500 and 4000..5000; the looks are at 0, 2000 and 4000.
    stream = RepeatedStream(TURN, 1, 0)
    seen = AnswerTally()
    # It is seen again at 2000, so it has not ended for them, and at 4000.
    seen.add("+", instant_text(0), "p(x)")
    assert expect_looks(stream, 1000, read_all, define) == seen
    whole = expect_lines(stream, 1000, read_all, define)
    assert (whole.begun, whole.ended) == (3, 3)


def reading(sensor: str, kind: str, number: int, at: int, value: int) -> SensorReading:
    name, device = f"<{sensor}-{number}-{kind}>", f"<{citybench.SERVICE}{sensor}>"
    return SensorReading(name, device, kind, str(value), Decimal(value), [(at, at + 30)])


@pytest.mark.parametrize("seed", range(5))
def test_readings_of_a_city_are_joined_as_by_nested_loops(seed):
    draw = random.Random(seed)  # noqa: S311 - a case, not a secret
    parks = ("KALKVAERKSVEJ", "SKOLEBAKKEN")
    found: list[SensorReading] = []
    for at in sorted(draw.randrange(600) for _ in range(40)):
        park = draw.choice(parks)
        sensor = citybench.PARKING + park
        found.append(reading(sensor, "ParkingVacancy", len(found), at, draw.randrange(3)))
    one, other = ([x for x in found if x.sensor.endswith(f"{park}>")] for park in parks)
    pairs = {}
    for a, b in product(one, other):
        (start, end), (start_b, end_b) = a.stretches[0], b.stretches[0]
        both = max(start, start_b), min(end, end_b)
        if both[0] < both[1] and min(a.value, b.value) < 1:
            pairs[f"<urn:citybench:q7>({a.name} {b.name} {a.lexical} {b.lexical})"] = [both]
    answers = dict(sensor_answers.citybench_q7(found))
    assert answers == pairs
    assert pairs


@pytest.mark.parametrize("benchmark", ["mesowest", "csrbench", "citybench"])
def test_what_is_not_there_is_named(benchmark, tmp_path):
    (line,), whole = BENCHMARK.lacks(benchmark, tmp_path)
    assert line.startswith(f"{benchmark}: {tmp_path}/")
    assert line.endswith(" is not there")
    assert whole


@pytest.fixture(scope="module")
def of_stream(test_data, tmp_path_factory):
    """Stream → a beginning of it, its file, the file of its static data; each made once."""
    folder = tmp_path_factory.mktemp("sensors")
    made = {}

    def find(name: str):
        if name not in made:
            published = SENSOR_STREAMS[name]
            place = published.place(test_data("streams").parent)
            # CSRBench has its first answer in its second half.
            triples = 15_200 if name == "csrbench" else 6_000
            stream = RepeatedStream.of(published.read(place), triples)
            quads, static = folder / f"{name}.nq", folder / f"{name}.nt"
            quads.write_text("".join(stream.quads()), encoding="utf-8")
            static.write_text("".join(f"{s} {p} {o} .\n" for s, p, o in published.static(place)))
            made[name] = stream, quads, static
        return made[name]

    return find


@pytest.mark.slow
@pytest.mark.parametrize("query", SENSOR_QUERIES.values(), ids=SENSOR_QUERIES)
def test_r4_and_a_store_print_what_brute_force_finds(query, of_stream, capfd):
    stream, quads, static = of_stream(query.stream)
    window = f"{query.window} ms"
    options = ("--window", window, "--static", str(static), "--drain", "--quiet")
    printed = call(["run", str(query.rules), str(quads), *options])
    assert (printed.code, printed.err) == (0, "")
    right = query.expect(stream)
    assert right.begun == right.ended > 0
    assert AnswerTally.of_output(x.encode() for x in printed.lines()).difference(right) == ""
    capfd.readouterr()
    store_requery.main(str(query.sparql), quads, str(static), timedelta(milliseconds=query.window))
    seen = capfd.readouterr().out.encode().splitlines()
    assert AnswerTally.of_output(seen).difference(query.expect_at_looks(stream)) == ""


def test_a_store_reads_a_part_and_r4_the_same_part_and_all(test_data, tmp_path):
    place = test_data("streams").parent
    with patch.object(sensors, "run_rounds") as rounds:
        asking = requested(tmp_path, names=["mesowest"], data=place, peers=[STORE])
        found = answer(replace(asking, triples=120_000))
        few = answer(replace(asking, triples=1_000))
    assert rounds.call_count == 2
    asked = [(each.key.runner, each.key.asked) for each in found]
    assert asked == [("r4", 120_000), ("r4", 110_000), ("store", 110_000)]
    assert [each.triples >= each.key.asked for each in found] == [True] * 3
    assert [each.key.asked for each in few] == [1_000, 1_000]


@pytest.mark.parametrize("name", SENSOR_STREAMS)
def test_elements_come_in_the_order_of_their_stamps(name, of_stream):
    stream, _, _ = of_stream(name)
    assert all(a.at <= b.at for a, b in pairwise(stream.turn))
