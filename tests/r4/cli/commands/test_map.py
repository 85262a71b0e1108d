"""``r4 map``: a mapping that is proposed, on standard output."""

from __future__ import annotations

import io
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from r4.cli import DONE, USAGE
from tests.simulation.command import call

CSV = "id,time,v\na,2026-03-17T10:00:00Z,1\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(CSV, "utf-8")


def test_what_is_proposed_is_toml_that_a_run_takes() -> None:
    done = call(["map", "t.csv"])
    assert (done.code, done.err) == (DONE, "")
    assert tomllib.loads(done.out)["rows"]["subject"] == "ex:{id}"
    Path("m.toml").write_text(done.out, "utf-8")
    Path("r.rif").write_text(
        "Document(Prefix(ex <urn:ex:>) Window(1 h) "
        "Group(Forall ?x ?v (?x[ex:has -> ?v] :- ?x[ex:v -> ?v])))"
    )
    assert '"p":"<urn:ex:has>"' in call(["run", "r.rif", "t.csv", "--mapping", "m.toml"]).out


def test_a_format_may_be_named_and_standard_input_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CSV.encode())))
    assert '"ex:{id}"' in call(["map", "-", "-i", "csv"]).out
    Path("t.json").write_text('{"id":"a","v":1}\n', "utf-8")
    assert '"ex:{id}"' in call(["map", "t.json"]).out


def test_rows_are_the_first_ones_alone() -> None:
    Path("t.csv").write_text("v\n1\n1.5\n", "utf-8")
    assert "xsd:integer" in call(["map", "t.csv", "--rows", "1"]).out
    assert "xsd:decimal" in call(["map", "t.csv"]).out


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["none.csv"], "none.csv"),
        (["t.nq"], "no table is known by its suffix"),
        (["t.csv", "-i", "nquads"], "nquads"),
        (["t.csv", "--rows", "0"], "rows"),
        (["-", "-i", "parquet"], "cannot come from standard input"),
        (["t.csv", "-i", "parquet"], "t.csv: "),
    ],
)
def test_what_is_no_table_is_wrong_usage(args: list[str], why: str) -> None:
    pytest.importorskip("pyarrow")
    done = call(["map", *args])
    assert (done.code, done.out) == (USAGE, "")
    assert why in done.err


def test_columns_of_parquet_have_their_types() -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    times = [datetime(2026, 3, 17, 10, tzinfo=UTC), datetime(2026, 3, 17, 11, tzinfo=UTC)]
    columns = {
        "at": pa.array(times, pa.timestamp("us", "UTC")),
        "id": ["a", "a"],
        "v": [1.5, None],
        "day": pa.array([times[0].date()] * 2, pa.date32()),
        "more": [[1], []],
    }
    pq.write_table(pa.table(columns), "t.parquet")
    done = call(["map", "t.parquet"])
    assert "# column more has no single values\n" in done.out
    read = tomllib.loads(done.out)["rows"]
    assert read["time"] == {"column": "at", "format": "iso"}
    assert [each["datatype"] for each in read["values"]] == ["xsd:decimal", "xsd:date"]
    Path("m.toml").write_text(done.out, "utf-8")
    Path("r.rif").write_text(
        "Document(Prefix(ex <urn:ex:>) Window(1 h) "
        "Group(Forall ?x ?v (?x[ex:has -> ?v] :- ?x[ex:v -> ?v])))"
    )
    run = call(["run", "r.rif", "t.parquet", "--mapping", "m.toml"])
    assert "2 elements" in run.err
    assert "0 bad" in run.err


def test_parquet_that_is_very_large_for_its_file_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"v": ["o" * 90] * 3000}), "t.parquet", use_dictionary=False)
    assert call(["map", "t.parquet"]).code == DONE
    monkeypatch.setattr("r4.sources.parquet.FREE_EXPANSION", 1000)
    monkeypatch.setattr("r4.sources.parquet.MOST_EXPANDED", 3)
    done = call(["map", "t.parquet"])
    assert (done.code, "a row group of " in done.err) == (USAGE, True)
