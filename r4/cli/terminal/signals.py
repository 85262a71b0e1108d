"""Signals of a run: the first that ends it does so in good order, the second one at once.

SIGHUP asks it to read its static data and rules again, and to open files of outputs again that were
moved away; SIGUSR1 asks for the latter alone.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import Final, Self

from r4.sinks.file import end_stalled_write
from r4.stream.readiness import readable

_ENDING: Final = (signal.SIGTERM, signal.SIGINT)
_ASKING: Final = () if sys.platform == "win32" else (signal.SIGHUP, signal.SIGUSR1)
GRACE: Final = 0.5
"""Seconds for which a derivation goes on after the first signal, so that most of them end."""
_PATIENCE: Final = 0.5
"""Seconds for which the reader of a pipe may take nothing once a signal has come."""
_BASE: Final = 128
"""The exit code of a command that a signal ends is this and the number of the signal."""


class Stopped(Exception):
    """A signal ends a derivation that would have gone on for long."""


class RunSignals:
    """Listens for SIGTERM, SIGINT, SIGHUP and SIGUSR1 while a run goes on.

    The first one that ends the run is noted, and wakes whoever waits for `descriptor`. From then on
    they have the effect that the system gives them, so a second one ends the process at once.
    Python calls the listener between two of its instructions, so what is computed by one kernel
    call is done first.

    Attributes:
        received: the signal that was noted; None: none.
        is_set: whether the run is to end, as one was noted.
        descriptor: can be read once a signal has come; None: the system cannot wait for it.
    """

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self.is_set = False
        self.descriptor: int | None = None
        self._to_wake = self._woken_before = -1
        self._deadline = 0.0
        self._asks_to_read = self._asks_to_reopen = False
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is not threading.main_thread():
            return self  # only the main thread may listen
        if sys.platform != "win32":
            self.descriptor, self._to_wake = os.pipe()
            for each in (self.descriptor, self._to_wake):
                os.set_blocking(each, False)
            # The system writes there at once, so a signal that comes just before a wait ends it.
            self._woken_before = signal.set_wakeup_fd(self._to_wake)
        for each in _ENDING:
            # What the parent wants to be ignored, such as by nohup, stays ignored.
            if signal.getsignal(each) is not signal.SIG_IGN:
                self._before[each] = signal.signal(each, self._note)
        for each in _ASKING:
            if signal.getsignal(each) is not signal.SIG_IGN:
                self._before[each] = signal.signal(each, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        if self._to_wake >= 0:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.set_wakeup_fd(self._woken_before)
        for each, handler in self._before.items():
            signal.signal(each, handler)  # type: ignore[arg-type]
        for descriptor in (self.descriptor, self._to_wake):
            if descriptor is not None and descriptor >= 0:
                os.close(descriptor)
        self.descriptor, self._to_wake = None, -1

    def comes_within(self, seconds: float) -> bool:
        """Whether the run is to end, by a signal that has come or comes within so many seconds."""
        if self.descriptor is None:
            return self.is_set
        deadline = time.monotonic() + seconds
        while not self.is_set and (left := deadline - time.monotonic()) > 0:
            if readable([self.descriptor], left):
                self._sleep_again()  # SIGHUP may have woken it, which does not end the run
        if self.is_set or self._asks_to_read or self._asks_to_reopen:  # the next wait is woken, too
            with suppress(BlockingIOError):
                os.write(self._to_wake, b"\0")
        return self.is_set

    def take_reading(self) -> bool:
        """Whether data are to be read again; True once for each time that it was asked.

        Look at `is_set` after that: the signal that ends the run may wake nobody any more.
        """
        if not self._asks_to_read:
            return False
        self._sleep_again()
        self._asks_to_read = False  # what is asked later wakes
        return True

    def take_reopening(self) -> bool:
        """Whether outputs are to be opened again; as `take_reading`."""
        if not self._asks_to_reopen:
            return False
        self._sleep_again()
        self._asks_to_reopen = False
        return True

    def check(self) -> None:
        """Raise, if a signal was noted some time ago.

        Raises:
            Stopped: so it is.
        """
        if self.received is not None and time.monotonic() > self._deadline:
            raise Stopped

    @property
    def exit_code(self) -> int | None:
        """The exit code of a run that a signal ended; None: none did."""
        return None if self.received is None else _BASE + self.received

    def _sleep_again(self) -> None:
        if self.descriptor is not None:
            with suppress(BlockingIOError):
                os.read(self.descriptor, 1 << 10)

    def _note(self, number: int, _: FrameType | None) -> None:
        self.received = signal.Signals(number)
        self.is_set = True
        self._deadline = time.monotonic() + GRACE
        for each in _ENDING:
            if each in self._before:
                signal.signal(each, signal.SIG_DFL)
        if self._to_wake >= 0:
            self._before[signal.SIGALRM] = signal.signal(signal.SIGALRM, _end_write)
            signal.setitimer(signal.ITIMER_REAL, _PATIENCE, _PATIENCE)
        message = f"{self.received.name}: ending with what is complete; once more to end at once\n"
        with suppress(OSError):
            if sys.platform == "win32" or _takes(2):
                os.write(2, message.encode())

    def _ask(self, number: int, _: FrameType | None) -> None:
        self._asks_to_reopen = True
        self._asks_to_read = self._asks_to_read or number == signal.SIGHUP


def _takes(descriptor: int) -> bool:
    """Whether it can be written to without waiting for its reader."""
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return bool(poll.poll(0))


def _end_write(_number: int, _frame: FrameType | None) -> None:
    end_stalled_write(_PATIENCE)
