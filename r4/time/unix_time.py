"""Unix time: seconds since 1970-01-01T00:00:00Z, or thousandths of them, as people have it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from rif.values.date_arithmetic import DAY, Moment, day_number, moment_literal
from rif.values.dates import MAX_DIGITS

UNIX_FORMATS: Final[Mapping[str, int]] = {
    "epoch": 0,
    "epoch_ms": 3,
    "epoch_us": 6,
    "epoch_ns": 9,
}
"""The formats of numbers that count since 1970, each with its places below a second."""

_NUMBER = re.compile(r"([+-]?[0-9]{1,20})(?:\.([0-9]*))?", re.ASCII)
_FIRST: Final = day_number(1970, 1, 1)
_OUR_TIMES: Final = range(631_152_000, 4_102_444_800)
"""Seconds from 1990 up to 2100: no number in one unit is in them in another."""


def unix_date_time(number: str, places: int) -> str | None:
    """The dateTime in UTC of so many 10^-places seconds, exactly, as "2026-01-01T00:01:00.5Z".

    None: it is no decimal number, or has more digits than a dateTime.
    """
    found = _NUMBER.fullmatch(number)
    below = "" if found is None else found[2] or ""
    digits = len(below) + places
    if found is None or digits > MAX_DIGITS:
        return None
    day, tick = divmod(int(found[1] + below) * 10 ** (MAX_DIGITS - digits), DAY)
    literal = moment_literal(Moment(_FIRST + day, tick, 0), "dateTime")
    return None if literal is None else literal.lexical


def unix_format_of(number: str) -> str | None:
    """The format in which a number is Unix time of 1990 to 2099; None: in none."""
    found = _NUMBER.fullmatch(number)
    if found is None:
        return None
    whole = int(found[1])
    return next(
        (name for name, places in UNIX_FORMATS.items() if whole // 10**places in _OUR_TIMES), None
    )
