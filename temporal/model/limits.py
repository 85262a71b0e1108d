"""Limits of a materialisation: facts, rounds, seconds, memory; its clock and its progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TypeAlias

from rete.memory_limit import MemoryBound, MemoryLimit
from rif.errors.report import quantity

Clock: TypeAlias = Callable[[], float]
"""Gives the seconds since it was made."""


def start_clock() -> Clock:
    """The clock on the wall, from now on."""
    began = monotonic()
    return lambda: monotonic() - began


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that is derived; None: any number.

    Attributes:
        facts: intervals of facts.
        rounds: rounds of derivation, in each of which every rule sees what was new in the last.
        seconds: of time, by the clock that is given.
        memory: bytes of the process, on Linux.
    """

    facts: int | None = None
    rounds: int | None = None
    seconds: float | None = None
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a materialisation: facts derived, in intervals, rounds and seconds so far."""

    facts: int
    rounds: int
    seconds: float


class LimitReached(Exception):
    """The ``limit``, in words, was reached; what is known so far is true, but not all."""

    def __init__(self, limit: str) -> None:
        self.limit = limit
        super().__init__(limit)


ProgressCallback: TypeAlias = Callable[[Progress], None]


class Meter:
    """Checks the limits and reports progress to a callback; ``is_idle``: there are none."""

    __slots__ = ("_clock", "_limits", "_memory", "_watch", "is_idle")

    def __init__(self, limits: Limits, clock: Clock, watch: ProgressCallback | None = None) -> None:
        self._limits = limits
        self._clock = clock
        self._memory = MemoryLimit(limits.memory)
        self._watch = watch
        self.is_idle = watch is None and limits == Limits()

    def check(self, facts: int, rounds: int) -> None:
        """Report the progress; raise `LimitReached` if a limit is exceeded."""
        if self.is_idle:
            return
        seconds = self._clock()
        limits = self._limits
        if self._watch is not None:
            self._watch(Progress(facts, rounds, seconds))
        for limit, done, name in (
            (limits.facts, facts, "fact"),
            (limits.rounds, rounds, "round"),
            (limits.seconds, seconds, "second"),
        ):
            if limit is not None and done > limit:
                message = f"more than {quantity(limit, name)}"
                raise LimitReached(message)
        try:
            self._memory.check()
        except MemoryBound as error:
            raise LimitReached(str(error)) from None
