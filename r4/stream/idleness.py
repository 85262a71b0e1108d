"""Idle sources: how long a source has delivered nothing, and whether it can be read now.

The only part of the intake that looks at a clock. A source that is idle for too long stops to count
(`IdleTimeout`); so answers depend on the clock only where that is asked for.
"""

from __future__ import annotations

import select
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol, runtime_checkable

from r4.stream.source import Source
from r4.stream.source_buffer import SourceBuffer


@runtime_checkable
class Waitable(Protocol):
    """A source that may keep its reader waiting."""

    @property
    def descriptor(self) -> int | None:
        """What the system can wait for; None: it never keeps its reader waiting."""


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

    def now(self) -> float:
        """Seconds since some time."""
        return monotonic()

    def poll(self, sources: Sequence[Source], seconds: float | None) -> Sequence[bool]:
        """Which of ``sources`` can be read at once; only pipes and terminals are waited for."""
        descriptors = [
            source.descriptor if isinstance(source, Waitable) else None for source in sources
        ]
        known = [each for each in descriptors if each is not None]
        if len(known) < len(descriptors):
            seconds = 0
        ready, _, _ = select.select(known, [], [], seconds)
        return [each is None or each in ready for each in descriptors]


@dataclass(frozen=True, slots=True)
class IdleTimeout:
    """When a source stops to count because it delivers nothing.

    Attributes:
        seconds: After so long.
        report: Called with the name of a source, and whether it has become idle; else it is ready
            again.
        readiness: How sources are polled.
    """

    seconds: float
    report: Callable[[str, bool], None]
    readiness: Readiness = field(default_factory=SystemReadiness)


class IdleTracker:
    """Which sources count; idle ones do not."""

    __slots__ = ("_active_at", "_buffers", "_timeout")

    def __init__(self, buffers: Sequence[SourceBuffer], timeout: IdleTimeout) -> None:
        """Begin; all sources are active now."""
        self._buffers = buffers
        self._timeout = timeout
        self._active_at = [timeout.readiness.now()] * len(buffers)

    def wake(self) -> None:
        """Let idle sources that are ready count again; if none counts, wait until one does."""
        idle = [number for number, buffer in enumerate(self._buffers) if buffer.idle]
        if not idle:
            return
        alone = all(buffer.idle or buffer.exhausted for buffer in self._buffers)
        waiting = any(buffer.waiting for buffer in self._buffers)
        self._poll(idle, None if alone and not waiting else 0)

    def may_read(self, number: int) -> bool:
        """Whether a source that counts is ready; after too long a wait it becomes idle."""
        polled = [number, *(n for n, buffer in enumerate(self._buffers) if buffer.idle)]
        left = self._active_at[number] + self._timeout.seconds - self._timeout.readiness.now()
        ready = self._poll(polled, max(left, 0.0))
        if ready[0]:
            return True
        if not any(ready):
            self._mark(number, idle=True)
        return False

    def mark_active(self, number: int) -> None:
        """Note that a source has delivered something."""
        self._active_at[number] = self._timeout.readiness.now()

    def _mark(self, number: int, *, idle: bool) -> None:
        buffer = self._buffers[number]
        buffer.idle = idle
        self._timeout.report(buffer.source.name, idle)

    def _poll(self, numbers: Sequence[int], seconds: float | None) -> Sequence[bool]:
        """Which of the sources are ready; the idle ones among them count again."""
        found = self._timeout.readiness.poll([self._buffers[n].source for n in numbers], seconds)
        for number, ready in zip(numbers, found, strict=True):
            if ready and self._buffers[number].idle:
                self.mark_active(number)
                self._mark(number, idle=False)
        return found
