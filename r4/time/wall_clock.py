"""The wall's clock: the time of day as ticks."""

from __future__ import annotations

from collections.abc import Callable
from time import time_ns

from r4.time.ticks import DAY, Tick, TimeScale


def wall_clock(scale: TimeScale, nanoseconds: Callable[[], int] = time_ns) -> Callable[[], Tick]:
    """A clock in ticks of dateTimes, rounded down; ``nanoseconds`` are those since 1970."""
    per_tick = 10**9 // scale.per_second
    origin = scale.origin * DAY * scale.per_second
    return lambda: nanoseconds() // per_tick - origin
