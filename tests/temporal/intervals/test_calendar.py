"""Marks that repeat are those of the definition, looked for minute by minute."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from temporal.intervals.calendar import Calendar, UnknownZone, zone_of
from tests.oracles.streams.reports import Period, tick_of

HOUR = 3_600_000
DAY = 24 * HOUR
ZONES = (
    *("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"),
    *("Pacific/Apia", "America/Sao_Paulo", "Africa/Casablanca", "Asia/Kathmandu"),
)
YEARS = tick_of(datetime(1990, 1, 1, tzinfo=UTC)), tick_of(datetime(2060, 1, 1, tzinfo=UTC))
CHANGES = [
    datetime(2024, 3, 31, tzinfo=UTC),  # Berlin skips 02:00 to 03:00
    datetime(2024, 10, 27, tzinfo=UTC),  # and repeats it
    datetime(2011, 12, 30, tzinfo=UTC),  # Apia skips a day
    datetime(2018, 11, 4, tzinfo=UTC),  # São Paulo skips midnight
    datetime(2018, 2, 18, tzinfo=UTC),  # and repeats it
    datetime(2024, 4, 7, tzinfo=UTC),  # Lord Howe repeats half an hour
    datetime(2024, 10, 6, tzinfo=UTC),  # and skips it
]


def shown(calendar: Calendar, first: datetime, beyond: datetime) -> list[str]:
    found = calendar.between(tick_of(first), tick_of(beyond))
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return [(epoch + timedelta(milliseconds=each)).strftime("%d %H:%M") for each in found]


@given(st.integers(1, 50), st.integers(0, 120), st.integers(-200, 200), st.integers(-300, 300))
def test_marks_of_ticks_are_those_that_divide(
    every: int, offset: int, tick: int, epoch: int
) -> None:
    found = Calendar(every, offset).at_or_after(tick, epoch)
    marks = Period(every, offset).marks(tick - epoch, tick - epoch + every)
    assert found == epoch + marks[0]


@given(
    st.sampled_from(ZONES),
    st.integers(1, 3),
    st.integers(0, 30 * 12).map(lambda twelfths: twelfths * HOUR // 12),
    st.sampled_from(CHANGES).map(tick_of) | st.integers(*YEARS),
    st.integers(-3 * DAY, 3 * DAY),
)
def test_days_of_a_zone_are_those_of_the_definition(
    zone: str, every: int, offset: int, around: int, shift: int
) -> None:
    first = around + shift
    calendar = Calendar(every, offset, zone_of(zone))
    wanted = Period(every, offset, zone).marks(first, first + 2 * DAY)
    assert list(calendar.between(first, first + 2 * DAY + 1)) == wanted


@given(
    st.sampled_from(ZONES),
    st.integers(1, 14),
    st.integers(0, 40 * 24).map(lambda hours: hours * HOUR),
    st.integers(*YEARS),
)
def test_months_of_a_zone_are_those_of_the_definition(
    zone: str, every: int, offset: int, first: int
) -> None:
    calendar = Calendar(every, offset, zone_of(zone), in_months=True)
    wanted = Period(every, offset, zone, months=True).marks(first, first + 45 * DAY)
    assert list(calendar.between(first, first + 45 * DAY + 1)) == wanted


def test_a_skipped_time_is_the_end_of_the_gap_and_a_repeated_one_its_first() -> None:
    half_past_two = Calendar(1, 5 * HOUR // 2, zone_of("Europe/Berlin"))
    spring = datetime(2024, 3, 30, tzinfo=UTC)
    assert shown(half_past_two, spring, spring + timedelta(days=3)) == [
        *("30 01:30", "31 01:00", "01 00:30")
    ]
    autumn = datetime(2024, 10, 26, tzinfo=UTC)
    assert shown(half_past_two, autumn, autumn + timedelta(days=3)) == [
        *("26 00:30", "27 00:30", "28 01:30")
    ]


def test_days_that_a_zone_skips_make_one_mark() -> None:
    begin = datetime(2011, 12, 29, tzinfo=UTC)
    midnights = Calendar(1, 0, zone_of("Pacific/Apia"))
    assert shown(midnights, begin, begin + timedelta(days=3)) == [
        "29 10:00",
        "30 10:00",
        "31 10:00",
    ]


@pytest.mark.parametrize("per_second", [1000, 10**6, 10**9])
def test_a_finer_tick_has_the_same_marks_exactly(per_second: int) -> None:
    below = per_second // 1000
    zone = zone_of("Europe/Berlin")
    fine = Calendar(1, 5 * HOUR // 2 * below + 1, zone, per_second=per_second)
    coarse = Calendar(1, 5 * HOUR // 2, zone)
    for day in range(10):
        tick = tick_of(datetime(2024, 3, 28, tzinfo=UTC)) + day * DAY
        mark = coarse.at_or_after(tick)
        is_skipped = mark == tick_of(datetime(2024, 3, 31, 1, tzinfo=UTC))
        assert fine.at_or_after(tick * below) == mark * below + (0 if is_skipped else 1)


def test_marks_far_from_now_are_exact() -> None:
    days = Calendar(1, 0, zone_of("Europe/Berlin"))
    assert days.at_or_after(10**17) == 10**17 + 47_600_000
    cycle = 146_097 * DAY
    for tick in (tick_of(datetime(2400, 7, 1, 5, tzinfo=UTC)) + n * HOUR for n in range(30)):
        assert days.at_or_after(tick + 50 * cycle) == days.at_or_after(tick) + 50 * cycle
    early = days.at_or_after(-(10**17))
    assert 0 <= early + 10**17 < DAY
    assert days.at_or_after(early + 1) == early + DAY


@pytest.mark.parametrize("name", ["Europe/Nowhere", "", "../etc/passwd", "/etc/passwd", "Europe"])
def test_a_name_that_is_no_zone_is_refused(name: str) -> None:
    with pytest.raises(UnknownZone, match="is no time zone"):
        zone_of(name)
