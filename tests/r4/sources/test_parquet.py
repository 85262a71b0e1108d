"""Parquet files as streams: answers of another run, triples with times, tables by a mapping."""

from __future__ import annotations

import json
import tracemalloc
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.rdf.documents import Format, RdfDocument
from r4.sources.formats import RdfSource
from r4.stream.source import StreamOptions
from rete.arrays.state_codec import StateReader
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import XSD
from tests.simulation.command import CommandOutput, call

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
parquet = pytest.importorskip("r4.sources.parquet")

RULES = """Document( Prefix(ex <urn:ex:>) Window(5)
  Group( Forall ?a ?k (?a[ex:seen -> ?k] :- ?a[ex:gust -> ?k]) ) )"""
SECOND = RULES.replace("ex:gust", "ex:seen").replace("ex:seen -> ?k] :-", "ex:told -> ?k] :-")
AT = "<http://www.w3.org/ns/prov#generatedAtTime>"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.rif").write_text(RULES)
    (tmp_path / "b.rif").write_text(SECOND)
    return tmp_path


def run(*args: str, rules: str = "r.rif") -> CommandOutput:
    return call(["run", rules, *args, "--drain"])


def lines(found: CommandOutput) -> list[tuple[Any, ...]]:
    read = [json.loads(line) for line in found.out.splitlines()]
    return [(line["op"], line["at"], line["s"], line["o"]) for line in read]


def write(name: str, **columns: Any) -> None:
    pq.write_table(pa.table(columns), name)


def test_triples_hold_from_a_time_for_the_window_or_up_to_another() -> None:
    terms = {
        "s": ["<urn:ex:a>", "_:b", "<urn:ex:a>", "urn:ex:a", None],
        "p": ["<urn:ex:gust>"] * 5,
        "o": ['"1"', '"x"@en', '"2"', '"3"', '"4"'],
    }
    write("s.parquet", **terms, **{"from": [1, 1, 3, 4, 4], "until": [None, None, 4, None, None]})
    found = run("s.parquet")
    assert lines(found) == [
        ("+", 1, "<urn:ex:a>", '"1"'),
        ("+", 1, "_:d1_b", '"x"@en'),
        ("+", 3, "<urn:ex:a>", '"2"'),
        ("-", 4, "<urn:ex:a>", '"2"'),
        ("-", 6, "<urn:ex:a>", '"1"'),
        ("-", 6, "_:d1_b", '"x"@en'),
    ]
    assert "2 × DAT101" in found.err


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_times_may_be_timestamps(zone: str | None) -> None:
    time = datetime(2020, 1, 1, 12, tzinfo=UTC)
    times = pa.array([time if zone else time.replace(tzinfo=None)], pa.timestamp("us", zone))
    write("s.parquet", s=["<urn:ex:a>"], p=["<urn:ex:gust>"], o=['"1"'], **{"from": times})
    assert lines(run("s.parquet"))[0][1] == "2020-01-01T12:00:00Z"


@pytest.mark.parametrize("semantics", ["facts", "instances"])
def test_answers_of_another_run_mean_what_their_lines_mean(folder: Path, semantics: str) -> None:
    quads = "".join(
        f'<urn:g{at}> {AT} "{at}"^^<{XSD}integer> .\n'
        f'<urn:ex:a> <urn:ex:gust> "{at % 3}" <urn:g{at}> .\n'
        for at in (1, 3, 4, 20, 21)
    )
    (folder / "s.nq").write_text(quads)
    how = ("--semantics", semantics)
    (folder / "a.jsonl").write_text(run("s.nq", *how).out)
    assert run("s.nq", *how, "--as", "parquet", "--output", "a.parquet").code == 0
    wanted = run("a.jsonl", *how, rules="b.rif")
    assert len(wanted.out.splitlines()) > 4
    assert run("a.parquet", *how, rules="b.rif").out == wanted.out


