"""Tables on the command line: their rows are elements, or static data, by a mapping file."""

from __future__ import annotations

import bz2
import io
import json
import random
import signal
import sys
from fractions import Fraction
from functools import partial
from itertools import count
from pathlib import Path
from unittest.mock import patch

import pytest

from r4.errors import Flaw, InputError
from r4.rdf import documents
from r4.rdf.files import ByteSource
from r4.sources.tables.csv_rows import CsvRows
from r4.sources.tables.json_rows import JsonRows
from r4.sources.tables.mapping import (
    BadValue,
    Descriptions,
    Observations,
    ResultColumn,
    TimeColumn,
    ValueColumn,
)
from r4.sources.tables.mapping_file import read_mapping
from r4.sources.tables.table_row import TableRow
from r4.sources.tables.table_statements import chunk_of, description_statements
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import XSD
from tests.simulation.command import CommandOutput, call, small_batches

RULES = """Document( Prefix(ex <urn:ex:>) Window(1 h)
  Group( Forall ?a ?k (?a[ex:seen -> ?k] :- ?a[ex:gust -> ?k])
         Forall ?a ?b (?a[ex:by -> ?b] :- And(?a[ex:gust -> ?k] ?a[ex:near -> ?b]))
         Forall ?a (?a[ex:is -> "reported"] :- ?a # ex:Report) ) )""".replace(
    "?a ?b (", "?a ?b ?k ("
)
MAPPING = """
[prefixes]
ex = "urn:ex:"
[rows]
subject = "ex:{station}"
types = ["ex:Report"]
values = [
  { column = "gust", predicate = "ex:gust", datatype = "xsd:integer" },
  { predicate = "ex:near", iri = "ex:{town}" },
]
time = "time"
"""
CSV = """station,time,gust,town
LGA,2013-01-31 07:00:00,37,"Queens, NY"
JFK,2013-01-31 08:00:00,NA,
"""
NDJSON = """
{"station":"LGA","time":"2013-01-31 07:00:00","gust":37,"town":"Queens, NY","more":[1]}
{"station":"JFK","time":"2013-01-31 08:00:00","gust":null}
"""
TOLD = [
    ("07:00", "<urn:ex:LGA>", "<urn:ex:by>", "<urn:ex:Queens%2C%20NY>"),
    ("07:00", "<urn:ex:LGA>", "<urn:ex:is>", '"reported"'),
    ("07:00", "<urn:ex:LGA>", "<urn:ex:seen>", f'"37"^^<{XSD}integer>'),
    ("08:00", "<urn:ex:JFK>", "<urn:ex:is>", '"reported"'),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.rif").write_text(RULES)
    (tmp_path / "m.toml").write_text(MAPPING)
    return tmp_path


def run(*args: str, standard_input: str = "") -> CommandOutput:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(standard_input.encode())))
        return call(["run", "r.rif", *args])


def begun(found: CommandOutput) -> list[tuple[str, ...]]:
    lines = [json.loads(line) for line in found.out.splitlines()]
    return [
        (line["at"][11:16], line["s"], line["p"], line["o"]) for line in lines if line["op"] == "+"
    ]


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


def test_a_table_without_a_mapping_is_wrong_usage(folder: Path) -> None:
    (folder / "s.csv").write_text(CSV)
    for found in (run("s.csv"), run("--static", "s.csv")):
        assert found.code == 2
        assert "s.csv: CSV needs --mapping FILE (docs/tables.md)\n" in found.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "the header is 'a,b'\n"),
        ("station;gust;time\n", "'station;gust;time': delimiter = \";\" in the mapping"),
        ("station\tgust\n", 'delimiter = "\\t" in the mapping separates its columns'),
        ("", "there is no header\n"),
    ],
)
def test_a_header_without_a_column_is_shown(folder: Path, text: str, said: str) -> None:
    (folder / "s.csv").write_text(text)
    found = run("s.csv", "--mapping", "m.toml")
    assert found.code == 2
    err = " ".join(found.err.split())
    assert "s.csv: there is no column " in err
    assert " ".join(said.split()) in err


