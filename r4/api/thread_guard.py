"""The guard of a run: one thread at a time, another one is refused."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from threading import RLock
from typing import ClassVar, TypeVar

_Item = TypeVar("_Item")


class EngineInUse(RuntimeError):
    """A call of an engine while a call from another thread runs; it has had no effect."""

    code: ClassVar[str] = "R4601"

    def __init__(self) -> None:
        super().__init__(f"{self.code} another thread uses the engine; one at a time may call it")


class ThreadGuard:
    """Is held while a call runs. The thread that holds it may enter again; others never wait.

    Raises:
        EngineInUse: on entry, if another thread holds it.
    """

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = RLock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise EngineInUse

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def drain(self, queue: deque[_Item]) -> Iterator[_Item]:
        """Take out all of ``queue``, in order; the guard is held while one is, not between them."""
        acquire, release = self._lock.acquire, self._lock.release
        while True:  # as ``with self``, in half the time
            if not acquire(blocking=False):
                raise EngineInUse
            try:
                if not queue:
                    return
                item = queue.popleft()
            finally:
                release()
            yield item
