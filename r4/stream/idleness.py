"""Sources that are silent: how long, and whether they have something to read now.

The only part of the intake that looks at a clock; what it says decides when a source stops to count
(`IdleTimeout`), and so answers depend on it only where that is asked for.
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
    """Hears whether sources speak."""

    def now(self) -> float:
        """Seconds since some time."""

    def speaking(self, sources: Sequence[Source], seconds: float | None) -> Sequence[bool]:
        """Which of ``sources`` can be read at once, their ends too.

        Waits until there is one, but ``seconds`` at most; None: for as long as it takes.
        """


class SystemReadiness:
    """The ear of a machine."""

    def now(self) -> float:
        """Seconds since some time."""
        return monotonic()

    def speaking(self, sources: Sequence[Source], seconds: float | None) -> Sequence[bool]:
        """Which of ``sources`` can be read at once; only pipes and terminals are waited for."""
        waiting = [
            source.descriptor if isinstance(source, Waitable) else None for source in sources
        ]
        known = [each for each in waiting if each is not None]
        if len(known) < len(waiting):
            seconds = 0
        ready, _, _ = select.select(known, [], [], seconds)
        return [each is None or each in ready for each in waiting]


@dataclass(frozen=True, slots=True)
class IdleTimeout:
    """When a source stops to count because it says nothing.

    Attributes:
        seconds: After so long.
        tell: Called with the name of a source, and whether it has become idle; else it speaks
            again.
        ear: How sources are heard.
    """

    seconds: float
    tell: Callable[[str, bool], None]
    ear: Readiness = field(default_factory=SystemReadiness)


class IdleTracker:
    """Which sources count, as those do not that were silent for too long."""

    __slots__ = ("_feeds", "_heard", "_silence")

    def __init__(self, feeds: Sequence[SourceBuffer], silence: IdleTimeout) -> None:
        """Begin to listen."""
        self._feeds = feeds
        self._silence = silence
        self._heard = [silence.ear.now()] * len(feeds)

    def wake(self) -> None:
        """Let idle sources that speak count again; if none counts, wait until one does."""
        idle = [number for number, feed in enumerate(self._feeds) if feed.idle]
        if not idle:
            return
        alone = all(feed.idle or feed.exhausted for feed in self._feeds)
        waiting = any(feed.waiting for feed in self._feeds)
        self._hear(idle, None if alone and not waiting else 0)

    def may_read(self, number: int) -> bool:
        """Whether a source that counts speaks; if it is silent for too long, it becomes idle."""
        listened = [number, *(n for n, feed in enumerate(self._feeds) if feed.idle)]
        left = self._heard[number] + self._silence.seconds - self._silence.ear.now()
        heard = self._hear(listened, max(left, 0.0))
        if heard[0]:
            return True
        if not any(heard):
            self._mark(number, idle=True)
        return False

    def heard(self, number: int) -> None:
        """A source has delivered something."""
        self._heard[number] = self._silence.ear.now()

    def _mark(self, number: int, *, idle: bool) -> None:
        feed = self._feeds[number]
        feed.idle = idle
        self._silence.tell(feed.source.name, idle)

    def _hear(self, numbers: Sequence[int], seconds: float | None) -> Sequence[bool]:
        """Which of the sources speak; the idle ones among them count again."""
        found = self._silence.ear.speaking([self._feeds[n].source for n in numbers], seconds)
        for number, speaks in zip(numbers, found, strict=True):
            if speaks and self._feeds[number].idle:
                self.heard(number)
                self._mark(number, idle=False)
        return found