DECIMALS = """
[rows]
subject = "urn:ex:{s}"
values = [{ column = "v", predicate = "urn:ex:gust", datatype = "xsd:decimal" }]
time = { column = "t", format = "integer" }
delimiter = ";"
"""


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
    assert "are a stream" in run("--static", "s.csv", "--mapping", "t.toml").err


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


def test_only_members_that_are_needed_are_held() -> None:
    (row,) = JsonRows(["a"]).read(b'{"a":1,"b":"\\ud800","c":{"d":2}}\n')
    assert (row.fields, row.why) == ({"a": "1"}, "")


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_malformed_rows_that_come_again_have_places_of_their_own(form: str) -> None:
    """Rows, and what is wrong with them, are the same however many lines are read at once."""
    rng = random.Random(3)  # noqa: S311 - no secret
    lines = {
        "csv": [b"1,2", b"y, ", b"y", b"", b"1,2,3", b'"1\n",2', b"\xff,1", b'"', b'",3', b"1\r,2"],
        "ndjson": [b'{"a":1}', b"}}", b"{", b" ", b"", b'{"a":[1]}', b"\xff", b"[1]", b"}}\r"],
    }[form]
    text = b"".join(rng.choice(lines) + b"\n" for _ in range(800)) + b"y"
    whole, single = (CsvRows("t", ["a"]) if form == "csv" else JsonRows(["a"]) for _ in range(2))
    head = b"a,b\n" if form == "csv" else b""
    found = whole.read(head + text) + whole.read(b"", final=True)
    expected = [row for line in (head + text).splitlines(True) for row in single.read(line)]
    expected += single.read(b"", final=True)
    assert found == expected
    assert (whole.line, len(found)) == (single.line, found[-1].number)
    assert sum(1 for row in found if row.flaw) > 200


def test_rows_that_the_dictionary_refuses_are_faults_among_the_others() -> None:
    """A chunk of many rows has the statements and faults of chunks of one row each, in order."""
    mapping = Descriptions(
        "urn:s{a}", values=(ValueColumn("b", "urn:p"), ValueColumn("a", "urn:q"))
    )
    rng = random.Random(8)  # noqa: S311 - no secret
    values = ["v", "w", "\x00", "", "no row"]
    rows = []
    for number in range(1, 200):
        flaw, why = (Flaw.SYNTAX, f"no row {number}") if rng.random() < 0.2 else (Flaw.NONE, "")
        fields = {"a": rng.choice(["1", "2", "", ">"]), "b": rng.choice(values)}
        rows.append(TableRow(2 * number, number, fields, flaw, why))
    terms = Dictionary()
    make = partial(refusing_statements, mapping=mapping)
    whole = chunk_of(rows, make, terms, divided=True)
    single = [chunk_of([row], make, terms, divided=True) for row in rows]
    assert whole.rows.tolist() == [row for chunk in single for row in chunk.rows.tolist()]
    before, expected = 0, []
    for chunk in single:
        expected += [fault._replace(row=before + fault.row) for fault in chunk.faults]
        before += len(chunk.rows)
    assert whole.faults == expected
    assert len({fault.message for fault in expected}) > 30
    lines = [chunk.lines.line_of(row) for chunk in single for row in range(len(chunk.rows))]
    assert [whole.lines.line_of(row) for row in range(len(whole.rows))] == lines


def refusing_statements(row: TableRow, mapping: Descriptions) -> list[str]:
    """Some of the statements are none."""
    found = description_statements(row, mapping)
    return [*found, "<urn:s> <urn:p> .\n"] if row.fields["b"] == "no row" else found


