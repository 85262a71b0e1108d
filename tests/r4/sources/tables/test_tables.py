"""Tables on the command line: their rows are elements, or static data, by a mapping file."""

from __future__ import annotations

import bz2
import json
import signal
import tomllib
from decimal import Decimal
from fractions import Fraction
from itertools import count
from pathlib import Path
from unittest.mock import patch
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.rdf import documents
from r4.rdf.files import ByteSource
from r4.sources.tables.mapping import (
    BadValue,
    Observations,
    ResultColumn,
    TableRow,
    ValueColumn,
)
from r4.sources.tables.mapping_file import mapping_of
from r4.sources.tables.table_statements import observed
from rif.syntax.terms import XSD
from tests.r4.sources.tables.table_run import CSV, DECIMALS, MAPPING, NDJSON, TOLD, begun, run
from tests.simulation.command import small_batches


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.csv", CSV),
        ("s.tsv", CSV.replace('"Queens, NY"', "Queens; NY").replace(",", "\t").replace(";", ",")),
        ("s.ndjson", NDJSON),
        ("s.csv.bz2", CSV),
    ],
)
def test_each_row_is_an_element(folder: Path, name: str, text: str, size: int) -> None:
    data = bz2.compress(text.encode()) if name.endswith("bz2") else text.encode()
    (folder / name).write_bytes(data)
    with small_batches(size):
        found = run(name, "--mapping", "m.toml")
    assert begun(found) == TOLD
    assert "2 elements, 6 statements;" in found.err


@pytest.mark.parametrize(("form", "text"), [("csv", CSV), ("ndjson", NDJSON)])
def test_standard_input_is_a_table_if_it_is_named_so(form: str, text: str) -> None:
    found = run("-", "-i", form, "--mapping", "m.toml=-", standard_input=text)
    assert begun(found) == TOLD


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "the header is 'a,b'\n"),
        ("station;gust;time\n", "'station;gust;time': delimiter = \";\" in the mapping"),
        ("station\tgust\n", 'delimiter = "\\t" in the mapping separates its columns'),
        ("", "there is no header\n"),
        ("sep=;\nstation;gust;time\n", "'sep=;': leave this line out, it is for spreadsheets"),
        ("sep=,\nstation,gust,time\n", "'sep=,': leave this line out, it is for spreadsheets"),
        ("stätion,gust,time\n", 'it is not UTF-8; encoding = "windows-1252" or'),
        ("station,gust\n".encode("utf-16"), "it is in UTF-16, or no text: iconv -t UTF-8 makes"),
        ("station,gust\n".encode("utf-16-be"), "it is in UTF-16, or no text: iconv -t UTF-8"),
    ],
)
def test_a_header_without_a_column_is_shown(folder: Path, text: str | bytes, said: str) -> None:
    data = text if isinstance(text, bytes) else text.encode("windows-1252")
    (folder / "s.csv").write_bytes(data)
    found = run("s.csv", "--mapping", "m.toml")
    assert found.code == 2
    err = " ".join(found.err.split())
    assert "s.csv: there is no column " in err
    assert " ".join(said.split()) in err


def test_numbers_may_have_a_decimal_comma(folder: Path) -> None:
    (folder / "s.csv").write_text("s;t;v\na;1;29,5\nb;2;30\nc;3;1.234\n")
    (folder / "m.toml").write_text(DECIMALS)
    hinted = run("s.csv", "--mapping", "m.toml")
    assert (
        "DAT101 column v: '29,5' is no xsd:decimal; decimal = \",\" in the mapping reads it"
        in hinted.err
    )
    (folder / "m.toml").write_text(DECIMALS + 'decimal = ","\n')
    found = run("s.csv", "--mapping", "m.toml", "--include-input")
    assert [each for each in ("29.5", "30", "1.234") if f'"o":"\\"{each}\\"' in found.out] == [
        "29.5",
        "30",
    ]
    assert "s.csv:4: DAT101 column v: '1.234' has a point, but decimal is ','" in found.err


def test_results_may_have_a_decimal_comma() -> None:
    column = ResultColumn("v", "urn:p", factor=Fraction(2), digits=1)
    assert column.result("29,25", ",").startswith('"58.5"')
    assert ResultColumn("v", "urn:p").result("29,5", ",").startswith('"29.5"')
    with pytest.raises(BadValue, match='decimal = ","'):
        column.result("29,5")


