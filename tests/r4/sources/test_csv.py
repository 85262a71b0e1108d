"""Tables become streams of SOSA observations, and what is odd in them is counted."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from r4.errors import BadData, Counters, InputError
from r4.sources.csv import CsvSource, read_sensors
from r4.sources.tables.mapping import (
    SOSA,
    BadValue,
    Observations,
    ResultColumn,
    TimeColumn,
    iri,
    literal,
)
from r4.stream.intake import Intake
from r4.stream.source import StreamOptions
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import RDF_TYPE, XSD
from tests.simulation.command import small_batches

EX = "http://example.org/"
KNOT = "http://qudt.org/vocab/unit/KN"
MAPPING = Observations(
    base=EX,
    time=TimeColumn("when"),
    results=(
        ResultColumn("wind", EX + "wind", unit=KNOT),
        ResultColumn("cars", EX + "cars", datatype=XSD + "integer"),
    ),
    sensor=EX + "sensor/{place}",
    feature=EX + "place/{place}",
)
CSV = """place,when,wind,cars
a b,2020-01-01T00:00:00Z,01.50,7
"x/y, z",2020-01-01 00:00:01.5,NA,8
a b,2020-01-01T00:00:02+01:00,3,
none,2020-01-01T02:00:00Z,NA,
"""


def table(folder: Path, text: str | bytes, name: str = "a.csv") -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def run(path: str, mapping: Observations = MAPPING, **options) -> tuple[Intake, list[tuple]]:
    dictionary = Dictionary()
    intake = Intake([CsvSource(path, mapping)], dictionary, StreamOptions(**options))
    found = []
    for batch in intake:
        texts = iter(dictionary.decode_many(batch.rows.ravel()))
        found += [(next(texts), next(texts), next(texts), start) for start in batch.start.tolist()]
    intake.close()
    return intake, found


def test_a_row_is_an_element_of_observations(tmp_path: Path) -> None:
    text = "".join(CsvSource(table(tmp_path, CSV), MAPPING).text())
    stamp = f'"2020-01-01T00:00:00Z"^^<{XSD}dateTime>'
    assert text.splitlines()[:13] == [
        f"<{EX}graph/1> <http://www.w3.org/ns/prov#generatedAtTime> {stamp} .",
        *(
            f"<{EX}observation/1/{column}> <{predicate}> {value} <{EX}graph/1> ."
            for column, result in (
                ("wind", f'"01.50"^^<{XSD}decimal>'),
                ("cars", f'"7"^^<{XSD}integer>'),
            )
            for predicate, value in (
                (RDF_TYPE, f"<{SOSA}Observation>"),
                (SOSA + "madeBySensor", f"<{EX}sensor/a%20b>"),
                (SOSA + "observedProperty", f"<{EX}{column}>"),
                (SOSA + "hasSimpleResult", result),
                (SOSA + "resultTime", stamp),
                (SOSA + "hasFeatureOfInterest", f"<{EX}place/a%20b>"),
            )
        ),
    ]
    assert f"<{EX}sensor/x%2Fy%2C%20z>" in text


def test_the_stream_has_an_element_for_each_row_with_a_result(tmp_path: Path) -> None:
    intake, found = run(table(tmp_path, CSV), delay=7200_000)
    assert intake.counters.elements == 3
    assert not intake.counters.bad
    results = [o for _, p, o, _ in found if p == f"<{SOSA}hasSimpleResult>"]
    assert results == [
        f'"01.50"^^<{XSD}decimal>',
        f'"7"^^<{XSD}integer>',
        f'"8"^^<{XSD}integer>',
        f'"3"^^<{XSD}decimal>',
    ]


def test_observations_may_be_elements_of_their_own(tmp_path: Path) -> None:
    mapping = replace(MAPPING, graph="observation")
    assert run(table(tmp_path, CSV), mapping, delay=7200_000)[0].counters.elements == 4


def test_a_table_may_be_sorted_by_time(tmp_path: Path) -> None:
    intake, found = run(table(tmp_path, CSV), replace(MAPPING, order="time"))
    assert (intake.counters.elements, intake.counters.late) == (3, 0)
    starts = [start for *_, start in found]
    assert starts == sorted(starts)


def test_the_stamp_may_be_the_result_time_itself(tmp_path: Path) -> None:
    predicate = SOSA + "resultTime"
    intake, _ = run(table(tmp_path, CSV), delay=7200_000, time_predicate=predicate)
    assert (intake.counters.elements, dict(intake.counters.bad)) == (3, {})


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("a,2020-01-01T00:00:00Z,x,1", "'x' is no xsd:decimal"),
        ("a,2020-01-01T00:00:00Z,1,1.5", "'1.5' is no xsd:integer"),
        ("a,yesterday,1,1", "'yesterday' is no date and time"),
        ("a,2020-01-01T00:00:00Z,1", "3 fields in place of 4"),
        ("a,2020-01-01T00:00:00Z,1,1,1", "5 fields in place of 4"),
        (b"\xff,2020-01-01T00:00:00Z,1,1", "not UTF-8"),
        ("a" * 200_000 + ",2020-01-01T00:00:00Z,1,1", "field larger than field limit"),
    ],
)
def test_a_bad_row_is_left_out_and_counted(row, reason, tmp_path: Path) -> None:
    row = row if isinstance(row, bytes) else row.encode()
    good = b"a,2020-01-01T00:00:00Z,1,1\n"
    path = table(tmp_path, b"place,when,wind,cars\n" + good + row + b"\n\n" + good)
    intake, _ = run(path)
    assert intake.counters.elements == 2
    assert intake.counters.bad == {"DAT101": 1}
    (sample,) = intake.counters.samples["DAT101"]
    assert sample.place == f"{path}:3"
    assert reason in sample.message
    with pytest.raises(BadData, match=":3: DAT101"):
        run(path, strict=True)


@pytest.mark.parametrize("size", [1 << 14, 1 << 20])
def test_a_long_field_in_quotes_is_never_read_as_rows(tmp_path: Path, size: int) -> None:
    good = b"a,2020-01-01T00:00:00Z,1,1\n"
    long = b'"' + b"x" * 200_000 + b'",2020-01-01T00:00:00Z,1,1\n'
    evil = b"\nevil,2020-01-01T00:00:00Z,5,5\n".join([b"x" * 100_000] * 3)
    evil = b'"' + evil + b'",2020-01-01T00:00:00Z,1,1\n'
    path = table(tmp_path, b"place,when,wind,cars\n" + good + long + good + evil + good)
    with small_batches(size):
        intake, _ = run(path)
    assert intake.counters.elements == 2
    assert intake.counters.bad == {"DAT101": 1, "DAT103": 1}
    (sample,) = intake.counters.samples["DAT103"]
    assert (sample.place, sample.message) == (
        f"{path}:5",
        "field larger than field limit (131072), within quotes; the rest is not read",
    )


@pytest.mark.parametrize("size", [16, 1 << 14])
def test_a_quote_that_is_not_closed_is_named_with_its_line(tmp_path: Path, size: int) -> None:
    good = b"a,2020-01-01T00:00:00Z,1,1\n"
    cut = b'"a,2020-01-01T00:00:00Z,1,1\n'
    path = table(tmp_path, b"place,when,wind,cars\n" + good + cut + good + good)
    with small_batches(size):
        intake, _ = run(path)
    assert intake.counters.elements == 1
    assert intake.counters.bad == {"DAT101": 1}
    (sample,) = intake.counters.samples["DAT101"]
    assert sample.message == "a quote that opens in line 3 or behind it is not closed"


def test_a_day_that_does_not_exist_is_a_bad_stamp(tmp_path: Path) -> None:
    path = table(tmp_path, "place,when,wind,cars\na,2020-02-30 00:00:00,1,1\n")
    intake, _ = run(path)
    assert intake.counters.bad == {"DAT203": 1}
    assert intake.counters.samples["DAT203"][0].place == f"{path}:2"


def test_headers_marks_line_ends_and_nul_bytes(tmp_path: Path) -> None:
    text = CSV.replace("\n", "\r\n").replace("a b", '"a\u2028\0b"')
    path = table(tmp_path, gzip.compress(b"\xef\xbb\xbf" + text.encode()), "a.csv.gz")
    intake, found = run(path, delay=7200_000)
    assert (intake.counters.elements, dict(intake.counters.bad)) == (3, {})
    assert any(o == f"<{EX}sensor/a%E2%80%A8%00b>" for _, _, o, _ in found)


def test_a_truncated_table_counts_up_to_there(tmp_path: Path) -> None:
    rows = "".join(f"a,2020-01-01T00:00:00Z,{i * i},{i}\n" for i in range(20_000))
    packed = gzip.compress(f"place,when,wind,cars\n{rows}".encode())
    intake, _ = run(table(tmp_path, packed[: len(packed) // 2], "a.csv.gz"))
    assert 1000 < intake.counters.elements < 19_000
    assert intake.counters.bad["DAT103"] == 1


@pytest.mark.parametrize("text", ["", "place,when\n", "\n"])
def test_a_table_without_its_columns_is_refused(text, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no column"):
        CsvSource(table(tmp_path, text), MAPPING)


def test_a_table_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        CsvSource(str(tmp_path / "missing.csv"), MAPPING)


@pytest.mark.parametrize(
    ("value", "factor", "digits", "expected"),
    [
        ("10.357019999999999", 1 / Fraction("1.15078"), 1, "9"),
        ("1048.36058", 1 / Fraction("1.15078"), 2, "911"),
        ("-1.25", Fraction(1), 1, "-1.2"),
        ("-0.04", Fraction(1), 1, "0"),
        ("2.5", Fraction(1), 0, "2"),
        (".5", Fraction(10), 2, "5"),
        ("+0.125", Fraction(1), 2, "0.12"),
    ],
)
def test_results_are_converted_exactly(value, factor, digits, expected) -> None:
    column = ResultColumn("c", EX + "c", factor=factor, digits=digits)
    assert column.result(value) == f'"{expected}"^^<{XSD}decimal>'


@pytest.mark.parametrize("value", ["", "x", "1e9", "9" * 100, "NaN", "٣"])
def test_what_is_no_number_is_not_converted(value) -> None:
    with pytest.raises(BadValue):
        ResultColumn("c", EX + "c", factor=Fraction(2)).result(value)


def test_times_are_read_by_their_pattern() -> None:
    column = TimeColumn("t", "%Y%m%d%H%M%S")
    assert column.stamp("20200101030000") == f'"2020-01-01T03:00:00Z"^^<{XSD}dateTime>'
    zoned = TimeColumn("t", "%d.%m.%Y %H:%M %z")
    assert zoned.stamp("01.02.2020 03:04 +0100") == (
        f'"2020-02-01T03:04:00+01:00"^^<{XSD}dateTime>'
    )
    assert TimeColumn("t", zone="+02:00").stamp("2020-01-01 00:00:00") == (
        f'"2020-01-01T00:00:00+02:00"^^<{XSD}dateTime>'
    )
    assert TimeColumn("t", "integer").stamp("12") == f'"12"^^<{XSD}integer>'
    for wrong in (column, zoned, TimeColumn("t", "integer")):
        with pytest.raises(BadValue):
            wrong.stamp("x")


def test_literals_and_templates() -> None:
    assert literal('a"\n', XSD + "string") == '"a\\"\\n"'
    assert literal("x", EX + "d") == f'"x"^^<{EX}d>'
    assert iri("urn:{a}:{b}!", {"a": "1 2", "b": "é>"}) == "<urn:1%202:%C3%A9%3E!>"


def test_sensors_are_told_once(tmp_path: Path) -> None:
    path = table(tmp_path, CSV)
    dictionary, counters = Dictionary(), Counters()
    rows = np.concatenate(list(read_sensors(path, MAPPING, dictionary, counters)))
    texts = dictionary.decode_many(rows.ravel())
    triples = list(zip(texts[::3], texts[1::3], texts[2::3], strict=True))
    assert len(set(triples)) == len(triples)
    assert (f"<{EX}sensor/a%20b>", f"<{SOSA}observes>", f"<{EX}wind>") in triples
    assert (f"<{EX}wind>", "<http://qudt.org/schema/qudt/hasUnit>", f"<{KNOT}>") in triples


def test_a_template_that_makes_no_iri_is_a_fault(tmp_path: Path) -> None:
    mapping = replace(MAPPING, feature="no iri {place}")
    intake, found = run(table(tmp_path, CSV), mapping, delay=7200_000)
    assert intake.counters.bad == {"DAT101": 3}
    assert not found


@pytest.mark.slow
def test_aarhus_parking_is_a_stream(test_data: Callable[[str], Path]) -> None:
    path = test_data("streams/citybench-aarhus/AarhusParkingData.stream")
    mapping = Observations(
        base=EX,
        time=TimeColumn("updatetime"),
        results=(ResultColumn("vehiclecount", EX + "vehicles", datatype=XSD + "integer"),),
        sensor=EX + "garage/{garagecode}",
    )
    intake, _ = run(str(path), mapping)
    assert (intake.counters.elements, intake.counters.late) == (55_264, 0)
    assert not intake.counters.bad
