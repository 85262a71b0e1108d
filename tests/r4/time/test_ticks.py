"""Stamps and durations are exact, and whole columns say what single stamps say."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from r4.time import ticks
from r4.time.stamp_columns import GOOD, NOT_A_STAMP, OUT_OF_RANGE, read_texts
from r4.time.ticks import (
    MOST,
    BadDuration,
    FinerThanTick,
    Kind,
    NotAStamp,
    OutOfRange,
    Stamp,
    TickUnit,
    TimeScale,
)
from rif.syntax.terms import XSD

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
UNITS: tuple[TickUnit, ...] = ("ms", "us", "ns")


def date_time(lexical: str, datatype: str = "dateTime") -> str:
    return f'"{lexical}"^^<{XSD}{datatype}>'


def integer(lexical: str, datatype: str = "integer") -> str:
    return f'"{lexical}"^^<{XSD}{datatype}>'


@given(st.dates())
def test_days_are_those_of_the_calendar(day: date) -> None:
    count = (day - EPOCH.date()).days
    assert ticks.days(day.year, day.month, day.day) == count
    assert ticks.date(count) == (day.year, day.month, day.day)


@given(st.integers(-(10**12), 10**12))
def test_dates_and_days_are_inverse_in_all_years(count: int) -> None:
    assert ticks.days(*ticks.date(count)) == count


@given(
    moment=st.datetimes(),
    zone=st.integers(-14 * 60, 14 * 60),
    digits=st.text("0123456789", max_size=12),
    unit=st.sampled_from(["ms", "us"]),
)
def test_a_stamp_is_its_instant_rounded_down(moment, zone, digits, unit) -> None:
    moment = moment.replace(microsecond=0)
    sign, minutes = "-" if zone < 0 else "+", abs(zone)
    lexical = f"{moment:%m-%dT%H:%M:%S}"
    fraction = f".{digits}" if digits else ""
    text = f"{moment.year:04d}-{lexical}{fraction}{sign}{minutes // 60:02d}:{minutes % 60:02d}"
    scale = TimeScale(unit)
    seconds = (moment.replace(tzinfo=UTC) - EPOCH) // timedelta(seconds=1) - zone * 60
    exact = (seconds + Fraction(f"0.{digits}0")) * scale.per_second
    stamp = scale.stamp(date_time(text))
    below = Fraction(f"0.{stamp.rest}0") if stamp.rest else Fraction(0)
    assert stamp.tick + below == exact
    assert 0 <= below < 1
    assert stamp.rest == stamp.rest.rstrip("0")


@given(tick=st.integers(-MOST, MOST), unit=st.sampled_from(UNITS))
def test_the_text_of_a_tick_reads_as_that_tick(tick, unit) -> None:
    scale = TimeScale(unit)
    assert scale.stamp(date_time(scale.text(tick))) == Stamp(Kind.DATE_TIME, tick)


@pytest.mark.parametrize(
    ("lexical", "text"),
    [
        ("2024-02-29T24:00:00Z", "2024-03-01T00:00:00Z"),
        ("2024-12-31T24:00:00.00", "2025-01-01T00:00:00Z"),
        ("2024-01-01T00:00:00", "2024-01-01T00:00:00Z"),
        ("2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00.5Z"),
        ("2024-01-01T00:00:00.0019Z", "2024-01-01T00:00:00.001Z"),
        ("2024-01-01T00:00:00+14:00", "2023-12-31T10:00:00Z"),
        ("2024-01-01T00:00:00-13:59", "2024-01-01T13:59:00Z"),
        ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
        ("-0001-12-31T23:59:59.9999Z", "-0001-12-31T23:59:59.999Z"),
        ("12024-01-01T00:00:00Z", "12024-01-01T00:00:00Z"),
        ("-12024-02-29T00:00:00Z", "-12024-02-29T00:00:00Z"),
    ],
)
def test_date_times_read_and_print(lexical, text) -> None:
    scale = TimeScale()
    assert scale.text(scale.stamp(date_time(lexical)).tick) == text


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (date_time("2017-04-18T17:24:00+02:00", "dateTimeStamp"), "2017-04-18T15:24:00Z"),
        (date_time("2017-04-18T10:26:00.5-05:00", "dateTimeStamp"), "2017-04-18T15:26:00.5Z"),
        (date_time("2024-02-29", "date"), "2024-02-29T00:00:00Z"),
        (date_time("2024-02-29Z", "date"), "2024-02-29T00:00:00Z"),
        (date_time("2024-03-01+05:30", "date"), "2024-02-29T18:30:00Z"),
        (date_time("2024-05", "gYearMonth"), "2024-05-01T00:00:00Z"),
        (date_time("2024-05-05:00", "gYearMonth"), "2024-05-01T05:00:00Z"),
        (date_time("-0001", "gYear"), "-0001-01-01T00:00:00Z"),
        (date_time("2024Z", "gYear"), "2024-01-01T00:00:00Z"),
        ('"2024-05-06T07:08:09Z"^^<https://schema.org/DateTime>', "2024-05-06T07:08:09Z"),
        ('"2024-05-06T07:08:09"^^<http://schema.org/DateTime>', "2024-05-06T07:08:09Z"),
        ('"2024-05-06"^^<https://schema.org/Date>', "2024-05-06T00:00:00Z"),
        ('"2024-05-06T07:08:09Z"^^<https://schema.org/Date>', "2024-05-06T07:08:09Z"),
        ('"2024-05-06"^^<https://schema.org/DateTime>', "2024-05-06T00:00:00Z"),
        ('"2024-05+02:00"^^<http://schema.org/Date>', "2024-04-30T22:00:00Z"),
        ('"2024-05-06T07:08:09Z"^^<https://uri.etsi.org/ngsi-ld/DateTime>', "2024-05-06T07:08:09Z"),
    ],
)
def test_days_months_years_and_types_of_others_are_instants(term, text) -> None:
    scale = TimeScale()
    assert scale.text(scale.stamp(term).tick) == text


@given(
    day=st.dates(date(1000, 1, 1), date(9998, 12, 31)),
    zone=st.sampled_from(["", "Z", "+05:30", "-14:00"]),
    datatype=st.sampled_from(["date", "gYearMonth", "gYear"]),
    unit=st.sampled_from(["ms", "us"]),
)
def test_an_inclusive_end_is_the_first_instant_behind_its_date(
    day: date, zone: str, datatype: str, unit: TickUnit
) -> None:
    form, later = {
        "date": ("%Y-%m-%d", day + timedelta(days=1)),
        "gYearMonth": ("%Y-%m", (day.replace(day=28) + timedelta(days=4)).replace(day=1)),
        "gYear": ("%Y", date(day.year + 1, 1, 1)),
    }[datatype]
    term = date_time(f"{day:{form}}{zone}", datatype)
    behind = date_time(f"{later}T00:00:00{zone}")
    scale = TimeScale(unit, inclusive_dates=True)
    assert scale.end(term) == scale.stamp(behind) == scale.end(behind)
    assert scale.stamp(term) == TimeScale(unit).stamp(term) == TimeScale(unit).end(term)


def test_an_inclusive_end_may_be_out_of_range_and_in_years_of_any_length() -> None:
    scale = TimeScale(inclusive_dates=True)
    for text, behind in {"-0001": "0000", "12024": "12025", "0000": "0001"}.items():
        due = scale.stamp(date_time(behind, "gYear"))
        assert scale.end(date_time(text, "gYear")) == due
    last = TimeScale("ns", inclusive_dates=True)
    last.stamp(date_time("2056", "gYear"))
    with pytest.raises(OutOfRange):
        last.end(date_time("2056", "gYear"))
    with pytest.raises(NotAStamp):
        scale.end(date_time("2024-13", "gYearMonth"))


@pytest.mark.parametrize(
    "term",
    [
        *map(
            date_time,
            (
                "2024-12-31T23:59:60Z",
                "2023-02-29T00:00:00Z",
                "2100-02-29T00:00:00Z",
                "2024-04-31T00:00:00Z",
                "2024-13-01T00:00:00Z",
                "2024-01-00T00:00:00Z",
                "2024-01-01T24:00:01Z",
                "2024-01-01T00:00:00+14:01",
                "2024-01-01T00:00:00.Z",
                "2024-01-01T00:00Z",
                "2024-01-01 00:00:00Z",
                " 2024-01-01T00:00:00Z",
                "02024-01-01T00:00:00Z",
                "24-01-01T00:00:00Z",
                "٢٠٢٤-01-01T00:00:00Z",
                "2024-01-01T00:00:00Z\\n",
                "",
            ),
        ),
        date_time("2024-01-01T00:00:00", "dateTimeStamp"),
        date_time("2024-01", "date"),
        date_time("2024-02-30", "date"),
        date_time("2024-01-01T00:00:00Z", "date"),
        date_time("2024-01-01", "gYearMonth"),
        date_time("2024-13", "gYearMonth"),
        date_time("2024-01", "gYear"),
        date_time("2024+15:00", "gYear"),
        date_time("01", "gMonth"),
        '"2024-02-30"^^<https://schema.org/DateTime>',
        '"2024-13"^^<https://schema.org/Date>',
        '"07:08:09Z"^^<https://schema.org/Date>',
        '"2024-05-06"^^<https://schema.org/Time>',
        *map(integer, ("", "+", "1.0", "1e3", "x", " 1", "٣")),
        integer("-1", "nonNegativeInteger"),
        integer("0", "positiveInteger"),
        integer("128", "byte"),
        integer("1", "decimal"),
        '"1"',
        '"1"@en',
        "<urn:x>",
        "_:b",
    ],
)
def test_what_is_no_stamp(term) -> None:
    with pytest.raises(NotAStamp):
        TimeScale().stamp(term)


@pytest.mark.parametrize(
    "term",
    [
        integer(str(2**60 + 1)),
        integer("-" + "9" * 10_000),
        integer(str(2**64 - 1), "unsignedLong"),
        date_time("99999999999-01-01T00:00:00Z"),
        date_time("9" * 10_000 + "-01-01T00:00:00Z"),
    ],
)
def test_absurd_stamps_are_out_of_range(term) -> None:
    with pytest.raises(OutOfRange):
        TimeScale().stamp(term)


def test_integers_are_ticks_whatever_their_type_and_spelling() -> None:
    scale = TimeScale()
    for term in (integer("7"), integer("+7"), integer("0" * 9000 + "7"), integer("7", "byte")):
        assert scale.stamp(term) == Stamp(Kind.INTEGER, 7)
    assert scale.stamp(integer("-0")).tick == 0
    assert scale.stamp(integer(str(-MOST))).tick == -MOST


def test_nanoseconds_reach_the_present() -> None:
    scale = TimeScale("ns")
    for year in (1984, 2000, 2024, 2055):
        text = f"{year}-06-01T12:00:00.123456789Z"
        assert scale.text(scale.stamp(date_time(text)).tick) == text
    with pytest.raises(OutOfRange):
        scale.stamp(date_time("1983-01-01T00:00:00Z"))


def test_python_times_are_stamps() -> None:
    scale = TimeScale()
    two = timezone(timedelta(hours=2))
    expected = scale.stamp(date_time("2023-12-31T22:00:00.25Z"))
    assert scale.at(datetime(2024, 1, 1, 0, 0, 0, 250_000, tzinfo=two)) == expected
    naive = datetime(2023, 12, 31, 22, 0, 0, 250_999)  # noqa: DTZ001
    assert scale.at(naive).tick == expected.tick
    assert scale.at(naive).rest == "999"
    assert scale.at(5) == Stamp(Kind.INTEGER, 5)
    with pytest.raises(OutOfRange):
        scale.at(MOST + 1)


ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(timezones=st.none() | ZONES), st.sampled_from(UNITS))
def test_a_python_time_has_the_stamp_of_its_text(when: datetime, unit: TickUnit) -> None:
    scale, text = TimeScale(unit), when.isoformat()
    try:
        expected = scale.stamp(date_time(text if when.tzinfo else f"{text}Z"))
    except OutOfRange:
        with pytest.raises(OutOfRange):
            scale.at(when)
    else:
        assert scale.at(when) == expected


@pytest.mark.parametrize(
    ("text", "ticks"),
    [
        ("5s", 5000),
        ("5 s", 5000),
        (" 1.5 m ", 90_000),
        ("10", 10),
        ("0", 0),
        ("0.5s", 500),
        (".5s", 500),
        ("5.s", 5000),
        ("1000us", 1),
        ("2 h", 7_200_000),
        ("1d", 86_400_000),
        ("0.0010000 s", 1),
    ],
)
def test_durations(text, ticks) -> None:
    assert TimeScale().duration(text) == ticks


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("0.5", FinerThanTick),
        ("1us", FinerThanTick),
        ("0.0001s", FinerThanTick),
        ("0." + "3" * 9000 + "s", FinerThanTick),
        ("9" * 9000 + "s", OutOfRange),
        ("1e3", BadDuration),
        ("-5s", BadDuration),
        ("+5s", BadDuration),
        ("5 S", BadDuration),
        ("5 s s", BadDuration),
        ("s", BadDuration),
        ("", BadDuration),
        (".", BadDuration),
        ("inf", BadDuration),
        ("٣s", BadDuration),
    ],
)
def test_what_is_no_duration(text, error) -> None:
    with pytest.raises(error):
        TimeScale().duration(text)


def test_a_finer_tick_takes_finer_durations() -> None:
    assert TimeScale("us").duration("1us") == 1
    assert TimeScale("ns").duration("1.5us") == 1500


LEXICAL = st.one_of(
    st.builds(
        "{}-{}-{}T{}:{}:{}{}{}".format,
        st.sampled_from(["2024", "1999", "0000", "2023", "9999", "12024", "-0001"]),
        st.sampled_from(["01", "02", "12", "13", "00"]),
        st.sampled_from(["01", "28", "29", "31", "32"]),
        st.sampled_from(["00", "23", "24"]),
        st.sampled_from(["00", "59", "60"]),
        st.sampled_from(["00", "59", "60", "5x"]),
        st.sampled_from(["", ".0", ".5", ".125", ".1234", ".123456", ".1234567890", "."]),
        st.sampled_from(["", "Z", "+02:00", "-14:00", "+14:01", "z"]),
    ),
    st.from_regex(r"[+-]?[0-9]{1,20}", fullmatch=True),
    st.from_regex(r"(19|20)[0-9]{2}(-[01][0-9](-[0-3][0-9])?)?(Z|\+02:00)?", fullmatch=True),
)
LEXICAL_TYPES = [
    *["dateTime"] * 5,
    "integer",
    "long",
    "dateTimeStamp",
    "date",
    "gYearMonth",
    "gYear",
]


@given(
    terms=st.lists(
        st.builds(date_time, LEXICAL, st.sampled_from(LEXICAL_TYPES)),
        min_size=1,
        max_size=4,
    ),
    copies=st.integers(1, 30),
    unit=st.sampled_from(UNITS),
    ends=st.booleans(),
)
@example(terms=[date_time("9999-01-01T00:00:00Z")], copies=9, unit="ns", ends=False)
def test_columns_of_stamps_say_what_single_stamps_say(terms, copies, unit, ends) -> None:
    terms = [*terms * copies, "<urn:x>", '"é"@en']
    scale = TimeScale(unit, inclusive_dates=True)
    found = read_texts(terms, scale, ends=ends)
    for i, term in enumerate(terms):
        try:
            stamp = scale.end(term) if ends else scale.stamp(term)
        except NotAStamp:
            expected = (0, Kind.NONE, False, NOT_A_STAMP)
        except OutOfRange:
            expected = (0, Kind.NONE, False, OUT_OF_RANGE)
        else:
            expected = (stamp.tick, stamp.kind, stamp.rest != "", GOOD)
        assert (found.tick[i], found.kind[i], found.rounded[i], found.verdict[i]) == expected


@given(ticks=st.lists(st.integers(0, 2**42), min_size=1, max_size=50))
def test_columns_of_canonical_stamps_are_their_ticks(ticks) -> None:
    scale = TimeScale()
    found = read_texts([date_time(scale.text(tick)) for tick in ticks], scale)
    assert found.tick.tolist() == ticks
    assert not found.rounded.any()


def test_no_stamps_are_a_column_too() -> None:
    assert len(read_texts([], TimeScale()).tick) == 0
