"""Half-open intervals of time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TypeAlias

Interval: TypeAlias = tuple[datetime, datetime]


def coalesce(intervals: Iterable[Interval]) -> list[Interval]:
    """The maximal intervals in which one of ``intervals`` is, in order of time."""
    found: list[Interval] = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found
