"""Mapping files: what they say, and what is refused with its place."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.errors import InputError
from r4.sources.tables.json_rows import JsonRows
from r4.sources.tables.mapping import (
    BadValue,
    Descriptions,
    Observations,
    TableRow,
    TimeColumn,
    ValueColumn,
    literal,
)
from r4.sources.tables.mapping_file import BadMapping, mapping_of, read_mapping
from r4.sources.tables.table_statements import observation_statements
from rif.syntax.terms import XSD
from tests.r4.sources.tables.table_run import CSV, run


def test_a_table_without_a_mapping_is_wrong_usage(folder: Path) -> None:
    (folder / "s.csv").write_text(CSV)
    for found in (run("s.csv"), run("--static", "s.csv")):
        assert found.code == 2
        assert "s.csv: CSV needs --mapping FILE (docs/tables.md)\n" in found.err


def test_a_mapping_is_read_as_the_values_that_it_names(folder: Path) -> None:
    assert read_mapping("m.toml") == Descriptions(
        subject="urn:ex:{station}",
        types=("urn:ex:Report",),
        values=(
            ValueColumn("gust", "urn:ex:gust", XSD + "integer"),
            ValueColumn("", "urn:ex:near", template="urn:ex:{town}"),
        ),
        delimiter="",
        time=TimeColumn("time"),
    )
    (folder / "o.toml").write_text(
        """[observations]
        base = "urn:ex:"
        time = { column = "t", zone = "+01:00" }
        sensor = "urn:ex:{id}"
        results = [{ column = "c", observes = "urn:ex:p", factor = "0.5", digits = 1 }]
        """
    )
    found = read_mapping("o.toml")
    assert isinstance(found, Observations)
    assert (found.time.zone, found.results[0].result("5")) == ("+01:00", f'"2.5"^^<{XSD}decimal>')


def _observed(keys: str) -> str:
    observes = "" if "observes" in keys else "observes = 'urn:p', "
    results = f"results = [{{ column = 'c', {observes}{keys} }}]"
    return f"[observations]\nbase = 'urn:a'\ntime = 't'\nsensor = 'urn:b'\n{results}"


def _timed(keys: str) -> str:
    return f"[rows]\nsubject = 'urn:{{a}}'\ntime = {{ column = 't', {keys} }}"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "write either [rows] or [observations]"),
        ("[rows]\n[observations]", "write either"),
        ("[row]", "row: there is no such key; did you mean rows?"),
        ("[rows]", "rows.subject: there is no such key"),
        (
            "[rows]\nsubject = 'urn:{a}'\n" + "".join(f"{k}=1\n" for k in "hgfedcba"),
            "rows.a: there",
        ),
        ("[rows]\nsubject = 'urn:{a'", "rows.subject: 'urn:{a'"),
        ("[rows]\nsubject = 'urn:{}'", "write {column}"),
        ("[rows]\nsubject = 'urn:{a!r}'", "write {column}"),
        ("[rows]\nsubject = 'urn:{a}'\nvalues = 1", "rows.values: 1 is no array"),
        ("[rows]\nsubject = 'urn:{a}'\nvalues = [1]", "rows.values: item 1 is no table"),
        (
            "[rows]\nsubject = 'urn:{a}'\nvalues = [{ column = 'b', predicat = 'urn:p' }]",
            "rows.values[1].predicate: there is no such key",
        ),
        (
            "[rows]\nsubject = 'urn:{a}'\nvalues = [{ column = 'b', predicate = 'p', x = 1 }]",
            "'p' is no absolute IRI",
        ),
        ("[rows]\nsubject = 'urn:{a}'\nuntil = 'b'", "a row has an end, but no time"),
        ("[rows]\nsubject = 'urn:{a}'\norder = 'up'", "'up' is none of file, time"),
        ("[rows]\nsubject = 'urn:{a}'\ndelimiter = '||'", "no single character"),
        ("[observations]\nbase = 'urn:a'\nsensor = 'urn:b'", "observations.time"),
        ("rows = 1\n\nx = ", "Invalid value"),
        (_observed("digits = -5"), "results[1].digits: '-5' is none of 0 to 30"),
        (_observed("digits = 31"), "results[1].digits: '31' is none of 0 to 30"),
        (_observed("digits = 1.5"), "results[1].digits: '1.5' is no number"),
        (_observed("factor = '1e99999999'"), "results[1].factor: '1e99999999' is too long, or has"),
        (_observed("factor = '1e-0100'"), "has an exponent beyond 99"),
        (_observed("factor = 'x'"), "results[1].factor: 'x' is no number"),
        (_observed("factor = '1/0'"), "results[1].factor: '1/0' is no number"),
        (_observed("factor = nan"), "results[1].factor: 'nan' is no number"),
        (_observed(f"factor = '{'9' * 61}'"), "is too long"),
        (_observed("observes = 'urn:a b'"), "'urn:a b' is no absolute IRI"),
        ("[observations]\nbase = 'urn:a'\ntime = 't'\nsensor = 'urn:b'", "results: there are none"),
        ("[rows]\nsubject = '{a}'", "rows.subject: '{a}' makes no IRI"),
        ("[rows]\nsubject = 'urn:a b{a}'", "makes no IRI"),
        ("[rows]\nsubject = 'town/{a}'", "makes no IRI"),
        (_timed("format = '%d.%m.%Y %d'"), "rows.time.format: '%d.%m.%Y %d' is no format of times"),
        (_timed("format = '%Q'"), "is no format of times: 'Q' is a bad directive"),
        (_timed("format = '%Y %'"), "is no format of times"),
        (_timed("format = 'ISO'"), "as it has no year"),
        (_timed("format = '%H:%M'"), "as it has no year"),
        (
            _timed("zone = 'Europe/Berln'"),
            "or a name such as Europe/Berlin; did you mean Europe/Berlin?",
        ),
        (_timed("zone = 'Berlin'"), "rows.time.zone: 'Berlin' is no zone: write Z, +hh:mm, or a"),
        (_timed("zone = ''"), "rows.time.zone: '' is no zone"),
        (_timed("zone = '../etc'"), "rows.time.zone: '../etc' is no zone"),
        (_timed("zone = 'UTC', format = 'integer'"), "rows.time.zone: ticks have none"),
        (_timed("fold = 'first'"), "rows.time.fold: only a zone with a name"),
        (_timed("zone = 'UTC', fold = 'last'"), "rows.time.fold: 'last' is none of"),
        (_timed("zone = '+15:00'"), "rows.time.zone: '+15:00' is no zone"),
    ],
)
def test_a_mapping_that_is_wrong_is_refused_with_its_place(
    folder: Path, text: str, why: str
) -> None:
    (folder / "w.toml").write_text(text)
    with pytest.raises(InputError, match=r"^w\.toml: ") as error:
        read_mapping("w.toml")
    assert why in str(error.value)


TIME_FORMATS = (
    *("%Y-%m-%d %H:%M", "%d.%m.%y", "%Y-%m", "%Y%m%dT%H%M%S%z", "%b %d %Y %I:%M %p", "%j %Y"),
    *("%A %d %B %Y", "%c", "%x %X", "%Y-%m-%d %H:%M:%S.%f", "%d/%m/%Y", "%G-W%V-%u"),
)


@pytest.mark.parametrize("text", TIME_FORMATS)
def test_formats_of_times_that_strptime_reads_are_taken(folder: Path, text: str) -> None:
    (folder / "w.toml").write_text(_timed(f"format = '{text}'"))
    found = read_mapping("w.toml")
    assert isinstance(found, Descriptions)
    assert found.time == TimeColumn("t", text)


PIECES = [
    "%d",
    "%m",
    "%Y",
    "%H",
    "%z",
    "%Z",
    "%%",
    "%G",
    "%V",
    "%u",
    "%y",
    "%c",
    " ",
    "-",
    "%",
    "é",
]
NUMBERS = ["", "-", "1", "0", "9" * 30, ".", "e", "E", "+", "/", "_", "99", "inf", "nan", "x"]
VALUES = [
    "",
    "1",
    "-1.5",
    "1e-05",
    "1E+3",
    "1e999",
    "1e1000",
    ".",
    "NA",
    "x",
    "9" * 70,
    "01.02.2013 1",
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
    st.lists(st.sampled_from(NUMBERS), max_size=5).map("".join),
    st.lists(st.sampled_from(NUMBERS), max_size=3).map("".join),
    st.sampled_from(VALUES),
    st.sampled_from(VALUES),
)
def test_a_mapping_is_refused_when_it_is_loaded_or_each_value_is_read_or_bad(
    time_format: str, factor: str, digits: str, value: str, stamp: str
) -> None:
    observations = {
        "base": "urn:b:",
        "sensor": "urn:s:{id}",
        "time": {"column": "t", "format": time_format},
        "results": [{"column": "v", "observes": "urn:p", "factor": factor, "digits": digits}],
    }
    try:
        mapping = mapping_of({"observations": observations})
    except BadMapping:
        return
    assert isinstance(mapping, Observations)
    row = TableRow(2, 1, {"id": "a", "t": stamp, "v": value})
    with contextlib.suppress(BadValue):
        observation_statements(row, mapping)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("1e-05", "0.00001"),
        ("-1.5E+3", "-1500"),
        ("5e1", "50"),
        ("1e-0007", "0.0000001"),
        ("0.5", "0.5"),
        ("5", "5"),
    ],
)
def test_a_number_of_ndjson_may_have_an_exponent_where_a_decimal_is_due(
    value: str, shown: str
) -> None:
    (row,) = JsonRows({"a", "b"}, {"a"}).read(f'{{"a":{value},"b":{value}}}\n'.encode())
    assert row.fields == {"a": shown, "b": value}
    assert literal(row.fields["a"], XSD + "decimal") == f'"{shown}"^^<{XSD}decimal>'


@pytest.mark.parametrize("value", ["1e1000", "1e-9999", "1e99999999"])
def test_an_exponent_of_more_than_three_digits_is_no_decimal(value: str) -> None:
    (row,) = JsonRows({"a"}, {"a"}).read(f'{{"a":{value}}}\n'.encode())
    with pytest.raises(BadValue, match="no xsd:decimal"):
        literal(row.fields["a"], XSD + "decimal")


def test_a_text_with_an_exponent_is_no_decimal() -> None:
    (row,) = JsonRows({"a"}, {"a"}).read(b'{"a":"1e-05"}\n')
    assert row.fields == {"a": "1e-05"}


def test_a_mapping_that_is_not_there_is_wrong_usage(folder: Path) -> None:
    (folder / "s.csv").write_text(CSV)
    found = run("s.csv", "--mapping", "none.toml")
    assert (found.code, "none.toml: No such file" in found.err) == (2, True)
    found = run("s.csv", "--mapping", "m.toml=t.csv")
    assert "t.csv is no input of this run" in found.err