def test_bad_rows_are_left_out_alone_with_their_lines(folder: Path) -> None:
    (folder / "s.csv").write_text(
        CSV + "LGA,yesterday,1,\nLGA,2013-01-31 09:00:00,many,\n,2013-01-31 09:00:00,1,\n1,2\n"
        'LGA,,1,\nLGA,2013-01-31 09:00:00,5,"two\nlines"\n'
    )
    found = run("s.csv", "--mapping", "m.toml")
    assert "3 elements" in found.err
    assert [line.split(": DAT101 ")[0] for line in found.err.splitlines() if "DAT101 " in line] == [
        f"s.csv:{line}" for line in (4, 5, 6, 7, 8)
    ]
    assert "<urn:ex:two%0Alines>" in found.out


@pytest.mark.parametrize("town", ["nowhere", "http://[::1/"])
def test_a_row_with_an_iri_that_is_none_is_left_out_whole(folder: Path, town: str) -> None:
    (folder / "m.toml").write_text(MAPPING.replace("ex:{town}", "{+town}"))
    rows = ["LGA,2013-01-31 07:00:00,37,urn:ex:a", f"EWR,2013-01-31 07:30:00,38,{town}"]
    rows += ["JFK,2013-01-31 08:00:00,39,urn:ex:b", "LGA,never,39,urn:ex:b"]
    (folder / "s.csv").write_text("\n".join(["station,time,gust,town", *rows]))
    found = run("s.csv", "--mapping", "m.toml")
    assert "2 elements, 8 statements;" in found.err
    assert {subject for _, subject, _, _ in begun(found)} == {"<urn:ex:LGA>", "<urn:ex:JFK>"}
    assert [line.split(": DAT101 ")[0] for line in found.err.splitlines() if "DAT101 " in line] == [
        "s.csv:3",
        "s.csv:5",
    ]


def test_a_fault_stands_behind_the_statements_of_the_rows_before_it() -> None:
    mapping = Descriptions("{+id}", types=("urn:ex:T",), values=(ValueColumn("v", "urn:ex:v"),))
    given = ["urn:a", "http://[::1/", "urn:b", "none"]
    rows = [TableRow(n + 1, n, {"id": name, "v": "1"}) for n, name in enumerate(given, 1)]
    make = partial(description_statements, mapping=mapping)
    for divided, places in ((False, [2, 4]), (True, [3, 6])):
        chunk = chunk_of(rows, make, Dictionary(), divided=divided)
        assert [fault.row for fault in chunk.faults] == places
        assert [fault.line for fault in chunk.faults] == [3, 5]
        assert len(chunk.rows) == places[-1]
        assert [chunk.lines.line_of(row) for row in (0, places[0])] == [2, 4]


def test_what_is_no_json_object_is_left_out_alone(folder: Path) -> None:
    (folder / "s.ndjson").write_text(
        NDJSON
        + '[1]\n{"gust":\n{"station":["a"],"time":"2013-01-31 09:00:00"}\n"\\ud800"\n'
        + "[" * 100_000
        + '\n{"station":"\\ud800","time":"2013-01-31 09:00:00"}\n'
    )
    found = run("s.ndjson", "--mapping", "m.toml")
    assert begun(found) == TOLD
    assert "left out: 6 × DAT101" in found.err
    assert "s.ndjson:4: DAT101 no JSON object" in found.err
    assert "s.ndjson:6: DAT101 station is an array" in found.err


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
    ],
)
def test_a_mapping_that_is_wrong_is_refused_with_its_place(
    folder: Path, text: str, why: str
) -> None:
    (folder / "w.toml").write_text(text)
    with pytest.raises(InputError, match=r"^w\.toml: ") as error:
        read_mapping("w.toml")
    assert why in str(error.value)


def test_a_mapping_that_is_not_there_is_wrong_usage(folder: Path) -> None:
    (folder / "s.csv").write_text(CSV)
    found = run("s.csv", "--mapping", "none.toml")
    assert (found.code, "none.toml: No such file" in found.err) == (2, True)
    found = run("s.csv", "--mapping", "m.toml=t.csv")
    assert "t.csv is no input of this run" in found.err


