"""The bounds of a run that no rule knows: memory, and the patience of the one who runs it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from rete.agenda import MemoryBound

_PERIOD: Final = 0.02
"""Seconds between two looks at the memory in use."""
_STATM: Final = Path("/proc/self/statm")


class RunBounds:
    """Looks at the memory in use, and whether the run is to end; for `Core.watch`.

    Attributes:
        most: bytes of memory; None: any number.
    """

    __slots__ = ("_next", "_stop", "most")

    def __init__(self, most: int | None, stop: Callable[[], None]) -> None:
        """``stop`` raises where the run is to end."""
        self.most = most
        self._stop = stop
        self._next = 0.0

    def check(self) -> None:
        """Raise where the run is to end.

        Raises:
            MemoryBound: more memory is in use than is allowed.
            Stopped: as ``stop`` does.
        """
        self._stop()
        if self.most is None or (now := time.monotonic()) < self._next:
            return
        self._next = now + _PERIOD
        used = resident_bytes()
        if used is not None and used > self.most:
            message = f"{used:,} bytes of memory are in use, more than the {self.most:,} allowed"
            raise MemoryBound(message)


def resident_bytes() -> int | None:
    """Memory of this process that is resident; None where the system does not say."""
    if sys.platform != "linux":
        return None
    try:
        return int(_STATM.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None