def test_a_row_is_an_element_with_an_end_if_the_mapping_names_one(folder: Path) -> None:
    (folder / "m.toml").write_text(MAPPING + 'until = { column = "to", format = "%H:%M %d.%m.%Y" }')
    (folder / "s.csv").write_text(
        "station,time,to,gust,town\n"
        "LGA,2013-01-31T07:00:00Z,07:30 31.01.2013,37,\n"
        "LGA,2013-01-31T10:00:00Z,,1,\n"
    )
    ends = [json.loads(line) for line in run("s.csv", "--mapping", "m.toml").out.splitlines()]
    assert [line["at"][11:16] for line in ends if line["op"] == "-"] == ["07:30", "07:30"]


def test_a_table_without_times_is_static(folder: Path) -> None:
    (folder / "m.toml").write_text(MAPPING.replace('time = "time"', ""))
    (folder / "s.csv").write_text(CSV)
    found = run("--static", "s.csv", "--mapping", "m.toml")
    assert len(found.out.splitlines()) == len(TOLD)
    assert "has no time" in run("s.csv", "--mapping", "m.toml").err
    (folder / "t.toml").write_text(MAPPING)
    refused = " ".join(run("--static", "s.csv", "--mapping", "t.toml").err.split())
    assert "are a stream" in refused
    assert "--mapping FILE=s.csv gives it a mapping of its own" in refused


def test_rows_that_are_sorted_are_never_late(folder: Path) -> None:
    header, *rows = CSV.splitlines()
    text = "\n".join([header, *reversed(rows)])
    (folder / "s.csv").write_text(text)
    assert " 1 late, 0 bad" in run("s.csv", "--mapping", "m.toml").err
    (folder / "t.toml").write_text(MAPPING + 'order = "time"')
    assert begun(run("s.csv", "--mapping", "t.toml")) == TOLD
    found = run("-", "-i", "csv", "--mapping", "t.toml", standard_input=text)
    assert found.code == 2
    assert "--delay says how late" in " ".join(found.err.split())


def test_a_table_that_is_sorted_is_bounded_like_what_is_read_whole(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "t.toml").write_text(MAPPING + 'order = "time"')
    row = CSV.splitlines()[1] + "\n"
    (folder / "s.csv.bz2").write_bytes(bz2.compress((CSV + row * 2000).encode()))
    options = ("s.csv.bz2", "--mapping", "t.toml")
    assert begun(run(*options, "--max-expanded", "1MB")) == TOLD
    found = run(*options, "--max-expanded", "50kB")
    assert found.out == ""
    assert "s.csv.bz2: DAT103 a compressed document of more than 50000 bytes" in found.err
    assert begun(run("s.csv.bz2", "--mapping", "m.toml", "--max-expanded", "50kB"))
    monkeypatch.setattr(documents, "LONGEST_WHOLE", 100)
    (folder / "s.csv").write_text(CSV + row)
    assert "DAT103 a document of more than 100 bytes" in run("s.csv", "--mapping", "t.toml").err


def test_members_of_inner_objects_are_columns_too(folder: Path) -> None:
    (folder / "m.toml").write_text(
        """[rows]
        subject = "{+device.id}"
        time = { column = "at", format = "integer" }
        [[rows.values]]
        column = "device.wind.gust"
        predicate = "<urn:ex:gust>"
        datatype = "xsd:decimal"
        """
    )
    (folder / "s.ndjson").write_text(
        '{"at":1,"device":{"id":"urn:ex:a","wind":{"gust":1.50}}}\n{"at":2,"device":{"id":"a b"}}\n'
    )
    found = run("s.ndjson", "--mapping", "m.toml", "--window", "9")
    assert json.loads(found.out)["o"] == f'"1.50"^^<{XSD}decimal>'
    assert "s.ndjson:2: DAT101 'a b' is no part of an IRI" in found.err


def test_a_state_goes_on_in_the_middle_of_a_table(folder: Path) -> None:
    lines = CSV.splitlines(keepends=True)
    whole = run("-", "-i", "csv", "--mapping", "m.toml", standard_input=CSV).out
    options = ("--state", "d", "--output", "o.jsonl", "--mapping", "m.toml")
    (folder / "s.csv").write_text("".join(lines))
    with small_batches(11):
        found = run("s.csv", *options)
    assert found.code == 0, found.err
    assert (folder / "o.jsonl").read_text() == whole


