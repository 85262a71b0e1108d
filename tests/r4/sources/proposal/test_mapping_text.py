"""Mappings that are proposed: they can be read, read all rows, and values have their datatypes."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.rdf.documents import Format, RdfDocument
from r4.sources.proposal.mapping_text import proposed_mapping
from r4.sources.proposal.table_head import read_head
from r4.sources.tables.mapping_file import read_mapping
from rif.syntax.terms import XSD
from tests.simulation.command import call

RULES = (
    "Document(Prefix(ex <urn:ex:>) Window(1 h) Group(Forall ?x (?x[ex:q -> 1] :- ?x[ex:z -> 1])))"
)
FORMATS = {"csv": Format.CSV, "tsv": Format.TSV, "ndjson": Format.NDJSON}
TIMES = {
    "%Y-%m-%dT%H:%M:%SZ": "iso",
    "%Y-%m-%d %H:%M": "iso",
    "%d.%m.%Y %H:%M:%S": "%d.%m.%Y %H:%M:%S",
    "%m/%d/%Y %I:%M %p": "%m/%d/%Y %I:%M %p",
    "%Y/%m/%d %H:%M:%S %z": "%Y/%m/%d %H:%M:%S %z",
    "s": "epoch",
    "ms": "epoch_ms",
    "us": "epoch_us",
    "ns": "epoch_ns",
    "tick": "integer",
}
BASE = datetime(2026, 3, 17, 0, 0, tzinfo=UTC)  # a 17th is no month

KINDS: dict[str, st.SearchStrategy[str]] = {
    "integer": st.integers(-(10**9), 10**9).map(str).filter(lambda text: not text.startswith("-9")),
    "decimal": st.decimals(-1000, 1000, places=2).map(lambda number: format(abs(number), "f")),
    "double": st.tuples(st.integers(1, 9), st.integers(-5, 5)).map(
        lambda pair: f"{pair[0]}.5e{pair[1]}"
    ),
    "boolean": st.sampled_from(["true", "false"]),
    "date": st.dates(date(1990, 1, 1)).map(str),
    "dateTime": st.integers(10**9, 2 * 10**9).map(
        lambda at: datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
    ),
    "string": st.text(
        st.characters(codec="utf-8", exclude_characters="\0\r\n", exclude_categories=["Cc"]),
        min_size=1,
    ).map(lambda text: f"x {text}"),
}
WORDS = ["NA", "null", "n/a", "-", ""]


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, list[str], list[list[str]], str]:
    """The kind of times, the kinds of the columns, the rows, and what separates decimals."""
    how = draw(st.sampled_from(sorted(TIMES)))
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4))
    if how == "tick":  # a column of dates and times would be the time
        kinds = [kind for kind in kinds if kind != "dateTime"]
    count = draw(st.integers(2, 6))
    steps = draw(st.lists(st.integers(1, 500), min_size=count, max_size=count))
    words = draw(st.sampled_from(WORDS))
    places = range(count)
    columns = [draw(st.lists(KINDS[kind], min_size=count, max_size=count)) for kind in kinds]
    for kind, column in zip(kinds, columns, strict=True):
        if kind != "string":
            lost = draw(st.sets(st.sampled_from(places), max_size=count - 1))
            column[:] = [words if place in lost else text for place, text in enumerate(column)]
    comma = draw(st.sampled_from([".", ","])) if not {"double"} & {*kinds} else "."
    if comma == ",":
        for kind, column in zip(kinds, columns, strict=True):
            if kind == "decimal":
                column[:] = [text.replace(".", ",") for text in column]
    at, rows = BASE, []
    for place, step in enumerate(steps):
        at += timedelta(minutes=step)
        rows.append([shown(at, how), f"s{place % 2}", *(column[place] for column in columns)])
    if draw(st.booleans()):
        rows.reverse()
    return how, kinds, rows, comma


def shown(at: datetime, how: str) -> str:
    seconds = int(at.timestamp())
    powers = {"s": 0, "ms": 3, "us": 6, "ns": 9}
    if how == "tick":
        return str(seconds - int(BASE.timestamp()))
    return str(seconds * 10 ** powers[how]) if how in powers else at.strftime(how)


def text_of(header: list[str], rows: Sequence[Sequence[str]], form: str, delimiter: str) -> str:
    if form == "ndjson":
        lines = (json.dumps(dict(zip(header, row, strict=True))) for row in rows)
        return "".join(f"{line}\n" for line in lines)
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerows([header, *rows])
    return text.getvalue()


def proposed(path: Path, form: Format = Format.CSV) -> str:
    return proposed_mapping(read_head(RdfDocument(str(path), 1, form), 1000))


@given(tables(), st.sampled_from(sorted(FORMATS)), st.sampled_from(",;\t|"))
def test_a_proposed_mapping_reads_all_rows_and_gives_values_their_datatypes(
    tmp_path_factory: pytest.TempPathFactory,
    table: tuple[str, list[str], list[list[str]], str],
    form: str,
    delimiter: str,
) -> None:
    how, kinds, rows, comma = table
    folder = tmp_path_factory.mktemp("table")
    header = ["time", "sensor", *(f"c{place}" for place in range(len(kinds)))]
    path = folder / f"t.{form}"
    path.write_text(text_of(header, rows, form, delimiter), "utf-8")
    (folder / "r.rif").write_text(RULES)
    mapping = proposed(path, FORMATS[form])
    (folder / "m.toml").write_text(mapping, "utf-8")
    assert tomllib.loads(mapping)["rows"]["time"]["format"] == TIMES[how], mapping
    done = call(
        ["run", str(folder / "r.rif"), str(path), "--mapping", str(folder / "m.toml"),
         "--include-input"]
    )  # fmt: skip
    assert (done.code, "cannot be read" in mapping) == (0, False), (done.err, mapping)
    assert "bad" not in done.err.replace(" 0 bad", ""), (done.err, mapping)
    assert f"{len(rows)} elements" in done.err, (done.err, mapping)
    wanted = {
        (f"<urn:ex:{row[1]}>", f"<urn:ex:c{place}>", term(row[2 + place], kind, comma))
        for row in rows
        for place, kind in enumerate(kinds)
        if row[2 + place] not in WORDS
    }
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert {(line["s"], line["p"], line["o"]) for line in lines} == wanted, mapping


def term(text: str, kind: str, comma: str) -> str:
    if kind == "string":
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return f'"{text.replace(comma, ".") if kind == "decimal" else text}"^^<{XSD}{kind}>'


names = st.text(st.characters(codec="utf-8"), max_size=8) | st.sampled_from(
    ["time", "id", "value", "name", "a b (m/s)", "{x}", 'q"\\', "a:b", "a!r", "+a", "unit", "end"]
)
cells = st.text(st.characters(codec="utf-8"), max_size=8) | st.sampled_from(
    [
        "",
        "NA",
        "1",
        "-999",
        "2.5",
        "1,5",
        "007",
        "2026-03-17",
        "2026-03-17T10:00:00Z",
        "true",
        "1e5",
    ]
)


@given(
    st.lists(names, min_size=1, max_size=5).flatmap(
        lambda header: st.tuples(
            st.just(header),
            st.lists(st.lists(cells, min_size=len(header), max_size=len(header)), max_size=5),
        )
    ),
    st.sampled_from(sorted(FORMATS)),
    st.sampled_from(["utf-8", "utf-8-sig", "windows-1252"]),
)
def test_whatever_a_table_has_what_is_proposed_can_be_read(
    tmp_path_factory: pytest.TempPathFactory,
    table: tuple[list[str], list[list[str]]],
    form: str,
    encoding: str,
) -> None:
    header, rows = table
    path = tmp_path_factory.mktemp("table") / f"t.{form}"
    text = text_of(header, rows, form, "\t" if form == "tsv" else ",")
    path.write_bytes(text.replace("\0", "").encode(encoding, "replace"))
    try:
        mapping = proposed(path, FORMATS[form])
    except Exception as error:
        if "no header" in str(error) or "no line is" in str(error) or "UTF-16" in str(error):
            return
        raise
    (path.parent / "m.toml").write_text(mapping, "utf-8")
    read_mapping(str(path.parent / "m.toml"))


def rows_of(folder: Path, text: str, name: str = "t.csv", form: Format = Format.CSV) -> str:
    (folder / name).write_text(text, "utf-8")
    return proposed(folder / name, form)


def test_each_guess_has_its_reason(tmp_path: Path) -> None:
    text = (
        "station,time,gust,temp (°C),note,more\n"
        "LGA,2013-01-31 07:00:00,37,1.5,NA,\n"
        "JFK,2013-01-31 08:00:00,-999,NA,x,\n"
        "LGA,2013-01-31 07:30:00,54,2,y,\n"
    )
    found = rows_of(tmp_path, text).partition("\n")
    assert found[0].startswith("# proposed by r4 map from the first 3 rows of ")
    assert found[2] == (
        '\n[prefixes]\nex = "urn:ex:"\n\n[rows]\n'
        '# 2 different names in 3 rows\nsubject = "ex:{station}"\n'
        "# date and time of ISO 8601; they name no zone: is it UTC, or as Europe/Berlin?\n"
        'time = { column = "time", format = "iso", zone = "Z" }\n'
        "# times go back, so all rows are read and sorted\n"
        "# or were clocks put back? name the zone, as Europe/Berlin, without order\n"
        'order = "time"\n'
        "missing = []  # beside empty fields\n"
        "values = [\n"
        '  { column = "gust", predicate = "ex:gust", datatype = "xsd:integer", '
        'missing = ["-999"] },  # is -999 no value?\n'
        '  { column = "temp (°C)", predicate = "ex:temp", datatype = "xsd:decimal", '
        'missing = ["NA"] },  # perhaps in °C\n'
        '  { column = "note", predicate = "ex:note", datatype = "xsd:string" },\n'
        "  # more: no row has a value\n"
        "]\n"
    )


def test_a_long_table_has_a_template_as_predicate(tmp_path: Path) -> None:
    text = "t;site;parameter;value;unit\n1;a;pm25;1,5;µg/m3\n2;a;o3;2;ppb\n3;b;o3;NA;ppb\n"
    found = rows_of(tmp_path, text)
    assert "# a long table: parameter says what a value is: pm25, o3\n" in found
    assert "# units are in unit: µg/m3, ppb\n" in found
    read = tomllib.loads(found)["rows"]
    assert read["values"] == [
        {"column": "value", "predicate": "ex:{parameter}", "datatype": "xsd:decimal"}
    ]
    assert (read["subject"], read["decimal"], read["delimiter"]) == ("ex:{site}", ",", ";")
    assert (read["missing"], read["time"]["format"]) == (["NA"], "integer")


def test_a_table_without_times_is_static(tmp_path: Path) -> None:
    found = rows_of(tmp_path, "town,state,people\nA,X,5\nB,X,6\n")
    assert "# no column looks like a time, so rows always hold: r4 run … --static\n" in found
    assert tomllib.loads(found)["rows"]["subject"] == "ex:{town}"
    assert tomllib.loads(rows_of(tmp_path, "n\n1.5\n"))["rows"]["subject"] == "ex:t"


def test_rows_that_the_mapping_cannot_read_are_said(tmp_path: Path) -> None:
    """A column has two texts for no time, and rows without one are bad data."""
    found = rows_of(tmp_path, "id,time\na,2026-01-01T00:00:00Z\na,\n")
    assert "# 1 row of these cannot be read by it:\n#   row 2: there is no time in" in found
    assert "rows without one are bad data" in found


def test_a_name_that_two_columns_would_have_is_made_different(tmp_path: Path) -> None:
    found = rows_of(tmp_path, "a (m),a [s],,!\n1,2,3,4\n")
    predicates = [each["predicate"] for each in tomllib.loads(found)["rows"]["values"]]
    assert predicates == ["ex:a", "ex:a_2", "ex:column"]
    assert "# a column without a name\n" in found