def test_columns_mean_what_a_mapping_says(folder: Path) -> None:
    write("s.parquet", id=["a", "b", "c"], gust=[1.5, None, 2.0], at=[2, 1, 3], more=[[1], [], []])
    (folder / "m.toml").write_text(
        """[rows]
        subject = "urn:ex:{id}"
        values = [{ column = "gust", predicate = "urn:ex:gust", datatype = "xsd:double" }]
        time = { column = "at", format = "integer" }
        order = "time"
        """
    )
    found = run("s.parquet", "--mapping", "m.toml")
    assert [line[:3] for line in lines(found)[:2]] == [
        ("+", 2, "<urn:ex:a>"),
        ("+", 3, "<urn:ex:c>"),
    ]
    assert "3 elements" in found.err
    (folder / "m.toml").write_text('[rows]\nsubject = "urn:{more}"\ntime = "when"')
    refused = " ".join(run("s.parquet", "--mapping", "m.toml").err.split())
    assert "there is no column when; there are id, gust, at, more" in refused
    (folder / "m.toml").write_text('[rows]\nsubject = "urn:{more}"\ntime = "at"')
    assert "DAT103" in run("s.parquet", "--mapping", "m.toml").err


def test_what_cannot_be_read_is_told(folder: Path) -> None:
    write("s.parquet", a=[1])
    found = run("s.parquet")
    assert (found.code, "there are no columns s, p, o, from" in found.err) == (2, True)
    found = run("-", "-i", "parquet")
    assert (found.code, "cannot come from standard input" in found.err) == (2, True)
    data = (folder / "s.parquet").read_bytes()
    for broken in (b"", b"PAR1", data[:-9], data[:9] + b"\0" * 30 + data[39:]):
        (folder / "t.parquet").write_bytes(broken)
        found = run("t.parquet")
        assert found.code in {2, 6}, found.err
        assert "Traceback" not in found.err
    assert run("r.rif", "--static", "s.parquet").code == 2


def test_a_saved_run_goes_on_behind_the_chunks_that_it_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("r4.sources.parquet._ROWS", 2)
    count = 7
    write(
        "s.parquet",
        s=["<urn:ex:a>"] * count,
        p=["<urn:ex:gust>"] * count,
        o=[f'"{n}"' for n in range(count)],
        **{"from": [1, 1, 1, 2, 2, 3, 3]},
    )
    terms = Dictionary()
    stamps = StreamOptions().vocabulary(terms)

    def opened() -> RdfSource:
        return RdfSource(RdfDocument("s.parquet", 1, Format.PARQUET))

    wanted = [chunk.rows.tolist() for chunk in opened().chunks(terms, stamps)]
    assert len(wanted) == 4
    source, found = opened(), []
    chunks = source.chunks(terms, stamps)
    while (chunk := next(chunks, None)) is not None:
        found.append(chunk.rows.tolist())
        saved = source.saved()
        source = opened()
        chunks = source.chunks(terms, stamps)
        source.restore(StateReader(saved))
    assert found == wanted


@pytest.mark.slow
def test_a_text_that_many_rows_share_is_held_once_and_read_in_parts() -> None:
    """A file of some kilobytes whose rows, written out, have a gigabyte."""
    count, size = 1000, 1_000_000
    text = pa.array(['"' + "x" * size + '"'])
    shared = pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), text)
    same = pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array(["<urn:a>"]))
    pq.write_table(
        pa.table({"s": same, "p": same, "o": shared, "from": [1] * count}),
        "bomb.parquet",
        compression="zstd",
    )
    assert (Path("bomb.parquet")).stat().st_size < 20_000
    tracemalloc.start()
    found = run("bomb.parquet")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found.code, ", 0 bad" in found.err) == (0, True)
    assert peak < 400_000_000


