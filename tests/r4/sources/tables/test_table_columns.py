"""Tables that are read as columns: the chunks are those of the same tables read as rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.errors import Counters, Flaw
from r4.rdf.chunks import Chunk
from r4.rdf.documents import Format, RdfDocument
from r4.rdf.files import ByteSource
from r4.sources.tables import table_source
from r4.sources.tables.mapping import Descriptions, Observations, ResultColumn, TimeColumn
from r4.sources.tables.mapping import ValueColumn as Value
from r4.sources.tables.mapping_file import TableMapping
from r4.sources.tables.table_source import TableReader
from r4.stream.elements.segmentation import StampVocabulary
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import XSD

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
parquet = pytest.importorskip("r4.sources.parquet")
column_terms = pytest.importorskip("r4.sources.tables.column_terms")

NUMBERS = ("1", "-2", "+3", "4.50", ".5", "1e3", "5,5", "1.000,5", "x", "", "NA", "-999", " 7", "0")
TIMES = (
    *("2013-01-31 07:00:00", "2013-01-31T07:00:00", "2013-01-31 07:00", "2013-01-31 07:00:00.25"),
    *("2013-01-31 07:00:00Z", "2013-01-31T07:00:00+01:00", "2013-01-31T07:00:00-0130", "", "NA"),
    *("12013-01-31 07:00:00", "-2013-01-31 07:00:00", "31.1.2013", "2013-13-31 07:00:00", "never"),
    *("1359615600", "1359615600.5", "1359615600000", "2013-01-31T07:00:00+01", "2013-01-31"),
)
WORDS = (
    *("a", "LGA", "St. Pölten", "x/y", "a:b", "urn:ex:whole", "", "NA", "Ω", "<", "{", "a\\b"),
    *("\t", "a|b", "100%", "a'b", "#1", "\x7f", "\x01", "\u2028", "é", "http://x/%zz", "1:b"),
)
COLUMNS = {"s": WORDS, "w": WORDS, "t": TIMES, "u": TIMES, "v": NUMBERS, "n": NUMBERS}
DATATYPES = ("string", "integer", "decimal", "double", "date", "boolean")
TEMPLATES = ("urn:ex:{s}", "urn:ex:{+s}", "{+s}", "urn:{s}:{w}", "{+s}{w}", "http://x/{+w}/{s}{t}")
PREDICATES = ("urn:ex:p", "urn:ex:q", "urn:ex:{w}", "{+w}", "urn:ex:{+w}")


def mapping_by(draw: Random) -> TableMapping:
    """A mapping of the columns."""

    format_ = draw.choice(["iso", "iso", "iso", "integer", "epoch", "epoch_ms", "%d.%m.%Y"])

    def time(name: str) -> TimeColumn:
        zone = draw.choice(["Z", "+01:00", "Z", "Z", "Europe/Berlin"])
        return TimeColumn(name, format_, "Z" if format_ == "integer" else zone)

    def number() -> dict[str, Any]:
        datatype = XSD + draw.choice(DATATYPES)
        factor = draw.choice([None, None, Fraction("0.5")])
        missing = draw.choice([frozenset(), frozenset({"-999"})])
        return {"datatype": datatype, "factor": factor, "digits": 1, "missing": missing}

    common: dict[str, Any] = {
        "missing": draw.choice([frozenset({"", "NA"}), frozenset({""})]),
        "order": draw.choice(["file"] * 5 + ["time"]),
        "decimal": draw.choice([".", ".", ","]),
        "delimiter": draw.choice(["", "", ";"]),
        "encoding": draw.choice(["", "", "", "windows-1252"]),
    }
    if draw.random() < 0.4:
        results = [
            ResultColumn(name, f"urn:ex:{name}", **number())
            for name in draw.choices(["v", "n", "w"], k=draw.randint(1, 3))
        ]
        return Observations(
            *("urn:ex:", time("t"), tuple(results)),
            sensor=draw.choice(TEMPLATES),
            feature=draw.choice(["", *TEMPLATES]),
            graph=draw.choice(["row", "observation"]),
            **common,
        )
    values: list[Value] = []
    for _ in range(draw.randint(0, 3)):
        predicate = draw.choice(PREDICATES)
        if draw.random() < 0.3:
            column = draw.choice(["", "v"])
            values.append(Value(column, predicate, template=draw.choice(TEMPLATES)))
        else:
            values.append(Value(draw.choice(list(COLUMNS)), predicate, **number()))
    types = tuple(draw.sample(["urn:ex:A", "urn:ex:B"], draw.randint(0, 2)))
    until = draw.choice([None, time("u")])
    subject = draw.choice(TEMPLATES)
    return Descriptions(subject, types, tuple(values), time=time("t"), until=until, **common)


USUAL_TIMES = {"epoch": "1359615600", "epoch_ms": "1359615600000", "%d.%m.%Y": "31.1.2013"}


def fields_by(draw: Random, count: int, usual_time: str) -> list[dict[str, str]]:
    """Rows of the columns, most of which are as they should be."""
    plain = draw.choice([0.5, 0.9, 1])
    usual = {name: draw.choice(values) for name, values in COLUMNS.items()}
    usual |= {"s": "LGA", "t": usual_time, "u": usual_time, "w": "a"}
    usual |= {name: draw.choice(NUMBERS[:2]) for name in "vn"} if draw.random() < 0.7 else {}
    return [
        {
            name: usual[name] if draw.random() < plain else draw.choice(values)
            for name, values in COLUMNS.items()
        }
        for _ in range(count)
    ]


def usual_time_of(mapping: TableMapping) -> str:
    """A time that the mapping can read."""
    format_ = mapping.times[0].format
    return "7" if format_ == "integer" else USUAL_TIMES.get(format_, TIMES[0])


def csv_by(draw: Random, rows: Sequence[dict[str, str]], delimiter: str) -> bytes:
    """A table of CSV, with quotes here and there, and rows that are none."""
    names = [*COLUMNS, *draw.sample(["more", "t", "v"], draw.randint(0, 2))]
    draw.shuffle(names)
    odd = draw.choice([0, 0, 0.05])
    end = draw.choice(["\n", "\r\n"])
    lines = [delimiter.join(names)]
    for row in rows:
        fields = [row.get(name, "1") for name in names]
        written = [
            '"{}"'.format(field.replace('"', '""'))
            if draw.random() < 0.2 or delimiter in field or '"' in field
            else field
            for field in fields
        ]
        lines.append(delimiter.join(written))
        if draw.random() < odd:
            ends = (
                *("", "", "a", delimiter * 9, '"', 'a"b', '"a"b', '"a\nb"'),
                "\r",
                '"x""y"',
                "\0",
            )
            lines.append(draw.choice(ends))
    text = end.join([*lines, draw.choice(["", "x"])])
    data = text.encode(draw.choice(["utf-8"] * 4 + ["cp1252"]), "replace")
    return data + draw.choice([b"", b"\xff", b'"'])


def chunks_of(data: bytes, format_: Format, mapping: TableMapping, size: int) -> list[Chunk]:
    """What a reader makes of a table that comes in pieces."""
    Path("s").write_bytes(data)
    terms = Dictionary()
    start, end = (terms.encode(f"<urn:ex:{name}>") for name in ("start", "end"))
    reader = TableReader(
        RdfDocument("s", 3, format_), mapping, terms, StampVocabulary(start, end, -1)
    )
    return list(reader.chunks(ByteSource("s", size)))


def shown(chunks: Sequence[Chunk]) -> list[tuple[Any, ...]]:
    """All of chunks, ids included: these are given in the order of the terms."""
    return [
        (
            each.rows.tolist(),
            list(each.faults),
            [each.lines.line_of(row) for row in range(len(each.rows))],
            list(each.notes),
            each.is_partial,
        )
        for each in chunks
    ]


def compare(data: bytes, format_: Format, mapping: TableMapping, size: int, many: int) -> None:
    """The table read as rows, and as columns."""
    with patch.object(table_source, "LEAST", 1 << 62):
        expected = shown(chunks_of(data, format_, mapping, size))
    with (
        patch.object(table_source, "LEAST", 1),
        patch.object(column_terms, "MANY", many),
    ):
        assert shown(chunks_of(data, format_, mapping, size)) == expected


@given(draw=st.randoms(use_true_random=False))
def test_columns_of_csv_are_as_its_rows(draw: Random) -> None:
    mapping = mapping_by(draw)
    format_ = draw.choice([Format.CSV, Format.TSV])
    delimiter = mapping.delimiter or table_source.DELIMITERS[format_]
    rows = fields_by(draw, draw.choice([0, 1, 5, 60]), usual_time_of(mapping))
    data = csv_by(draw, rows, delimiter)
    compare(data, format_, mapping, draw.choice([50, 1000, 1 << 20]), draw.choice([1, 4, 1000]))


JSON_VALUES = (
    *('"x"', "1", "-0", "0.50", "1e3", "12345678901234567890", "null", "true", "[1]", '{"s":"y"}'),
    *('"\\u00e9"', "01", "NaN", "Inf", '"a\tb"', '"12"', "-7", "1.", '"1:2,"', "-1.5", "{}"),
)
JSON_LINES = (
    *("", " ", "[1]", "{}", '{"s":"a"', '{"s":"a"}{"s":"b"}', '{"s":"a","s":"b"}', "\r", "nothing"),
    *('{"s":"a",}', ' {"s":"a"}', '{"s":"a"} ', '{"s.t":1}', '{"s":{"t":', "[" * 2000, '{"t":7}'),
)


def ndjson_by(draw: Random, rows: Sequence[dict[str, str]]) -> bytes:
    """Rows as lines of NDJSON, with numbers and others, and lines that are none."""
    odd, rare = draw.choice([0, 0, 0.05]), draw.choice([0, 0, 0.02])
    space = draw.choice(["", " "])
    types = {name: draw.choice(["text", "number", "more"]) for name in COLUMNS}
    numbers = draw.choice([["1", "-2", "17"], ["1", "null", "-2"], ["1", "0.50", "-2.25"]])
    lines: list[str] = []
    for row in rows:
        members = {
            name: draw.choice(JSON_VALUES)
            if draw.random() < rare
            else draw.choice(numbers)
            if types[name] == "number" and name in "vn"
            else json.dumps(field, ensure_ascii=draw.random() < rare)
            for name, field in row.items()
            if draw.random() > rare
        } | draw.choice([{}, {"more": '[1,{"s":2}]'}, {"z": '"1:2,"'}])
        inner = f",{space}".join(f'"{name}":{space}{value}' for name, value in members.items())
        lines.append(f"{{{inner}}}")
        if draw.random() < odd:
            lines.append(draw.choice(JSON_LINES))
    return "\n".join([*lines, draw.choice(["", '{"s":'])]).encode() + draw.choice([b"", b"\xff\n"])


@given(draw=st.randoms(use_true_random=False))
def test_columns_of_ndjson_are_as_its_rows(draw: Random) -> None:
    mapping = mapping_by(draw)
    plain = [
        {name: field.replace("\\", "").replace("\t", "") for name, field in row.items()}
        for row in fields_by(draw, draw.choice([1, 5, 60]), usual_time_of(mapping))
    ]
    data = ndjson_by(draw, plain)
    size, many = draw.choice([200, 1000, 1 << 20]), draw.choice([1, 4, 1000])
    compare(data, Format.NDJSON, mapping, size, many)


def parquet_by(draw: Random, rows: Sequence[dict[str, str]]) -> Any:
    """Rows as a table of Arrow: columns of texts, and of other types in their place."""
    count = len(rows)
    kinds: dict[str, list[Any]] = {
        "t": [
            pa.array(draw.choices([*range(-9, 9), None, 10**6], k=count), pa.timestamp("ms")),
            pa.array(draw.choices(range(9), k=count), pa.timestamp("us", "Europe/Berlin")),
            pa.array(draw.choices([*range(9), None], k=count), pa.date32()),
        ],
        "v": [
            pa.array(draw.choices([1, -7, None, 2**60], k=count), pa.int64()),
            pa.array(draw.choices([1.5, -0.0, 0.0, None, 1e300], k=count), pa.float64()),
            pa.array(draw.choices([True, False, None], k=count), pa.bool_()),
            pa.array(draw.choices([100, -205, None], k=count), pa.int64()).cast(
                pa.decimal128(20, 1)
            ),
        ],
        "s": [pa.array(draw.choices([1, 2, None], k=count), pa.int8())],
    }
    kinds["u"], kinds["n"] = kinds["t"], kinds["v"]
    columns: dict[str, Any] = {}
    for name in COLUMNS:
        texts = pa.array([row[name] or None for row in rows], pa.string())
        plain = draw.choice([texts, texts.dictionary_encode()])
        is_plain = draw.random() < 0.5
        columns[name] = plain if is_plain else draw.choice([plain, *kinds.get(name, [])])
    return pa.table(columns)


@given(draw=st.randoms(use_true_random=False))
def test_columns_of_parquet_are_as_its_rows(draw: Random) -> None:
    mapping = mapping_by(draw)
    rows = fields_by(draw, draw.choice([1, 5, 60]), usual_time_of(mapping))
    pq.write_table(parquet_by(draw, rows), "s", row_group_size=draw.choice([7, 1000]))
    batch, many = draw.choice([5, 4096]), draw.choice([1, 4, 1000])

    def chunks() -> list[Any]:
        terms = Dictionary()
        start, end = (terms.encode(f"<urn:ex:{name}>") for name in ("start", "end"))
        document = RdfDocument("s", 3, Format.PARQUET)
        vocabulary = StampVocabulary(start, end, -1)
        reader = parquet.ParquetReader(document, mapping, terms, vocabulary)
        return shown(list(reader.chunks(ByteSource("s"))))

    with patch.object(parquet, "_ROWS", batch), patch.object(column_terms, "MANY", many):
        found = chunks()
        with patch.object(parquet, "column_statements", lambda *_: None):
            assert found == chunks()


@given(draw=st.randoms(use_true_random=False))
def test_columns_of_static_data_are_as_its_rows(draw: Random) -> None:
    """Ids and faults of a static table are the same, too."""
    mapping = mapping_by(draw)
    if not isinstance(mapping, Descriptions):
        return
    mapping = replace(mapping, time=None, until=None, order="file")
    rows = fields_by(draw, draw.choice([1, 60]), TIMES[0])
    Path("s").write_bytes(csv_by(draw, rows, mapping.delimiter or ","))
    many = draw.choice([1, 1000])
    assert static_of(mapping, 1, many) == static_of(mapping, 1 << 62, many)


def static_of(mapping: TableMapping, least: int, many: int) -> list[Any]:
    """The triples of a static table, and what is counted."""
    counters = Counters()
    with (
        patch.object(table_source, "LEAST", least),
        patch.object(column_terms, "MANY", many),
        patch.object(table_source, "mapping_for", lambda _: mapping),
    ):
        document = RdfDocument("s", 3, Format.CSV)
        rows = list(table_source.read_static_table(document, Dictionary(), counters))
    return [*(each.tolist() for each in rows), counters.bad, list(counters.samples)]


def test_a_text_of_parquet_that_is_not_utf_8_is_damage_as_in_rows() -> None:
    texts = pa.array([b"a", b"\xff"]).view(pa.string())
    pq.write_table(pa.table({"s": texts, "t": [1, 2]}), "s")
    mapping = Descriptions("urn:ex:{s}", time=TimeColumn("t", "integer"))
    terms = Dictionary()
    stamps = StampVocabulary(terms.encode("<urn:ex:start>"), terms.encode("<urn:ex:end>"), -1)
    document = RdfDocument("s", 1, Format.PARQUET)
    reader = parquet.ParquetReader(document, mapping, terms, stamps)
    (chunk,) = reader.chunks(ByteSource("s"))
    assert [each.flaw for each in chunk.faults] == [Flaw.CUT_SHORT]