def test_a_state_goes_on_with_a_mapping_that_has_changed(folder: Path) -> None:
    options = ("s.csv", "--state", "d", "--output", "o.jsonl", "--mapping", "m.toml")
    header, first, second = CSV.splitlines(keepends=True)
    (folder / "s.csv").write_text(header + first * 20 + second.replace("NA", "39"))
    right, reads = ByteSource.read, count()

    def read(source: ByteSource) -> bytes:
        if source.name == "s.csv" and next(reads) == 5:
            signal.raise_signal(signal.SIGTERM)
        return right(source)

    with small_batches(40), patch.object(ByteSource, "read", read):
        assert run(*options).code == 143
    (folder / "m.toml").write_text(MAPPING.replace('column = "gust"', 'column = "squall"'))
    found = run(*options)
    assert (found.code, "R4416 s.csv: there is no column squall" in found.err) == (3, True)
    (folder / "m.toml").write_text(MAPPING.replace("ex:gust", "ex:near"))
    found = run(*options)
    assert found.code == 0, found.err
    told = (folder / "o.jsonl").read_text()
    assert "urn:ex:LGA" in told
    assert "37" in told
    assert "urn:ex:JFK" in told
    assert "39" not in told


def test_order_is_what_a_table_with_late_rows_needs(folder: Path) -> None:
    (folder / "s.csv").write_text("s;t;v\na;3;1\na;1;1\n")
    (folder / "m.toml").write_text(DECIMALS)
    late = run("s.csv", "--mapping", "m.toml").err
    assert (
        "late: 1 element(s) came more than the delay behind; "
        'order = "time" in the mapping of the table sorts its rows' in late
    )
    (folder / "m.toml").write_text(DECIMALS + 'order = "time"\n')
    assert "late:" not in run("s.csv", "--mapping", "m.toml").err


def test_order_is_not_what_another_stream_with_late_elements_needs(folder: Path) -> None:
    (folder / "s.csv").write_text("s;t;v\na;2;1\na;3;1\n")
    (folder / "m.toml").write_text(DECIMALS)
    at = "http://www.w3.org/ns/prov#generatedAtTime"
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    (folder / "s.nq").write_text(
        "".join(
            f'<urn:g{n}> <{at}> "{n}"^^<{integer}> .\n<urn:ex:a> <urn:ex:gust> "1" <urn:g{n}> .\n'
            for n in (2, 1)
        )
    )
    found = run("s.csv", "s.nq", "--mapping", "m.toml").err
    assert "late: 1 element(s) came more than the delay behind; with a longer --delay" in found
    (folder / "s.csv").write_text("s;t;v\na;3;1\na;1;1\n")
    assert "order = " in run("s.nq", "s.csv", "--mapping", "m.toml").err


LONG = """[rows]
subject = "urn:ex:{station}"
values = [{ column = "value", predicate = "urn:ex:{what}", datatype = "xsd:integer" }]
time = { column = "time", format = "integer" }
"""


def test_a_column_may_say_what_a_row_is_about(folder: Path) -> None:
    """A row without that says nothing; one whose word makes no name is encoded."""
    (folder / "m.toml").write_text(LONG)
    rows = "a,1,gust,7\na,2,rain now,8\na,3,,9\nb,4,gust,10\n"
    (folder / "s.csv").write_text(f"station,time,what,value\n{rows}")
    found = run("s.csv", "--mapping", "m.toml", "--include-input")
    told = [json.loads(line) for line in found.out.splitlines() if '"+"' in line]
    said = [(each["s"], each["p"]) for each in told if each["p"] != "<urn:ex:seen>"]
    assert said == [
        ("<urn:ex:a>", "<urn:ex:gust>"),
        ("<urn:ex:a>", "<urn:ex:rain%20now>"),
        ("<urn:ex:b>", "<urn:ex:gust>"),
    ]


def test_a_template_of_a_predicate_makes_an_iri(folder: Path) -> None:
    (folder / "m.toml").write_text(LONG.replace("urn:ex:{what}", "{what}"))
    (folder / "s.csv").write_text("station,time,what,value\na,1,gust,7\n")
    found = run("s.csv", "--mapping", "m.toml")
    assert "predicate: '{what}' makes no IRI" in found.err


