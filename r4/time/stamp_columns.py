"""Columns of stamps: the results of `TimeScale.stamp`, by numpy for the usual spellings.

Stamps of one stream are nearly always spelled alike, so their texts stand as rows of one matrix of
bytes. Rows that are spelled as the first one are read together; the rows of no such group, and all
that may be wrong, are left to `TimeScale.stamp`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from r4.time.ticks import DAY, MOST, Kind, NotAStamp, OutOfRange, Stamp, TimeScale
from rete.arrays.delta import Column, distinct
from rete.arrays.state_codec import Mask
from rif.syntax.terms import XSD

Bytes: TypeAlias = npt.NDArray[np.uint8]
Int8: TypeAlias = npt.NDArray[np.int8]

GOOD, NOT_A_STAMP, OUT_OF_RANGE = range(3)
"""Verdicts on a stamp."""

_DATE_TIME = re.compile(
    r'"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?"'
    rf"\^\^<{re.escape(XSD)}dateTime>\Z",
    re.ASCII,
)
_INTEGER = re.compile(rf'"(\d{{1,18}})"\^\^<{re.escape(XSD)}integer>\Z', re.ASCII)
_LONGEST: Final = 128
"""Bytes of a text that a matrix is made for; a longer one is odd, and read alone."""
_FORMS: Final = 4
"""Spellings of one length that are read together before the rest is read one by one."""
_FEW: Final = 8
"""So few rows are faster one by one."""
_FRACTION: Final = 21
"""Where the decimals of a dateTime begin: after ``"YYYY-MM-DDThh:mm:ss.``."""


@dataclass(frozen=True, slots=True)
class StampColumns:
    """Stamps in columns, all (n,).

    Attributes:
        tick: int64, rounded down; 0 where there is none.
        kind: int8, a `Kind`; `Kind.NONE` where the term is no stamp.
        rounded: Whether the stamp lies between two ticks.
        verdict: int8, `GOOD`, `NOT_A_STAMP` or `OUT_OF_RANGE`.
    """

    tick: Column
    kind: Int8
    rounded: Mask
    verdict: Int8


def read_stamps(
    arena: Bytes, start: Column, length: Column, scale: TimeScale, *, ends: bool = False
) -> StampColumns:
    """The stamps whose canonical texts are ``arena[start : start + length]``, in that order.

    ``ends``: they are ends, as `TimeScale.end` reads them. Cost: about 0.2 µs each where they are
    spelled alike, 3 µs else.
    """
    count = len(start)
    stamps = no_stamps(count)
    left: list[Column] = []
    for size in distinct(length):
        rows = np.flatnonzero(length == size) if len(length) else start[:0]
        for _ in range(_FORMS):
            if len(rows) < _FEW or size > _LONGEST:
                break
            rows = _read_alike(arena, start, rows, int(size), scale, stamps)
        left.append(rows)
    for row in np.concatenate(left).tolist() if left else ():
        text = arena[start[row] : start[row] + length[row]].tobytes().decode()
        _read_one(text, row, scale.end if ends else scale.stamp, stamps)
    return stamps


def no_stamps(count: int) -> StampColumns:
    """Columns in which no row is a stamp, and nothing wrong with that."""
    return StampColumns(
        tick=np.zeros(count, np.int64),
        kind=np.zeros(count, np.int8),
        rounded=np.zeros(count, np.bool_),
        verdict=np.zeros(count, np.int8),
    )


def read_texts(texts: Sequence[str], scale: TimeScale, *, ends: bool = False) -> StampColumns:
    """`read_stamps` of canonical texts given as such."""
    encoded = [text.encode() for text in texts]
    length = np.fromiter(map(len, encoded), np.int64, len(encoded))
    arena = np.frombuffer(b"".join(encoded), np.uint8)
    return read_stamps(arena, np.cumsum(length) - length, length, scale, ends=ends)


def _read_one(text: str, row: int, read: Callable[[str], Stamp], into: StampColumns) -> None:
    try:
        stamp = read(text)
    except NotAStamp:
        into.verdict[row] = NOT_A_STAMP
    except OutOfRange:
        into.verdict[row] = OUT_OF_RANGE
    else:
        into.tick[row] = stamp.tick
        into.kind[row] = stamp.kind
        into.rounded[row] = stamp.rest != ""


