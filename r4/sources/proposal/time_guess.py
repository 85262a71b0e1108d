"""The format in which all of some texts are times, found by reading them in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from r4.sources.tables.mapping import BadValue, TimeColumn
from r4.time.unix_time import UNIX_FORMATS

_DATES: Final = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d"),
    *("%Y-%m-%d", "%d %b %Y", "%d-%b-%Y", "%b %d, %Y", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y"),
)
_COMPACT: Final = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
"""Dates that are nothing but digits, by how many these are."""
_CLOCK: Final = re.compile(
    r"(?P<between>[T ]|, )\d{1,2}:\d\d(?P<second>:\d\d)?(?P<below>\.\d{1,6})?"
    r"(?P<half> ?[AaPp][Mm])?(?P<zone> ?(?:Z|[+-]\d\d:?\d\d))?$"
)
_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_YEARS: Final = range(1900, 2101)
_UNIX_YEARS: Final = range(1990, 2101)
"""Years of numbers, which are times by their size alone."""


_HOUR: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class TimeGuess:
    """Times in a column.

    Attributes:
        format: as of `TimeColumn`.
        others: formats in which all of them are times, too, but other ones.
        instants: the times, or integers.
        names_zone: whether they are in UTC, or name their zones.
        is_timed: whether they have more than a date.
        descends: how often one is less than that before it.
    """

    format: str
    instants: Sequence[datetime] | Sequence[int]
    names_zone: bool = True
    is_timed: bool = True
    others: Sequence[str] = ()

    @property
    def descends(self) -> int:
        """How often one is less than the one before it."""
        return sum(b < a for a, b in pairwise(self.instants))  # type: ignore[operator]

    @property
    def looks_put_back(self) -> bool:
        """Whether they name no zone, and go back as clocks do: by no more than an hour at once."""
        if self.names_zone or not self.is_timed or not self.descends:
            return False
        steps = (b - a for a, b in pairwise(self.instants))  # type: ignore[operator]
        return all(step >= -_HOUR for step in steps)

    @property
    def moves(self) -> bool:
        """Whether they never go back, and are not all the same."""
        return not self.descends and len(set(self.instants)) > 1


def guess_times(texts: Sequence[str]) -> TimeGuess | None:
    """The format in which all texts, at least one, are times; None: there is none.

    Of several it is the one in which they go back least often, then the first.
    """
    found = [guess for each in _formats(texts[0]) if (guess := _read(texts, each)) is not None]
    if not found:
        return None
    best = min(found, key=lambda guess: guess.descends)
    others = [each.format for each in found if each.instants != best.instants]
    return TimeGuess(
        *(best.format, best.instants, best.names_zone, best.is_timed),
        others=others,
    )


def guess_ticks(texts: Sequence[str]) -> TimeGuess | None:
    """Integers as times; None: they are none."""
    try:
        numbers = [int(text) for text in texts if text.isascii() and len(text) < 19]  # noqa: PLR2004 - below 2^60
    except ValueError:
        return None
    return TimeGuess("integer", numbers) if len(numbers) == len(texts) else None


def _formats(first: str) -> Iterator[str]:
    """The formats that the first of some texts may have."""
    if _NUMBER.fullmatch(first):
        yield from UNIX_FORMATS
        if len(first) in _COMPACT:
            yield _COMPACT[len(first)]
        return
    yield "iso"
    clock = _CLOCK.search(first)
    time = "" if clock is None else _clock_format(clock)
    yield from (f"{date}{time}" for date in _DATES)


def _clock_format(found: re.Match[str]) -> str:
    half = found["half"]
    zone = found["zone"]
    return "".join(
        (
            found["between"],
            "%I:%M" if half else "%H:%M",
            ":%S" if found["second"] else "",
            ".%f" if found["below"] else "",
            f"{' ' if half.startswith(' ') else ''}%p" if half else "",
            f"{' ' if zone.startswith(' ') else ''}%z" if zone else "",
        )
    )


def _read(texts: Sequence[str], format_: str) -> TimeGuess | None:
    """All texts in a format; None: one is no time of it, or far from our times."""
    if format_ in _COMPACT.values() and any(len(text) != len(texts[0]) for text in texts):
        return None
    column = TimeColumn("", format_)
    instants: list[datetime] = []
    names_zone = True
    for text in texts:
        try:
            time, zone = column.local(text)
            instants.append(datetime.fromisoformat(f"{time}{zone or 'Z'}"))
        except (BadValue, ValueError):
            return None
        names_zone &= bool(zone)
    years = _UNIX_YEARS if format_ in UNIX_FORMATS else _YEARS
    if any(each.year not in years for each in instants):
        return None
    is_timed = format_ not in {*_DATES, _COMPACT[8]}
    return TimeGuess(format_, instants, names_zone, is_timed)
