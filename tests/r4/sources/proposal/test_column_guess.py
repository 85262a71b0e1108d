"""Datatypes of columns, and fields that stand for no value."""

from __future__ import annotations

import pytest

from r4.sources.proposal.column_guess import guess_column, guess_decimal


@pytest.mark.parametrize(
    ("fields", "datatype", "missing", "sentinel"),
    [
        (["1", "-2", "+3"], "integer", (), ""),
        (["1", "2.5", ".5"], "decimal", (), ""),
        (["1", "2.5e3"], "double", (), ""),
        (["1", "2", "INF"], "double", (), ""),
        (["1", "NaN"], "integer", ("NaN",), ""),
        (["1", "", "NULL", "n/a", "n/a"], "integer", ("NULL", "n/a"), ""),
        (["007", "12"], "string", (), ""),
        (["1", "mq", "2.5", "mq", "NA"], "decimal", ("NA", "mq"), ""),
        (["1", "mq", "qm", "2"], "string", (), ""),
        (["1", "mq", "1"], "string", (), ""),
        (["true", "false", "-"], "boolean", ("-",), ""),
        (["True", "False"], "string", (), ""),
        (["2026-03-17"], "date", (), ""),
        (["2026-02-30"], "string", (), ""),
        (["2026-03-17T10:00:00"], "dateTime", (), ""),
        (["a", "NA"], "string", (), ""),
        (["NA", ""], "", ("NA",), ""),
        (["", ""], "", (), ""),
        (["20", "-999", "-30"], "integer", (), "-999"),
        (["20", "-999.0"], "integer", (), "-999.0"),
        (["-800", "-999"], "integer", (), ""),
        (["-99", "-999", "5"], "integer", (), ""),
        (["-999", "-999"], "integer", (), ""),
    ],
)
def test_fields_say_what_a_column_has(
    fields: list[str], datatype: str, missing: tuple[str, ...], sentinel: str
) -> None:
    found = guess_column("c", fields, ".")
    assert (found.datatype, found.missing, found.sentinel) == (datatype, missing, sentinel)


@pytest.mark.parametrize(
    ("columns", "decimal"),
    [
        ([["1,5", "2"], ["x"]], ","),
        ([["1,5"], ["2.5"]], "."),
        ([["1"], ["a,b"]], "."),
        ([["1,5", "x"]], "."),
        ([["1,5", "mq", "2,5"]], ","),
        ([[]], "."),
    ],
)
def test_decimals_have_a_comma_if_no_number_has_a_point(
    columns: list[list[str]], decimal: str
) -> None:
    assert guess_decimal(columns) == decimal


def test_with_a_decimal_comma_numbers_with_points_are_texts() -> None:
    assert guess_column("c", ["1,5", "2"], ",").datatype == "decimal"
    assert guess_column("c", ["1.500"], ",").datatype == "string"
    assert guess_column("c", ["1,5", "x"], ".").reason == "numbers with commas among others"