def _read_alike(  # noqa: PLR0913, PLR0917 (the columns of one group)
    arena: Bytes, start: Column, rows: Column, size: int, scale: TimeScale, into: StampColumns
) -> Column:
    """Read those of ``rows``, texts of ``size`` bytes, spelled as the first; gives the others."""
    first = arena[start[rows[0]] : start[rows[0]] + size]
    text = first.tobytes().decode(errors="replace")
    date_time, integer = _DATE_TIME.match(text), _INTEGER.match(text)
    if date_time is None and integer is None:
        return rows
    # As `sliding_window_view`, which takes longer than all else that few rows need.
    windows = np.ndarray((len(arena) - size + 1, size), np.uint8, arena, strides=(1, 1))
    found = windows[start[rows]]
    # A wrapped difference of uint8: anything but an ASCII digit is above 9.
    digit = found - np.uint8(ord("0"))
    varies = (first >= ord("0")) & (first <= ord("9"))
    end = text.rindex('"')
    varies[end:] = False
    alike = (digit[:, varies] <= 9).all(1) & (found[:, ~varies] == first[~varies]).all(1)  # noqa: PLR2004
    if date_time is not None:
        decimals = len(date_time[1] or "")
        offset = date_time[2] if date_time[2] not in {None, "Z"} else ""
        tick, rounded, valid = _date_times(digit, decimals, offset[:1], end, scale)
        kind = Kind.DATE_TIME
    else:
        tick, rounded, valid = _integers(digit, end, scale)
        kind = Kind.INTEGER if scale.epoch is None else Kind.DATE_TIME
    good = alike & valid
    into.tick[rows[good]] = tick[good]
    into.kind[rows[good]] = kind
    into.rounded[rows[good]] = rounded[good]
    others: Column = rows[~good]
    return others


def _integers(digit: Bytes, end: int, scale: TimeScale) -> tuple[Column, Mask, Mask]:
    """Ticks of integers, whether they lie between two, and whether they are in range."""
    number = _number(digit, 1, end)
    whole = np.zeros(len(number), np.bool_)
    if scale.epoch is None:
        return number, whole, number <= MOST
    times, parts = scale.ticks_of_epoch
    tick = (number // parts) * times - scale.origin * DAY * scale.per_second
    return tick, number % parts > 0, (number <= MOST // times) & (np.abs(tick) <= MOST)


def _date_times(
    digit: Bytes, decimals: int, sign: str, end: int, scale: TimeScale
) -> tuple[Column, Mask, Mask]:
    """Ticks, which were rounded, and which are valid, of dateTimes with ``decimals`` decimals.

    ``sign`` is that of the zone, whose ``hh:mm`` stands before the quote at ``end``; "" is UTC.
    """
    year, month, day = _number(digit, 1, 5), _number(digit, 6, 8), _number(digit, 9, 11)
    hour, minute, second = _number(digit, 12, 14), _number(digit, 15, 17), _number(digit, 18, 20)
    valid = (month >= 1) & (month <= 12) & (day >= 1) & (hour < 24) & (minute < 60) & (second < 60)  # noqa: PLR2004
    month = np.where(valid, month, 1)
    valid &= day <= _days(year + month // 12, month % 12 + 1, 1) - _days(year, month, 1)
    seconds = (_days(year, month, day) - scale.origin) * DAY + hour * 3600 + minute * 60 + second
    if sign:
        zone_h, zone_m = _number(digit, end - 5, end - 3), _number(digit, end - 2, end)
        offset = zone_h * 3600 + zone_m * 60
        valid &= (zone_m < 60) & (offset <= 14 * 3600)  # noqa: PLR2004
        seconds -= offset if sign == "+" else -offset
    # Nanoseconds of a far year do not fit into 64 bits; such rows are for the slow path to refuse.
    valid &= abs(seconds) < MOST // scale.per_second
    seconds = np.where(valid, seconds, 0)
    kept = min(decimals, scale.digits)
    below = _number(digit, _FRACTION, _FRACTION + kept) * 10 ** (scale.digits - kept)
    rounded = (digit[:, _FRACTION + kept : _FRACTION + decimals] != 0).any(1)
    return seconds * scale.per_second + below, rounded, valid


def _number(digit: Bytes, begin: int, end: int) -> Column:
    value = np.zeros(len(digit), np.int64)
    for column in range(begin, end):
        value = value * 10 + digit[:, column]
    return value


def _days(year: Column, month: Column, day: Column | int) -> Column:
    """`r4.time.ticks.days` of columns."""
    year = year - (month <= 2)  # noqa: PLR2004 (February)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    days: Column = 365 * year + year // 4 - year // 100 + year // 400 + of_year - 719468
    return days
