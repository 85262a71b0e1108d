"""Readiness: which sources can be read without waiting, and the clock to wait by."""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

from r4.stream.source import Source

_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Runs on while the machine sleeps, where the system has such a clock."""
_SELECTOR: Final[type[selectors.BaseSelector]] = getattr(
    selectors, "PollSelector", selectors.SelectSelector
)
"""Takes any number of descriptors, as ``select`` does not, and devices, as ``epoll`` does not."""


class Readiness(Protocol):
    """Which sources can be read, and the clock to wait by."""

    def now(self) -> float:
        """Seconds since some time."""

    def poll(self, sources: Sequence[Source], seconds: float | None) -> Sequence[bool]:
        """Which of ``sources`` can be read at once, their ends too.

        Waits until there is one, but ``seconds`` at most; None: for as long as it takes.
        """


class SystemReadiness:
    """Readiness as the operating system reports it."""

    __slots__ = ("_before_wait", "_wakes")

    def __init__(
        self, wakes: int | None = None, before_wait: Callable[[], None] | None = None
    ) -> None:
        """Begin; once the descriptor ``wakes`` can be read nobody waits any more.

        ``before_wait`` is called if nothing can be read at once, before that is waited for.
        """
        self._wakes = [] if wakes is None else [wakes]
        self._before_wait = before_wait

    def now(self) -> float:
        """Seconds since some time."""
        return time.clock_gettime(_CLOCK)

    def poll(self, sources: Sequence[Source], seconds: float | None) -> Sequence[bool]:
        """Which of ``sources`` can be read at once; only pipes and terminals are waited for."""
        descriptors: list[int | None] = [getattr(each, "descriptor", None) for each in sources]
        known = [each for each in descriptors if each is not None]
        if len(known) < len(descriptors):
            seconds = 0
        heard = [*known, *self._wakes]
        if self._before_wait is not None and seconds != 0:
            if readable(heard, 0):
                seconds = 0
            else:
                self._before_wait()
        ready = readable(heard, seconds)
        return [each is None or each in ready for each in descriptors]


def readable(descriptors: Iterable[int], seconds: float | None) -> frozenset[int]:
    """Which of ``descriptors`` can be read, ends and errors too; waits as `Readiness.poll` does."""
    with _SELECTOR() as selector:
        for each in frozenset(descriptors):
            selector.register(each, selectors.EVENT_READ)
        return frozenset(key.fd for key, _ in selector.select(seconds))
