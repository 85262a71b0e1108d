"""Refusals: why an element has no effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from r4.api.values.event_clock import Instant


@dataclass(frozen=True, slots=True)
class Refused:
    """What `r4.api.Engine.add` returns of an element that has no effect; it counts as false.

    Attributes:
        reason: ``late``: a larger stamp, or a clock, had moved time past it.
        at: its stamp.
        bound: the frontier, the earliest stamp that counts.
    """

    reason: Literal["late"]
    at: Instant
    bound: Instant | str | None

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return (
            f"the element at {self.at} is late and has no effect, as the frontier is {self.bound}; "
            "delay= says how late elements may be"
        )


Admission: TypeAlias = Literal[True] | Refused
"""Whether an element counts: True, or why it does not."""