def test_a_time_may_have_no_seconds(folder: Path) -> None:
    texts = ["2026-07-01 11:00", "2026-07-01T11:00+02:00", "2026-07-01 11:00:00.5Z"]
    rows = "".join(f"a;{text};{n}\n" for n, text in enumerate(texts))
    (folder / "s.csv").write_text(f"s;t;v\n{rows}")
    mapping = DECIMALS.replace('{ column = "t", format = "integer" }', '"t"')
    (folder / "m.toml").write_text(mapping + 'order = "time"\n')
    found = run("s.csv", "--mapping", "m.toml", "--include-input")
    assert ", 0 bad" in found.err
    stamps = ("09:00:00Z", "11:00:00Z", "11:00:00.5Z")
    assert [f'"at":"2026-07-01T{each}"' in found.out for each in stamps] == [True] * 3


def test_an_offset_may_have_no_colon_or_no_minutes(folder: Path) -> None:
    texts = ["2026-07-01 11:00:00+01", "2026-07-01T11:00-0330", "2026-07-01 11:00:00.5-03:30"]
    rows = "".join(f"a;{text};{n}\n" for n, text in enumerate(texts))
    (folder / "s.csv").write_text(f"s;t;v\n{rows}")
    (folder / "m.toml").write_text(DECIMALS.replace('{ column = "t", format = "integer" }', '"t"'))
    found = run("s.csv", "--mapping", "m.toml", "--include-input")
    assert ", 0 bad" in found.err
    stamps = ("10:00:00Z", "14:30:00Z", "14:30:00.5Z")
    assert [f'"at":"2026-07-01T{each}"' in found.out for each in stamps] == [True] * 3


@pytest.mark.parametrize(
    ("value", "pattern"),
    [
        ("1.7.2026 11:00+0100", "%d.%m.%Y %H:%M%z"),
        ("1.7.2026 11:00:30 +01:00", "%d.%m.%Y %H:%M:%S %z"),
        ("1.7.2026 11:00Z", "%d.%m.%Y %H:%M%z"),
    ],
)
def test_a_pattern_with_a_zone_is_proposed_where_there_is_one(
    folder: Path, value: str, pattern: str
) -> None:
    (folder / "s.csv").write_text(f"s;t;v\na;{value};1\n")
    at = '{ column = "t", format = "integer" }'
    blank = " " * pattern.count(" %z")
    (folder / "m.toml").write_text(DECIMALS.replace(at, '"t"'))
    assert f'format = "%Y-%m-%d %H:%M{blank}%z" in the mapping reads others\n' in (
        run("s.csv", "--mapping", "m.toml").err
    )
    without = pattern.replace("%z", "").rstrip()
    (folder / "m.toml").write_text(
        DECIMALS.replace(at, f'{{ column = "t", format = "{without}" }}')
    )
    assert f"is no time of the format '{without}'; %z in it reads the zone\n" in (
        run("s.csv", "--mapping", "m.toml").err
    )
    (folder / "m.toml").write_text(
        DECIMALS.replace(at, f'{{ column = "t", format = "{pattern}" }}')
    )
    assert ", 0 bad" in run("s.csv", "--mapping", "m.toml").err


@pytest.mark.parametrize(
    ("time", "value", "said"),
    [
        (
            '"t"',
            "1.7.2026 11:00",
            """column t: '1.7.2026 11:00' is no date and time of ISO 8601; a format such as \
format = "%Y-%m-%d %H:%M" in the mapping reads others""",
        ),
        (
            '{ column = "t", format = "%Y-%m-%d" }',
            "2026-07-01x",
            "column t: '2026-07-01x' is no time of the format '%Y-%m-%d'",
        ),
        ('{ column = "t", format = "integer" }', "x", "column t: 'x' is no xsd:integer"),
    ],
)
def test_a_bad_time_is_shown_as_it_stands_with_its_column(
    folder: Path, time: str, value: str, said: str
) -> None:
    (folder / "s.csv").write_text(f"s;t;v\na;{value};1\n")
    mapping = DECIMALS.replace('{ column = "t", format = "integer" }', time)
    (folder / "m.toml").write_text(mapping)
    assert f"s.csv:2: DAT101 {said}\n" in run("s.csv", "--mapping", "m.toml").err


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
