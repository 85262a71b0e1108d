"""Rows that are malformed: each is left out alone, with its line, wherever it stands."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest

from r4.errors import Flaw
from r4.sources.tables.csv_rows import CsvRows
from r4.sources.tables.json_rows import JsonRows
from r4.sources.tables.mapping import Descriptions, TableRow, ValueColumn
from r4.sources.tables.table_statements import chunk_of, description_statements
from rete.terms.dictionary import Dictionary
from tests.r4.sources.tables.table_run import CSV, MAPPING, NDJSON, TOLD, begun, run


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
