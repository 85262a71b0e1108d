"""The lock of a run: calls of several threads come one after the other, of one event loop."""

from __future__ import annotations

import sys
from threading import RLock
from typing import TYPE_CHECKING, ClassVar, Final

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop


class EngineInUse(RuntimeError):
    """Another event loop uses the engine; the call has no effect."""

    code: ClassVar[str] = "R4601"

    def __init__(self) -> None:
        super().__init__(
            f"{self.code} another event loop uses the engine, and is running; call it from one"
            " loop, or from threads without one"
        )


class EngineLock:
    """Is held while a call runs; other threads wait. The thread that holds it may enter again.

    A call in an event loop makes that the loop of the engine, until it stops running. A second loop
    would stand still while a call of the first one runs, so it is refused instead.

    Raises:
        EngineInUse: on entry, in an event loop, if the engine has another one that is running.
    """

    __slots__ = ("_lock", "_loop")

    def __init__(self) -> None:
        self._lock = RLock()
        self._loop: AbstractEventLoop | None = None

    def __enter__(self) -> None:
        self.check_loop()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def check_loop(self) -> None:
        """Raise `EngineInUse` if an event loop other than the running one uses the engine."""
        events = sys.modules.get("asyncio.events")  # nobody runs a loop who has not loaded it
        loop = None if events is None else events._get_running_loop()  # noqa: SLF001 - as asyncio
        if loop is None or loop is self._loop:
            return
        if self._loop is not None and self._loop.is_running():
            raise EngineInUse
        self._loop = loop


GRAPH_CHANGES: Final = RLock()
"""Is held while an attached graph changes, before the locks of the engines that follow it.

Two graphs may be attached to two engines in opposite orders; threads that changed them at the same
time would wait for each other.
"""
