"""Unix time: seconds since 1970-01-01T00:00:00Z, or thousandths of them, as people have it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from r4.time.ticks import DAY, date

UNIX_FORMATS: Final[Mapping[str, int]] = {
    "epoch": 0,
    "epoch_ms": 3,
    "epoch_us": 6,
    "epoch_ns": 9,
}
"""The formats of numbers that count since 1970, each with its places below a second."""

_NUMBER = re.compile(r"([+-]?)([0-9]{1,30})(?:\.([0-9]{0,30}))?", re.ASCII)
_FARTHEST: Final = 10**9
"""Days from 1970 that no stamp lies beyond."""


def unix_date_time(number: str, places: int) -> str | None:
    """The dateTime in UTC of so many 10^-places seconds, exactly, as "1767225660.5".

    None: it is no decimal number, or out of reach.
    """
    found = _NUMBER.fullmatch(number)
    if found is None:
        return None
    sign, whole, below = found[1], found[2], found[3] or ""
    digits = len(below) + places
    seconds, rest = divmod(int(f"{sign}{whole}{below}"), 10**digits)
    day, second = divmod(seconds, DAY)
    if abs(day) > _FARTHEST:
        return None
    year, month, of_month = date(day)
    shown = f"{year:04d}" if year >= 0 else f"-{-year:04d}"
    fraction = f".{rest:0{digits}d}".rstrip("0").rstrip(".") if rest else ""
    minute, second = divmod(second, 60)
    clock = f"{minute // 60:02d}:{minute % 60:02d}:{second:02d}"
    return f"{shown}-{month:02d}-{of_month:02d}T{clock}{fraction}Z"
