"""Durations and ranges of metric operators for people: with a unit, if a tick has a length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rete.arrays.delta import POS_INF, Cells

_UNITS: Final = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))
"""Units of time, the largest first, with their seconds."""
_BELOW: Final[Mapping[str, int]] = {"ms": 10**3, "us": 10**6, "ns": 10**9}
"""Units that are parts of a second, and how many a second has."""


def duration_text(ticks: int, per_second: int) -> str:
    """A duration in the largest unit of which it is a whole number: ``10 m``, ``1500 ms``.

    Args:
        ticks: the duration; not negative.
        per_second: ticks to the second; 0: they have no length.
    """
    if not per_second:
        return f"{ticks} ticks"
    if not ticks:
        return "0 s"
    for unit, seconds in _UNITS:
        if not ticks % (seconds * per_second):
            return f"{ticks // (seconds * per_second)} {unit}"
    for unit, parts in _BELOW.items():
        if not ticks * parts % per_second:
            return f"{ticks * parts // per_second} {unit}"
    message = f"a tick is no part of a second: {per_second} to the second"
    raise ValueError(message)


def range_text(rho: Cells, per_second: int = 0) -> str:
    """A range of distances: ``[0,5]``, ``(0,inf)``, and with a unit ``[0 s, 5 s]``."""
    lo, hi = rho
    left, right = (
        duration_text(end >> 1, per_second) if per_second else str(end >> 1) for end in rho
    )
    end = "inf)" if hi >= POS_INF else f"{right}{')]'[hi & 1]}"
    return f"{'[('[lo & 1]}{left},{' ' if per_second else ''}{end}"
