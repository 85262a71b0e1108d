"""What ends a run of the agenda before nothing is pending."""

from __future__ import annotations


class LimitReached(Exception):
    """More facts were derived at once than was allowed; another run of the agenda resumes."""


class MemoryExhausted(MemoryError):
    """There is no memory for what rules derive.

    Unlike `LimitReached`: what was being derived is lost, so no further run of the agenda is right.
    """
