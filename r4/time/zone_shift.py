"""Zone shifts: a stamp that is off the wall's clock by what may be the difference of two zones."""

from __future__ import annotations

import re
from typing import Final

from r4.time.ticks import Tick, TimeScale

_HALF_HOUR: Final = 30
"""Minutes: differences of zones are whole multiples, but for a few."""
_NEAR: Final = 60
"""Seconds by which a stamp may be on its way, or clocks may differ."""
_LEAST: Final = 60
"""Minutes: less is more likely to be something else."""
_MOST: Final = 14 * 60
"""Minutes: no zone is farther from UTC [XSD, dateTime]."""
_ZONE: Final = re.compile(r'([+-])([0-9]{2}):([0-9]{2})"', re.ASCII)


def zone_shift(distance: Tick, scale: TimeScale) -> int:
    """The minutes by which a zone may be meant that is ``distance`` away; 0: it is none."""
    half_hour = 60 * _HALF_HOUR * scale.per_second
    count = (distance + half_hour // 2) // half_hour
    minutes = count * _HALF_HOUR
    is_near = abs(distance - count * half_hour) <= _NEAR * scale.per_second
    return minutes if is_near and _LEAST <= abs(minutes) <= _MOST else 0


def shift_question(stamp: str, shift: int) -> str:
    """``2 h behind the clock: is its zone -02:00?``; "": no zone is so far from UTC.

    Args:
        stamp: the canonical text of a dateTime.
        shift: minutes by which it is ahead of the clock; negative: behind.
    """
    found = _ZONE.search(stamp)
    written = 0 if found is None else int(found[2]) * 60 + int(found[3])
    if found is not None and found[1] == "-":
        written = -written
    meant = written + shift
    if abs(meant) > _MOST:
        return ""
    where = "ahead of" if shift > 0 else "behind"
    return f"{hours_text(shift)} {where} the clock: is its zone {_zone_text(meant)}?"


def hours_text(minutes: int) -> str:
    """``2 h``, ``5.5 h``."""
    return f"{abs(minutes) / 60:g} h"


def _zone_text(minutes: int) -> str:
    if not minutes:
        return "Z"
    hours, rest = divmod(abs(minutes), 60)
    return f"{'+' if minutes > 0 else '-'}{hours:02d}:{rest:02d}"
