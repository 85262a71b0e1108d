"""The bounds of a run that no rule knows: memory, and the patience of the one who runs it."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from r4.run.ports import NEVER, Stop
from rete.memory_limit import PERIOD, MemoryLimit

_ROOM: Final = 0.05, 0.5
"""Parts of the memory, the least and the most, that are kept for what an input event needs."""
_STEPS: Final = 2
"""So many times what an event has needed so far is kept; a table doubles when it is full."""
_FORGETTING: Final = 1.0
"""Seconds from one time that all is forgotten which may be to the next."""
_PATIENCE: Final = 10.0
"""Seconds for which it is waited that time lets something be forgotten."""


class MemoryFull(MemoryError):
    """Nothing more can be taken in; what was is whole, so the run can be saved."""


class RunBounds:
    """Looks at the memory in use, and whether the run is to end."""

    __slots__ = (
        "_at_first",
        "_before",
        "_forget_at",
        "_full_since",
        "_largest",
        "_look_at",
        "_memory",
        "_stop",
    )

    def __init__(self, memory: MemoryLimit, stop: Stop = NEVER) -> None:
        """Begin to look.

        Args:
            memory: the limit.
            stop: says whether the run is to end.
        """
        self._memory = memory
        self._stop = stop
        self._look_at = self._forget_at = 0.0
        self._full_since: float | None = None
        self._at_first: int | None = None
        self._before: int | None = None
        self._largest = 0

    def check(self) -> None:
        """Raise where the run is to end; for `Core.watch`.

        Raises:
            MemoryBound: more memory is in use than is allowed.
            Exception: as ``stop`` does.
        """
        if self._stop.is_set:
            self._stop.check()
        self._memory.check()

    def left(self) -> int | None:
        """Bytes of memory that may still be used; None: any number."""
        return self._memory.left()

    def may_read(self, forget: Callable[[], None], *, waits: bool) -> bool:
        """Whether anything more may be taken in; called between two events.

        Near the limit all is forgotten that may be. Room is kept for twice what an event has needed
        so far, as far as two looks show it.

        Args:
            forget: forgets it.
            waits: whether time moves while nothing is taken in, so that more may be forgotten soon.

        Raises:
            MemoryFull: nothing may be taken in, and nothing changes that.
        """
        most, clock = self._memory.most, self._memory.now
        if most is None or (now := clock()) < self._look_at:
            return self._full_since is None
        self._look_at = now + PERIOD
        used = self._memory.used()
        if used is None:
            return True
        if self._before is not None:
            self._largest = max(self._largest, used - self._before)
        self._at_first = used if self._at_first is None else self._at_first
        full = most - self._room(most)
        is_short = used > full - _ROOM[0] * most
        if is_short and (used > full or now >= self._forget_at):
            forget()
            _release()
            # It costs what there is, so it is rare even if it takes long.
            self._forget_at = clock() + max(_FORGETTING, 10 * (clock() - now))
            self._look_at = clock() + max(PERIOD, clock() - now)
            used = self._memory.used() or used
        self._before = used
        if used <= full:
            self._full_since = None
            return True
        self._full_since = now if self._full_since is None else self._full_since
        if waits and now < self._full_since + _PATIENCE:
            return False
        hint = "a window bounds what is kept, --memory allows more"
        if self._at_first > full:
            hint = "so many are needed before any stream is read, so --memory has to allow more"
        message = (
            f"{used:,} of {most:,} bytes of memory are in use, and nothing can be forgotten; {hint}"
        )
        raise MemoryFull(message)

    def _room(self, most: int) -> float:
        """Bytes that are kept for what the next event needs."""
        least, largest = (part * most for part in _ROOM)
        return min(max(least, _STEPS * self._largest), largest)


def _release() -> None:
    """Give the system back what the allocator keeps of freed memory; glibc can."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
