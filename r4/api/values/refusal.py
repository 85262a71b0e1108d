"""Refusals: why an element has no effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from r4.api.values.event_clock import Instant


@dataclass(frozen=True, slots=True)
class Refused:
    """What `r4.api.Engine.add` returns of an element that has no effect; it counts as false.

    Attributes:
        reason: ``late``: a larger stamp, or a clock, had moved time past it; ``ahead``: its stamp
            is farther ahead than the option ``ahead`` allows.
        at: its stamp.
        bound: the earliest stamp that counts, which is the frontier; the latest, if it is ahead.
        what: what it is, in a word.
    """

    reason: Literal["late", "ahead"]
    at: Instant
    bound: Instant | str | None
    what: str = "element"

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        if self.reason == "ahead":
            return (
                f"the {self.what} at {self.at} is too far ahead and has no effect, as the last "
                f"stamp that counts is {self.bound}; ahead= says how far ahead elements may be"
            )
        return (
            f"the {self.what} at {self.at} is late and has no effect, as the frontier is "
            f"{self.bound}; delay= says how late elements may be"
        )


Admission: TypeAlias = Literal[True] | Refused
"""Whether an element counts: True, or why it does not."""
