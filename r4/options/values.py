"""Values of options: durations and sizes, as a text or as a number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeAlias

from r4.options.option import Topic, ValueKind, option
from r4.time.ticks import BadDuration

Duration: TypeAlias = str | int | timedelta
"""A duration: a text such as ``5 m``, a number of ticks, or a timedelta."""
Size: TypeAlias = str | int
"""A size: a text such as ``2GB``, or a number of bytes."""

_SIZE: Final = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?) ?(B|kB|[kMGT]iB|[MGT]B)")
_POWERS: Final = {"": 0, "k": 1, "M": 2, "G": 3, "T": 4}


def duration_text(value: Duration) -> str:
    """A duration as a text, exact; raises `BadDuration` if it is of another type, or negative."""
    match value:
        case str():
            return value
        case timedelta() if value >= timedelta():
            return f"{value // timedelta(microseconds=1)} us"
        case int() if not isinstance(value, bool):
            return str(value)
    message = (
        f"{value!r} is no duration: a decimal number, then ms us ns s m h or d, as a text; or a "
        "timedelta, or a whole number of ticks"
    )
    raise BadDuration(message)


def bytes_of(text: str) -> int | None:
    """The bytes of a size such as ``2GB``, ``1.5 GiB``; None: it is none."""
    found = _SIZE.fullmatch(text)
    if found is None:
        return None
    prefix = found[2][:-1]
    base = 1024 if prefix.endswith("i") else 1000
    whole, _, digits = found[1].partition(".")
    unit: int = base ** _POWERS[prefix.removesuffix("i")]
    part = int(digits or 0) * unit // int(10 ** len(digits))
    return int(whole) * unit + part


def byte_count(size: Size) -> int:
    """The bytes of a size; raises `ValueError` if it is none, or of nothing."""
    found = bytes_of(size) if isinstance(size, str) else size
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        message = f"{size} is no size: write 2GB, 500MB, 64MiB"
        raise ValueError(message)
    return found


@dataclass(frozen=True, kw_only=True)
class MemoryOptions:
    """The most memory that is used."""

    memory: Size | None = option(
        "The most memory to use, as 2GB; on Linux.",
        Topic.BOUNDS,
        kind=ValueKind.MEMORY,
        decides=False,
    )
