"""Marks of the calendar, worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from temporal.intervals.durations import DurationLiteral
from temporal.metric_rif.events import Every
from tests.oracles.events.marks import marks


def every(words: str, zone: str | None = None) -> Every:
    period, _, offset = words.partition(" offset ")
    given = [DurationLiteral(*one.split()) for one in (period, offset) if one]
    return Every(given[0], given[1] if offset else None, zone)


def millisecond(stamp: str) -> int:
    moment = datetime.fromisoformat(f"{stamp}+00:00")
    return round((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000)


@pytest.mark.parametrize(
    ("words", "low", "high", "wanted"),
    [
        ("5", -11, 9, [-10, -5, 0, 5]),
        ("5", -10, 5, [-10, -5, 0, 5]),
        ("5 offset 2", -11, 9, [-8, -3, 2, 7]),
        ("5 offset 12", -11, 9, [-8, -3, 2, 7]),
        ("1 s offset 250 ms", 0, 2000, [250, 1250]),
    ],
)
def test_marks_of_ticks_are_counted_from_0(
    words: str, low: int, high: int, wanted: list[int]
) -> None:
    assert marks(every(words), low, high) == wanted


@pytest.mark.parametrize(
    ("words", "zone", "low", "high", "wanted"),
    [
        ("6 h offset 1 h", None, "1969-12-31T00", "1969-12-31T20",
         ["1969-12-31T01", "1969-12-31T07", "1969-12-31T13", "1969-12-31T19"]),
        ("1 d offset 8 h", "Europe/Berlin", "2024-03-30T00", "2024-04-01T00",
         ["2024-03-30T07", "2024-03-31T06"]),
        # 02:30 is skipped on the 31st: the first instant after the gap is 03:00 in summer time.
        ("1 d offset 2.5 h", "Europe/Berlin", "2024-03-30T00", "2024-04-02T00",
         ["2024-03-30T01:30", "2024-03-31T01", "2024-04-01T00:30"]),
        # 02:30 comes twice on 27 October: the first one counts.
        ("1 d offset 2.5 h", "Europe/Berlin", "2024-10-26T00", "2024-10-29T00",
         ["2024-10-26T00:30", "2024-10-27T00:30", "2024-10-28T01:30"]),
        ("7 d", "America/New_York", "1969-12-20T00", "1970-01-09T00",
         ["1969-12-25T05", "1970-01-01T05", "1970-01-08T05"]),
        ("1 month", "Europe/Berlin", "2024-02-01T00", "2024-05-01T00",
         ["2024-02-29T23", "2024-03-31T22", "2024-04-30T22"]),
        ("5 month offset 1 d", None, "1969-01-01T00", "1971-01-01T00",
         ["1969-03-02T00", "1969-08-02T00", "1970-01-02T00", "1970-06-02T00", "1970-11-02T00"]),
        # A whole day is skipped in Apia: its begin is that of the next.
        ("1 d", "Pacific/Apia", "2011-12-28T12", "2012-01-01T00",
         ["2011-12-29T10", "2011-12-30T10", "2011-12-31T10"]),
    ],
)  # fmt: skip
def test_marks_of_a_calendar_are_those_of_its_clocks(
    words: str, zone: str | None, low: str, high: str, wanted: list[str]
) -> None:
    found = marks(every(words, zone), millisecond(low), millisecond(high))
    assert found == [millisecond(one) for one in wanted]


def test_marks_of_a_part_are_those_of_the_whole() -> None:
    whole = marks(every("1 d offset 3 h", "America/New_York"), 0, 10**11)
    for low, high in ((10**10, 2 * 10**10), (5 * 10**10, 10**11), (7, 86_400_000 * 5)):
        some = marks(every("1 d offset 3 h", "America/New_York"), low, high)
        assert some == [one for one in whole if low <= one <= high]
