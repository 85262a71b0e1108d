"""The format of times, found by reading them."""

from __future__ import annotations

import pytest

from r4.sources.proposal.time_guess import guess_ticks, guess_times


@pytest.mark.parametrize(
    ("texts", "format_"),
    [
        (["2026-03-17T10:00:00Z"], "iso"),
        (["2026-03-17 10:00", "2026-03-17 10:00:00.5+01"], "iso"),
        (["17.03.2026"], "%d.%m.%Y"),
        (["17.3.2026 9:05"], "%d.%m.%Y %H:%M"),
        (["03/17/2026 10:00 PM"], "%m/%d/%Y %I:%M %p"),
        (["17-Mar-2026 10:00:00"], "%d-%b-%Y %H:%M:%S"),
        (["2026-03-17"], "%Y-%m-%d"),
        (["20260317"], "%Y%m%d"),
        (["20260317100000"], "%Y%m%d%H%M%S"),
        (["17.03.26 10:00:00,"], None),
        (["17.03.26 10:00"], "%d.%m.%y %H:%M"),
        (["1700000000"], "epoch"),
        (["1700000000.25"], "epoch"),
        (["1700000000000"], "epoch_ms"),
        (["1700000000000000"], "epoch_us"),
        (["1700000000000000000"], "epoch_ns"),
        (["1700000000", "17"], None),
        (["2026-02-30 10:00"], None),
        (["0001-01-01T00:00:00Z"], None),
        (["5"], None),
        (["x"], None),
    ],
)
def test_texts_are_times_of_one_format(texts: list[str], format_: str | None) -> None:
    found = guess_times(texts)
    assert (None if found is None else found.format) == format_


def test_of_two_formats_that_is_taken_in_which_time_goes_on() -> None:
    days = guess_times(["01/02/2026", "02/02/2026", "01/03/2026"])
    assert days is not None
    assert (days.format, days.others) == ("%d/%m/%Y", ["%m/%d/%Y"])
    months = guess_times(["02/01/2026", "02/02/2026", "03/01/2026"])
    assert months is not None
    assert (months.format, months.others) == ("%m/%d/%Y", ["%d/%m/%Y"])


@pytest.mark.parametrize(
    ("texts", "names_zone"),
    [
        (["2026-03-17T10:00:00Z"], True),
        (["2026-03-17T10:00:00"], False),
        (["2026-03-17T10:00:00Z", "2026-03-17T10:00:00"], False),
        (["17.03.2026 10:00 +0100"], True),
        (["17.03.2026 10:00"], False),
        (["1700000000"], True),
    ],
)
def test_zones_are_named_or_not(texts: list[str], names_zone: bool) -> None:
    found = guess_times(texts)
    assert found is not None
    assert found.names_zone == names_zone


def test_integers_are_ticks_up_to_a_size() -> None:
    ticks = guess_ticks(["1", "3", "2"])
    assert ticks is not None
    assert (ticks.format, ticks.descends, ticks.moves) == ("integer", 1, False)
    assert guess_ticks(["1", "9" * 30]) is None
    assert guess_ticks(["1", "x"]) is None


@pytest.mark.parametrize(
    ("texts", "put_back"),
    [
        (["2026-10-25 02:45:00", "2026-10-25 02:00:00"], True),
        (["2026-10-25 02:45:00", "2026-10-25 01:44:00"], False),
        (["2026-10-25 02:45:00Z", "2026-10-25 02:00:00Z"], False),
        (["2026-10-25 02:45:00", "2026-10-25 03:00:00"], False),
        (["2026-10-25", "2026-10-24"], False),
    ],
)
def test_local_times_may_go_back_as_clocks_do(texts: list[str], put_back: bool) -> None:
    found = guess_times(texts)
    assert found is not None
    assert found.looks_put_back == put_back
