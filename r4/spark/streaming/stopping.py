"""Stopping between two batches, as who runs a process asks for with a signal."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Stopped(Exception):
    """A batch is not begun, as the process was asked to stop."""


class Stop:
    """Whether a run is to stop.

    Attributes:
        asked: whether it is.
    """

    def __init__(self) -> None:
        self.asked = False
        self._running = threading.Lock()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """While a batch is being taken.

        Raises:
            Stopped: none is to be begun.
        """
        with self._running:
            if self.asked:
                raise Stopped
            yield

    def wait(self) -> None:
        """Wait until no batch is being taken; none is begun any more if that is asked for."""
        with self._running:
            pass

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """Signals ask for it; the second one ends the process as ever. In the main thread only."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.getsignal(number) for number in _SIGNALS}

        def ask(number: int, _: FrameType | None) -> None:
            self.asked = True
            signal.signal(number, signal.default_int_handler)

        try:
            for number in _SIGNALS:
                signal.signal(number, ask)
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