def test_a_row_group_that_is_very_long_for_its_file_is_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    count = 3000
    columns = {
        "s": ["<urn:a>"] * count,
        "p": ["<urn:ex:gust>"] * count,
        "o": ["<urn:" + "o" * 90 + ">"] * count,
        "from": [1] * count,
    }
    pq.write_table(pa.table(columns), "long.parquet", compression="zstd", use_dictionary=False)
    assert len(lines(run("long.parquet"))) == 2
    monkeypatch.setattr("r4.sources.parquet.FREE_EXPANSION", 1000)
    monkeypatch.setattr("r4.sources.parquet.MOST_EXPANDED", 3)
    refused = run("long.parquet")
    assert "--max-expanded allows more" in refused.err
    assert not refused.out
    assert len(lines(run("long.parquet", "--max-expanded", "10MB"))) == 2


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("order", ["file", "time", None])
def test_a_row_that_is_too_long_is_left_out_alone(
    place: int, order: str | None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "LONGEST", 100)
    texts = [f'"{n}"' for n in range(3)]
    texts[place] = f'"{"x" * 99}"'
    write("t.parquet", s=["<urn:a>"] * 3, p=["<urn:ex:gust>"] * 3, o=texts, **{"from": [1, 2, 3]})
    (folder / "m.toml").write_text(
        f"""[rows]
        subject = "urn:a"
        values = [{{ column = "o", predicate = "urn:ex:gust" }}]
        time = {{ column = "from", format = "integer" }}
        order = "{order}"
        """
    )
    found = run("t.parquet", *(["--mapping", "m.toml"] if order else []))
    assert f"t.parquet:{place + 1}: DAT101 a row of more than 100 characters" in found.err
    told = {line[3].count("x") for line in lines(found)}
    assert told == {0}
    assert len({line[3] for line in lines(found)}) == 2


STAMPED = """[rows]
subject = "urn:ex:{id}"
values = [{ column = "also", predicate = "urn:ex:gust", datatype = "xsd:TYPE" }]
time = { column = "at", zone = "+01:00" }
"""
UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def stamped(also: Any, at: Any, kind: str) -> list[tuple[str, str]]:
    """When each row begins, and its value."""
    write("s.parquet", id=["a"] * len(at), also=also, at=at)
    Path("m.toml").write_text(STAMPED.replace("TYPE", kind))
    found = run("s.parquet", "--mapping", "m.toml", "--include-input", "--tick", "ns")
    assert found.err.rstrip().endswith("0 bad")
    told = [json.loads(line) for line in found.out.splitlines()]
    return [
        (line["at"], line["o"].split('"')[1])
        for line in told
        if line["op"] == "+" and line["p"] == "<urn:ex:gust>"
    ]


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
@pytest.mark.parametrize("unit", UNITS)
@given(
    times=st.sets(st.integers(16 * 10**8, 19 * 10**8), min_size=1, max_size=3),
    more=st.integers(0, 10**9 - 1),
)
def test_timestamps_of_each_unit_are_stamps_and_values(
    unit: str, zone: str | None, times: set[int], more: int
) -> None:
    """By the definition: a count of units since 1970, in UTC or in the zone of the mapping."""
    digits = UNITS[unit]
    below = more // 10 ** (9 - digits)
    counts = [time * 10**digits + below for time in sorted(times)]
    column = pa.array(counts, pa.timestamp(unit, zone))
    fraction = f".{below:0{digits}d}".rstrip("0").rstrip(".") if digits else ""
    hour = 3600 if zone is None else 0
    shown = [
        f"{datetime.fromtimestamp(time - lag, UTC).replace(tzinfo=None).isoformat()}{fraction}"
        for lag in (hour, 0)
        for time in sorted(times)
    ]
    starts, values = shown[: len(times)], shown[len(times) :]
    assert stamped(column, column, "dateTime") == [
        (f"{start}Z", f"{value}{'' if zone is None else 'Z'}")
        for start, value in zip(starts, values, strict=True)
    ]


@pytest.mark.parametrize("kind", ["date32", "date64"])
def test_dates_are_stamps_of_their_first_instant_and_values(kind: str) -> None:
    column = pa.array([date(2020, 2, 28), date(2020, 2, 29)], getattr(pa, kind)())
    assert stamped(column, column, "date") == [
        ("2020-02-27T23:00:00Z", "2020-02-28"),
        ("2020-02-28T23:00:00Z", "2020-02-29"),
    ]
    Path("m.toml").write_text(
        STAMPED.replace("TYPE", "date").replace("zone =", 'format = "%Y-%m-%d", zone =')
    )
    again = run("s.parquet", "--mapping", "m.toml")
    assert lines(again)[0][1] == "2020-02-27T23:00:00Z"


def test_times_of_day_are_values() -> None:
    at = pa.array([16 * 10**8], pa.timestamp("s"))
    column = pa.array([45_296_780_000], pa.time64("us"))
    assert stamped(column, at, "time")[0][1] == "12:34:56.78"