@pytest.mark.parametrize("size", [1, 3, 1 << 20])
@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("windows-1252", "Köln"),
        ("ISO-8859-1", "Köln"),
        ("iso_8859_15", "Cœur €"),
        ("cp1251", "да"),
        ("windows-1250", "Žďár"),
        ("Windows-1253", "Αθήνα"),
        ("iso-8859-2", "Łódź"),
        ("ISO-8859-5", "Київ"),
        ("us-ascii", "Rome"),
    ],
)
def test_a_table_may_be_in_another_encoding(folder: Path, name: str, word: str, size: int) -> None:
    text = f"station,time,what,value\n{word},1,gust,7\n{word} 2,2,gust,8\n"
    (folder / "m.toml").write_text(f'{LONG}encoding = "{name}"\n')
    (folder / "s.csv").write_bytes(text.encode(name))
    with small_batches(size):
        found = run("s.csv", "--mapping", "m.toml")
    subjects = [json.loads(line)["s"] for line in found.out.splitlines()]
    assert subjects == [f"<urn:ex:{quote(each)}>" for each in (word, f"{word} 2")]


def test_a_byte_that_an_encoding_lacks_is_a_fault_of_its_row(folder: Path) -> None:
    (folder / "m.toml").write_text(f'{LONG}encoding = "windows-1252"\n')
    (folder / "s.csv").write_bytes(b"station,time,what,value\n\x81,1,gust,7\nb,2,gust,8\n")
    found = run("s.csv", "--mapping", "m.toml")
    assert "s.csv:2: DAT101 not windows-1252" in found.err
    assert len(found.out.splitlines()) == 1


def test_a_table_in_another_encoding_says_which_key_reads_it(folder: Path) -> None:
    (folder / "m.toml").write_text(LONG)
    (folder / "s.csv").write_bytes("station,time,what,value\nKöln,1,gust,7\n".encode("latin-1"))
    assert 'encoding = "windows-1252" or "iso-8859-1" in the mapping' in (
        run("s.csv", "--mapping", "m.toml").err
    )
    (folder / "m.toml").write_text(f'{LONG}encoding = "rot13"\n')
    assert (
        "encoding: 'rot13' is no encoding that is read" in run("s.csv", "--mapping", "m.toml").err
    )


ITEMS = """[rows]
each = "data.items"
subject = "urn:ex:{station}"
values = [{ column = "gust.v", predicate = "urn:ex:gust", datatype = "xsd:integer" }]
time = { column = "time", format = "integer" }
"""


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_items_of_an_array_are_rows(folder: Path, size: int) -> None:
    """An item has the members around it; what it has itself counts more. An empty one is none."""
    lines = [
        {"station": "a", "data": {"items": [{"time": 1, "gust": {"v": 7}}, {"time": 2}]}},
        {"station": "b", "time": 3, "data": {"items": []}},
        {"station": "b", "time": 3, "data": {"items": [{"gust": {"v": 8}}]}},
        {"station": "b", "data": {"items": [{"station": "c", "time": 4, "gust": {"v": 9}}]}},
        {"station": "d", "data": {"items": [5, {"time": 6, "gust": {"v": 10}}]}},
        {"station": "e", "data": {"items": {}}},
        {"station": "e"},
    ]
    (folder / "m.toml").write_text(ITEMS)
    (folder / "s.ndjson").write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    with small_batches(size):
        found = run("s.ndjson", "--mapping", "m.toml")
    told = [json.loads(line) for line in found.out.splitlines()]
    assert [(each["s"], each["at"]) for each in told if each["op"] == "+"] == [
        ("<urn:ex:a>", 1),
        ("<urn:ex:b>", 3),
        ("<urn:ex:c>", 4),
        ("<urn:ex:d>", 6),
    ]
    assert "s.ndjson:5: DAT101 an item of data.items is no object" in found.err
    assert "s.ndjson:6: DAT101 there is no array data.items" in found.err
    assert "left out: 3 × DAT101" in found.err


def test_an_array_that_is_not_asked_for_says_how_to(folder: Path) -> None:
    (folder / "s.ndjson").write_text('{"station":"a","time":"2013-01-31T07:00:00","gust":[1]}\n')
    found = run("s.ndjson", "--mapping", "m.toml")
    assert 'gust is an array; each = "gust" in the mapping reads its items' in found.err


