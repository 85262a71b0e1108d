"""Mapping files: what they say, and what is refused with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.errors import InputError
from r4.sources.tables.mapping import Descriptions, Observations, TimeColumn, ValueColumn
from r4.sources.tables.mapping_file import read_mapping
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
