"""Integer stamps as Unix time."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import ROUND_FLOOR, Decimal
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.time.stamp_columns import GOOD, read_texts
from r4.time.ticks import (
    EpochUnit,
    Kind,
    NotAStamp,
    OutOfRange,
    TickUnit,
    TimeScale,
    unix_unit,
)

XSD = "http://www.w3.org/2001/XMLSchema#"
SECONDS = {"s": Decimal(1), "ms": Decimal("1e-3"), "us": Decimal("1e-6"), "ns": Decimal("1e-9")}
UNITS = st.sampled_from(get_args(EpochUnit))
TICKS = st.sampled_from(get_args(TickUnit))


def term(value: object, datatype: str = "integer") -> str:
    return f'"{value}"^^<{XSD}{datatype}>'


@given(
    value=st.decimals("-3000000000", "3000000000", places=6)
    | st.integers(-(10**18), 10**18).map(Decimal),
    unit=UNITS,
    tick=TICKS,
)
def test_a_number_is_so_many_units_since_1970(
    value: Decimal, unit: EpochUnit, tick: TickUnit
) -> None:
    scale = TimeScale(tick, unit)
    exact = value * SECONDS[unit] / SECONDS[tick] - scale.origin * 86400 * scale.per_second
    whole = int(exact.to_integral_value(ROUND_FLOOR))
    rest = exact - whole
    if abs(whole) > 2**60:
        with pytest.raises(OutOfRange):
            scale.stamp(term(f"{value:f}", "decimal"))
        return
    stamp = scale.stamp(term(f"{value:f}", "decimal"))
    assert (stamp.kind, stamp.tick) == (Kind.DATE_TIME, whole)
    assert Decimal(f"0.{stamp.rest}0") == rest
    assert not stamp.rest.endswith("0")


@given(
    values=st.lists(st.integers(0, 10**18), min_size=1, max_size=20)
    | st.lists(st.integers(10**9, 10**10 - 1), min_size=8, max_size=20)
    | st.lists(st.integers(10**17, 10**18 - 1), min_size=8, max_size=20),
    unit=UNITS,
    tick=TICKS,
)
def test_columns_agree_with_single_stamps(
    values: list[int], unit: EpochUnit, tick: TickUnit
) -> None:
    scale = TimeScale(tick, unit)
    found = read_texts([term(value) for value in values], scale)
    for place, value in enumerate(values):
        try:
            stamp = scale.stamp(term(value))
        except OutOfRange:
            assert found.verdict[place] != GOOD
            continue
        assert found.verdict[place] == GOOD
        assert (found.kind[place], found.tick[place]) == (stamp.kind, stamp.tick)
        assert found.rounded[place] == (stamp.rest != "")


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        ("1767225600", "s", "2026-01-01T00:00:00Z"),
        ("+1767225600", "s", "2026-01-01T00:00:00Z"),
        ("0001767225600", "s", "2026-01-01T00:00:00Z"),
        ("-1", "s", "1969-12-31T23:59:59Z"),
        ("0", "ns", "1970-01-01T00:00:00Z"),
        ("1767225600500", "ms", "2026-01-01T00:00:00.5Z"),
        ("1767225600500000", "us", "2026-01-01T00:00:00.5Z"),
        ("1767225600500000001", "ns", "2026-01-01T00:00:00.5Z"),
        ("-1", "ns", "1969-12-31T23:59:59.999Z"),
    ],
)
def test_an_integer_is_shown_as_a_date(value: str, unit: EpochUnit, shown: str) -> None:
    scale = TimeScale("ms", unit)
    assert scale.text(scale.stamp(term(value)).tick) == shown


def test_dates_stay_what_they_are() -> None:
    scale = TimeScale("ms", "s")
    date = term("2026-01-01T00:00:00Z", "dateTime")
    assert scale.stamp(date) == scale.stamp(term(1767225600)) == TimeScale().stamp(date)
    assert scale.at(datetime(2026, 1, 1, tzinfo=UTC)) == scale.stamp(date)


@pytest.mark.parametrize("text", ["1.5", "x", "", "1e9", "--1"])
def test_what_is_no_integer_is_no_stamp(text: str) -> None:
    with pytest.raises(NotAStamp):
        TimeScale("ms", "s").stamp(term(text))


@pytest.mark.parametrize("value", ["9" * 5000, "-" + "9" * 40])
def test_a_number_beyond_all_ticks_is_out_of_range(value: str) -> None:
    with pytest.raises(OutOfRange):
        TimeScale("ms", "s").stamp(term(value, "decimal"))


def test_decimals_of_any_length_are_exact() -> None:
    stamp = TimeScale("ms", "s").stamp(term(f"-0.{'0' * 5000}1", "decimal"))
    assert (stamp.tick, stamp.rest) == (-1, "9" * 4998)


@pytest.mark.parametrize(
    ("stamp", "tick", "unit"),
    [
        (1767225600, "ms", "s"),
        (1767225600, "ns", "s"),
        (1767225600000, "ms", None),
        (1767225600000, "us", "ms"),
        (1767225600000000, "ms", "us"),
        (1767225600000000, "us", None),
        (1767225600000000000, "ms", "ns"),
        (1000000000, "ms", "s"),
        (999999999, "ms", None),
        (2200000000, "ms", None),
        (5, "ms", None),
        (0, "ms", None),
        (-1767225600, "ms", None),
    ],
)
def test_what_looks_like_unix_time(stamp: int, tick: TickUnit, unit: EpochUnit | None) -> None:
    assert unix_unit(stamp, TimeScale(tick)) == unit