def test_only_lines_of_json_have_arrays(folder: Path) -> None:
    (folder / "m.toml").write_text(ITEMS)
    (folder / "s.csv").write_text("station,time,gust.v\na,1,7\n")
    found = run("s.csv", "--mapping", "m.toml")
    assert "each in the mapping is for NDJSON" in found.err


def test_a_column_has_fields_of_its_own_that_stand_for_no_value(folder: Path) -> None:
    (folder / "s.csv").write_text("s,t,v,w\na,1,-999,-999\nb,2,NA,5\nc,3,7,\n")
    (folder / "m.toml").write_text(
        """[rows]
        subject = "urn:ex:{s}"
        time = { column = "t", format = "integer" }
        values = [
          { column = "v", predicate = "urn:ex:v", datatype = "xsd:integer", missing = ["-999"] },
          { column = "w", predicate = "urn:ex:w", datatype = "xsd:integer" },
        ]
        """
    )
    found = run("s.csv", "--mapping", "m.toml", "--include-input")
    told = [json.loads(line) for line in found.out.splitlines()]
    assert [(line["s"], line["p"], line["o"].partition("^")[0]) for line in told] == [
        ("<urn:ex:a>", "<urn:ex:w>", '"-999"'),
        ("<urn:ex:b>", "<urn:ex:w>", '"5"'),
        ("<urn:ex:c>", "<urn:ex:v>", '"7"'),
    ]


def test_results_have_such_fields_too() -> None:
    mapping = mapping_of(
        tomllib.loads(
            """[observations]
            base = "urn:ex:"
            sensor = "urn:ex:{s}"
            time = "t"
            results = [
              { column = "v", observes = "urn:ex:v", missing = ["-9"] },
              { column = "w", observes = "urn:ex:w" },
            ]
            """
        )
    )
    assert isinstance(mapping, Observations)
    row = TableRow(1, 1, {"s": "a", "t": "2026-07-01 11:00", "v": "-9", "w": "-9"})
    assert [key for key, _ in observed(row, mapping)] == ["1/w"]


@given(
    st.decimals(-1000, 1000, allow_nan=False, places=3),
    st.fractions(-10, 10, max_denominator=7),
    st.integers(0, 4),
)
def test_a_value_is_multiplied_and_rounded_as_a_result_is(
    number: Decimal, factor: Fraction, digits: int
) -> None:
    value = ValueColumn("c", "urn:p", XSD + "decimal", factor=factor, digits=digits)
    exact = round(Fraction(number) * factor, digits)
    lexical = value.value(format(number, "f")).split('"')[1]
    assert Fraction(lexical) == exact
    assert value.value(format(number, "f").replace(".", ","), ",").split('"')[1] == lexical


def test_a_number_that_is_multiplied_is_a_decimal_unless_its_datatype_is_said(
    folder: Path,
) -> None:
    (folder / "s.csv").write_text("s,t,v,w\na,1,10,10\n")
    (folder / "m.toml").write_text(
        """[rows]
        subject = "urn:ex:{s}"
        time = { column = "t", format = "integer" }
        values = [
          { column = "v", predicate = "urn:ex:v", factor = "0.5144", digits = 1 },
          { column = "w", predicate = "urn:ex:w", factor = 3, datatype = "xsd:integer" },
        ]
        """
    )
    found = run("s.csv", "--mapping", "m.toml", "--include-input")
    told = [json.loads(line)["o"] for line in found.out.splitlines()]
    assert told == [f'"5.1"^^<{XSD}decimal>', f'"30"^^<{XSD}integer>']
    text = (folder / "m.toml").read_text().replace('column = "v"', 'iri = "urn:{v}"')
    (folder / "m.toml").write_text(text)
    refused = run("s.csv", "--mapping", "m.toml")
    assert "rows.values[1].factor: an IRI cannot be multiplied" in refused.err


@pytest.mark.parametrize("size", [1, 2, 1 << 20])
@pytest.mark.parametrize("quote", ["", '"'])
def test_a_byte_order_mark_is_no_part_of_the_first_column(
    folder: Path, size: int, quote: str
) -> None:
    text = CSV.replace("station", f"{quote}station{quote}", 1)
    (folder / "s.csv").write_text(text, "utf-8-sig")
    with small_batches(size):
        assert begun(run("s.csv", "--mapping", "m.toml")) == TOLD
