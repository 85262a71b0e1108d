"""Columns of times: their formats, their zones, and what is said of a bad one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.time.unix_time import UNIX_FORMATS, unix_date_time
from tests.r4.sources.tables.table_run import DECIMALS, run


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
        *(
            (
                '"t"',
                number,
                f"""column t: '{number}' is no date and time of ISO 8601; format = "{unix}" \
in the mapping reads Unix time""",
            )
            for number, unix in (
                ("1781000000", "epoch"),
                ("1781000000.5", "epoch"),
                ("1781000000123", "epoch_ms"),
                ("1781000000123456", "epoch_us"),
                ("1781000000123456789", "epoch_ns"),
            )
        ),
        (
            '"t"',
            "2026-07-01",
            """column t: '2026-07-01' is no date and time of ISO 8601; a format such as \
format = "%Y-%m-%d" in the mapping reads others""",
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


@given(
    st.decimals(-(10**10), 10**11, allow_nan=False, places=6),
    st.sampled_from([0, 3, 6]),
    st.booleans(),
)
def test_unix_time_is_counted_from_1970(seconds: Decimal, places: int, signed: bool) -> None:
    number = f"{seconds.scaleb(places):f}"
    found = unix_date_time(f"+{number}" if signed and number[0] != "-" else number, places)
    since = timedelta(microseconds=int(seconds.scaleb(6)))
    due = (datetime(1970, 1, 1, tzinfo=UTC) + since).isoformat()
    assert found is not None
    assert datetime.fromisoformat(found) == datetime.fromisoformat(due)
    assert found.endswith("Z")
    assert "." not in found or found[-2] != "0"


@pytest.mark.parametrize("number", ["", "1e9", "1,5", "x", ".5", "9" * 31, "9" * 25, "٣"])
def test_what_is_no_unix_time(number: str) -> None:
    assert unix_date_time(number, 0) is None


@pytest.mark.parametrize("form", UNIX_FORMATS)
def test_a_table_may_have_unix_time(form: str, folder: Path) -> None:
    number = 1767225660 * 10 ** UNIX_FORMATS[form]
    (folder / "s.csv").write_text(f"s;t;v\na;{number};1\na;noon;2\n")
    at = '{ column = "t", format = "integer" }'
    (folder / "m.toml").write_text(DECIMALS.replace(at, f'{{ column = "t", format = "{form}" }}'))
    found = run("s.csv", "--mapping", "m.toml", "--include-input")
    assert '"at":"2026-01-01T00:01:00Z"' in found.out
    assert "s.csv:3: DAT101 column t: 'noon' is no Unix time" in found.err


@pytest.mark.parametrize("number", ["1767225660", "1767225660.0", "1.76722566e9", "176722566E+1"])
@pytest.mark.parametrize("form", ["rows", "observations"])
def test_unix_time_in_ndjson_may_have_an_exponent(number: str, form: str, folder: Path) -> None:
    """As numbers of other values may: some programs write great numbers so."""
    (folder / "s.ndjson").write_text(f'{{"s":"a","t":{number},"v":1}}\n')
    mapping = {
        "rows": DECIMALS.replace('format = "integer"', 'format = "epoch"').replace(
            "delimiter", "#"
        ),
        "observations": """[observations]
            base = "urn:ex:"
            sensor = "urn:ex:{s}"
            time = { column = "t", format = "epoch" }
            results = [{ column = "v", observes = "urn:ex:gust" }]""",
    }
    (folder / "m.toml").write_text(mapping[form])
    found = run("s.ndjson", "--mapping", "m.toml", "--include-input")
    assert '"at":"2026-01-01T00:01:00Z"' in found.out, found.err
