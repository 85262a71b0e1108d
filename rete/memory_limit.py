"""Memory of a process: the most that it may use, and that what is freed goes back."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

PERIOD: Final = 0.02
"""Seconds between two looks at the memory in use."""
_STATM: Final = Path("/proc/self/statm")


class MemoryBound(MemoryError):
    """More memory is in use than was allowed."""


class MemoryLimit:
    """Compares the memory in use with the most that is allowed.

    Attributes:
        most: bytes; None: any number.
        used: the bytes in use, where they are known.
        now: a clock, in seconds.
    """

    __slots__ = ("_next", "most", "now", "used")

    def __init__(
        self,
        most: int | None,
        *,
        used: Callable[[], int | None] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin to look; without ``used`` the system says how many bytes are in use."""
        self.most = most
        self.used = resident_bytes if used is None else used
        self.now = now
        self._next = 0.0

    def check(self) -> None:
        """Compare; at most once in `PERIOD`, so it may be called often.

        Raises:
            MemoryBound: more is in use than is allowed.
        """
        if self.most is None or (now := self.now()) < self._next:
            return
        self._next = now + PERIOD
        used = self.used()
        if used is not None and used > self.most:
            message = f"{used:,} bytes of memory are in use, more than the {self.most:,} allowed"
            raise MemoryBound(message)

    def left(self) -> int | None:
        """Bytes that may still be used; None: any number, or the system does not say."""
        if self.most is None or (used := self.used()) is None:
            return None
        return max(self.most - used, 0)


def resident_bytes() -> int | None:
    """Memory of this process that is resident; None where the system does not say."""
    if sys.platform != "linux":
        return None
    try:
        return int(_STATM.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None


_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Parameters of ``mallopt`` of glibc."""
_KEPT = 16 << 20
_OF_ENVIRONMENT = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")


def return_freed_memory() -> None:
    """Let what this process frees go back to the system soon; for its first call, not a host's.

    glibc keeps for itself what was freed, the more the larger the arrays are. Up to 16 MB it may:
    these are arrays of steps that come again. What the environment says counts more. Other C
    libraries: nothing.
    """
    mallopt = _of_libc("mallopt")
    if mallopt is not None and not any(name in os.environ for name in _OF_ENVIRONMENT):
        mallopt(_MMAP_THRESHOLD, _KEPT)
        mallopt(_TRIM_THRESHOLD, _KEPT)


def trim_memory() -> None:
    """Let what is free between what is used go back to the system, too; glibc alone can.

    A burst of 500,000 facts, 15 s after its window has passed: 64 MB in place of 113 MB.
    """
    trim = _of_libc("malloc_trim")
    if trim is not None:
        trim(0)


def _of_libc(name: str) -> Callable[..., int] | None:
    found: Callable[..., int] | None = None
    if sys.platform == "linux":
        found = getattr(ctypes.CDLL(None), name, None)
    return found
