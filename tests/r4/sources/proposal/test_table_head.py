"""The first rows of tables in all their forms."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from r4.errors import InputError
from r4.rdf.documents import Format, RdfDocument
from r4.sources.proposal.table_head import TableHead, read_head


def head(folder: Path, data: bytes, name: str = "t.csv", most: int = 1000) -> TableHead:
    form = {"csv": Format.CSV, "tsv": Format.TSV, "ndjson": Format.NDJSON}[name.split(".")[1]]
    (folder / name).write_bytes(data)
    return read_head(RdfDocument(str(folder / name), 1, form), most)


@pytest.mark.parametrize(
    ("name", "text", "delimiter"),
    [
        ("t.csv", "a,b\n1,2\n", ""),
        ("t.csv", "a;b\n1,5;2,5\n", ";"),
        ("t.csv", "a|b\n1|2\n", "|"),
        ("t.csv", "a\tb\n1\t2\n", "\t"),
        ("t.tsv", "a\tb\n1\t2\n", ""),
        ("t.tsv", "a,b\n1,2\n", ","),
        ("t.csv", 'a,"b;c;d"\n1,2\n', ""),
        ("t.csv", "a\n1\n", ""),
    ],
)
def test_the_delimiter_is_that_which_makes_columns(
    tmp_path: Path, name: str, text: str, delimiter: str
) -> None:
    found = head(tmp_path, text.encode(), name)
    assert found.delimiter == delimiter
    assert found.columns[0] == "a"
    assert len(found.rows) == 1


@pytest.mark.parametrize(
    ("data", "encoding", "field"),
    [
        ("a,b\nä,1\n".encode(), "", "ä"),
        ("a,b\nä,1\n".encode("windows-1252"), "windows-1252", "ä"),
        (b"a,b\n\x81,1\n", "iso-8859-1", "\x81"),
    ],
)
def test_the_encoding_is_one_in_which_all_bytes_are_characters(
    tmp_path: Path, data: bytes, encoding: str, field: str
) -> None:
    found = head(tmp_path, data)
    assert (found.encoding, found.fields("a")) == (encoding, [field])


def test_rows_that_are_malformed_are_left_out_and_so_are_those_behind_the_last_one_asked_for(
    tmp_path: Path,
) -> None:
    data = gzip.compress(b"a,b,a\n1,2,3\n1\n4,5,6\n7,8,9\n")
    found = head(tmp_path, data, "t.csv.gz", most=2)
    assert found.fields("a") == ["3", "6"]
    assert list(found.columns) == ["a", "b"]
    assert found.notes == ["column a is there twice, and the last one counts"]


def test_of_a_long_file_whole_lines_are_read(tmp_path: Path) -> None:
    found = head(tmp_path, b"a,b\n" + b"1,2\n" * 400_000, most=10**6)
    assert set(found.fields("b")) == {"2"}
    assert 260_000 < len(found.rows) < 270_000


def test_members_of_lines_are_columns(tmp_path: Path) -> None:
    text = b'{"a":1,"b":{"c":1e-5}}\nx\n\n{"a":null,"d":true,"e":[1],"\\ud800":1}\n'
    found = head(tmp_path, text, "t.ndjson")
    assert list(found.columns) == ["a", "b.c", "d"]
    assert [tuple(row.values()) for row in found.rows] == [
        ("1", "1e-05", ""),
        ("", "", "true"),
    ] or [[row[name] for name in found.columns] for row in found.rows] == [
        ["1", "1e-5", ""],
        ["", "", "true"],
    ]
    assert (found.each, found.notes) == ("", ["column e is an array"])


def test_an_array_of_objects_in_each_line_has_the_rows(tmp_path: Path) -> None:
    text = b'{"id":"x","data":[{"v":1},{"v":2}],"w":[1]}\n{"id":"y","data":[]}\n'
    found = head(tmp_path, text, "t.ndjson")
    assert (found.each, list(found.columns)) == ("data", ["id", "v"])
    assert [(row["id"], row["v"]) for row in found.rows] == [("x", "1"), ("x", "2")]


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("t.csv", b"", "there is no header"),
        ("t.csv", "a,b\n1,2\n".encode("utf-16"), "UTF-16"),
        ("t.csv", b"\xef\xbb\xbfsep=;\r\na;b\r\n1;2\r\n", "'sep=;' is for spreadsheets"),
        ("t.ndjson", b'[{"a":1},\n{"a":2}]', r"jq -c '\.\[\]'"),
        ("t.ndjson", b'{\n"a":1\n}', "jq -c"),
        ("t.ndjson", b"", "no line is a JSON object"),
        ("t.csv.gz", b"x", "t.csv.gz"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, name: str, data: bytes, why: str) -> None:
    with pytest.raises(InputError, match=why):
        head(tmp_path, data, name)
