"""Times of named zones: what clocks show, in order, tells the instants."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Literal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.sources.tables.local_times import LocalTimes
from r4.sources.tables.mapping import Descriptions, TableRow, TimeColumn, ValueColumn

Fold = Literal["", "first", "second"]
OVERLAPS = {
    "Europe/Berlin": ("2026-10-25T01:00", 60),
    "America/New_York": ("2026-11-01T06:00", 60),
    "America/St_Johns": ("2026-11-01T04:30", 60),
    "Australia/Lord_Howe": ("2026-04-04T15:00", 30),
    "America/Havana": ("2026-11-01T05:00", 60),
    "America/Sao_Paulo": ("2019-02-17T02:00", 60),
    "Pacific/Apia": ("2021-04-03T14:00", 60),
}
"""The instant in UTC at which clocks go back, and by how many minutes."""


def mapping(
    zone: str, fold: Fold = "", format_: str = "iso", *, until: bool = False
) -> Descriptions:
    values = (ValueColumn("v", "urn:{property}"),)
    end = TimeColumn("u", format_, zone, fold) if until else None
    return Descriptions(
        "urn:{s}", values=values, time=TimeColumn("t", format_, zone, fold), until=end
    )


def rows_of(times: Sequence[tuple[str, str]]) -> list[TableRow]:
    """Rows with a time of something each."""
    return [
        TableRow(number, number, {"s": thing, "t": time, "v": "1", "property": "p"})
        for number, (thing, time) in enumerate(times, 2)
    ]


def instants(local: LocalTimes, rows: Sequence[TableRow], column: str = "t") -> list[datetime]:
    return [
        datetime.fromisoformat(row.fields[column]).astimezone(UTC) for row in local.resolved(rows)
    ]


def shown(instant: datetime, zone: str) -> str:
    return instant.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M:%S")


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, list[tuple[str, datetime]]]:
    """A zone, and what is measured there regularly while clocks go back, in order."""
    zone = draw(st.sampled_from(sorted(OVERLAPS)))
    change, minutes = OVERLAPS[zone]
    step = draw(st.sampled_from([each for each in (1, 7, 15, 20, 30, 60) if each <= minutes]))
    begin = datetime.fromisoformat(change).replace(tzinfo=UTC) - timedelta(hours=2)
    begin += timedelta(minutes=draw(st.integers(0, 59)))
    things = draw(st.sampled_from([["a"], ["a", "b"], ["a", "b", "c"]]))
    moments = [begin + timedelta(minutes=n * step) for n in range(300 // step)]
    if draw(st.booleans()):
        return zone, [(thing, moment) for thing in things for moment in moments]
    return zone, [(thing, moment) for moment in moments for thing in draw(st.permutations(things))]


@given(table=tables(), cuts=st.lists(st.integers(0, 900), max_size=3))
def test_what_clocks_show_in_order_is_when_it_was(
    table: tuple[str, list[tuple[str, datetime]]], cuts: list[int]
) -> None:
    """Also if reading stops in between and goes on from its state."""
    zone, measured = table
    rows = rows_of([(thing, shown(moment, zone)) for thing, moment in measured])
    local = LocalTimes(mapping(zone))
    found: list[datetime] = []
    bounds = sorted({0, *(min(cut, len(rows)) for cut in cuts), len(rows)})
    told = 0
    for first, last in pairwise(bounds):
        found += instants(local, rows[first:last])
        told += len(local.told())
        later = LocalTimes(mapping(zone))
        later.restore(local.saved())
        local = later
    assert found == [moment for _, moment in measured]
    assert told == 1


@given(
    zone=st.sampled_from(sorted(zone for zone, (_, minutes) in OVERLAPS.items() if minutes == 60)),
    step=st.integers(2, 20),
    phases=st.lists(st.integers(0, 19 * 60), min_size=2, max_size=5),
)
def test_rounds_whose_rows_are_not_quite_in_order_tell_it_too(
    zone: str, step: int, phases: list[int]
) -> None:
    """Each round reads all things in one order, each with a time of its own within the round."""
    begin = datetime.fromisoformat(OVERLAPS[zone][0]).replace(tzinfo=UTC) - timedelta(hours=2)
    measured = [
        (f"s{thing}", begin + timedelta(minutes=number * step, seconds=phase % (60 * step)))
        for number in range(300 // step)
        for thing, phase in enumerate(phases)
    ]
    rows = rows_of([(thing, shown(moment, zone)) for thing, moment in measured])
    local = LocalTimes(mapping(zone))
    found = instants(local, rows[:40])
    later = LocalTimes(mapping(zone))
    later.restore(local.saved())
    assert found + instants(later, rows[40:]) == [moment for _, moment in measured]


@pytest.mark.parametrize(
    ("zone", "fold", "time", "instant"),
    [
        ("Europe/Berlin", "", "2026-07-01 12:00", "2026-07-01T10:00Z"),
        ("Europe/Berlin", "", "2026-01-01 12:00:30.125", "2026-01-01T11:00:30.125Z"),
        ("Europe/Berlin", "", "2026-10-25 02:15", "2026-10-25T00:15Z"),
        ("Europe/Berlin", "first", "2026-10-25 02:15", "2026-10-25T00:15Z"),
        ("Europe/Berlin", "second", "2026-10-25 02:15", "2026-10-25T01:15Z"),
        ("Europe/Berlin", "second", "2026-10-25 03:15", "2026-10-25T02:15Z"),
        ("Europe/Berlin", "second", "2026-10-25 01:59", "2026-10-24T23:59Z"),
        ("Europe/Berlin", "", "2026-10-25T02:15:00+01:00", "2026-10-25T01:15Z"),
        ("Europe/Berlin", "", "2026-10-25T02:15:00Z", "2026-10-25T02:15Z"),
        ("Europe/Berlin", "", "2026-03-29 02:30", "2026-03-29T01:30Z"),
        ("Europe/Berlin", "first", "2026-03-29 02:30", "2026-03-29T01:30Z"),
        ("Europe/Berlin", "second", "2026-03-29 02:30", "2026-03-29T00:30Z"),
        ("Europe/Berlin", "", "2026-03-29 03:00", "2026-03-29T01:00Z"),
        ("America/New_York", "", "2026-11-01 01:30", "2026-11-01T05:30Z"),
        ("America/New_York", "second", "2026-11-01 01:30", "2026-11-01T06:30Z"),
        ("America/New_York", "", "2026-03-08 02:30", "2026-03-08T07:30Z"),
        ("Asia/Kolkata", "", "2026-03-08 02:30", "2026-03-07T21:00Z"),
        ("Asia/Kathmandu", "second", "2026-03-08 05:45", "2026-03-08T00:00Z"),
        ("Australia/Lord_Howe", "second", "2026-04-05 01:45", "2026-04-04T15:15Z"),
        ("UTC", "", "2026-10-25 02:15", "2026-10-25T02:15Z"),
        ("Europe/Berlin", "", "1890-01-01 00:00", "1889-12-31T23:06:32Z"),
        ("CET", "", "2026-07-01 12:00", "2026-07-01T10:00Z"),
    ],
)
def test_a_local_time_alone(zone: str, fold: Fold, time: str, instant: str) -> None:
    found = instants(LocalTimes(mapping(zone, fold)), rows_of([("a", time)]))
    assert found == [datetime.fromisoformat(instant)]


def test_rows_of_one_time_about_several_properties_are_one_time() -> None:
    local = LocalTimes(mapping("Europe/Berlin"))
    rows = [
        TableRow(number, number, {"s": "a", "t": f"2026-10-25 0{hour}:00", "v": "1", "property": p})
        for number, (hour, p) in enumerate(
            [(1, "p"), (1, "q"), (2, "p"), (2, "q"), (2, "p"), (2, "q"), (3, "p")]
        )
    ]
    assert [f"{each:%H}" for each in instants(local, rows)] == [
        "23",
        "23",
        "00",
        "00",
        "01",
        "01",
        "02",
    ]


@pytest.mark.parametrize(
    ("fold", "time", "told"),
    [
        ("", "2026-10-25 02:15", "comes twice in Europe/Berlin: the order of rows says which"),
        ("first", "2026-10-25 02:15", None),
        (
            "",
            "2026-03-29 02:30",
            "comes never in Europe/Berlin: it is read as 2026-03-29T02:30:00+01:00",
        ),
        ("second", "2026-03-29 02:30", "it is read as 2026-03-29T02:30:00+02:00"),
        ("", "2026-07-01 02:30", None),
    ],
)
def test_times_that_come_twice_or_never_are_told_once(
    fold: Fold, time: str, told: str | None
) -> None:
    local = LocalTimes(mapping("Europe/Berlin", fold))
    local.resolved(rows_of([("a", time), ("b", time)]))
    notes = local.told()
    assert [note.line for note in notes] == ([] if told is None else [2])
    assert all((told or "") in note.message for note in notes)
    assert not local.told()


@pytest.mark.parametrize(
    ("begin", "end", "instant"),
    [
        ("2026-10-25 01:00", "2026-10-25 02:15", "2026-10-25T00:15Z"),
        ("2026-10-25 02:30", "2026-10-25 02:15", "2026-10-25T01:15Z"),
        ("2026-10-25 02:15", "2026-10-25 02:15", "2026-10-25T01:15Z"),
        ("2026-10-25 01:00", "2026-10-25 03:15", "2026-10-25T02:15Z"),
    ],
)
def test_an_end_is_the_first_instant_behind_its_start(begin: str, end: str, instant: str) -> None:
    local = LocalTimes(mapping("Europe/Berlin", until=True))
    row = TableRow(2, 2, {"s": "a", "t": begin, "u": end, "v": "1", "property": "p"})
    assert instants(local, [row], "u") == [datetime.fromisoformat(instant)]


def test_the_end_of_a_day_may_be_its_hour_24() -> None:
    (row,) = LocalTimes(mapping("Europe/Berlin")).resolved(rows_of([("a", "2026-06-30 24:00")]))
    assert row.fields["t"] == "2026-06-30T24:00:00+02:00"


def test_a_pattern_and_a_value_that_is_none() -> None:
    local = LocalTimes(mapping("Europe/Berlin", format_="%d.%m.%Y %H:%M"))
    good, bad, missing = local.resolved(
        rows_of([("a", "01.07.2026 12:00"), ("a", "2026-07-01 12:00"), ("a", "")])
    )
    assert good.fields["t"] == "2026-07-01T12:00:00+02:00"
    assert "is no time of the format '%d.%m.%Y %H:%M'" in bad.why
    assert not missing.flaw


@pytest.mark.parametrize("time", ["-0044-03-15 12:00", "12026-01-01 12:00", "2026-02-30 12:00"])
def test_a_year_or_day_that_no_zone_knows_is_a_flaw_of_its_row(time: str) -> None:
    (row,) = LocalTimes(mapping("Europe/Berlin")).resolved(rows_of([("a", time)]))
    assert "is no local time of the years 1 to 9999" in row.why
