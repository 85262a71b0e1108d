"""Event time of the workloads: milliseconds since an epoch of their own, as text and as number."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

EPOCH: Final = datetime(2024, 1, 1, tzinfo=UTC)
"""The stamp of every stream's first element."""
STEP: Final = 10
"""Milliseconds from one element to the next."""


@lru_cache(maxsize=4096)
def _second(seconds: int) -> str:
    return (EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")


def stamp(milliseconds: int) -> str:
    """The lexical form that streams carry: always three decimals, ``2024-01-01T00:00:00.010Z``."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{_second(seconds)}.{rest:03}Z"


def instant(milliseconds: int) -> str:
    """The same time as answers print it: without trailing zeros, ``2024-01-01T00:00:00.01Z``."""
    seconds, rest = divmod(milliseconds, 1000)
    return (
        f"{_second(seconds)}.{rest:03}".rstrip("0").rstrip(".") + "Z"
        if rest
        else f"{_second(seconds)}Z"
    )
